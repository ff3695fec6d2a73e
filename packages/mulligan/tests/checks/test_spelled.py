"""What was said sign by sign counts as said in the way it is written."""

from __future__ import annotations

import pytest

from mulligan.checks.parameters import ToolShape
from mulligan.checks.spelled import write_signs
from mulligan.checks.standard import StandardChecks
from mulligan.types.effect import Effect
from tests.checks.attempts import attempt, ran

CHECKS = StandardChecks(lambda call: ToolShape(tool=call.tool, effect=Effect.REVERSIBLE))


@pytest.mark.parametrize(
    ("said", "tool", "given"),
    [
        ("Send the plan to bob at example dot com", "send_email", {"to": "bob@example.com"}),
        (
            "Invite ann dot lee at mail dot example dot org",
            "invite_guest",
            {"guests": ["ann.lee@mail.example.org"]},
        ),
        ("Mail it to jo_k (at) example (dot) net", "send_email", {"to": "jo_k@example.net"}),
        ("Mail it to jo underscore k [at] example.net", "send_email", {"to": "jo_k@example.net"}),
        ("Post it on example dot com slash news", "post", {"url": "https://example.com/news"}),
        ("Call me at five five five one two three four", "add_contact", {"phone": "5551234"}),
        ("The number is 030 double two 1 2 3 four", "add_contact", {"phone": "03022 1234"}),
        ("Ship order four oh seven one nine", "ship_order", {"order_id": "40719"}),
        ("Schick es an bob ät example punkt com", "send_email", {"to": "bob@example.com"}),
    ],
)
def test_a_spelled_value_was_said(said: str, tool: str, given: dict[str, object]) -> None:
    assert list(CHECKS(attempt(said, ran(tool, given)))) == []


@pytest.mark.parametrize(
    ("said", "tool", "given"),
    [
        ("Send the plan to bob at example dot org", "send_email", {"to": "bob@example.com"}),
        ("Send the plan to rob at example dot com", "send_email", {"to": "bob@example.com"}),
        ("Meet bob at example.com on Friday", "send_email", {"to": "bob@example.com"}),
        ("Call me at five five five one two three four", "add_contact", {"phone": "5551243"}),
        ("Order two or three of the four lamps", "ship_order", {"order_id": "234"}),
    ],
)
def test_another_value_than_the_spelled_one_was_not(said, tool, given) -> None:
    (finding,) = CHECKS(attempt(said, ran(tool, given)))

    assert finding.rule == "value.never_seen"


@pytest.mark.parametrize(
    "text", ["Meet me at noon", "one or two of them", "dot your i's", "", "at " * 5_000]
)
def test_plain_words_spell_nothing(text: str) -> None:
    assert write_signs(text) == ""
