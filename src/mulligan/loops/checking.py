"""Running checks: one that breaks has given no answer, and no answer is never a pass."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import TypeVar, cast

from mulligan.core.finding import Finding
from mulligan.core.interfaces import Check

S = TypeVar("S")

_report = logging.getLogger("mulligan")


def run_checks(subject: S, checks: Sequence[Check[S]]) -> tuple[list[Finding], bool]:
    """What every check found, and whether all of them could say."""
    findings: list[Finding] = []
    answered = True
    for check in checks:
        try:
            findings += _validate_findings(check(subject))
        except Exception as error:  # noqa: BLE001 - a user's check may raise anything
            name = getattr(check, "__qualname__", type(check).__name__)
            _report.warning(
                "The check %s failed (%s), so this is not reviewed.", name, type(error).__name__
            )
            answered = False
    return findings, answered


def _validate_findings(found: Iterable[object]) -> list[Finding]:
    held = list(found)
    if not all(isinstance(each, Finding) for each in held):
        raise TypeError("a check yields findings, and nothing else")
    return cast("list[Finding]", held)
