"""Five ordinal data sets from the literature on monotone classification.

All come from the package skordinal (BSD-3-Clause); ``data/README.md`` beside this file says what was
changed, and ``data/LICENSE-skordinal.txt`` holds the licence.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from monoopt.datasets.dataset import Dataset, read_columns

LICENCE = "BSD-3-Clause, copyright (c) 2025 The skordinal developers"
SKORDINAL = "skordinal 0.2.0, https://github.com/ayrna/skordinal"
BEN_DAVID = f"Arie Ben-David, distributed with Weka; taken from {SKORDINAL}"
SORTED = "Rows are sorted by class: shuffle before cutting folds."


def _load(
    name: str, source: str, description: str, *, signs: Sequence[int] = (), classes: Sequence[str] = ()
) -> Dataset:
    """Read one file; attributes are gains and classes are called by their numbers unless told otherwise."""
    (*names, target), table = read_columns(f"{name}.csv")
    y = table[:, -1].astype(np.int64)
    return Dataset(
        name=name,
        X=np.ascontiguousarray(table[:, :-1]),
        y=y,
        feature_names=tuple(names),
        target_name=target,
        directions=dict(zip(names, signs or [1] * len(names), strict=True)),
        classes=tuple(classes) or tuple(str(k) for k in range(1, int(y.max()) + 1)),
        source=source,
        licence=LICENCE,
        description=description,
    )


def load_esl() -> Dataset:
    """Load ESL, employee selection: 488 applicants for industrial jobs, 4 scores, fitness in 9 classes.

    Examples
    --------
    >>> load_esl()
    Dataset('esl': 488 objects, 4 attributes, 9 classes)
    """
    what = "Applicants' psychometric scores by experts; the class is an expert's overall rating of fitness. "
    return _load("esl", f"Data owner Yoav Ganzach. {BEN_DAVID}", what + SORTED)


def load_swd() -> Dataset:
    """Load SWD, social workers' decisions: 1000 cases of children, 10 attributes, risk in 4 classes.

    Examples
    --------
    >>> load_swd().X.shape
    (1000, 10)
    """
    what = "Assessments by qualified social workers; the class is the risk to a child who stays at home. "
    return _load("swd", BEN_DAVID, what + SORTED)


def load_lev() -> Dataset:
    """Load LEV, lecturers' evaluation: 1000 anonymous evaluations, 4 attributes, 5 classes.

    Examples
    --------
    >>> load_lev().directions
    {'in1': 1, 'in2': 1, 'in3': 1, 'in4': 1}
    """
    what = "Students' ratings of lecturers at the end of courses; the class is the overall rating. "
    return _load("lev", BEN_DAVID, what + SORTED)


def load_era() -> Dataset:
    """Load ERA, employee rejection and acceptance: 1000 decisions, 4 attributes, 9 classes, very noisy.

    Examples
    --------
    >>> load_era().classes[-1]
    '9'
    """
    what = "Students' readiness to hire candidates of given experience and skill; the class is that readiness. "
    return _load("era", BEN_DAVID, what + SORTED)


def load_balance() -> Dataset:
    """Load Balance: all 625 settings of a balance, 4 attributes, tips right < balanced < tips left.

    Examples
    --------
    >>> load_balance().directions
    {'left_weight': 1, 'left_distance': 1, 'right_weight': -1, 'right_distance': -1}
    """
    source = f"R. S. Siegler (1976); UCI, https://doi.org/10.24432/C5488X; taken from {SKORDINAL}"
    what = "The scale tips to the side with the larger product of weight and distance; no noise."
    return _load("balance", source, what, signs=(1, 1, -1, -1), classes=("R", "B", "L"))
