"""The task versions over tables: versions of notes, and the evidence for each."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any

from msgspec.structs import asdict

from mulligan.codec import decode_json, encode_record
from mulligan.stores.database import Pool, Row, Session, fetch_one
from mulligan.stores.encoding import read_row, report_unreadable
from mulligan.stores.relational.committer import JournalCommitter
from mulligan.stores.relational.transaction import Transaction, Work, set_seal
from mulligan.types.display import escape
from mulligan.types.errors import StaleNotesError
from mulligan.types.notes import (
    ON_TOP,
    Ground,
    Notes,
    NotesState,
    PairedScore,
    Pairs,
    Refinement,
    Scorecard,
    TaskRun,
    check_move,
    check_notes,
    check_run,
    check_score,
    find_needed_versions,
    may_enter,
)
from mulligan.types.values import from_us, to_us

RUNS_KEPT = 40
_ALL = 2**31


class TaskVersionTables:
    """Reads from a pool; everything written goes through the journal's group commit."""

    def __init__(self, pool: Pool, *, committer: JournalCommitter) -> None:
        self._pool = pool
        self._committer = committer

    def append(self, notes: Notes) -> None:
        """Add a version, numbered one above the last."""
        check_notes(notes)
        values = _encode_notes(notes)

        def add(transaction: Transaction) -> None:
            if not transaction.session.run("append_notes", **values):
                raise StaleNotesError(
                    f"Version {notes.version} of task {notes.task} is not the next one: read its "
                    "versions again, and append under the number after the last."
                )
            seal = transaction.sign_row("notes", *values.values())
            if seal is not None:
                set_seal(transaction.session, "notes", [*values.values()], seal=seal)

        self._write(add)

    def list_versions(
        self, task: str, *, tenant: str = "", limit: int | None = None
    ) -> list[Notes]:
        """The versions of a task, the newest first."""
        wanted = {"task": escape(task), "tenant": escape(tenant)}
        most = _ALL if limit is None else limit
        return [_decode_notes(row) for row in self._pool.fetch("notes", most=most, **wanted)]

    def count(self, ground: Ground, *, run: TaskRun) -> int:
        """Add a run to its version's scorecard, and keep it among the latest."""
        check_run(ground, run)
        at_us = to_us(run.at, name="The time of a run")
        seen: int = self._write(lambda t: _count(t.session, ground, run, at_us=at_us))
        return seen

    def list_scorecards(self, ground: Ground) -> list[Scorecard]:
        """The scorecards of a ground, by version."""
        pairs: dict[int, list[Pairs]] = {}
        for version, *pair in self._fetch_on_ground("pairings", ground):
            what = f"A pair of version {version}"
            pairs.setdefault(version, []).append(read_row(Pairs, pair, what=what))
        return [
            read_row(
                Scorecard,
                row,
                what=f"The scorecard of version {row[0]}",
                pairs=tuple(pairs.get(row[0], ())),
            )
            for row in self._fetch_on_ground("scorecards", ground)
        ]

    def list_runs(self, ground: Ground, *, limit: int) -> list[TaskRun]:
        """The latest runs on a ground, the newest first."""
        runs = []
        for *run, beside, score in self._fetch_on_ground("task_runs", ground, most=limit):
            pair = None if beside is None else PairedScore(version=beside, score=score)
            runs.append(read_row(TaskRun, run, what=f"A run of version {run[0]}", beside=pair))
        return runs

    def move(
        self, ground: Ground, *, version: int, state: NotesState, was: NotesState | None
    ) -> bool:
        """Change where a version stands, if it still stands where it `was`."""
        check_move(version, state)

        def change(transaction: Transaction) -> bool:
            session = transaction.session
            number, _ = _see(session, ground, more=0)
            place: dict[str, object] = {"ground": number, "version": version}
            pinned = fetch_one(session, "pinned", ground=number)
            if not may_enter(state, version=version, pinned=pinned[0] if pinned else None):
                return False
            if was is None:
                moved = session.run("add_scorecard", state=str(state), **place)
            else:
                moved = session.run("move_scorecard", state=str(state), was=str(was), **place)
            if moved and state in ON_TOP:
                session.run("clear_the_top", **place)
            return bool(moved)

        moved: bool = self._write(change)
        return moved

    def rate(self, run: str, *, score: float, tenant: str = "") -> bool:
        """Set a person's rating as the score of a run that is still kept."""
        check_score(score)
        wanted = {"id": escape(run), "tenant": escape(tenant)}

        def change(transaction: Transaction) -> bool:
            session = transaction.session
            # What a run was rated before, it still is when its scorecard is corrected.
            if not run or not session.run("lock_ground_of_run", **wanted):
                return False
            found = fetch_one(session, "rated_run", **wanted)
            if found is None:
                return False
            ground, number, version, old = found
            had = old or 0.0
            session.run("rate_run", number=number, score=float(score))
            session.run(
                "rate_scorecard",
                ground=ground,
                version=version,
                scored=int(old is None),
                score=float(score),
                more=float(score - had),
                more_squares=float(score * score - had * had),
            )
            return True

        rated: bool = self._write(change)
        return rated

    def clear(self, task: str, *, tenant: str = "") -> int:
        """Forget a task: its versions, its evidence and its runs."""
        whose: dict[str, object] = {"tenant": escape(tenant), "task": escape(task)}

        def clear(transaction: Transaction) -> int:
            session = transaction.session
            session.run("lock_grounds", **whose)
            for query in ("clear_runs", "clear_pairs", "clear_scorecards", "clear_grounds"):
                session.run(query, **whose)
            known = session.fetch("lineage", **whose)
            for version, _, _ in known:
                found = session.fetch("forget_notes", version=version, **whose)
                transaction.drop_rows("notes", found)
            return len(known)

        cleared: int = self._write(clear)
        return cleared

    def list_grounds(self, task: str | None = None) -> list[Ground]:
        """Where runs were counted."""
        filters, values = ([], {}) if task is None else (["of_task"], {"task": escape(task)})
        rows = self._pool.read(lambda session: session.fetch_where("grounds", filters, **values))
        return [read_row(Ground, row, what="A ground of a task") for row in rows]

    def prune(self, *, before: datetime) -> int:
        """Forget old runs, and old versions that nothing rests on."""
        limit = to_us(before, name="The time to prune before")
        self._write(lambda transaction: transaction.session.run("forget_old_runs", before=limit))
        return sum(
            self._write(partial(_forget, tenant=tenant, task=task, before_us=limit))
            for tenant, task in self._pool.fetch("old_notes", before=limit)
        )

    def _fetch_on_ground(self, query: str, ground: Ground, **values: object) -> list[Row]:
        def ask(session: Session) -> list[Row]:
            found = fetch_one(session, "ground", **_encode_ground(ground))
            return session.fetch(query, ground=found[0], **values) if found else []

        return self._pool.read(ask)

    def _write(self, work: Work) -> Any:
        # No outside call waits for it: a power cut may take the last run, but never an older one.
        return self._committer.run(work, synced=False)


def _see(session: Session, ground: Ground, *, more: int) -> tuple[int, int]:
    """The ground's number and its runs, locked until the transaction ends."""
    [(number, runs)] = session.fetch("count_on_ground", more=more, **_encode_ground(ground))
    return number, runs


def _count(session: Session, ground: Ground, run: TaskRun, *, at_us: int) -> int:
    number, seen = _see(session, ground, more=1)
    scored, metered = run.score is not None, run.tokens is not None
    session.run(
        "count_run",
        ground=number,
        version=run.version,
        scored=int(scored),
        score=float(run.score or 0),
        squares=float(run.score or 0) ** 2,
        metered=int(metered),
        tokens=float(run.tokens or 0),
        seconds=float(run.seconds),
    )
    session.run(
        "add_run",
        ground=number,
        version=run.version,
        at_us=at_us,
        score=None if run.score is None else float(run.score),
        standing=str(run.standing),
        problem=escape(run.problem),
        excerpt=escape(run.excerpt),
        tokens=run.tokens,
        seconds=float(run.seconds),
        id=escape(run.id),
        beside=run.beside.version if run.beside else None,
        beside_score=float(run.beside.score) if run.beside else None,
    )
    if run.beside is not None and run.score is not None:
        ahead = float(run.score - run.beside.score)
        session.run(
            "count_pair",
            ground=number,
            version=run.version,
            against=run.beside.version,
            ahead=ahead,
            squares=ahead * ahead,
            score=float(run.score),
        )
    session.run("forget_runs", ground=number, most=RUNS_KEPT)
    return seen


def _forget(transaction: Transaction, *, tenant: str, task: str, before_us: int) -> int:
    """Delete the expired, unused rows of one task, while its versions are locked."""
    session = transaction.session
    whose: dict[str, object] = {"tenant": tenant, "task": task}
    session.run("lock_grounds", **whose)
    known = session.fetch("lineage", **whose)
    in_play = {version for (version,) in session.fetch("in_play", **whose)}
    needed = find_needed_versions(
        {version: parent for version, parent, _ in known}, in_play=in_play
    )
    gone = [v for v, _, at_us in known if at_us < before_us and v not in needed]
    for version in gone:
        session.run("forget_pairs", version=version, **whose)
        session.run("forget_scorecards", version=version, **whose)
        found = session.fetch("forget_notes", version=version, **whose)
        transaction.drop_rows("notes", found)
    return len(gone)


def _encode_ground(ground: Ground) -> dict[str, object]:
    return {name: escape(value) for name, value in asdict(ground).items()}


def _encode_notes(notes: Notes) -> dict[str, object]:
    by = {"by": notes.by} if notes.by else {}
    return {
        "tenant": escape(notes.tenant),
        "task": escape(notes.task),
        "version": notes.version,
        "parent": notes.parent,
        "at_us": to_us(notes.at, name="The time of notes"),
        "model": escape(notes.model),
        "runs": notes.runs,
        # Plain ASCII: a proposal may hold what a database cannot.
        "body": encode_record({"changes": notes.changes, **by, **asdict(notes.refinement)}),
    }


def _decode_notes(row: Row) -> Notes:
    tenant, task, version, parent, at_us, model, runs, body = row
    with report_unreadable(f"Version {version} of task {task}"):
        content = decode_json(body)
        return Notes(
            tenant=tenant,
            task=task,
            version=version,
            parent=parent,
            at=from_us(at_us),
            model=model,
            runs=runs,
            changes=tuple(content["changes"]),
            by=content.get("by", ""),
            refinement=Refinement(**{name: content[name] for name in Refinement.__struct_fields__}),
        )
