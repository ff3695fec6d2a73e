"""Running checks: one that breaks has given no answer, and no answer is never a pass."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TypeVar

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
            findings.extend(check(subject))
        except Exception as error:  # noqa: BLE001 - a user's check may raise anything
            _report.warning("A check failed (%s), so this is not reviewed.", type(error).__name__)
            answered = False
    return findings, answered
