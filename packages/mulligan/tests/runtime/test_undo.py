"""What an undo goes by: the tool's own functions, the objects of a call, and the order."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from mulligan.runtime.declaration import Declaration, declare
from mulligan.runtime.live_action import (
    LiveAction,
    as_execution,
    find_objects,
    keep_said,
    read_version,
)
from mulligan.runtime.recovery import split_lines
from mulligan.runtime.undo import find_made_ids, find_named_ids
from mulligan.types.action import Opening, State
from mulligan.types.call import Outcome, Record, Snapshot, ToolCallbacks
from mulligan.types.effect import Effect
from mulligan.types.turn import Turn

RECORD = Record(arguments={"id": "e1"})


async def test_a_version_is_text_where_there_is_one() -> None:
    callbacks = ToolCallbacks(version=lambda record: record.result["etag"])

    for state, version in (({"etag": 7}, "7"), ({"etag": None}, None), (None, None)):
        assert await read_version(state, record=RECORD, callbacks=callbacks) == version
    assert await read_version({"etag": 7}, record=RECORD, callbacks=ToolCallbacks()) is None


@dataclasses.dataclass
class Made:
    key: str
    title: str = "Dinner"


def nest(depth: int) -> object:
    return {"_ID": "deep"} if not depth else [nest(depth - 1)]


@pytest.mark.parametrize(
    ("result", "given", "made"),
    [
        ("e7", {}, {"e7"}),
        ({"id": 7, "title": "Dinner", "done": True}, {}, {"7"}),
        ({"uid": True}, {}, set()),
        (Made("e7"), {}, {"e7"}),
        ({"event": {"id": "e7", "author_uid": "u1", "tags": ["red"]}}, {}, {"e7", "u1"}),
        ([{"id": "e7"}, ({"UID": "e8"},)], {}, {"e7", "e8"}),
        ({"id": [["e7"]]}, {}, set()),
        ({"id": ["e7", 8]}, {}, {"e7", "8"}),
        (nest(6), {}, {"deep"}),
        (nest(7), {}, set()),
        # What the caller named is of others, but for the id that it chose for the very object.
        ({"id": "e7", "calendar_id": "family"}, {"into": {"calendar": "family"}}, {"e7"}),
        ({"id": "e7"}, {"id": "e7"}, {"e7"}),
        ({"key": "e7"}, {"wanted": ["e7"]}, set()),
        (None, {}, set()),
    ],
)
def test_what_a_create_made_is_known_by_its_ids(result, given, made) -> None:
    assert find_made_ids(Record(arguments=given, result=result)) == made


def test_a_call_that_found_something_there_made_nothing() -> None:
    given = {"user_id": "u1", "title": "u2", "add_label_ids": ["l1", "l2"]}
    record = Record(arguments=given, snapshot=Snapshot(state={}), result={"id": "e7"})

    assert find_made_ids(record) == set()
    assert find_named_ids(record) == {"u1", "l1", "l2"}


def move(event_id: str, calendar_id: str) -> None:
    """A tool."""


def declares(about: Callable[[Record], object] | None, server: str = "home") -> Declaration:
    return declare(move, server=server, **({} if about is None else {"about": about}))


MOVED = Record(arguments={"event_id": "e1", "calendar_id": "family"})


@pytest.mark.parametrize(
    ("about", "found"),
    [
        (lambda record: record.arguments["event_id"], {"e1"}),
        (lambda record: [record.arguments["event_id"], "e2"], {"e1", "e2"}),
        (lambda record: (each for each in ("e1", None)), {"e1"}),
        (lambda record: 7, {"7"}),
        (lambda record: None, set()),
        (lambda record: [], set()),
        (lambda record: record.result["id"], set()),  # there is no result yet
        (None, set()),
    ],
)
def test_a_call_is_about_what_its_tool_says(
    about: Callable[[Record], object] | None, found: set[str]
) -> None:
    assert find_objects(MOVED, declares(about)) == {("home", each) for each in found}


def test_the_same_id_on_another_server_is_another_object() -> None:
    here, there = (declares(lambda record: "e1", server=name) for name in ("home", "work"))

    assert find_objects(MOVED, here).isdisjoint(find_objects(MOVED, there))


NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)


def build(name: str, *objects: str, at: int, after: tuple[str, ...] = ()) -> LiveAction:
    callbacks = ToolCallbacks(about=lambda _: objects) if objects else ToolCallbacks()
    return LiveAction(
        id=name,
        opening=Opening(tool="put", effect=Effect.REVERSIBLE),
        declaration=Declaration(tool="put", callbacks=callbacks),
        record=Record(arguments={}),
        opened_at=NOW + timedelta(seconds=at),
        after=after,
    )


def name_lines(*actions: LiveAction) -> list[list[str]]:
    return sorted([action.id for action in line] for line in split_lines(actions))


@pytest.mark.parametrize(
    ("actions", "lines"),
    [
        pytest.param([build("z", "x", at=1), build("a", "x", at=2)], ["az"],
                     id="of one object, the newest first"),
        pytest.param([build("a", "x", at=1), build("b", "y", at=2)], ["a", "b"],
                     id="of two objects, at once"),
        pytest.param([build("a", "x", at=1), build("b", "y", at=2), build("c", "x", "y", at=3)],
                     ["cba"], id="of both of two objects"),
        pytest.param([build("a", at=1), build("b", at=2), build("c", "x", at=3)], ["ba", "c"],
                     id="of what may be about anything"),
        pytest.param([build("a", "x", at=1, after=("b",)), build("b", "y", at=2)], ["ba"],
                     id="of one that was told to wait"),
        pytest.param([build("a", "docs", at=1), build("b", "docs/more/x", at=2),
                      build("c", "other/x", at=3)], ["ba", "c"], id="of a folder and its files"),
    ],
)  # fmt: skip
def test_undos_that_may_be_about_one_object_are_in_one_line(
    actions: list[LiveAction], lines: list[str]
) -> None:
    assert name_lines(*actions) == [list(line) for line in lines]


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


def test_a_call_that_was_found_is_told_from_its_action() -> None:
    execution = as_execution(build_action(), Turn(id="t1", message="Mail Ann", now=NOW))

    assert (execution.call.id, execution.call.turn) == ("c1", "t1")
    assert (execution.outcome, execution.result) == (Outcome.SUCCESS, "sent")


def test_what_two_tenants_call_by_one_id_is_two_objects() -> None:
    about = ToolCallbacks(about=lambda record: record.arguments["to"])
    nobodys = build_action(callbacks=about)
    anns, bobs = (
        dataclasses.replace(nobodys, opening=replace(nobodys.opening, tenant=tenant))
        for tenant in ("ann~1", "bob~2")
    )

    assert nobodys.objects == {("", "Ann")}
    assert anns.objects.isdisjoint(bobs.objects)
    assert anns.objects.isdisjoint(nobodys.objects)
    assert anns.take_new_objects(State.INTENT) == anns.objects
