"""Running checks: one that breaks has given no answer, and no answer is never a pass."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TypeVar, cast

from mulligan.core.finding import Finding
from mulligan.core.interfaces import Check
from mulligan.core.size import is_long

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


async def run_checks_aside(
    subject: S, checks: Sequence[Check[S]], *, reads: tuple[object, ...]
) -> tuple[list[Finding], bool]:
    """The same; where there is much to read, our own checks do so on a thread beside the loop.

    Those of others run where they always do: what they use may belong to this thread.
    """
    if not is_long(*reads):
        return run_checks(subject, checks)
    findings: list[Finding] = []
    answered = True
    for check in checks:
        look = partial(run_checks, subject, (check,))
        found, said = await asyncio.to_thread(look) if _is_ours(check) else look()
        findings += found
        answered = answered and said
    return findings, answered


def _is_ours(check: object) -> bool:
    look = getattr(check, "look", check)
    return str(getattr(look, "__module__", "")).startswith("mulligan.")


def _validate_findings(found: Iterable[object]) -> list[Finding]:
    held = list(found)
    if not all(isinstance(each, Finding) for each in held):
        raise TypeError("a check yields findings, and nothing else")
    return cast("list[Finding]", held)
