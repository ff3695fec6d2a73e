"""Undo against a remote that keeps its own ledger: what it says happened is what counts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from mulligan.runtime.assessment import UndoPolicy, is_restored
from mulligan.types.action import UndoResult
from mulligan.types.call import Record, Snapshot, ToolCallbacks
from mulligan.types.errors import ConflictError
from mulligan_testing.remote import FakeRemote, Fault, Item, RemoteError
from tests.runtime.driving import take_back

pytestmark = pytest.mark.promise(3)

DINNER = {"title": "Dinner", "day": "Friday"}


@dataclass
class Calendar:
    """A calendar's tools on the fake remote, with everything an undo needs."""

    remote: FakeRemote

    def read(self, record: Record) -> Item | None:
        return self.remote.get(str(record.arguments["id"]))

    def put_back(self, record: Record) -> None:
        before = record.before
        assert isinstance(before, Item)
        self._conditional(
            lambda: self.remote.update(before.id, before.data, if_version=record.version, by="undo")
        )

    def remove(self, record: Record) -> None:
        self._conditional(
            lambda: self.remote.delete(
                str(record.arguments["id"]), if_version=record.version, by="undo"
            )
        )

    def bring_back(self, record: Record) -> None:
        before = record.before
        assert isinstance(before, Item)
        self._conditional(lambda: self.remote.create(before.data, id=before.id, by="undo"))

    def policy(self, undo: Callable[[Record], None], **known: Any) -> UndoPolicy:
        callbacks = ToolCallbacks(
            before=self.read, undo=undo, version=lambda record: record.result.version
        )
        return UndoPolicy(callbacks=callbacks, **known)

    def terms_of(self, way: str, **known: Any) -> UndoPolicy:
        return self.policy(WAYS[way][1].__get__(self), deletes=way == "delete", **known)

    @staticmethod
    def _conditional(change: Callable[[], object]) -> None:
        try:
            change()
        except RemoteError as error:
            if error.status in (409, 412):
                raise ConflictError(str(error)) from error
            raise


@pytest.fixture
def calendar(tmp_path: Path) -> Calendar:
    return Calendar(FakeRemote(tmp_path / "calendar.ledger"))


def updated(calendar: Calendar) -> Record:
    """Dinner was moved to Saturday."""
    before = calendar.remote.create(DINNER, id="e1", by="person")
    after = calendar.remote.update("e1", {**DINNER, "day": "Saturday"})
    return Record(
        arguments={"id": "e1"}, snapshot=Snapshot(before), result=after, version=after.version
    )


def created(calendar: Calendar) -> Record:
    made = calendar.remote.create(DINNER, id="e1")
    return Record(
        arguments={"id": "e1"}, snapshot=Snapshot(None), result=made, version=made.version
    )


def deleted(calendar: Calendar) -> Record:
    before = calendar.remote.create(DINNER, id="e1", by="person")
    calendar.remote.delete("e1")
    return Record(arguments={"id": "e1"}, snapshot=Snapshot(before))


WAYS = {
    "update": (updated, Calendar.put_back, DINNER),
    "create": (created, Calendar.remove, None),
    "delete": (deleted, Calendar.bring_back, DINNER),
}


def undos(calendar: Calendar) -> int:
    return sum(line.by == "undo" for line in calendar.remote.ledger())


def data(calendar: Calendar) -> object:
    item = calendar.remote.get("e1")
    return None if item is None else item.data


@pytest.mark.parametrize("way", WAYS)
async def test_what_was_done_is_taken_back_and_read_back(calendar: Calendar, way: str) -> None:
    do, _, expected = WAYS[way]
    record = do(calendar)

    undone = await take_back(record, calendar.terms_of(way))

    assert undone.result is UndoResult.RESTORED
    assert data(calendar) == expected
    assert undos(calendar) == 1


@pytest.mark.parametrize("way", WAYS)
async def test_undoing_again_changes_nothing(calendar: Calendar, way: str) -> None:
    do, _, expected = WAYS[way]
    record = do(calendar)
    await take_back(record, calendar.terms_of(way))

    again = [await take_back(record, calendar.terms_of(way, begun=True, seen=True))] * 2

    assert [undone.result for undone in again] == [UndoResult.RESTORED] * 2
    assert undos(calendar) == 1
    assert data(calendar) == expected


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("way", WAYS)
async def test_what_is_as_before_at_the_first_look_proves_nothing(
    calendar: Calendar, way: str, begun: bool
) -> None:
    do, _, expected = WAYS[way]
    record = do(calendar)
    await take_back(record, calendar.terms_of(way))

    undone = await take_back(record, calendar.terms_of(way, begun=begun))

    assert undone.result is UndoResult.UNKNOWN
    assert undone.for_a_person
    assert undos(calendar) == 1
    assert data(calendar) == expected


@pytest.mark.parametrize("way", ["update", "create"])
async def test_a_replica_that_lags_does_not_hide_what_the_call_left(
    calendar: Calendar, way: str
) -> None:
    do, undo, expected = WAYS[way]
    record = do(calendar)
    reads = iter([lambda told: record.before, calendar.read])
    callbacks = ToolCallbacks(
        read=lambda told: next(reads)(told),
        undo=undo.__get__(calendar),
        version=lambda told: told.result.version,
    )

    undone = await take_back(record, UndoPolicy(callbacks=callbacks))

    assert undone.result is UndoResult.RESTORED
    assert data(calendar) == expected
    assert undos(calendar) == 1


async def test_a_delete_is_undone_though_its_reader_lags_and_then_raises_for_what_is_gone(
    calendar: Calendar,
) -> None:
    record = deleted(calendar)
    reads = iter([lambda told: record.before])

    def read(told: Record) -> Item | None:
        found = next(reads, calendar.read)(told)
        if found is None:
            raise RemoteError(404, "not here")
        return found

    callbacks = ToolCallbacks(
        read=read, undo=calendar.bring_back, version=lambda told: told.result.version
    )
    lagging = UndoPolicy(
        callbacks=callbacks, deletes=True, settles_within=timedelta(microseconds=1)
    )

    undone = await take_back(record, lagging)

    assert undone.result is UndoResult.RESTORED
    assert data(calendar) == DINNER


async def test_without_versions_a_person_is_asked_when_nobody_has_seen_it(
    calendar: Calendar,
) -> None:
    record = updated(calendar)
    callbacks = ToolCallbacks(read=lambda told: told.before, undo=calendar.put_back)

    undone = await take_back(record, UndoPolicy(callbacks=callbacks))

    assert (undone.result, undone.for_a_person) == (UndoResult.UNKNOWN, True)
    assert undos(calendar) == 0


@pytest.mark.parametrize("status", [403, 404, 410])
async def test_a_reader_that_may_not_look_has_seen_no_absence(
    calendar: Calendar, status: int
) -> None:
    record = created(calendar)

    def refused(told: Record) -> object:
        raise RemoteError(status, "not for you")

    callbacks = ToolCallbacks(read=refused, undo=calendar.remove, version=lambda told: "v1")

    undone = await take_back(record, UndoPolicy(callbacks=callbacks))

    assert undone.result is UndoResult.UNKNOWN
    assert "nothing was sent" in undone.why
    assert "could not be read" in undone.why
    assert data(calendar) == DINNER


@pytest.mark.parametrize(
    ("status", "result"), [(404, UndoResult.RESTORED), (403, UndoResult.UNKNOWN)]
)
async def test_what_was_seen_by_a_reader_is_gone_when_that_reader_says_so(
    calendar: Calendar, status: int, result: UndoResult
) -> None:
    record = created(calendar)

    def read(told: Record) -> Item:
        found = calendar.read(told)
        if found is None:
            raise RemoteError(status, "gone")
        return found

    callbacks = ToolCallbacks(
        read=read, undo=calendar.remove, version=lambda told: told.result.version
    )

    undone = await take_back(record, UndoPolicy(callbacks=callbacks))

    assert undone.result is result
    assert data(calendar) is None


async def test_an_undo_without_versions_that_was_begun_is_not_sent_again(
    calendar: Calendar,
) -> None:
    record = updated(calendar)
    callbacks = ToolCallbacks(read=calendar.read, undo=calendar.put_back)

    undone = await take_back(record, UndoPolicy(callbacks=callbacks, begun=True, seen=True))

    assert undone.result is UndoResult.UNKNOWN
    assert undos(calendar) == 0


async def test_a_delete_that_was_undone_before_is_not_brought_back_against_a_person(
    calendar: Calendar,
) -> None:
    record = deleted(calendar)
    await take_back(record, calendar.terms_of("delete"))
    calendar.remote.delete("e1", by="person")

    undone = await take_back(record, calendar.terms_of("delete", begun=True, seen=True))

    assert undone.result is UndoResult.UNKNOWN
    assert data(calendar) is None


async def test_a_function_that_never_answers_is_not_waited_for_without_end(
    calendar: Calendar,
) -> None:
    record = updated(calendar)

    async def read(told: Record) -> object:
        await asyncio.Event().wait()
        return None

    callbacks = ToolCallbacks(read=read, undo=calendar.put_back)

    undone = await take_back(
        record, UndoPolicy(callbacks=callbacks, answers_within=timedelta(milliseconds=10))
    )

    assert undone.result is UndoResult.UNKNOWN
    assert "TimeoutError" in undone.why


@pytest.mark.parametrize("way", ["update", "create"])
async def test_a_persons_edit_survives_and_both_versions_are_told(
    calendar: Calendar, way: str
) -> None:
    do, _, _ = WAYS[way]
    record = do(calendar)
    theirs = calendar.remote.update("e1", {"title": "Brunch"}, by="person")

    undone = await take_back(record, calendar.terms_of(way))

    assert undone.result is UndoResult.CONFLICT
    assert undone.theirs == theirs
    assert record.version in undone.why
    assert theirs.version in undone.why
    assert data(calendar) == {"title": "Brunch"}
    assert undos(calendar) == 0


@pytest.mark.parametrize("way", ["update", "create"])
async def test_an_edit_between_our_look_and_our_undo_survives_too(
    calendar: Calendar, way: str
) -> None:
    do, undo, _ = WAYS[way]
    record = do(calendar)

    def edit_first(told: Record) -> None:
        calendar.remote.update("e1", {"title": "Brunch"}, by="person")
        undo(calendar, told)

    undone = await take_back(record, calendar.policy(edit_first))

    assert undone.result is UndoResult.CONFLICT
    assert data(calendar) == {"title": "Brunch"}


@pytest.mark.parametrize("fault", list(Fault))
@pytest.mark.parametrize("way", WAYS)
async def test_what_is_said_is_what_the_ledger_says_whatever_happens_on_the_way(
    calendar: Calendar, way: str, fault: Fault
) -> None:
    do, _, expected = WAYS[way]
    record = do(calendar)
    left = data(calendar)
    calendar.remote.plan(fault)

    undone = await take_back(record, calendar.terms_of(way))

    if undone.result is UndoResult.RESTORED:
        assert data(calendar) == expected
    elif undone.result is UndoResult.UNKNOWN:
        hidden = (Fault.FORBIDDEN_AFTER, Fault.MISSING_AFTER, Fault.REPEATED)
        assert way == "create", "refused, and gone: whose word?"
        assert fault in hidden
    else:
        assert undone.result is UndoResult.FAILED
        assert data(calendar) == left
        assert undone.why
    assert undos(calendar) <= 1


async def test_what_cannot_be_read_back_is_never_called_restored(calendar: Calendar) -> None:
    record = updated(calendar)
    reads = iter([calendar.read, _unreadable])
    callbacks = ToolCallbacks(
        read=lambda told: next(reads)(told),
        undo=calendar.put_back,
        version=lambda told: told.result.version,
    )

    undone = await take_back(record, UndoPolicy(callbacks=callbacks))

    assert undone.result is UndoResult.UNKNOWN
    assert "could not be verified" in undone.why


async def test_what_cannot_even_be_looked_at_is_left_alone(calendar: Calendar) -> None:
    record = updated(calendar)
    callbacks = ToolCallbacks(read=_unreadable, undo=calendar.put_back)

    undone = await take_back(record, UndoPolicy(callbacks=callbacks))

    assert undone.result is UndoResult.UNKNOWN
    assert undos(calendar) == 0


async def test_an_undo_that_restores_a_part_says_so(calendar: Calendar) -> None:
    record = updated(calendar)

    def half(told: Record) -> None:
        calendar.remote.update("e1", {"title": "Dinner"}, if_version=told.version, by="undo")

    undone = await take_back(record, calendar.policy(half))

    assert undone.result is UndoResult.PARTIAL


async def test_without_an_undo_nothing_is_taken_back(calendar: Calendar) -> None:
    record = updated(calendar)

    undone = await take_back(record, UndoPolicy(callbacks=ToolCallbacks(read=calendar.read)))

    assert undone.result is UndoResult.FAILED
    assert "no undo" in undone.why


async def test_async_functions_and_states_of_ones_own_will_do(calendar: Calendar) -> None:
    record = updated(calendar)

    async def read(told: Record) -> dict[str, object]:
        item = calendar.remote.get("e1")
        assert item is not None
        return {"day": item.data["day"], "synced": object()}

    async def undo(told: Record) -> None:
        calendar.put_back(told)

    callbacks = ToolCallbacks(
        read=read, undo=undo, same=lambda before, now: before.data["day"] == now["day"]
    )

    undone = await take_back(record, UndoPolicy(callbacks=callbacks))

    assert undone.result is UndoResult.RESTORED


def _unreadable(record: Record) -> object:
    raise TimeoutError("no answer")


class Page:
    """A versioned page whose other fields move with every write, or with every read."""

    def __init__(self, *, by_write: str = "", by_read: str = "") -> None:
        self.content: dict[str, object] = {"title": "Old"}
        self.writes = self.reads = 0
        self.by_write, self.by_read = by_write, by_read

    def read(self, record: Record | None = None) -> dict[str, object]:
        self.reads += 1
        moving = {self.by_write: f"w{self.writes}", self.by_read: f"r{self.reads}"}
        return {
            **self.content,
            "number": self.writes,
            **{name: value for name, value in moving.items() if name},
        }

    def write(self, **content: object) -> dict[str, object]:
        self.writes += 1
        self.content |= content
        return self.read()


async def undo_title(page: Page, *, writes: str) -> UndoResult:
    before = page.read()
    result = page.write(title="New")
    record = Record(
        arguments={"title": "New"},
        snapshot=Snapshot(before),
        result=result,
        version=str(result["number"]),
    )
    policy = UndoPolicy(
        callbacks=ToolCallbacks(
            before=page.read,
            undo=lambda record: page.write(title=writes),
            version=lambda record: str(record.result["number"]),
        )
    )
    return (await take_back(record, policy)).result


@pytest.mark.parametrize(
    "field",
    ["last_edited_time", "_rev", "lock_version", "sha", "updated_by", "LastModifiedDate", "mtime",
     "resourceVersion", "metageneration", "checksum", "sys_mod_count", "lastModified"],
)  # fmt: skip
async def test_a_field_that_every_write_moves_does_not_spoil_a_good_undo(field: str) -> None:
    assert await undo_title(Page(by_write=field), writes="Old") is UndoResult.RESTORED
    assert await undo_title(Page(by_write=field), writes="Other") is UndoResult.PARTIAL


async def test_neither_does_one_of_any_name_that_moves_between_two_reads() -> None:
    assert await undo_title(Page(by_read="hits"), writes="Old") is UndoResult.RESTORED
    assert await undo_title(Page(by_read="hits"), writes="Other") is UndoResult.PARTIAL


async def test_one_of_any_name_that_only_a_write_moves_is_content() -> None:
    assert await undo_title(Page(by_write="note"), writes="Old") is UndoResult.PARTIAL


async def test_a_version_inside_of_what_is_written_is_content() -> None:
    before = {"deps": {"requests": {"version": "1.0"}}, "version": 1}
    now = {"deps": {"requests": {"version": "2.0"}}, "version": 3}
    record = Record(arguments={"pin": "2.0"}, snapshot=Snapshot(before))

    assert not is_restored(record, now, callbacks=ToolCallbacks())


@pytest.mark.parametrize(
    ("left", "now", "restored"), [("B", "B", False), ("B", "C", True), (3, 3, False), (3, 4, True)]
)
def test_what_a_call_has_set_under_another_name_is_content_while_it_stands(
    left: object, now: object, restored: bool
) -> None:
    record = Record(
        arguments={"label": left},
        snapshot=Snapshot({"title": "Old", "revision": "A"}),
        result={"title": "Old", "revision": left},
    )

    state = {"title": "Old", "revision": now}

    assert is_restored(record, state, callbacks=ToolCallbacks()) is restored


def test_a_number_that_is_counted_up_is_not_taken_for_one_that_was_given() -> None:
    record = Record(
        arguments={"seats": 3}, snapshot=Snapshot({"seats": 2, "rev": 1}), result="booked"
    )

    assert is_restored(record, {"seats": 2, "rev": 3}, callbacks=ToolCallbacks())
