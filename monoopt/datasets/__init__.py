"""Small data sets shipped with monoopt, each with its source and licence."""

from __future__ import annotations

from monoopt.datasets.countries import RankingTable as RankingTable
from monoopt.datasets.countries import load_countries as load_countries
from monoopt.datasets.dataset import Dataset as Dataset
from monoopt.datasets.ordinal import load_balance as load_balance
from monoopt.datasets.ordinal import load_era as load_era
from monoopt.datasets.ordinal import load_esl as load_esl
from monoopt.datasets.ordinal import load_lev as load_lev
from monoopt.datasets.ordinal import load_swd as load_swd
