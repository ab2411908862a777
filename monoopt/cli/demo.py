"""``monoopt demo``: the whole way on data that come with the package."""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from monoopt.cli import options, output

if TYPE_CHECKING:
    from monoopt.algorithms.relabelling import Relabelling
    from monoopt.datasets import Dataset
    from monoopt.estimators import LPRulesClassifier

QUESTIONS = ("at least", "cost", "proof", "margin", "bound", "rules", "programs")

READABLE = 6
"""The question shown in full is the one whose number of rules is nearest to this."""

STORY = """\
{name}: {objects} objects, attributes {attributes}, classes {worst} to {best}. From {source}.

1. Relabel. {changed} of {objects} labels have to change, by {cost:g} classes in all, before no object has a lower class
   than one that it dominates. No monotone classifier makes a smaller training error than {error:.4f} classes.
2. Learn. For every question "at least class k?" the monotone rules of largest margin, by column generation. The bound
   holds over all monotone rules, also those that were never written down.
"""

PROOF = """
   The rules of one question:
   {rules}

3. Prove. {proved} of {proofs} certificates hold, recomputed from program and answer; no solver is trusted.
   {check}.

Solver {solver}; relabelled in {relabel_seconds:.2f} s, fitted in {fit_seconds:.2f} s.
With another solver: monoopt demo --solver clarabel
Your own data: monoopt repair data.csv --target COLUMN; monoopt fit data.csv --target COLUMN; monoopt --help
"""


@dataclass(frozen=True)
class Shown:
    """Everything that the demonstration shows."""

    esl: Dataset
    relabelling: Relabelling
    fitted: LPRulesClassifier
    solver: str
    relabel_seconds: float
    fit_seconds: float


class Story(Enum):
    """What is demonstrated."""

    RULES = "rules"
    RANK = "rank"
    CLUSTER = "cluster"


def demo(
    story: Annotated[Story, typer.Argument(help="Monotone rules, a ranking of countries, or clusters.")] = Story.RULES,
    solver: Annotated[
        str | None,
        typer.Option("--solver", help="Any name that `monoopt solvers` lists.", rich_help_panel=options.SOLVING),
    ] = None,
    time_limit: options.TimeLimit = None,
    tolerance: options.Tolerance = None,
    threads: options.Threads = 1,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Relabel the ESL data at least cost, fit monotone rules of largest margin, and show the proofs.

    488 applicants for industrial jobs, four scores, a fit-to-the-job class from 1 to 9. The data come with monoopt:
    nothing is downloaded. `monoopt demo rank` ranks 193 countries along a curve instead, `monoopt demo cluster`
    clusters moons, rings, blobs and irises.
    """
    if story is Story.CLUSTER:
        from monoopt.cli.cluster import demo_cluster

        demo_cluster(solver or "smo", seed, json)
        return
    if story is Story.RANK:
        from monoopt.cli.rank import demo_rank

        demo_rank(solver or "clarabel", seed, json)
        return
    solver = solver or "highs"
    from monoopt.algorithms.relabelling import relabel
    from monoopt.datasets import load_esl
    from monoopt.estimators import LPRulesClassifier
    from monoopt.solvers import get_solver

    esl, backend = load_esl(), get_solver(solver)
    X = dict(zip(esl.feature_names, esl.X.T, strict=True))
    start = time.perf_counter()
    relabelling = relabel(X, esl.y, directions=esl.directions, solver=solver, time_limit=time_limit)
    middle = time.perf_counter()
    fitted = LPRulesClassifier(
        directions=esl.directions,
        solver=solver,
        time_limit=time_limit,
        tolerance=1e-6 if tolerance is None else tolerance,
        n_jobs=threads,
        random_state=seed,
    ).fit(X, esl.y)
    who = f"{backend.name} {backend.version()}"
    shown = Shown(esl, relabelling, fitted, who, middle - start, time.perf_counter() - middle)
    if json:
        output.write_json(_record(shown))
    else:
        _tell(shown)


def _questions(shown: Shown) -> list[tuple[object, ...]]:
    """One row for each question "at least class k?": what changes, what is proved, how many rules say it."""
    changes, fits = shown.relabelling.certificates, shown.fitted.fits_ or []
    return [
        (
            shown.fitted.classes_[k],
            change.primal_objective,
            f"{'exact' if change.exact else 'to a tolerance'}, {change.dual_objective:g}",
            fit.margin,
            fit.bound,
            len(fit.ensemble.rules),
            len(fit.steps),
        )
        for k, (change, fit) in enumerate(zip(changes, fits, strict=True), start=1)
    ]


def _record(shown: Shown) -> dict[str, Any]:
    esl, check = shown.esl, shown.fitted.verify()
    proofs = shown.fitted.certificates_
    return {
        "data": {"name": esl.name, "objects": len(esl.y), "source": esl.source, "licence": esl.licence},
        "relabelling": {"cost": shown.relabelling.cost, "changed": len(shown.relabelling.changed)},
        "questions": [dict(zip(QUESTIONS, row, strict=True)) for row in _questions(shown)],
        "rules": [ensemble.to_dict() for ensemble in shown.fitted.rules_],
        "certificates": [{"ok": proof.ok, "exact": proof.exact, "says": str(proof)} for proof in proofs],
        "monotone": {"by_form": check.by_form, "pairs": check.pairs, "violations": check.violations},
        "solver": shown.solver,
        "seconds": {"relabel": shown.relabel_seconds, "fit": shown.fit_seconds},
    }


def _tell(shown: Shown) -> None:
    """Tell the story on standard output: it is what this command makes."""
    esl, fitted, proofs = shown.esl, shown.fitted, shown.fitted.certificates_
    story = STORY.format(
        name=esl.name.upper(),
        objects=len(esl.y),
        attributes=", ".join(esl.feature_names),
        worst=esl.classes[0],
        best=esl.classes[-1],
        source=esl.source,
        changed=len(shown.relabelling.changed),
        cost=shown.relabelling.cost,
        error=shown.relabelling.cost / len(esl.y),
    )
    output.write(story)
    output.draw_table("", QUESTIONS, _questions(shown))
    k = min(range(1, len(fitted.classes_)), key=lambda k: abs(len(fitted.rules_[k - 1].rules) - READABLE))
    check = str(fitted.verify())
    proof = PROOF.format(
        rules=fitted.rules_.text(k).replace("\n", "\n   "),
        proved=sum(certificate.ok for certificate in proofs),
        proofs=len(proofs),
        check=check[0].upper() + check[1:],
        solver=shown.solver,
        relabel_seconds=shown.relabel_seconds,
        fit_seconds=shown.fit_seconds,
    )
    output.write(proof)
