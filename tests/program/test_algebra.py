"""Laws of the printed algebra: every block has its line, no number is rounded, LaTeX can be set, integers are said."""

from __future__ import annotations

import re

import numpy as np
import pytest

from monoopt.errors import FormulationError
from monoopt.program import Program, ProgramBuilder, expand, to_latex, to_markdown
from monoopt.program.algebra import escaped, plain


def rich(sense: str = "minimize") -> Program:
    """A program with every kind of line."""
    b = ProgramBuilder("rich", sense=sense)  # type: ignore[arg-type]
    turn = 1 if sense == "minimize" else -1
    b.add_columns("d", 3, lower=0, upper=1, cost=[1, -2, 1 / 3], tex="d_i", over="i in objects_of_A & B")
    b.add_columns("rho", cost=-1, tex=r"\rho")
    b.add_columns("slack_of_row", 2, lower=0, cost=turn * 0.1, tex=r"\xi_{ij}")
    b.add_columns("pick", 2, lower=0, upper=1, integer=True)
    b.add_columns("mixed", 2, lower=0, upper=[1, 5], integer=[True, False])
    b.add_columns("fixed", lower=2, upper=2)
    b.add_rows("dominance", {"d": [[1, -1, 0], [0, 1, -1]]}, lower=0, tex="d_i - d_j", over="(i,j) in dominance")
    b.add_rows("range", {"d": [[1, 1, 1]]}, lower=1 / 3, upper=2, tex=r"\sum_i d_i")
    b.add_rows("data", {"rho": [[1], [1]]}, lower=[1, 2], upper=[5, np.inf])
    b.add_rows("total", {"pick": [[1, 1]], "mixed": [[1, 0]]}, lower=1, upper=1)
    b.add_rows("idle", {"rho": [[0.0]]})
    b.add_quadratic("rho", turn * np.array([[2.0]]))
    b.add_quadratic("d", turn * np.eye(3))
    b.add_quadratic("d", turn * np.full((3, 1), 0.1), "rho")
    b.add_cone("ball", "second_order", {"d": np.eye(3)}, tex=r"(1, d)", over="all of d")
    b.add_offset(-0.5)
    return b.build()


def test_every_block_has_one_line_with_its_size():
    assert rich().describe().splitlines() == [
        "rich: 7 rows, 11 columns, 12 nonzeros; needs integer, linear, quadratic, second_order",
        "minimize  1/2 d' P d + d' P rho + 1/2 rho' P rho + sum of cost * d - rho + 0.1 sum of slack_of_row - 0.5",
        "subject to",
        "  dominance: d_i - d_j >= 0    for (i,j) in dominance  [2 rows]",
        "  range: 0.3333333333333333 <= sum_i d_i <= 2  [1 row]",
        "  data: data <= A rho <= data  [2 rows]",
        "  total: A pick + A mixed = 1  [1 row]",
        "  idle: 0 free  [1 row]",
        "  ball: (1, d) in the second-order cone    for all of d  [3 second-order cone entries]",
        "  d: 0 <= d_i <= 1    for i in objects_of_A & B  [3 columns]",
        "  rho: rho free  [1 column]",
        "  slack_of_row: xi_ij >= 0  [2 columns]",
        "  pick: pick in {0, 1}  [2 columns]",
        "  mixed: 0 <= mixed <= data, some whole numbers  [2 columns]",
        "  fixed: fixed = 2  [1 column]",
    ]
    assert str(rich()) == rich().describe()


def test_a_maximisation_is_printed_as_the_user_stated_it():
    b = ProgramBuilder("margin", sense="maximize")
    b.add_columns("rho", cost=1, tex=r"\rho")
    b.add_columns("xi", 4, lower=0, cost=-0.25)
    b.add_offset(3)
    assert b.build().describe().splitlines()[1] == "maximize  rho - 0.25 sum of xi + 3"


def test_an_empty_program_is_still_described():
    program = ProgramBuilder("nothing").build()
    head, objective, _ = program.describe().splitlines()
    assert (head, objective) == ("nothing: 0 rows, 0 columns, 0 nonzeros; needs linear", "minimize  0")
    assert to_latex(program) == "\\begin{aligned}\n\\text{minimize}\\quad & 0\n\\end{aligned}"


@pytest.mark.parametrize("sense", ["minimize", "maximize"])
def test_latex_can_be_set(sense: str):
    """Every cell of the aligned block is parsed by a typesetter that is not ours."""
    from matplotlib.mathtext import MathTextParser

    parser = MathTextParser("path")
    lines = to_latex(rich(sense)).splitlines()
    assert lines[0] == r"\begin{aligned}" and lines[-1] == r"\end{aligned}"
    assert [line.endswith(r" \\") for line in lines[1:-1]] == [True] * (len(lines) - 3) + [False]
    for line in lines[1:-1]:
        cells = re.split(r"(?<!\\)&", line.removesuffix(r" \\"))
        assert len(cells) in (2, 4)
        for cell in filter(str.strip, cells):
            parser.parse(f"${cell.strip()}$")


def test_latex_says_what_is_whole_and_what_is_fixed():
    lines = to_latex(rich()).splitlines()
    assert r"& \mathit{pick} \in \{0, 1\} \\" in lines
    assert r"& 0 \leq \mathit{mixed} \leq \text{data},\ \text{some whole numbers} \\" in lines
    assert r"& 0 \leq d_i \leq 1 && \text{for i in objects\_of\_A \& B} \\" in lines
    assert r"& \mathit{fixed} = 2" in lines


def test_markdown_lists_every_block():
    page = to_markdown(rich())
    assert page.startswith("# rich\n\n$$\n\\begin{aligned}")
    table = [line.split("|")[1:4] for line in page.splitlines() if line.startswith("| `")]
    program = rich()
    blocks = [*program.rows, *(cone.block for cone in program.cones), *program.columns]
    assert [(name.strip(" `"), int(size)) for name, _, size in table] == [(b.name, b.size) for b in blocks]


def test_a_row_is_written_out_with_its_numbers():
    assert expand(rich(), "range") == "range: 0.3333333333333333 <= d(0) + d(1) + d(2) <= 2"
    assert expand(rich(), "dominance(1)") == "dominance(1): d(1) - d(2) >= 0"
    assert expand(rich(), "idle") == "idle: 0 free"
    assert expand(rich("maximize"), "objective").startswith("maximize -0.5 d(0)^2 - 0.1 d(0) rho - 0.5 d(1)^2")
    assert expand(rich(), "objective").endswith("+ 0.1 slack_of_row(1) - 0.5")


def test_the_written_out_objective_has_the_programs_value():
    program = rich("maximize")
    x = np.arange(1.0, 12.0)
    text = expand(program, "objective").removeprefix("maximize ").replace("^2", "**2")
    for k in reversed(range(11)):
        text = text.replace(program.column_name(k), f"X[{k}]")
    text = re.sub(r"(?<=[\d\]]) (?=X)", "*", text)
    assert eval(text, {"X": x}) == pytest.approx(program.objective(x), rel=1e-14)


def test_long_families_are_cut_and_counted():
    b = ProgramBuilder("long")
    b.add_columns("x", 30, lower=0)
    b.add_rows("r", {"x": np.eye(30)}, upper=1)
    lines = expand(b.build(), "r").splitlines()
    assert len(lines) == 21 and lines[-1] == "... and 10 more"


def test_an_unknown_row_names_the_nearest():
    with pytest.raises(FormulationError, match=r"did you mean 'dominance'\?"):
        expand(rich(), "dominence")


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"\sum_i \beta_{ij} - \rho", "sum_i beta_ij - rho"),
        (r"a_j (p_{r+1,j} - p_{r,j})", "a_j (p_(r+1,j) - p_(r,j))"),
        (r"\sum_u f_{uv} - \sum_u f_{vu}", "sum_u f_uv - sum_u f_vu"),
        (r"c^\top x \cdot \text{weight}", "c^top x cdot weight"),
    ],
)
def test_tex_becomes_readable_text(tex: str, text: str):
    assert plain(tex) == text


def test_special_characters_are_escaped_once():
    assert escaped("a_b & 5% of {x}") == r"a\_b \& 5\% of \{x\}"
