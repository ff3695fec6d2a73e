from __future__ import annotations

import logging
import threading
from collections.abc import Iterator

import pytest

from mulligan.checks.text import avoids
from mulligan.core.finding import Finding, Severity
from mulligan.core.size import LONG
from mulligan.core.text import Reply
from mulligan.loops.checking import run_checks, run_checks_aside

WRONG = Finding(rule="x.y", severity=Severity.ERROR, issue="Wrong.")


def finds(subject: object) -> list[Finding]:
    return [WRONG]


def breaks(subject: object) -> list[Finding]:
    raise RuntimeError(f"cannot read {subject}")


def finds_rubbish(subject: object) -> list[object]:
    return [WRONG, "also this"]


def test_what_every_check_found_is_told_together() -> None:
    assert run_checks("x", [finds, finds]) == ([WRONG, WRONG], True)
    assert run_checks("x", []) == ([], True)


@pytest.mark.parametrize("broken", [breaks, finds_rubbish])
def test_a_check_that_breaks_is_no_pass_and_stops_no_other(
    broken: object, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "mulligan"):
        found, answered = run_checks("s3cret", [broken, finds])

    assert (found, answered) == ([WRONG], False)
    assert broken.__name__ in caplog.text
    assert "s3cret" not in caplog.text


@pytest.mark.parametrize("long", [True, False])
async def test_where_there_is_much_to_read_our_checks_do_so_beside_the_loop(*, long: bool) -> None:
    seen: list[tuple[str, int]] = []

    def look(subject: str) -> Iterator[Finding]:
        seen.append(("ours", threading.get_ident()))
        yield WRONG

    def look_ourselves(subject: str) -> list[Finding]:
        seen.append(("theirs", threading.get_ident()))
        return [WRONG]

    look.__module__ = "mulligan.checks.text.length"

    text = "a" * (LONG + 1 if long else 1)
    found = await run_checks_aside(text, [look, look_ourselves], reads=(text,))

    here = threading.get_ident()
    assert found == ([WRONG, WRONG], True)
    assert [(whose, thread == here) for whose, thread in seen] == [
        ("ours", not long),
        ("theirs", True),
    ]


async def test_what_breaks_beside_the_loop_is_no_pass_either() -> None:
    text = "a" * (LONG + 1)

    found = await run_checks_aside(text, [breaks, finds], reads=(text,))

    assert found == ([WRONG], False)


async def test_a_check_of_replies_finds_the_same_in_a_long_text() -> None:
    reply = Reply(text="cheap " * LONG)

    found, answered = await run_checks_aside(reply, [avoids(words=["cheap"])], reads=(reply.text,))

    assert answered
    assert [each.rule for each in found] == [
        each.rule for each in run_checks(reply, [avoids(words=["cheap"])])[0]
    ]
    assert found
