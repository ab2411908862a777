"""A fitted LPRulesClassifierCV as plain JSON data and back: what was compared, and the best estimator in full."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from monoopt.errors import DataError, refuse
from monoopt.estimators import fitted_json
from monoopt.estimators.candidates import Candidate, Mixture
from monoopt.estimators.plain_data import MEMBERS, class_of, plain
from monoopt.estimators.proof_faults import proof_faults
from monoopt.estimators.record_faults import CHECKSUM, digest_faults, number_faults, parameter_faults

if TYPE_CHECKING:
    from monoopt.estimators.lprules_cv import LPRulesClassifierCV

OWN = ("parameters", "best", "best_candidate", "best_error", "cv_results", "certificates", CHECKSUM)
NUMBERS = ("error", "standard_error", "parts", "share")


def record(fitted: LPRulesClassifierCV) -> dict[str, Any]:
    """Return plain data; folds that were given as objects are not kept (cv is null then)."""
    given = {word: value for word, value in fitted.get_params(deep=False).items() if word != "cv"}
    words = {word: plain(value) for word, value in given.items() if word not in fitted_json.UNDERSTOOD}
    best = fitted.best_estimator_
    words |= fitted_json.understood(best) | ({"order": None} if fitted.order is None else {})
    own = fitted.certificates_[: len(fitted.certificates_) - len(best.certificates_)]
    results = {word: list(values) for word, values in fitted.cv_results_.items()}
    kept = {
        **fitted_json.head(fitted),
        "parameters": words | {"cv": int(fitted.cv) if isinstance(fitted.cv, int | np.integer) else None},
        "best": best.to_dict(),
        "best_candidate": _written(fitted.best_candidate_),
        "best_error": plain(fitted.best_error_),
        "cv_results": plain(results | {"candidate": [_written(one) for one in results["candidate"]]}),
        "certificates": [fitted_json.plain_certificate(proof) for proof in own],
    }
    return kept | {CHECKSUM: fitted_json.checksum(kept)}


def restore(kind: type[LPRulesClassifierCV], saved: Mapping[str, Any]) -> LPRulesClassifierCV:
    """Return the classifier; `DataError` says what is wrong with the record."""
    fitted_json.check_head(kind, saved)
    missing = [f"{word} is missing" for word in OWN if word not in saved]
    refuse(missing or _faults(kind, saved), "saved classifier: incomplete or damaged")
    best = class_of(saved["best"]["estimator"]).from_dict(saved["best"])
    fitted = kind(**saved["parameters"])
    try:
        fitted.best_candidate_ = _read(saved["best_candidate"])
        candidates = [_read(entry) for entry in saved["cv_results"].get("candidate", [])]
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        why = f": {error}" if isinstance(error, DataError) else ": a value is of a wrong kind or size"
        raise DataError(f"saved classifier: a candidate is damaged{why}") from error
    fitted.best_error_ = float(saved["best_error"])
    fitted.cv_results_ = {word: list(values) for word, values in saved["cv_results"].items()}
    fitted.cv_results_["candidate"] = candidates
    fitted.certificates_ = [fitted_json.read_certificate(entry) for entry in saved["certificates"]]
    fitted._take(best)
    fitted_json.warn_of_changes(saved, stacklevel=4)
    return fitted


def _faults(kind: Any, saved: Mapping[str, Any]) -> list[str]:
    """Return what is wrong besides the best estimator."""
    faults = parameter_faults(saved["parameters"], kind._get_param_names())
    best, results = saved["best"], saved["cv_results"]
    if not isinstance(best, Mapping) or best.get("estimator") not in MEMBERS:
        faults.append(f"best: wanted a fitted classifier of these kinds: {', '.join(MEMBERS)}")
    elif not faults and (saved["parameters"]["combine"] == "mixture") != (best["estimator"] == MEMBERS[-1]):
        faults.append("best: a mixture goes with combine='mixture' alone")
    if saved["best_error"] != "nan":
        faults += number_faults("best_error", saved["best_error"], (), 0)
    if not isinstance(results, Mapping) or set(results) != {"candidate", *NUMBERS}:
        faults.append(f"cv_results: wanted candidate, {', '.join(NUMBERS)}")
    else:
        many = len(results["candidate"]) if isinstance(results["candidate"], list) else -1
        faults += [] if many >= 0 else ["cv_results: candidate: wanted a list"]
        for word in NUMBERS:
            faults += number_faults(f"cv_results: {word}", results[word], (max(many, 0),), 0)
    faults += digest_faults(CHECKSUM, saved[CHECKSUM])
    faults += proof_faults(saved["certificates"])
    if not faults:  # the program of the shares is solved where a mixture was judged on folds
        wanted = int(saved["parameters"]["combine"] == "mixture" and bool(results["candidate"]))
        if len(saved["certificates"]) != wanted:
            faults.append(f"certificates: wanted {wanted} besides those of the best estimator")
    return faults


def _written(candidate: Candidate | Mixture) -> dict[str, Any]:
    if isinstance(candidate, Candidate):
        return {"votes": candidate.votes, "words": plain(candidate.words)}
    return {"shares": list(candidate.shares), "candidates": [_written(one) for one in candidate.candidates]}


def _read(entry: Mapping[str, Any]) -> Candidate | Mixture:
    if set(entry) == {"shares", "candidates"}:
        parts = [_read(one) for one in entry["candidates"]]
        if not parts or len(parts) != len(entry["shares"]) or not all(isinstance(one, Candidate) for one in parts):
            raise DataError("wanted a share for every candidate of a mixture")
        return Mixture(tuple(map(float, entry["shares"])), tuple(one for one in parts if isinstance(one, Candidate)))
    if set(entry) != {"votes", "words"} or not isinstance(entry["votes"], bool):
        raise DataError("wanted votes and words of a candidate")
    return Candidate(entry["votes"], {str(word): value for word, value in dict(entry["words"]).items()})
