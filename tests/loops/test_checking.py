from __future__ import annotations

import logging

import pytest

from mulligan.core.finding import Finding, Severity
from mulligan.loops.checking import run_checks

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
