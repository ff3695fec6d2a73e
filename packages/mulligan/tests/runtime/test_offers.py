from __future__ import annotations

from datetime import UTC, datetime, timedelta

from mulligan.runtime.episodes import MOST_OPEN, Offers
from mulligan.types.call import Call, Execution, Outcome
from mulligan.types.lesson import Kind, Origin, Patch, Suggestion


def failing(**arguments: object) -> Execution:
    return Execution(
        call=Call(id="1", tool="find", arguments=arguments),
        outcome=Outcome.FAILURE,
        at=datetime(2026, 11, 15, tzinfo=UTC),
        duration=timedelta(),
    )


def suggesting(patch: Patch) -> Suggestion:
    return Suggestion(
        patch=patch, source=Origin.SCHEMA, kinds=(Kind.REFORMAT,), probability=0.5, n=0,
        evidence="so it says",
    )  # fmt: skip


def take(offers: Offers, **arguments: object) -> str | None:
    taken = offers.take(arguments, server="", tool="find")
    return taken.by if taken else None


def test_a_correction_is_taken_once_by_the_call_that_is_made_just_so() -> None:
    offers = Offers()
    offers.make(failing(id="1"), [suggesting(Patch(changes={"id": "#1"}))])

    assert offers.waiting
    assert take(offers, id="#2") is None
    assert take(offers, id="#1") == "schema: so it says"
    assert take(offers, id="#1") is None


def test_another_tool_is_no_correction_of_this_one() -> None:
    offers = Offers()

    offers.make(failing(id="1"), [suggesting(Patch(tool="search"))])

    assert take(offers, id="1") is None


def test_only_the_newest_wait() -> None:
    offers = Offers()
    for n in range(MOST_OPEN + 1):
        offers.make(failing(id="x"), [suggesting(Patch(changes={"id": f"#{n}"}))])

    assert take(offers, id="#0") is None
    assert take(offers, id="#1") is not None
