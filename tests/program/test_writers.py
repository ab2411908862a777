"""Laws of the files: what is written is read back bit for bit, by a reader we did not write, under any names."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monoopt.errors import DataError, FormulationError
from monoopt.program import Block, Program, ProgramBuilder, difference, name_map, to_lp, to_mps
from monoopt.program.writers import RESERVED
from monoopt.solvers import read_program, solve

FORMATS: dict[str, Callable[[Program], str]] = {"lp": to_lp, "mps": to_mps}
NASTY = ["x+", "x-", "1st", "inf", "a b"]
ODD = [*NASTY, "e12", "é", "ü+", "free", "2 3e4", "", "(", "[0]", "x,1", "-", ">=", "end", "\\", ":", "ß/日本"]
NUMBERS = [0.0, 1.0, -1.0, 1 / 3, 0.1 + 0.2, 1e15, 1e16, 2.0**53 + 2, 123456789012345.0, -7.25e-9, 3e5, 5e-324, 1e-300]


def scalars(sense: str = "minimize", offset: float = 0.0, names: list[str] | None = None) -> Program:
    """Three columns of different kinds under one covering row, with an optimum."""
    b = ProgramBuilder("scalars", sense=sense)  # type: ignore[arg-type]
    for k, name in enumerate(names or ["x", "y", "z"]):
        b.add_columns(name, cost=(1 - k) / 3 if sense == "minimize" else (k - 1) / 3, lower=-k, upper=k + 1)
    b.add_rows("cover", {name: [[1.0 + k / 7]] for k, name in enumerate(names or ["x", "y", "z"])}, lower=0.1 + 0.2)
    b.add_offset(offset)
    return b.build()


def sides() -> Program:
    """Equality, range, one-sided, free and empty rows; free, fixed, half-bounded and negative columns."""
    b = ProgramBuilder("sides and\nnames")
    inf = np.inf
    lower, upper = [0, -inf, -inf, 2.5, -7, -1e-9], [inf, inf, -1, 2.5, -2, 1e19]
    b.add_columns("x", 6, lower=lower, upper=upper, cost=[1, 0, 0, -2, 0, 0])
    A = np.zeros((6, 6))
    A[0, [0, 3]] = A[1, [0, 1]] = A[2, 2] = A[4, [4, 5]] = 1
    A[1, 5], A[5, [0, 5]] = -1, [1 / 3, 2]
    b.add_rows("r", {"x": A}, lower=[3, -0.5, -inf, -1, -inf, -inf], upper=[3, 0.25, 0, 1, inf, 1 / 3])
    return b.build()


def whole(sense: str = "minimize") -> Program:
    """Integer columns among others, so that markers open and close."""
    b = ProgramBuilder("whole", sense=sense)  # type: ignore[arg-type]
    b.add_columns("x", 5, lower=[0, 0, -3, 0, 1], upper=[1, 9, 3, 1, 2], cost=[1, -1, 2, 0, 1], integer=[1, 0, 1, 1, 0])
    b.add_rows("knapsack", {"x": [[2.0, 3, 1, 1, 1]]}, lower=-2, upper=7.5)
    b.add_offset(-4)
    return b.build()


def quadratic(sense: str = "minimize") -> Program:
    """A convex (or concave) quadratic objective over two blocks, with a cross term."""
    b = ProgramBuilder("quadratic", sense=sense)  # type: ignore[arg-type]
    turn = 1 if sense == "minimize" else -1
    b.add_columns("u", 2, lower=0, upper=1, cost=[1 / 3, 0])
    b.add_columns("v", 1, lower=-1, upper=1)
    b.add_quadratic("u", turn * np.array([[2.0, 1 / 3], [1 / 3, 2.0]]))
    b.add_quadratic("v", turn * np.array([[4.0]]))
    b.add_quadratic("u", turn * np.array([[0.5], [0.0]]), "v")
    b.add_rows("sum", {"u": [[1.0, 1.0]], "v": [[1.0]]}, lower=1, upper=1)
    b.add_offset(0.1)
    return b.build()


def labelled(labels: list[str]) -> Program:
    b = ProgramBuilder("labelled", sense="maximize")
    n = len(labels)
    b.add_columns("w", n, lower=0, upper=np.arange(1, n + 1) / 3, cost=np.arange(n) - 1.5, index=labels)
    b.add_rows("pick", {"w": np.tri(n)}, upper=np.arange(n) / 2 + 0.5, index=labels)
    b.add_offset(2)
    return b.build()


def without_rows() -> Program:
    b = ProgramBuilder("no rows")
    b.add_columns("x", 3, lower=0, upper=1, cost=[1, 0, -1])
    return b.build()


def without_columns(offset: float) -> Program:
    b = ProgramBuilder("nothing to decide")
    b.add_columns("d", 0)
    b.add_offset(offset)
    return b.build()


PROGRAMS = {
    "minimise": scalars(),
    "maximise": scalars("maximize"),
    "offset": scalars(offset=1 / 3),
    "negative offset, maximise": scalars("maximize", offset=-2.5),
    "sides": sides(),
    "whole": whole(),
    "whole, maximise": whole("maximize"),
    "quadratic": quadratic(),
    "quadratic, maximise": quadratic("maximize"),
    "nasty labels": labelled(NASTY),
    "odd labels": labelled(ODD),
    "long labels": labelled([f"{'long' * 100}{k}" for k in range(12)]),
    "no rows": without_rows(),
    "no columns": without_columns(3.0),
    "nothing": without_columns(0.0),
}


def under_safe_names(program: Program) -> Program:
    """The same program under the names that stand in the file."""
    names = name_map(program)

    def block(kind: str) -> tuple[Block, ...]:
        n = len(names[kind])
        return (Block(kind, 0, n, (n,), np.array(list(names[kind])), verbatim=True),) if n else ()

    return replace(program, columns=block("columns"), rows=block("rows"))


def read_back(program: Program, ending: str, folder: Path) -> Program:
    path = folder / f"program.{ending}"
    path.write_text(FORMATS[ending](program), encoding="ascii")
    return read_program(path)


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_what_is_written_is_read_back_bit_for_bit(program: Program, ending: str, tmp_path: Path):
    assert difference(under_safe_names(program), read_back(program, ending, tmp_path)) == []


@pytest.mark.parametrize("ending", FORMATS)
def test_block_names_come_back_as_blocks(ending: str, tmp_path: Path):
    program = sides()
    back = read_back(program, ending, tmp_path)
    assert difference(program, back) == []
    assert [b.name for b in (*back.columns, *back.rows)] == ["x", "r"]


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Small programs with awkward numbers and labels in every place."""
    number = st.sampled_from([*NUMBERS, *(-v for v in NUMBERS)]) | st.floats(-1e6, 1e6)
    coefficient = st.sampled_from([0.0, 0.0, 1.0, -1.0, 1 / 3]) | st.floats(1e-9, 1e9).map(lambda v: -v)
    n, m = draw(st.integers(1, 4)), draw(st.integers(0, 3))

    def vector(k: int, of: st.SearchStrategy[float] = number) -> np.ndarray:
        return np.array(draw(st.lists(of, min_size=k, max_size=k)), dtype=float)

    def interval(k: int) -> tuple[np.ndarray, np.ndarray]:
        ends = np.sort(np.array([vector(k), vector(k)]), axis=0)
        kinds = np.array(draw(st.lists(st.integers(0, 4), min_size=k, max_size=k)), dtype=int)
        low = np.where(np.isin(kinds, (0, 1)), -np.inf, ends[0])
        return low, np.where(np.isin(kinds, (0, 2)), np.inf, np.where(kinds == 3, low, ends[1]))

    b = ProgramBuilder("random", sense=draw(st.sampled_from(["minimize", "maximize"])))
    low, high = interval(n)
    labels = draw(st.lists(st.sampled_from(ODD) | st.text(max_size=6), min_size=n, max_size=n, unique=True))
    labels = labels if len({word.rstrip("\0") for word in labels}) == n else list(map(str, range(n)))
    b.add_columns("x", n, lower=low, upper=high, cost=vector(n), index=labels, integer=vector(n) > 0)
    if m:
        low, high = interval(m)
        A = np.array([vector(n, coefficient) for _ in range(m)])
        b.add_rows("r", {"x": A}, lower=low, upper=high, index=np.arange(m))
    b.add_offset(draw(number))
    return b.build()


@settings(max_examples=80)
@given(program=programs())
def test_any_program_survives_both_formats(program: Program, tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("files")
    for ending in FORMATS:
        assert difference(under_safe_names(program), read_back(program, ending, folder)) == []


@pytest.mark.parametrize("ending", FORMATS)
def test_no_reserved_word_breaks_a_file_as_column_or_row(ending: str, tmp_path: Path):
    words = [word for word in RESERVED if word.isidentifier()]
    words += [word.upper() for word in words] + ["e", "E1", "e1x", "d", "N", "G", "Bounds", "INTORG", "s", "t", "to"]
    for word in words:
        b = ProgramBuilder("word")
        b.add_columns(word, cost=2.5, lower=-1, upper=3, integer=True)
        b.add_columns("other", 2, lower=0, cost=[0, 1])
        b.add_rows(f"{word}_rows", {word: [[1.0], [2.0]], "other": np.eye(2)}, upper=[4, 5], index=[0, 1])
        b.add_rows(word, {word: [[1.0]]}, lower=-1)
        program = b.build()
        assert difference(under_safe_names(program), read_back(program, ending, tmp_path)) == [], word


def test_u70_nasty_feature_names_stay_apart_and_every_reader_finds_the_same_optimum(tmp_path: Path):
    program = labelled(NASTY)
    names = name_map(program)["columns"]
    assert len(names) == 5 and list(names.values()) == [f"w({label})" for label in NASTY]
    optimum = solve(program).objective
    for ending in FORMATS:
        assert solve(read_back(program, ending, tmp_path)).objective == pytest.approx(optimum, abs=1e-12)
    for value in other_readers(program, tmp_path):
        assert value == pytest.approx(optimum, abs=1e-7)


GLPK_FLAGS = (("lp", "--lp"), ("mps", "--freemps"))
SOLVABLE = "minimise", "maximise", "offset", "negative offset, maximise", "whole", "whole, maximise"


@pytest.mark.parametrize("name", [*SOLVABLE, "nasty labels", "long labels"])
def test_glpk_and_cbc_read_the_same_program(name: str, tmp_path: Path):
    program = PROGRAMS[name]
    optimum = solve(program).objective
    assert other_readers(program, tmp_path) == [pytest.approx(optimum, abs=1e-7)] * 4


def test_glpk_takes_free_and_empty_rows(tmp_path: Path):
    require("glpsol")
    for ending, flag in GLPK_FLAGS:
        path = tmp_path / f"sides.{ending}"
        path.write_text(FORMATS[ending](sides()))
        done = subprocess.run(["glpsol", flag, path, "--check"], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout


def require(command: str) -> None:
    if shutil.which(command) is None:
        pytest.skip(f"{command} is not installed (Debian: {'glpk-utils' if command == 'glpsol' else 'coinor-cbc'})")


def other_readers(program: Program, folder: Path) -> list[float]:
    """Optima of the program that GLPK and CBC find from both files."""
    require("glpsol")
    require("cbc")
    found = []
    for ending, flag in GLPK_FLAGS:
        path, answer = folder / f"other.{ending}", folder / "answer"
        path.write_text(FORMATS[ending](program))
        turn = program.sign if ending == "mps" else 1.0
        subprocess.run(["glpsol", flag, path, "-w", answer], check=True, capture_output=True, timeout=60)
        found += [turn * float(line.split()[-1]) for line in answer.read_text().splitlines() if line.startswith("s ")]
        subprocess.run(["cbc", path, "solve", "solution", answer], check=True, capture_output=True, timeout=60)
        head = answer.read_text().splitlines()[0]
        assert head.startswith("Optimal"), head
        found.append(turn * float(head.split()[-1]))
    return found


def test_the_text_is_deterministic_and_readable():
    assert to_lp(whole()).splitlines() == [
        "\\ whole",
        "minimize",
        " obj: + 1 x(0) - 1 x(1) + 2 x(2) + 0 x(3) + 1 x(4) - 4 offset",
        "subject to",
        " knapsack.lo: + 2 x(0) + 3 x(1) + 1 x(2) + 1 x(3) + 1 x(4) >= -2",
        " knapsack.up: + 2 x(0) + 3 x(1) + 1 x(2) + 1 x(3) + 1 x(4) <= 7.5",
        "bounds",
        " 0 <= x(0) <= 1",
        " 0 <= x(1) <= 9",
        " -3 <= x(2) <= 3",
        " 0 <= x(3) <= 1",
        " 1 <= x(4) <= 2",
        " offset = 1",
        "general",
        " x(0) x(2) x(3)",
        "end",
    ]
    assert to_lp(whole()) == to_lp(whole()) and to_mps(whole()) == to_mps(whole())


def test_a_maximisation_in_mps_stands_turned_and_says_so():
    text = to_mps(scalars("maximize", offset=2.0))
    assert text.startswith("* maximize: the objective stands turned here")
    assert " offset obj -2" in text.splitlines()


def test_no_line_is_longer_than_old_readers_take():
    for ending in FORMATS.values():
        assert max(map(len, ending(PROGRAMS["long labels"]).splitlines())) < 560


def test_a_column_called_offset_and_rows_called_lo_are_not_mistaken(tmp_path: Path):
    b = ProgramBuilder("mistaken")
    b.add_columns("x", cost=1, lower=0, upper=5)
    b.add_columns("offset", cost=7, lower=1, upper=1)
    b.add_rows("r", {"x": [[1.0]]}, lower=1, upper=2)
    program = b.build()
    other = replace(under_safe_names(program), rows=(Block("rows", 0, 1, (1,), np.array(["r.lo"]), verbatim=True),))
    for written in (program, other):
        for ending in FORMATS:
            assert difference(under_safe_names(written), read_back(written, ending, tmp_path)) == []


def test_cones_are_refused_by_name():
    b = ProgramBuilder("ball")
    b.add_columns("x", 3)
    b.add_cone("ball", "second_order", {"x": np.eye(3)})
    for write in FORMATS.values():
        with pytest.raises(FormulationError, match=r"'ball' has cone blocks"):
            write(b.build())


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [("p.txt", "Minimize\n", r"ends in '\.txt'; wanted \.lp or \.mps"), ("p.lp", " \n", "the file is empty"),
     ("p.LP", "Minimize\n", "wanted"), ("p", "x", "ends in 'nothing'; wanted"),
     ("p.lp", "garbage", "expected a section keyword")],
)  # fmt: skip
def test_a_file_that_is_no_program_is_refused_in_words(name: str, content: str, words: str, tmp_path: Path):
    (tmp_path / name).write_text(content)
    with pytest.raises(DataError, match=words):
        read_program(tmp_path / name)


def test_bounds_of_a_file_that_cross_are_said_to_leave_no_value(tmp_path: Path):
    (tmp_path / "p.lp").write_text("Minimize\n obj: x\nSubject To\n a: x + y >= 1\nBounds\n 1 <= x <= 0\nEnd\n")
    with pytest.raises(FormulationError, match=r"so that no value is left, the first is x: \[1, 0\]"):
        read_program(tmp_path / "p.lp")
