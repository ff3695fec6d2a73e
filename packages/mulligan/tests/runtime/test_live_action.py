"""What is said of an action while a process works on it."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from mulligan.runtime.declaration import Declaration
from mulligan.runtime.live_action import LiveAction, as_execution, keep_said, read_order
from mulligan.types.action import Opening, State
from mulligan.types.call import Outcome, Record, ToolCallbacks
from mulligan.types.effect import Effect
from mulligan.types.turn import Turn

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)


def build_action(name: str = "a1", *, at: datetime = NOW, **declared: object) -> LiveAction:
    return LiveAction(
        id=name,
        opening=Opening(tool="send_mail", effect=Effect.IRREVERSIBLE, call="c1"),
        declaration=Declaration(tool="send_mail", **declared),  # type: ignore[arg-type]
        record=Record(arguments={"to": "Ann", "cc": None, "request": "c1"}, result="sent"),
        opened_at=at,
    )


def test_a_person_reads_a_sentence_without_what_is_ours() -> None:
    action = build_action(key="request")

    assert action.said == "Send mail (to: Ann)"
    assert action.what == "send_mail(to=Ann, request=c1)"


def test_its_own_words_are_kept_for_who_has_not_its_code() -> None:
    told = build_action(describe="Write to {to}")

    assert told.said == "Write to Ann"
    assert [kept.name for kept in keep_said(told)] == ["said"]
    assert keep_said(build_action()) == []


def test_the_order_is_that_of_openings_whatever_the_ids_are() -> None:
    later, first = build_action("a1", at=NOW + timedelta(seconds=1)), build_action("b2")

    assert sorted([later, first], key=read_order) == [first, later]


def test_a_call_that_was_found_is_told_from_its_action() -> None:
    execution = as_execution(build_action(), Turn(id="t1", message="Mail Ann", now=NOW))

    assert (execution.call.id, execution.call.turn) == ("c1", "t1")
    assert (execution.outcome, execution.result) == (Outcome.SUCCESS, "sent")


def test_what_two_tenants_call_by_one_id_is_two_objects() -> None:
    about = ToolCallbacks(about=lambda record: record.arguments["to"])
    nobodys = build_action(abilities=about)
    anns, bobs = (
        dataclasses.replace(nobodys, opening=replace(nobodys.opening, tenant=tenant))
        for tenant in ("ann~1", "bob~2")
    )

    assert nobodys.objects == {("", "Ann")}
    assert anns.objects.isdisjoint(bobs.objects)
    assert anns.objects.isdisjoint(nobodys.objects)
    assert anns.take_new_objects(State.INTENT) == anns.objects
