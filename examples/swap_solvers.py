"""Swap the solver with one word: one program, every solver found here, one answer.

The program is monotone relabelling of the ESL data (488 applicants, four test scores, nine classes) at one threshold:
which least number of "at least class 5" labels has to change before no applicant is outranked by a weaker one?
"""

from __future__ import annotations

from monoopt import available_solvers, datasets, solve
from monoopt.errors import UnsupportedProgram
from monoopt.formulations import monotonization
from monoopt.order.directions import parse_directions
from monoopt.order.dominance import inconsistent, violating_pairs

esl = datasets.load_esl()
directions = parse_directions(esl.directions, esl.feature_names)
at_least_5 = (esl.y >= 5).astype(int)

# Only applicants in a violating pair can change, and the pairs among them say everything.
objects = inconsistent(esl.X, at_least_5, directions).nonzero()[0]
pairs = violating_pairs(esl.X[objects], at_least_5[objects], directions)
program = monotonization.build(at_least_5[objects], pairs, objects=objects)
print(program.describe(), "\n")

print(f"{'solver':12} {'status':9} {'objective':>10} {'gap':>8} {'changed':>8}  version")
for info in available_solvers():
    if not info.found:
        print(f"{info.name:12} not here: {info.note}")
        continue
    try:
        solution = solve(program, info.name, raise_on_failure=False)
    except UnsupportedProgram as reason:
        print(f"{info.name:12} {str(reason)[:90]} ...")
        continue
    line = f"{info.name:12} {solution.status.value:9}"
    if solution.optimal:
        # the least of the optima is told from multipliers; a solver without them (an integer solver) gives any optimum
        labels = monotonization.read(program, solution, tie="any" if solution.y is None else "least")
        changed = int((labels != at_least_5[objects]).sum())
        line += f" {solution.objective:10.6f} {solution.certificate.gap:8.1e} {changed:8d}"
    print(f"{line}  {solution.version}")
