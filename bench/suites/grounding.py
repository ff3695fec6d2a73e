"""Claims against their evidence without a model: ExpertQA, judged by experts. Weak, and says so."""

from __future__ import annotations

import argparse
from typing import Any

from bench.data import add_data_arguments, read_cases
from bench.report import progress
from bench.rounds import digits
from mulligan.checks.grounding import find_unsupported, grounded, measure_coverage, read_source
from mulligan.types.reply import Reply

Result = dict[str, Any]

SUPPORTED = {"Complete": True, "Incomplete": False, "Partial": False}
THRESHOLD = 0.2
"""From here on a claim is taken for supported."""
MISSING = 0.2
"""What a specific that the evidence does not hold takes off."""
CANNOT = (
    "Without a model this is weak: shared wording is not meaning. A claim that says the opposite "
    "in the same words passes, and a fair paraphrase can fail. What it does well is specifics: "
    "the figures above under 'specifics' say how often they occur and how often they are right. "
    "Use a judge for claims."
)


add_arguments = add_data_arguments


def run(options: argparse.Namespace) -> Result:
    cases = [
        c for c in read_cases(options, "grounding/expertqa_claims") if c["support"] in SUPPORTED
    ]
    check = grounded()
    scores: list[float] = []
    flagged: list[bool] = []
    with progress(len(cases)) as step:
        for case in cases:
            step("claims")
            evidence = tuple(case["evidence"])
            reply = Reply(text=case["claim"], query=case["question"], context=evidence)
            flagged.append(bool(list(check(reply))))
            scores.append(estimate_support(case["claim"], evidence))
    truth = [SUPPORTED[case["support"]] for case in cases]
    return {
        "n": len(cases),
        "supported": sum(truth),
        "balanced_accuracy": balanced_accuracy([s >= THRESHOLD for s in scores], truth),
        "precision_at_half_recall": precision_at_half_recall(scores, truth),
        "base_rate": digits(truth.count(False) / len(truth)) if truth else None,
        "threshold": THRESHOLD,
        "specifics": specifics(flagged, truth),
        "statement": CANNOT,
    }


def estimate_support(claim: str, evidence: tuple[str, ...]) -> float:
    """Shared wording, less something for a number, name or date that is nowhere. Up to 1."""
    missing = next(find_unsupported(claim, read_source(evidence)), None)
    return measure_coverage(claim, context=evidence) - (MISSING if missing else 0.0)


def balanced_accuracy(said: list[bool], truth: list[bool]) -> float | None:
    """The mean of the shares got right among the supported and among the others."""
    shares = []
    for kind in (True, False):
        of_kind = [mine for mine, true in zip(said, truth, strict=True) if true is kind]
        if not of_kind:
            return None
        shares.append(of_kind.count(kind) / len(of_kind))
    return digits(sum(shares) / 2)


def precision_at_half_recall(scores: list[float], truth: list[bool]) -> float | None:
    """Of the claims flagged as unsupported, the share that are, where half or more are flagged.

    The best over all thresholds; claims of one score are flagged together or not at all.
    """
    unsupported = truth.count(False)
    best: float | None = None
    for threshold in sorted(set(scores)):
        flagged = [true for score, true in zip(scores, truth, strict=True) if score <= threshold]
        caught = flagged.count(False)
        if unsupported and caught >= unsupported / 2:
            best = max(best or 0.0, caught / len(flagged))
    return None if best is None else digits(best)


def specifics(flagged: list[bool], truth: list[bool]) -> Result:
    """What the check of numbers, names and the like says of the same claims."""
    wrong = sum(flag and not true for flag, true in zip(flagged, truth, strict=True))
    return {
        "flagged": sum(flagged),
        "unsupported_among_them": wrong,
        "precision": digits(wrong / sum(flagged)) if any(flagged) else None,
    }
