"""What a shipped data set is, and how it is read."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Dataset:
    """A data set with everything needed to use and to cite it.

    Attributes
    ----------
    name : str
    X : ndarray of float64, shape (n, d)
        Attributes. Read-only, as y: copy before changing.
    y : ndarray of int64, shape (n,)
        Classes 1..K, K best.
    feature_names : tuple of str
    target_name : str
    directions : dict of str to int
        By attribute: +1 gain, -1 cost.
    classes : tuple of str
        What the classes 1..K are called, worst first.
    source, licence, description : str
    """

    name: str
    X: npt.NDArray[np.float64]
    y: npt.NDArray[np.int64]
    feature_names: tuple[str, ...]
    target_name: str
    directions: dict[str, int]
    classes: tuple[str, ...]
    source: str
    licence: str
    description: str

    def __post_init__(self) -> None:
        self.X.setflags(write=False)
        self.y.setflags(write=False)

    def frame(self) -> Any:
        """Return a pandas data frame with the attributes and the target.

        Raises
        ------
        ImportError
            pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("frame() needs pandas (pip install pandas); X and y do not") from error
        return pd.DataFrame(self.X, columns=list(self.feature_names)).assign(**{self.target_name: self.y})

    def __repr__(self) -> str:
        shape = f"{len(self.y)} objects, {self.X.shape[1]} attributes, {len(self.classes)} classes"
        return f"Dataset({self.name!r}: {shape})"


def read_columns(file: str) -> tuple[tuple[str, ...], npt.NDArray[np.float64]]:
    """Return the column names and the numbers of a shipped CSV file.

    Parameters
    ----------
    file : str
        Name in the folder ``monoopt/datasets/data``.
    """
    text = resources.files("monoopt.datasets").joinpath("data", file).read_text(encoding="utf-8")
    header, *rows = csv.reader(text.splitlines())
    return tuple(header), np.array(rows, dtype=np.float64)
