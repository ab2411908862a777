"""Fifty thousand objects fit in two gigabytes: kernel rows on demand, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import resource
import numpy as np
from monoopt import SVDD
X = np.random.default_rng(0).normal(size=(50_000, 5))
ball = SVDD(nu=0.02).fit(X)
assert ball.certificates_[0].ok and len(ball.outside_) <= 1000
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


@pytest.mark.slow
def test_fifty_thousand_objects_are_trained_to_proof_in_two_gigabytes():
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=root, capture_output=True, text=True, timeout=290)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 2000
