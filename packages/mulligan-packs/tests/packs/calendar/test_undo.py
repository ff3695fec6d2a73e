"""Against a real server: what was done wrongly is undone to the byte, and edits stay."""

from __future__ import annotations

import asyncio
import signal
import sys

import pytest

from mulligan import State
from mulligan.process.fault_points import Point
from mulligan_testing.line import LineFault
from tests.packs.calendar.family import EVENTS, WAYS, Family, bulk, create, delete, event_id, update

pytestmark = pytest.mark.full

LOST = [LineFault.LOST_AFTER, LineFault.LOST_BEFORE, LineFault.BROKEN_AFTER]


async def repeat(family: Family) -> None:
    """An update to what is there already."""
    await family.tools.update_calendar_event(event_id(3), title="Dinner 3 für Großmama, und alle")


DEEDS = {**WAYS, "the same again": repeat}


@pytest.mark.parametrize("way", DEEDS)
async def test_what_was_done_wrongly_is_undone_to_the_byte(family: Family, way: str) -> None:
    family.fill()
    before, between = family.export(), []

    async def do() -> None:
        await DEEDS[way](family)
        between.append(family.export())

    await family.act(do)

    assert all(changed != before for changed in between)
    assert len(between) == 2
    assert family.export() == before
    assert family.states() == []


async def test_a_whole_attempt_is_undone_though_its_calls_build_on_each_other(
    family: Family,
) -> None:
    family.fill()
    before = family.export()

    async def do() -> None:
        made = await family.tools.create_calendar_event("Cake", "2026-11-21")
        await family.tools.update_calendar_event(made.id, title="Pie")
        await update(family)
        await bulk(family)
        await delete(family)

    await family.act(do)

    assert family.export() == before
    assert family.states() == []


@pytest.mark.parametrize("way", ["update", "bulk of 10", "delete"])
async def test_an_edit_in_between_is_left_alone_and_both_versions_are_named(
    family: Family, way: str
) -> None:
    family.fill()
    before, versions = family.export(), []

    async def do() -> None:
        await WAYS[way](family)
        ours = family.calendar.get(event_id(3))
        family.person_writes(3, title="Supper")
        theirs = family.calendar.get(event_id(3))
        versions.extend([ours.etag if ours else None, theirs.etag])

    done = await family.act(do)

    assert family.states() == [State.CONFLICT]
    detail = family.open()[0].detail
    assert [detail["left_at"], detail["now_at"]] == versions
    edited = {name: text for name, text in family.export().items() if before[name] != text}
    assert list(edited) == [name for name in before if name.endswith("/event-3.ics")]
    assert b"Supper" in next(iter(edited.values()))
    assert "their version was left alone" in str(done.reply)


async def test_an_edit_of_what_was_created_keeps_it_there(family: Family) -> None:
    before = family.export()

    async def do() -> None:
        made = await family.tools.create_calendar_event("Cake", "2026-11-21T18:00")
        text = family.export()[next(iter(family.export().keys() - before.keys()))].decode()
        edited = text.replace("Cake", "Pie")
        family.radicale.put(family.calendar_url, edited, name=f"{made.id}.ics")

    await family.act(do)

    assert family.states() == [State.CONFLICT]
    [name] = family.export().keys() - before.keys()
    assert b"Pie" in family.export()[name]


@pytest.mark.parametrize("fault", LOST)
@pytest.mark.parametrize(
    ("way", "writes", "fine"),
    [("create", 1, 0), ("update", 1, 0), ("delete", 1, 0), ("bulk of 10", EVENTS, 3)],
)
async def test_a_lost_answer_is_found_again_and_nothing_is_done_twice(
    family: Family, way: str, writes: int, fine: int, fault: LineFault
) -> None:
    family.fill()
    before, counted = family.export(), []

    async def do() -> None:
        family.line.faults[:] = [*[None] * fine, fault]
        family.line.written.clear()
        await WAYS[way](family)
        counted.append(family.line.count_done())

    await family.act(do)

    assert counted == [writes, writes]
    assert family.export() == before
    assert family.states() == []


@pytest.mark.parametrize(
    ("way", "fault"),
    [
        *((way, fault) for way in ("create", "update") for fault in LOST),
        ("delete", LineFault.LOST_AFTER),
        ("delete", LineFault.BROKEN_AFTER),
    ],
)
async def test_an_undo_whose_answer_is_lost_still_ends_where_it_began(
    family: Family, way: str, fault: LineFault
) -> None:
    before = family.export()

    async def do() -> None:
        await WAYS[way](family)
        family.line.faults[:] = [fault]

    await family.act(do)
    await family.m.recover()

    assert family.export() == before
    assert family.states() == []


async def test_a_deleted_event_is_not_brought_back_twice_without_asking(family: Family) -> None:
    before = family.export()

    async def do() -> None:
        await delete(family)
        family.line.faults[:] = [LineFault.LOST_BEFORE]

    done = await family.act(do)
    await family.m.recover()

    # Nothing tells it from an event that was brought back, and that a person deleted then.
    assert family.states() == [State.UNDO_FAILED]
    assert "Still in effect" in str(done.reply)
    assert {n for n in before if n not in family.export()} == {_find_name(before, 3)}

    family.m.insights.open_list.undo(family.open()[0].id, by="Mum")
    await family.m.recover()
    assert family.export() == before
    assert family.states() == []


async def test_a_server_that_tells_no_etag_is_asked_for_it(family: Family) -> None:
    before = family.export()

    async def do() -> None:
        family.line.faults[:] = [LineFault.NO_ETAG, LineFault.NO_ETAG]
        await update(family)
        await create(family)

    await family.act(do)

    assert family.export() == before
    assert family.states() == []


async def test_what_somebody_adds_right_after_a_write_without_an_etag_stays(
    family: Family,
) -> None:
    def add_a_word() -> None:
        [name] = [each for each in family.export() if each.endswith(f"/{event_id(3)}.ics")]
        text = family.export()[name].decode()
        theirs = text.replace("END:VEVENT", "DESCRIPTION:Bring wine\r\nEND:VEVENT")
        family.radicale.put(family.calendar_url, theirs, name=f"{event_id(3)}.ics")

    async def do() -> None:
        family.line.faults[:] = [LineFault.NO_ETAG]
        family.line.then = add_a_word
        await update(family)

    await family.act(do)

    assert family.states() == [State.CONFLICT]
    assert b"Bring wine" in family.export()[_find_name(family.export(), 3)]


@pytest.mark.parametrize("point", [Point.EXECUTED, Point.TAKEN_BACK])
async def test_what_a_killed_process_left_is_undone_by_another(
    family: Family, point: Point
) -> None:
    before = family.export()

    left = await _kill_at(point, family)
    for _ in range(4):
        await family.m.recover()

    assert left != before
    assert family.export() == before
    assert family.states() == []


async def test_of_a_delete_without_an_answer_a_person_is_asked_and_all_else_is_undone(
    family: Family,
) -> None:
    before = family.export()

    await _kill_at(Point.CALLED, family)
    for _ in range(4):
        await family.m.recover()

    # It may as well have been a person who deleted it: nothing shows whose deed it was.
    assert family.states() == [State.NEEDS_HUMAN]
    assert family.open()[0].opening.tool == "delete_calendar_event"
    gone = _find_name(before, 2)
    assert family.export() == {name: text for name, text in before.items() if name != gone}


async def _kill_at(point: Point, family: Family) -> dict[str, bytes]:
    """Have a process killed in the middle of its delete; what is there then."""
    store = family.m.settings.store
    command = [sys.executable, "-m", "tests.packs.calendar.killed", family.calendar_url, store]

    child = await asyncio.create_subprocess_exec(*command, point.value)
    ended = await asyncio.wait_for(child.wait(), timeout=120)

    assert ended == -signal.SIGKILL
    return family.export()


def _find_name(exported: dict[str, bytes], number: int) -> str:
    [name] = [name for name in exported if name.endswith(f"/{event_id(number)}.ics")]
    return name


async def test_an_update_to_what_is_there_already_is_undone_to_the_byte(family: Family) -> None:
    family.fill()
    before, between = family.export(), []

    async def do() -> None:
        await family.tools.update_calendar_event(
            event_id(3), title="Dinner 3 für Großmama, und alle"
        )
        between.append(family.export())

    done = await family.act(do)

    assert all(changed != before for changed in between)
    assert family.export() == before
    assert "Everything was undone and verified" in str(done.reply)
