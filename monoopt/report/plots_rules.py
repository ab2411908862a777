"""Pictures of LPRules: margins, rules, the trace and the path of the column generation, the path of softer margins.

Every function returns a matplotlib `Figure` that belongs to no window: ``figure.savefig("rules.png")``.
matplotlib comes with ``pip install monoopt[plot]``.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from sklearn.utils.validation import check_is_fitted

from monoopt.algorithms.margin_path import MarginPath
from monoopt.algorithms.rule_path import SOFTNESS
from monoopt.errors import DataError, OptionError
from monoopt.estimators.lprules import LPRulesClassifier

UPPER, LOWER, BOUND, GUIDE = "#2a7f62", "#b3202c", "#e08a1e", "#9aa5ad"
MOST_RULES = 25


def plot_margins(rules: LPRulesClassifier) -> Any:
    """Draw the margin distribution of every question on the relabelled objects, with the margin that is proved.

    Parameters
    ----------
    rules : LPRulesClassifier
        Fitted.

    Returns
    -------
    matplotlib.figure.Figure
    """
    from matplotlib import colormaps

    _check(rules)
    report, K = rules.margin_report(), len(rules.classes_)
    figure, (axis,) = _figure(1, 6.0, 3.8)
    for k in range(1, K):
        values, shares = report.distribution(k)
        colour = colormaps["viridis"](0.9 * (k - 1) / max(K - 2, 1))
        axis.step(values, shares, where="post", color=colour, label=f"at least {rules.classes_[k]}")
        axis.plot(rules.margins_[k - 1], 0, "|", color=colour, markersize=14, clip_on=False)
    axis.axvline(0.0, color=GUIDE, linewidth=0.8)
    axis.set(xlabel="margin y f(x)", ylabel="share of objects at or below", ylim=(0, 1.02))
    axis.set_title("Margins; the strokes below are the smallest, proved to be the largest possible", fontsize=9)
    axis.legend(fontsize=7, loc="lower right")
    return figure


def plot_rules(rules: LPRulesClassifier, k: int) -> Any:
    """Draw the rules of question k (1..K-1) as bars of their weights, with how many objects each covers.

    Parameters
    ----------
    rules : LPRulesClassifier
        Fitted.
    k : int

    Returns
    -------
    matplotlib.figure.Figure
    """
    _check(rules)
    rules._question(k)
    entries = [entry for entry in rules.rule_table() if entry["question"] == k][:MOST_RULES]
    figure, (axis,) = _figure(1, 8.0, 0.9 + 0.42 * len(entries))
    for place, entry in enumerate(reversed(entries)):
        colour = UPPER if entry["positive"] else LOWER
        axis.barh(place, entry["weight"], color=colour, height=0.6)
        axis.text(entry["weight"], place, f"  {entry['coverage']:.0%} of objects", va="center", fontsize=7)
    axis.set_yticks(range(len(entries)), [textwrap.fill(entry["text"], 52) for entry in reversed(entries)], fontsize=7)
    axis.set(xlabel="weight", xlim=(0, 1.3 * max(entry["weight"] for entry in entries)))
    axis.set_title(f"At least {rules.classes_[k]}: margin {rules.margins_[k - 1]:.4g}", fontsize=9)
    return figure


def plot_trace(rules: LPRulesClassifier, k: int) -> Any:
    """Draw how margin and bound of question k met, one point per master program.

    Parameters
    ----------
    rules : LPRulesClassifier
        Fitted here (a classifier read from JSON has no trace).
    k : int

    Returns
    -------
    matplotlib.figure.Figure
    """
    _check(rules)
    rules._question(k)
    if rules.fits_ is None:
        raise DataError(f"no trace: {rules._why_no_fits()}")
    steps = rules.fits_[k - 1].steps
    figure, (axis,) = _figure(1, 5.5, 3.5)
    number = [step.iteration for step in steps]
    axis.plot(number, [step.bound for step in steps], "o-", color=BOUND, markersize=3, label="bound over all rules")
    axis.plot(number, [step.objective for step in steps], "o-", color=UPPER, markersize=3, label="margin reached")
    axis.set(xlabel="master program", ylabel="margin")
    axis.set_title(f"At least {rules.classes_[k]}: {rules.fits_[k - 1].stopped}", fontsize=9)
    axis.legend(fontsize=8)
    return figure


def plot_rule_path(rules: LPRulesClassifier, k: int, softness: Sequence[float] = SOFTNESS) -> Any:
    """Draw error and margin of question k against the number of rules, from a hard margin to a soft one.

    Parameters
    ----------
    rules : LPRulesClassifier
        Fitted.
    k : int
    softness : sequence of float
        Values of nu.

    Returns
    -------
    matplotlib.figure.Figure
    """
    _check(rules)
    path = rules.rule_path(k, softness)
    figure, axes = _figure(2, 4.2, 3.4)
    numbers = [point.rules for point in path]
    for axis, values, word in (
        (axes[0], [point.error for point in path], "errors on relabelled objects (share)"),
        (axes[1], [point.margin for point in path], "margin"),
    ):
        axis.plot(numbers, values, "-", color=GUIDE, linewidth=0.8)
        axis.plot(numbers, values, "o", color=UPPER, markersize=4)
        axis.set(xlabel="rules", ylabel=word)
        places: dict[tuple[int, float], list[str]] = {}  # ends at the same place share their label
        for point, value in zip(path, values, strict=True):
            places.setdefault((point.rules, round(value, 6)), []).append(f"{point.nu:g}")
        for turn, (place, nus) in enumerate(places.items()):
            shift = (3, 3 if turn % 2 else -10)  # neighbours one above, one below
            axis.annotate(", ".join(nus), place, fontsize=7, xytext=shift, textcoords="offset points")
        axis.margins(y=0.1)
    figure.suptitle(f"At least {rules.classes_[k]}: fewer rules for softer margins (numbers: nu)", fontsize=9)
    return figure


def plot_margin_path(
    rules: LPRulesClassifier, k: int | None = None, X: Any = None, y: Any = None, sample_weight: Any = None
) -> Any:
    """Draw margin with bound, number of rules and error over the master programs; the ensemble taken is marked.

    Parameters
    ----------
    rules : LPRulesClassifier
        Fitted here (a classifier read from JSON has no path).
    k : int, optional
        One question; all of them, one below the other, when not given.
    X, y, sample_weight : optional
        Other labelled objects: their error is drawn as well.

    Returns
    -------
    matplotlib.figure.Figure
    """
    from matplotlib.figure import Figure

    _check(rules)
    if k is not None:
        rules._question(k)
    questions = range(1, len(rules.classes_)) if k is None else [k]
    paths = [rules.margin_path(question, X, y, sample_weight) for question in questions]
    if not paths:
        raise DataError("no path: there is only one class, hence no question")
    figure = Figure(figsize=(9.6, 2.7 * len(paths)), layout="constrained")
    for row, question, path in zip(figure.subplots(len(paths), 3, squeeze=False), questions, paths, strict=True):
        _path_panels(row, path)
        row[1].set_title(f"At least {rules.classes_[question]}", fontsize=9)
    for axis in figure.axes:
        _plain(axis)
    for axis in figure.axes[-3:]:
        axis.set_xlabel("master program", fontsize=8)
    return figure


def _path_panels(axes: Any, path: MarginPath) -> None:
    """Draw margin and bound, number of rules, and errors in one panel each."""
    steps = range(1, len(path) + 1)
    panels = (
        ((path.bounds, BOUND, "bound over all rules"), (path.margins, UPPER, "margin reached")),
        ((path.rules, UPPER, "rules"),),
        ((path.errors, UPPER, "error on relabelled objects"), (path.new_errors, LOWER, "error on other objects")),
    )
    for axis, lines in zip(axes, panels, strict=True):
        for values, colour, word in lines:
            if values is not None and len(path):
                axis.plot(steps, values, "o-", color=colour, markersize=3, linewidth=1, label=word, clip_on=False)
        if path.chosen >= 0:
            axis.axvline(path.chosen + 1, color=GUIDE, linewidth=0.8, linestyle="--", label="taken", zorder=0)
        axis.xaxis.get_major_locator().set_params(integer=True)
        axis.set_ylim(bottom=0)
        axis.legend(fontsize=7)
    axes[1].yaxis.get_major_locator().set_params(integer=True)
    axes[2].set_ylim(0, max(axes[2].get_ylim()[1], 0.01))
    axes[2].yaxis.set_major_formatter(lambda share, _: f"{100 * share:g}%")


def _check(rules: Any) -> None:
    """Refuse what is no fitted LPRulesClassifier."""
    if not isinstance(rules, LPRulesClassifier):
        raise OptionError(f"rules: wanted a fitted LPRulesClassifier, got {type(rules).__name__}")
    check_is_fitted(rules, "classes_")


def _figure(columns: int, width: float, height: float) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(columns * width, height), layout="constrained")
    axes = figure.subplots(1, columns, squeeze=False)[0]
    for axis in axes:
        _plain(axis)
    return figure, axes


def _plain(axis: Any) -> None:
    axis.spines[["top", "right"]].set_visible(False)
    axis.tick_params(labelsize=8)
