"""What retention removes, and what it never does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from mulligan.app.housekeeping import forget_now, sweep
from mulligan.settings import Settings
from mulligan.stores.opening import open_store
from mulligan.types.action import Entry, Kept, Opening, State
from mulligan.types.effect import Effect
from mulligan.types.lesson import EpisodeQuery, LessonQuery
from mulligan.types.limits import Retention
from mulligan.types.log import Batch, LogQuery, roll_up
from mulligan.types.notes import Ground, Notes, NotesState, Refinement
from mulligan_testing.fakes import FixedClock
from mulligan_testing.store_contract.contract import make_episode, make_lesson
from tests.telemetry.rows import START_US, a_row

START = datetime.fromtimestamp(START_US / 1e6, UTC)


def test_a_sweep_removes_what_is_past_its_time_and_nothing_else() -> None:
    store = open_store("memory:")
    clock = FixedClock(START + timedelta(days=31))
    old, young = a_row(0), a_row(30 * 86_400_000)
    store.log.write(Batch(rows=[old, young], rollups=roll_up([old, young])))

    swept = sweep(store, retention=Retention(), clock=clock)

    assert swept.rows == 1
    assert store.log.list_rows(LogQuery()) == [young]


def test_a_sweep_removes_old_episodes_and_keeps_what_was_learned_from_them() -> None:
    store = open_store("memory:")
    clock = FixedClock(START + timedelta(days=91))
    old, young = make_episode(1, at=START), make_episode(2, at=START + timedelta(days=2))
    store.failures.record([old, young])
    store.failures.append([make_lesson(learned_at=START)])

    swept = sweep(store, retention=Retention(), clock=clock)

    assert swept.episodes == 1
    assert store.failures.list_episodes(EpisodeQuery()) == [young]
    assert len(store.failures.list_lessons(LessonQuery())) == 1


def test_a_sweep_forgets_retired_notes_and_never_the_static_text() -> None:
    store = open_store("memory:")
    ground = Ground(task="report")
    for version in range(4):
        notes = Notes(task="report", version=version, refinement=Refinement(), at=START)
        store.task_versions.append(notes)
    for version, state in ((1, NotesState.RETIRED), (2, NotesState.PINNED)):
        store.task_versions.move(ground, version=version, state=state, was=None)
    clock = FixedClock(START + timedelta(days=91))

    young = sweep(store, retention=Retention(learned=timedelta(days=92)), clock=clock)
    swept = sweep(store, retention=Retention(), clock=clock)

    assert (young.versions, swept.versions) == (0, 1)
    assert [notes.version for notes in store.task_versions.list_versions("report")] == [3, 2, 0]


def test_open_actions_outlive_every_retention() -> None:
    store = open_store("memory:")
    opening = Opening(tool="create", effect=Effect.REVERSIBLE)
    entry = Entry(action="a1", state=State.INTENT, at=START, version=1, opening=opening)
    kept = Kept(owner="a1", name="before", value=b"raw")
    store.journal.submit([entry], keep=[kept]).result()

    sweep(store, retention=Retention(), clock=FixedClock(START + timedelta(days=5000)))

    assert [a.id for a in store.journal.list_open_actions()] == ["a1"]
    assert store.vault.get("a1", "before") == b"raw"


def test_what_is_past_its_time_goes_at_once_and_all_is_written_anew(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/family.db"
    store = open_store(url)
    ended = datetime.now(UTC) - timedelta(days=1)
    store.vault.put(Kept(owner="one", name="before", value=b"gone", expires_at=ended))

    swept, again = (forget_now(Settings(store=url)) for _ in range(2))
    store.close()

    assert (swept.kept, again.kept) == (1, 0)
    for each in (swept, again):
        assert each.vacuumed is not None
        assert each.vacuumed.parts == ("family.db", "family.log.db")
