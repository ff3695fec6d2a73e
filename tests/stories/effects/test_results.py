"""What a call gave back is kept as it was: nobody changes it before an undo needs it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from mulligan import Effect, Mulligan
from mulligan.runtime.context import OpenTurn
from mulligan.types.call import Record
from tests.stories.effects.remote import StoryRemote, name_conflicts, read_version
from tests.stories.effects.world import act, list_open, open_app


@pytest.fixture
def remote() -> StoryRemote:
    made = StoryRemote()
    made.create({"title": "Grandma's birthday"}, name="theirs", by="person")
    return made


@pytest.fixture(params=["memory:", "sqlite"])
def strict(request: pytest.FixtureRequest, tmp_path: Any) -> Iterator[Mulligan]:
    store = f"sqlite:///{tmp_path}/family.db" if request.param == "sqlite" else request.param
    with open_app(store, rejects=True) as m:
        yield m


def read_result_id(record: Record) -> str:
    result: Any = record.result
    return str(result["id"])


def declare_book(
    m: Mulligan, remote: StoryRemote, made: dict[str, Any] | None = None, **more: Any
) -> Any:
    """`book(title)`: undone by the id that it returned, in `made` if that is given."""

    def cancel(record: Record) -> None:
        with name_conflicts():
            remote.delete(read_result_id(record), if_version=record.version, by="undo")

    @m.tool(
        effect=Effect.REVERSIBLE, undo=cancel,
        read=lambda record: remote.get(read_result_id(record)), **more,
    )  # fmt: skip
    async def book(title: str) -> dict[str, Any]:
        booked = remote.create({"title": title})
        if made is None:
            return booked
        made.update(booked)
        return made

    return book


@pytest.mark.parametrize("more", [{}, {"version": read_version}], ids=["bare", "versioned"])
async def test_an_agent_that_changes_the_result_does_not_have_another_event_deleted(
    strict: Mulligan, remote: StoryRemote, more: dict[str, Any]
) -> None:
    book = declare_book(strict, remote, **more)

    async def book_and_rename() -> None:
        booked = await book("dinner")
        booked["id"] = "theirs"

    await act(strict, book_and_rename)

    assert remote.get("theirs") is not None
    assert remote.get("o2") is None
    assert list_open(strict) == []


async def test_an_agent_that_changes_what_is_inside_a_result_does_not_mislead_the_undo(
    strict: Mulligan, remote: StoryRemote
) -> None:
    def cancel(record: Record) -> None:
        result: Any = record.result
        for each in result["booked"]:
            remote.delete(each["id"], by="undo")

    @strict.tool(effect=Effect.REVERSIBLE, undo=cancel, read=lambda record: remote.get("o2"))
    async def book(title: str) -> dict[str, Any]:
        return {"booked": [remote.create({"title": title})]}

    async def book_and_add() -> None:
        came = await book("dinner")
        came["booked"].append({"id": "theirs"})

    await act(strict, book_and_add)

    assert remote.get("theirs") is not None
    assert remote.get("o2") is None


async def test_a_tool_that_keeps_its_result_and_changes_it_later_does_not_mislead_the_undo(
    strict: Mulligan, remote: StoryRemote
) -> None:
    last: dict[str, Any] = {}
    book = declare_book(strict, remote, made=last)

    async def book_two() -> None:
        await book("dinner")
        await book("lunch")

    await act(strict, book_two)

    assert (remote.get("o2"), remote.get("o3")) == (None, None)
    assert len(remote.list_writes(by="undo")) == 2
    assert list_open(strict) == []


async def test_an_undo_that_uses_up_the_snapshot_and_fails_has_it_whole_the_next_time(
    strict: Mulligan, remote: StoryRemote
) -> None:
    failures = [TimeoutError("no answer")]

    def put_back(record: Record) -> None:
        before: Any = record.before
        before.pop("version")
        title = before.pop("title")
        if failures:
            raise failures.pop()
        with name_conflicts():
            remote.update("theirs", {"title": title}, if_version=record.version, by="undo")

    @strict.tool(
        effect=Effect.REVERSIBLE, before=lambda record: remote.get("theirs"), undo=put_back,
        version=read_version,
    )  # fmt: skip
    async def rename(title: str) -> dict[str, Any]:
        return remote.update("theirs", {"title": title})

    await act(strict, lambda: rename("Party"))

    stands = remote.get("theirs")["title"] == "Party"
    assert not stands or list_open(strict)
    assert not stands or "KeyError" not in str(list_open(strict)[0].detail)


def test_a_tool_that_only_reads_may_answer_bit_by_bit(content: Mulligan) -> None:
    @content.tool(effect=Effect.READ)
    def stream() -> Any:
        return (each for each in "ab")

    done = content.act_sync("Read", lambda _: "".join(stream()))

    assert done.reply == "ab"


async def test_a_review_sees_each_call_as_it_was_made(content: Mulligan) -> None:
    seen = {"name": ""}

    @content.tool(effect=Effect.REVERSIBLE, before=lambda r: None, undo=lambda r: None)
    async def invite(who: dict[str, str]) -> str:
        return who["name"]

    async def agent(turn: OpenTurn) -> str:
        for name in ("wrong", "right"):
            seen["name"] = name
            await invite(seen)
        return " ".join(
            each.call.arguments["who"]["name"] for each in turn.attempt.list_executions()
        )

    done = await content.act("Invite them", agent)

    assert done.reply == "wrong right"
