from __future__ import annotations

from collections.abc import Iterator

from mulligan.checks.feedback import asks, render_requirements
from mulligan.checks.file import preset
from mulligan.types.finding import Finding, Severity
from mulligan.types.reply import Reply


@asks("Write in British English.")
def british(reply: Reply) -> Iterator[Finding]:
    if "color" in reply.text:
        yield Finding(rule="own.spelling", severity=Severity.ERROR, issue="American spelling.")


def silent(reply: Reply) -> Iterator[Finding]:
    yield from ()


def test_what_the_checks_ask_for_is_a_list_for_a_prompt() -> None:
    text = render_requirements([*preset("marketing"), british, silent])

    lines = text.splitlines()
    assert all(line.startswith("- ") for line in lines)
    assert len(lines) == 9
    assert "- Write at most 2500 characters." in lines
    assert "at least 3 questions" in text
    assert lines[-1] == "- Write in British English."


def test_a_check_of_ones_own_still_checks() -> None:
    assert british.name == "british"
    assert [each.rule for each in british(Reply(text="color"))] == ["own.spelling"]
