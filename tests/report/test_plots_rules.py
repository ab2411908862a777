"""Pictures of rules show what was found, and open no window."""

from __future__ import annotations

from functools import cache

import pytest
from sklearn.exceptions import NotFittedError

from monoopt import DataError, LPRulesClassifier, MonotoneRelabeler, OptionError
from monoopt.datasets import load_lev
from monoopt.report.plots_rules import plot_margin_path, plot_margins, plot_rule_path, plot_rules, plot_trace


@cache
def lev() -> LPRulesClassifier:
    table = load_lev()
    return LPRulesClassifier().fit(table.X, table.y)


def saved(figure, tmp_path) -> int:
    figure.savefig(tmp_path / "p.png", dpi=40)
    return (tmp_path / "p.png").stat().st_size


def test_margins_have_a_line_for_every_question(tmp_path):
    figure = plot_margins(lev())
    labels = [line.get_label() for line in figure.axes[0].lines]
    assert [label for label in labels if label.startswith("at least")] == [f"at least {k}" for k in (2, 3, 4, 5)]
    assert saved(figure, tmp_path) > 3000


def test_every_rule_is_a_bar_of_its_weight(tmp_path):
    figure = plot_rules(lev(), 2)
    bars = sorted(bar.get_width() for bar in figure.axes[0].patches)
    assert bars == sorted(lev().rules_[1].weights.tolist()) and saved(figure, tmp_path) > 3000


def test_the_trace_ends_where_margin_and_bound_meet(tmp_path):
    figure = plot_trace(lev(), 3)
    bound, reached = (line.get_ydata() for line in figure.axes[0].lines)
    assert abs(bound[-1] - reached[-1]) < 1e-6 and saved(figure, tmp_path) > 3000
    with pytest.raises(DataError, match="no trace"):
        plot_trace(LPRulesClassifier.from_dict(lev().to_dict()), 3)


def test_the_path_has_a_point_for_every_softness(tmp_path):
    figure = plot_rule_path(lev(), 2, [0.0, 0.1, 0.3])
    assert len(figure.axes) == 2 and len(figure.axes[0].lines[1].get_xdata()) == 3
    assert saved(figure, tmp_path) > 3000
    for draw in (plot_rules, plot_trace, plot_rule_path):
        with pytest.raises(OptionError, match="question from 1 to 4"):
            draw(lev(), 5)


def test_the_path_of_the_column_generation_has_a_point_for_every_master_program(tmp_path):
    table, path = load_lev(), lev().margin_path(3)
    figure = plot_margin_path(lev(), 3, table.X, table.y)
    bound, margin = figure.axes[0].lines[:2]
    assert list(margin.get_ydata()) == path.margins.tolist() and list(bound.get_ydata()) == path.bounds.tolist()
    assert list(figure.axes[1].lines[0].get_ydata()) == path.rules.tolist()
    assert [line.get_label() for line in figure.axes[2].lines] == [
        "error on relabelled objects", "error on other objects", "taken"
    ]  # fmt: skip
    assert len(plot_margin_path(lev()).axes) == 3 * 4 and saved(figure, tmp_path) > 3000
    with pytest.raises(OptionError, match="question from 1 to 4"):
        plot_margin_path(lev(), 5)
    with pytest.raises(DataError, match="no path"):
        plot_margin_path(LPRulesClassifier.from_dict(lev().to_dict()), 3)


@pytest.mark.parametrize("draw", [plot_margins, plot_rules, plot_trace, plot_rule_path, plot_margin_path])
def test_what_is_no_fitted_rule_classifier_is_refused_in_words(draw):
    asked = () if draw in (plot_margins, plot_margin_path) else (1,)
    for wrong in ("hello", MonotoneRelabeler().fit([[1], [2]], [0, 1])):
        with pytest.raises(OptionError, match=f"wanted a fitted LPRulesClassifier, got {type(wrong).__name__}"):
            draw(wrong, *asked)
    with pytest.raises(NotFittedError):
        draw(LPRulesClassifier(), *asked)
    if draw is not plot_margins:
        with pytest.raises(OptionError, match="k='hi': wanted a question from 1 to 4"):
            draw(lev(), "hi")
