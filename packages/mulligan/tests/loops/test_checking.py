from __future__ import annotations

import logging
import threading
from collections.abc import AsyncIterator, Iterator

import pytest

from mulligan.checks.text import avoids
from mulligan.loops.checking import BROKEN, run_checks, run_checks_now
from mulligan.types.display import LONG
from mulligan.types.finding import Finding, Severity
from mulligan.types.reply import Reply

WRONG = Finding(rule="x.y", severity=Severity.ERROR, issue="Wrong.")


def finds(subject: object) -> list[Finding]:
    return [WRONG]


def breaks(subject: object) -> list[Finding]:
    raise RuntimeError(f"cannot read {subject}")


def answers_with_a_number(subject: object) -> int:
    return 3


def finds_one(subject: object) -> Finding:
    return WRONG


def yields(subject: object) -> Iterator[Finding]:
    yield WRONG


async def waits(subject: object) -> list[Finding]:
    return [WRONG]


async def waits_and_yields(subject: object) -> AsyncIterator[Finding]:
    yield WRONG


def says(subject: object) -> str:
    return "Wrong."


def is_content(subject: object) -> None:
    return None


@pytest.mark.parametrize("check", [finds, finds_one, yields, waits, waits_and_yields])
async def test_a_check_may_answer_in_any_way_that_can_be_understood(check: object) -> None:
    assert await run_checks("x", [check]) == ([WRONG], True)
    assert await run_checks("x", [check, is_content, finds]) == ([WRONG, WRONG], True)


async def test_nothing_is_content_and_a_sentence_is_a_finding_named_after_its_check() -> None:
    found, answered = await run_checks("x", [is_content, says])

    assert answered
    assert found == [Finding(rule="check.says", severity=Severity.ERROR, issue="Wrong.")]


@pytest.mark.parametrize("broken", [breaks, answers_with_a_number])
async def test_a_check_that_breaks_is_no_pass_and_stops_no_other(broken, caplog) -> None:
    with caplog.at_level(logging.WARNING, "mulligan"):
        found, answered = await run_checks("s3cret", [broken, finds])

    fault, other = found
    assert (other, answered) == (WRONG, False)
    assert (fault.rule, fault.severity) == (BROKEN, Severity.WARNING)
    assert broken.__name__ in fault.issue
    assert "fault is in the check" in fault.issue
    assert broken.__name__ in caplog.text
    assert ("test_checking.py" if broken is breaks else "not with int") in caplog.text
    assert "s3cret" not in caplog.text + fault.issue


def test_who_cannot_wait_takes_an_async_check_for_one_without_an_answer() -> None:
    assert run_checks_now("x", [finds]) == ([WRONG], True)
    assert run_checks_now("x", [waits, finds]) == ([WRONG], False)
    assert run_checks_now("x", [breaks])[1] is False


@pytest.mark.parametrize("long", [True, False])
async def test_users_checks_run_beside_the_loop_and_ours_where_there_is_much_to_read(
    *, long: bool
) -> None:
    seen: list[tuple[str, int]] = []

    def look(subject: str) -> Iterator[Finding]:
        seen.append(("ours", threading.get_ident()))
        yield WRONG

    def look_ourselves(subject: str) -> list[Finding]:
        seen.append(("theirs", threading.get_ident()))
        return [WRONG]

    look.__module__ = "mulligan.checks.text"

    found = await run_checks("a", [look, look_ourselves], long=long)

    here = threading.get_ident()
    assert found == ([WRONG, WRONG], True)
    assert [(whose, thread == here) for whose, thread in seen] == [
        ("ours", not long),
        ("theirs", False),
    ]


async def test_what_breaks_beside_the_loop_is_no_pass_either() -> None:
    (fault, other), answered = await run_checks("a", [breaks, finds], long=True)

    assert (fault.rule, other, answered) == (BROKEN, WRONG, False)


async def test_a_check_of_replies_finds_the_same_in_a_long_text() -> None:
    reply = Reply(text="cheap " * LONG)

    found, answered = await run_checks(reply, [avoids(words=["cheap"])], long=True)

    assert answered
    assert [each.rule for each in found] == [
        each.rule for each in run_checks_now(reply, [avoids(words=["cheap"])])[0]
    ]
    assert found
