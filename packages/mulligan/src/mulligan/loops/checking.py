"""Runs checks. A check that fails has given no answer, and no answer is never a pass."""

from __future__ import annotations

import asyncio
import logging
import threading
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from types import FunctionType
from typing import Any, TypeVar

from mulligan.checks.custom import AREA, BadAnswerError, name_check, read_findings
from mulligan.process.user_functions import (
    ANSWERS_WITHIN,
    Begun,
    call_aside,
    call_function,
    call_function_now,
    close_unbegun,
    is_async,
    is_ours,
    is_waited_for,
    wait_for_answer,
)
from mulligan.types.display import is_long
from mulligan.types.finding import Finding, Severity
from mulligan.types.interfaces import Check
from mulligan.types.limits import NO_LIMIT, Meter
from mulligan.types.reply import Reply

S = TypeVar("S")

BROKEN = f"{AREA}.broken"

PATIENCE = 2.0
"""Seconds that a check waits for earlier checks before it starts anyway."""
_one_at_a_time = threading.Lock()

_report = logging.getLogger("mulligan")


async def run_checks(
    subject: S, checks: Sequence[Check[S]], *, meter: Meter | None = None, long: bool = False
) -> tuple[list[Finding], bool]:
    """The findings of all checks, and whether all answered; a failed check is a finding itself.

    With a `meter`, none outlasts its budget. Built-in checks of what is `long` run on a worker
    thread, as a user's always do.
    """
    meter = meter or Meter(NO_LIMIT)
    findings: list[Finding] = []
    answered = True
    for check in checks:
        if long and is_ours(check):
            found, said = await asyncio.to_thread(run_checks_now, subject, (check,))
            findings += found
            answered = answered and said
            continue
        try:
            asked = call_function(check, subject, read=_build_reader(check))
            findings += await meter.wait_for(asked, at_most=ANSWERS_WITHIN)
        except Exception as error:  # noqa: BLE001 - a user's check may raise anything
            findings.append(_report_broken(check, error))
            answered = False
    return findings, answered


def _build_reader(check: object) -> Callable[[object], list[Finding]]:
    return partial(read_findings, rule=f"{AREA}.{name_check(check)}")


Checked = tuple[Check[Reply], list[Finding], bool]
"""A check of a reply, what it found, and whether it answered."""


async def run_text_checks(
    reply: Reply, checks: Sequence[Check[Reply]], *, meter: Meter
) -> list[Checked]:
    """What each check says of a reply: none blocks the event loop or outlasts the budget.

    Built-in checks of a short text run inline. All others run on a worker thread, and a check
    that has not returned when the time is up has given no answer.
    """
    quick = not is_long(reply.text, reply.query, reply.context)
    checked: list[Checked] = []
    for check in checks:
        if quick and is_ours(check) and not _is_async(check):
            found, said = run_checks_now(reply, (check,))
        else:
            found, said = await _run_check_bounded(reply, check, meter=meter)
        checked.append((check, found, said))
    return checked


def _is_async(check: object) -> bool:
    """Whether a check of ours has to be awaited: one that asks a judge, and no plain function."""
    look = getattr(check, "look", check)
    return not isinstance(look, FunctionType) and is_async(look)


async def _run_check_bounded(
    reply: Reply, check: Check[Reply], *, meter: Meter
) -> tuple[list[Finding], bool]:
    try:
        return await meter.wait_for(_run_beside(reply, check), at_most=ANSWERS_WITHIN), True
    except Exception as error:  # noqa: BLE001 - a user's check may raise anything
        return [_report_broken(check, error)], False


async def _run_beside(reply: Reply, check: Check[Reply]) -> list[Finding]:
    read = _build_reader(check)
    if not is_ours(check) or is_async(check):
        found: list[Finding] = await call_function(check, reply, read=read)
        return found
    # A generator does its work only when it is consumed.
    return read(await wait_for_answer(await call_aside(_take_turns, check, reply, read)))


def _take_turns(check: Check[Reply], reply: Reply, read: Callable[[object], Any]) -> object:
    """Run one long check at a time: several threads together take as long as one after another.

    Ten searching threads starve the event loop; one does not.
    """
    waited = _one_at_a_time.acquire(timeout=PATIENCE)
    try:
        answer: object = check(reply)
        return answer if is_waited_for(answer) else read(answer)
    finally:
        if waited:
            _one_at_a_time.release()


def run_checks_now(subject: S, checks: Sequence[Check[S]]) -> tuple[list[Finding], bool]:
    """The same for synchronous callers: an async check has given no answer."""
    findings: list[Finding] = []
    answered = True
    for check in checks:
        try:
            answer = call_function_now(
                check, subject, within=ANSWERS_WITHIN, read=_build_reader(check)
            )
        except Exception as error:  # noqa: BLE001 - a user's check may raise anything
            findings.append(_report_broken(check, error))
            answered = False
            continue
        if isinstance(answer, Begun):
            answered = False
            close_unbegun(answer)
        else:
            findings += answer
    return findings, answered


def _report_broken(check: object, error: Exception) -> Finding:
    """Report a failed check: a traceback for the log, a sentence for everyone else.

    The error's own text is left out of both, since it may quote a tool's arguments.
    """
    name, kind = getattr(check, "__qualname__", name_check(check)), type(error).__name__
    if isinstance(error, BadAnswerError):  # its words say it all, and quote nothing
        kind, trace = str(error), ""
    else:
        trace = "".join(traceback.format_tb(error.__traceback__)[1:]).rstrip() or "  (no trace)"
    _report.warning(
        "The check %s failed (%s), so this is not reviewed. The fault is in the check%s%s",
        name,
        kind,
        ":\n" if trace else ".",
        trace,
    )
    return Finding(
        rule=BROKEN,
        severity=Severity.WARNING,
        issue=f"The check {name} failed ({kind}), so this is not reviewed. The fault is in the "
        "check, not in what it reviewed.",
    )
