"""Something that is to be as it is elsewhere."""

from __future__ import annotations

import pytest

from mulligan.checks.objects import same_as_named
from mulligan.types.call import Execution
from tests.checks.attempts import attempt, ran

CHECK = same_as_named({"create_event": ["guests", "location"]})
SAID = "Create a review with the same guests as 'Kick-off'"
FOUND = ran(
    "list_events",
    result=[
        {"title": "Kick-off", "guests": ["ann@x.org", "bob@x.org"]},
        {"title": "Lunch", "guests": ["eve@x.org"]},
    ],
)


def create(*guests: str) -> Execution:
    return ran("create_event", {"title": "Review", "guests": list(guests)})


def test_the_same_are_content_and_others_are_flagged() -> None:
    assert not list(CHECK(attempt(SAID, FOUND, create("ann@x.org", "bob@x.org"))))

    (finding,) = CHECK(attempt(SAID, FOUND, create("ann@x.org", "eve@x.org")))

    assert finding.rule == "value.not_the_same"
    assert "eve@x.org" in finding.issue


def test_one_that_was_said_besides_is_content() -> None:
    said = f"{SAID}, and eve@x.org"

    assert not list(CHECK(attempt(said, FOUND, create("ann@x.org", "eve@x.org"))))


def test_without_a_look_at_it_nobody_can_know() -> None:
    assert list(CHECK(attempt(SAID, create("ann@x.org"))))


@pytest.mark.parametrize(
    "before",
    [
        ran("read_mail", result="The Kick-off went well: ann@x.org was there."),
        ran("list", result=[{"title": "Kick-off"}]),
    ],
)
def test_where_it_was_met_otherwise_nothing_is_said(before: object) -> None:
    assert not list(CHECK(attempt(SAID, before, create("ann@x.org"))))  # type: ignore[arg-type]
