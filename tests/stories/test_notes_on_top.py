"""Which notes are on top: by a person's word, and where every proposal is accepted."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mulligan.learning.task_versions import pin, roll_back, unpin
from mulligan.types.events import NotesPromoted
from mulligan.types.notes import NotesState
from tests.loops.lab import Lab, notes, numbered

TRIAL, CHAMPION, PINNED, RETIRED = NotesState


async def test_a_pinned_version_gets_every_run():
    lab = Lab(strategy=numbered, every=15)
    await lab.run(times=15)
    lab.archive.move(lab.ground, version=1, state=PINNED, was=TRIAL)

    versions = {(await lab.run()).version for _ in range(10)}

    assert versions == {1}


async def test_evidence_never_moves_a_pin():
    lab = Lab(score=lambda _: 1.0, every=1_000)
    await lab.run()
    lab.archive.append(notes(lab, 1))
    lab.seen(0, *[0.0] * 40)
    lab.archive.move(lab.ground, version=1, state=TRIAL, was=None)
    lab.archive.move(lab.ground, version=1, state=CHAMPION, was=TRIAL)
    lab.seen(1, *[1.0] * 40)
    pin(lab.archive, lab.ground, version=0)

    versions = {(await lab.run()).version for _ in range(5)}

    assert versions == {0}
    assert lab.states() == {0: PINNED, 1: TRIAL}
    assert lab.told(NotesPromoted) == []


@pytest.mark.parametrize("gate", ["accept", "evidence"])
async def test_while_a_version_is_pinned_nothing_is_proposed(gate):
    lab = Lab(gate=gate, strategy=numbered, every=1)
    await lab.run(times=2)
    pin(lab.archive, lab.ground, version=1)
    before = lab.versions()

    versions = {(await lab.run()).version for _ in range(5)}

    assert versions == {1}
    assert lab.versions() == before


async def test_where_all_are_accepted_a_pin_and_a_rollback_decide_the_next_run():
    lab = Lab(gate="accept", strategy=numbered)
    await lab.run(times=3)

    pin(lab.archive, lab.ground, version=1)
    pinned = await lab.run()
    unpin(lab.archive, lab.ground)
    let_go = await lab.run()
    built_on_it = await lab.run()
    left = roll_back(lab.archive, lab.ground)
    static = await lab.run()
    after = await lab.run()

    assert [pinned.version, let_go.version] == [1, 1]
    assert "> Look at 1 sources." in pinned.prompt
    assert built_on_it.version == 4
    assert left == 5
    assert (static.version, static.prompt) == (0, lab.task.text)
    assert after.version == 6
    parents = {n.version: n.parent for n in lab.archive.list_versions(lab.task.identity)}
    assert (parents[4], parents[5], parents[6]) == (1, 4, 0)


async def test_where_all_are_accepted_what_is_replaced_is_retired():
    lab = Lab(gate="accept", strategy=numbered)

    await lab.run(times=4)

    assert lab.states() == {0: TRIAL, 1: RETIRED, 2: RETIRED, 3: RETIRED, 4: CHAMPION}


async def test_where_all_are_accepted_another_model_goes_on_with_the_latest_notes():
    lab = Lab(gate="accept", strategy=numbered)
    await lab.run(times=2)
    lab.task = replace(lab.task, model="another")

    done = await lab.run()

    assert done.version == 2
    assert "> Look at 2 sources." in done.prompt
