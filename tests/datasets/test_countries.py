"""The shipped table of countries: complete, cited, ready to rank."""

from __future__ import annotations

import numpy as np
import pytest

from monoopt.datasets import load_countries


def test_every_cell_is_there_and_every_country_once():
    countries = load_countries()
    assert countries.X.shape == (173, 3) and np.isfinite(countries.X).all()
    assert len(set(countries.objects)) == 173
    assert set(countries.directions) == set(countries.feature_names)


def test_known_figures_are_the_published_ones():
    countries = load_countries()
    norway = countries.X[countries.objects.index("Norway")]
    assert norway.tolist() == [39954.0, 81.1, 2.6]
    assert countries.X[countries.objects.index("Chad")].tolist() == [283.2, 55.8, 93.6]


def test_source_and_licence_are_stated_and_the_array_is_read_only():
    countries = load_countries()
    assert "Gapminder" in countries.source and "CC BY 4.0" in countries.licence
    with pytest.raises(ValueError, match="read-only"):
        countries.X[0, 0] = 1


def test_it_comes_as_a_frame_and_as_columns():
    countries = load_countries()
    frame = pytest.importorskip("pandas") and countries.frame()
    assert (
        frame.loc["Norway", "gdp_per_person"]
        == countries.columns()["gdp_per_person"][countries.objects.index("Norway")]
    )
