"""Pictures of a ranking: the right panels, labels on the right objects, something drawn in each."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from monoopt.errors import DataError, OptionError
from monoopt.estimators.rank_baselines import WeightedSum
from monoopt.estimators.rank_uncertainty import bootstrap_ranks
from monoopt.estimators.rpc import RankingPrincipalCurve
from monoopt.order.bezier import curve_points
from monoopt.report.plots_rank import plot_curve, plot_intervals, plot_scores

pytest.importorskip("matplotlib")
pytestmark = pytest.mark.filterwarnings("ignore::monoopt.errors.DataWarning")


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    P = np.array([[0.0, 1.0, 0.0], [0.1, 0.2, 0.4], [0.3, 0.1, 0.6], [1.0, 0.0, 1.0]])
    X = curve_points(P, rng.uniform(0, 1, 40)) + 0.05 * rng.normal(size=(40, 3))
    return pd.DataFrame(
        {"up": X[:, 0], "down": X[:, 1], "flat": 7.0, "more": X[:, 2]}, index=[f"o{i}" for i in range(40)]
    )


@pytest.fixture(scope="module")
def fitted(table: pd.DataFrame) -> RankingPrincipalCurve:
    return RankingPrincipalCurve(solver="direct", directions={"down": -1, "*": 1}).fit(table)


def pixels(figure) -> np.ndarray:
    from matplotlib.image import imread

    page = io.BytesIO()
    figure.savefig(page, format="png", dpi=50)
    page.seek(0)
    return imread(page)


def drawn(axis) -> bool:
    return bool(axis.collections or axis.lines)


def test_the_matrix_has_a_panel_for_every_pair_that_varies(fitted):
    figure = plot_curve(fitted, label=["o3"])
    panels = [axis for axis in figure.axes if drawn(axis)]
    assert len(panels) == 9 and "proved strictly monotone" in " ".join(figure.get_suptitle().split())
    named = [text for axis in panels for text in axis.texts]
    assert len(named) == 6 and {text.get_text() for text in named} == {"o3"}
    first = next(axis for axis in panels if axis.texts)
    assert first.texts[0].xy == pytest.approx(fitted.values_[3, [1, 0]])
    assert np.ptp(pixels(figure)) > 0.5


def test_the_drawn_curve_is_the_fitted_one(fitted):
    axis = plot_curve(fitted, attributes=["up", "down"]).axes[1]
    polygon, path = axis.lines
    np.testing.assert_allclose(polygon.get_xydata(), fitted.control_points_[:, [1, 0]])
    np.testing.assert_allclose(path.get_xydata(), fitted.inverse(np.linspace(0, 1, 201))[:, [1, 0]])
    guides = axis.collections[0].get_segments()
    np.testing.assert_allclose(
        guides[5], np.stack([fitted.values_[5], fitted.inverse([fitted.scores_[5]])[0]])[:, [1, 0]]
    )


def test_attributes_are_drawn_along_the_score_with_their_shape(fitted, table):
    figure = plot_scores(fitted)
    assert [axis.get_ylabel() for axis in figure.axes if drawn(axis)] == ["up", "down", "more"]
    assert fitted.shapes_["up"] in figure.axes[0].get_title()
    plain = plot_scores(WeightedSum(directions={"down": -1, "*": 1}).fit(table))
    assert not plain.axes[0].lines  # no curve to draw


def test_intervals_are_listed_from_the_best_down(fitted, table):
    found = bootstrap_ranks(WeightedSum(directions={"down": -1, "*": 1}), table, n_boot=30)
    axis = plot_intervals(found, top=5).axes[0]
    labels = [tick.get_text() for tick in axis.get_yticklabels()]
    assert labels == [found.objects[i] for i in np.argsort(found.ranks, kind="stable")[:5]]
    assert axis.get_ylim()[0] > axis.get_ylim()[1]


def test_unknown_names_are_refused(fitted):
    with pytest.raises(OptionError, match="did you mean 'down'"):
        plot_curve(fitted, attributes=["dwn"])
    with pytest.raises(DataError, match="no object"):
        plot_curve(fitted, label=["nobody"])


def test_names_of_objects_side_by_side_do_not_lie_on_each_other(fitted):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    best = [fitted.objects_[i] for i in np.argsort(-fitted.scores_)[:5]]
    figure = plot_curve(fitted, label=best)
    FigureCanvasAgg(figure).draw()  # lays the panels out
    for axis in figure.axes:
        boxes = [Text.get_window_extent(text) for text in axis.texts]  # without the line to the object
        for k, box in enumerate(boxes):
            assert not any(box.overlaps(other) for other in boxes[:k])
