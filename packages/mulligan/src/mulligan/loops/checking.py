"""Running checks: one that breaks has given no answer, and no answer is never a pass."""

from __future__ import annotations

import asyncio
import inspect
import logging
import threading
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from mulligan.checks.custom import (
    ANSWERS_WITHIN,
    AREA,
    BadAnswerError,
    is_waited_for,
    name_check,
    read_findings,
    wait_for_answer,
)
from mulligan.process.event_loop import call_aside, call_function, is_async
from mulligan.types.display import is_long
from mulligan.types.finding import Finding, Severity
from mulligan.types.interfaces import Check
from mulligan.types.limits import Meter
from mulligan.types.reply import Reply

S = TypeVar("S")

BROKEN = f"{AREA}.broken"

PATIENCE = 2.0
"""Seconds that a check waits for those before it, and then goes ahead."""
_one_at_a_time = threading.Lock()

_report = logging.getLogger("mulligan")


async def run_checks(subject: S, checks: Sequence[Check[S]]) -> tuple[list[Finding], bool]:
    """What every check found, and whether all of them could say; of one that broke, that it did."""
    findings: list[Finding] = []
    answered = True
    for check in checks:
        try:
            answer = await wait_for_answer(check(subject))
            findings += read_findings(answer, rule=f"{AREA}.{name_check(check)}")
        except Exception as error:  # noqa: BLE001 - a user's check may raise anything
            findings.append(_report_broken(check, error))
            answered = False
    return findings, answered


async def run_checks_aside(
    subject: S, checks: Sequence[Check[S]], *, long: bool
) -> tuple[list[Finding], bool]:
    """The same; where there is much to read, our own checks do so on a thread beside the loop.

    Those of others run where they always do: what they use may belong to this thread.
    """
    if not long:
        return await run_checks(subject, checks)
    findings: list[Finding] = []
    answered = True
    for check in checks:
        if _is_ours(check):
            found, said = await asyncio.to_thread(run_checks_now, subject, (check,))
        else:
            found, said = await run_checks(subject, (check,))
        findings += found
        answered = answered and said
    return findings, answered


async def run_text_checks(
    reply: Reply, checks: Sequence[Check[Reply]], *, meter: Meter
) -> tuple[list[Finding], bool]:
    """The same for a reply that somebody waits for: nothing holds the loop, or outlasts the budget.

    Our own checks of a short text take no time to speak of; all others are read or called on a
    thread beside the loop, and one that has not answered when the time is up has not answered.
    """
    quick = not is_long(reply.text, reply.query, reply.context)
    findings: list[Finding] = []
    answered = True
    for check in checks:
        if quick and _is_ours(check):
            found, said = run_checks_now(reply, (check,))
        else:
            found, said = await _run_check_bounded(reply, check, meter=meter)
        findings += found
        answered = answered and said
    return findings, answered


async def _run_check_bounded(
    reply: Reply, check: Check[Reply], *, meter: Meter
) -> tuple[list[Finding], bool]:
    try:
        return await meter.wait_for(_run_beside(reply, check), at_most=ANSWERS_WITHIN), True
    except Exception as error:  # noqa: BLE001 - a user's check may raise anything
        return [_report_broken(check, error)], False


async def _run_beside(reply: Reply, check: Check[Reply]) -> list[Finding]:
    rule = f"{AREA}.{name_check(check)}"

    def look() -> object:
        answer: object = check(reply)
        # What yields its findings does its work only when it is read.
        return answer if is_waited_for(answer) else read_findings(answer, rule=rule)

    turned = partial(_take_turns, look) if _is_ours(check) else look
    answer = await call_function(check, reply) if is_async(check) else await call_aside(turned)
    return read_findings(await wait_for_answer(answer), rule=rule)


def _take_turns(look: Callable[[], object]) -> object:
    """Look while no other long text is looked at: together they would take as long.

    Ten threads that search leave the event loop no room between them, one does.
    """
    waited = _one_at_a_time.acquire(timeout=PATIENCE)
    try:
        return look()
    finally:
        if waited:
            _one_at_a_time.release()


def _is_ours(check: object) -> bool:
    look = getattr(check, "look", check)
    return str(getattr(look, "__module__", "")).startswith("mulligan.")


def run_checks_now(subject: S, checks: Sequence[Check[S]]) -> tuple[list[Finding], bool]:
    """The same for who cannot wait: a check that is async has given no answer."""
    findings: list[Finding] = []
    answered = True
    for check in checks:
        try:
            answer: object = check(subject)
            if is_waited_for(answer):
                answered = False
                if inspect.iscoroutine(answer):
                    answer.close()
            else:
                findings += read_findings(answer, rule=f"{AREA}.{name_check(check)}")
        except Exception as error:  # noqa: BLE001 - a user's check may raise anything
            findings.append(_report_broken(check, error))
            answered = False
    return findings, answered


def _report_broken(check: object, error: Exception) -> Finding:
    """Say whose fault it is: to who runs the program with the trace, to all others in a sentence.

    What the error itself says stays out of both, as it may quote what a tool was given.
    """
    name, kind = getattr(check, "__qualname__", name_check(check)), type(error).__name__
    known = f": {error}" if isinstance(error, BadAnswerError) else ""
    _report.warning(
        "The check %s failed (%s%s), so this is not reviewed. It is the check that is wrong:\n%s",
        name,
        kind,
        known,
        "".join(traceback.format_tb(error.__traceback__)[1:]).rstrip() or "  (no trace)",
    )
    return Finding(
        rule=BROKEN,
        severity=Severity.WARNING,
        issue=f"The check {name} failed ({kind}), so this is not reviewed. That is a fault of the "
        "check, not of what it looked at.",
    )
