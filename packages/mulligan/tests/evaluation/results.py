"""Results made by hand."""

from __future__ import annotations

from mulligan.evaluation.report import CaseResult, Report
from mulligan.types.finding import Standing


def result(
    case: str, *, iterations: int = 1, rules: tuple[str, ...] = (), bound: bool = False
) -> CaseResult:
    return CaseResult(
        case=case,
        question=f"question {case}",
        iterations=iterations,
        reflected=iterations > 1 or bound,
        standing=Standing.REJECTED if bound else Standing.ACCEPTED,
        bound_reached=bound,
        first_findings=rules,
        last_findings=rules if bound else (),
        seconds=0.01 * iterations,
        tokens=100 * iterations,
        judge_asked=0,
        text="text",
    )


def report(*reflected: bool, name: str = "") -> Report:
    """One case for each, reflected on or not."""
    results = [result(str(n), iterations=1 + yes) for n, yes in enumerate(reflected)]
    return Report(results=tuple(results), name=name)
