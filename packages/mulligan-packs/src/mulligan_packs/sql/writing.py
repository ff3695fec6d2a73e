"""What one declared tool does to one table: read before, marked in its transaction, undone."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from operator import itemgetter
from typing import Any, TypeVar, cast

from msgspec import Struct
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from mulligan.runtime.context import read_context
from mulligan.types.call import Record
from mulligan.types.errors import ConfigurationError, ConflictError, PartlyUndoneError
from mulligan_packs.compose import Composition
from mulligan_packs.sql.database import Database
from mulligan_packs.sql.errors import UndeclaredWriteError
from mulligan_packs.sql.listening import listen
from mulligan_packs.sql.marks import (
    MARKS,
    CallMark,
    drop_mark,
    find_mark,
    find_undos,
    leave_mark,
    leave_plain_mark,
    load_marks,
    mark_void,
)
from mulligan_packs.sql.scope import Scope, Target, enter_scope, refuse_new_keys
from mulligan_packs.sql.state import (
    RowState,
    TableState,
    build_absent,
    combine_versions,
    is_same_row,
    is_same_state,
    list_all,
    print_deeply,
    read_row,
    read_state,
    restore_rows,
)
from mulligan_packs.sql.statements import is_declared, read_name
from mulligan_packs.sql.table import ABSENT, UserTable, Values, load_table, name_row, to_plain
from mulligan_packs.sql.watching import KnownRow, Strange, open_watch

T = TypeVar("T")

_PAST = (
    "The call was not seen to write through a connection of its engine alone, so what it has "
    "written, if anything, is unknown."
)
UNDO = ".undo"
"""What the mark of an undo ends with."""
MOST = 10_000
"""Calls whose versions are remembered until they are written down."""

Find = Callable[[Record], object]
Choose = Callable[[Record], tuple[str, dict[str, Any]]]
"""A condition as SQL, with its parameters, from what a bulk is called with."""


class TableOptions(Struct, frozen=True, kw_only=True):
    """What is said of a tool beside its table."""

    id: str | Sequence[str] | Find | None = None
    version: str | None = None
    each: str | None = None
    leaves: frozenset[str] = frozenset()
    sets: frozenset[str] = frozenset()
    where: Choose | None = None
    deletes: bool = False
    makes: bool = False


class TableWriter:
    """The functions of one declaration."""

    def __init__(self, engine: Engine | AsyncEngine, table: str, options: TableOptions) -> None:
        self.table = table
        self.database = Database(engine)
        self.leaves = options.leaves
        self._options = options
        self._loaded: list[UserTable] = []
        self._marks = MARKS
        self._left: OrderedDict[str, tuple[str | None, list[list[Any]]]] = OrderedDict()
        self._doubted: OrderedDict[str, bool] = OrderedDict()
        """Calls that were seen to write past the engine's connections, so that what they have
        left is unknown; `False`: those that have had calls inside of them do it."""
        listen(self.database.engine)

    @property
    def may_delete(self) -> bool:
        """Whether it is declared to delete rows."""
        return self._options.deletes or self._options.where is not None

    @property
    def deep(self) -> bool:
        """Whether rows of other tables may go with its rows."""
        return self.may_delete and bool(not self._loaded or self._loaded[0].acting)

    def load(self, connection: Connection) -> UserTable:
        """The table, as the database describes it; read once."""
        if not self._loaded:
            self._marks = load_marks(connection)
            self._loaded.append(load_table(connection, self.table, version=self._options.version))
        table = self._loaded[0]
        table.dialect.prepare(connection)
        return table

    def _run(self, work: Callable[[Connection], T], **more: Any) -> T | Awaitable[T]:
        return self.database.run(work, forget=self._loaded.clear, **more)

    # The functions that a declaration has.

    def read_before(self, record: Record) -> object:
        """The rows before the call."""
        return self._run(partial(self._read, record))

    def read_current(self, record: Record) -> object:
        """The rows as they are now; of an insert nothing where there is nothing."""
        return self._run(partial(self._read_now, record))

    def find_call(self, record: Record) -> object:
        """What a call has left; `None`, and never to come, if it has not."""
        return self._run(partial(self._probe, record))

    def undo(self, record: Record) -> object:
        """Make the rows what they were, only if they are still as the call left them."""
        return self._run(partial(self.undo_on, record=record), check=_tell_theirs)

    def find_place(self) -> object:
        """The engine, whose transaction parts of one call can share."""
        return self.database.engine

    def undo_together(self, parts: Sequence[tuple[TableWriter, Record]]) -> object:
        """Undo parts of one call in one transaction, as the call itself wrote them."""
        if len(parts) == 1:
            [(writer, record)] = parts
            return writer.undo(record)

        def work(connection: Connection) -> None:
            # Before the first savepoint, which would be SQLite's transaction without it.
            self.load(connection).dialect.begin_writing(connection)
            waiting = [*parts]
            for last in (False, True):
                waiting = [each for each in waiting if _is_refused(*each, connection, last=last)]

        def forget() -> None:
            for writer, _ in parts:
                writer._loaded.clear()  # noqa: SLF001 - one of our own kind

        return self.database.run(work, forget=forget)

    def read_version(self, record: Record) -> object:
        """The version of a state, or of what a call has left."""
        if (
            isinstance(record.result, dict)
            and record.result.keys() == TableState.__annotations__.keys()
        ):
            return record.result["at"]
        if self._doubted.get(record.key):
            return None
        left = self._left.get(record.key)
        if left is not None and left[0] is not None:
            return left[0]
        return self._run(lambda connection: self._read_left(connection, record))

    def name_object(self, record: Record) -> object:
        """The rows that a call is about, by table and key, with those that go with them: what was
        done to one of these is undone before or after it, and not beside."""
        before = record.before if isinstance(record.before, dict) else {"rows": []}
        along = [each for row in before["rows"] for each in row["dependants"]]
        named = [(self.table, key) for key in self._list_known_keys(record)]
        return [name_row(*each) for each in (*named, *((r["table"], r["key"]) for r in along))]

    def is_same(self, before: object, now: object) -> bool:
        """Whether two states have the same content."""
        return is_same_state(before, now, own=self._list_set())

    def _list_set(self) -> set[str]:
        """Columns that the database sets by itself."""
        fields = self._loaded[0].fields.values() if self._loaded else ()
        computed = {field.name for field in fields if field.generated}
        return {*self._options.sets, *computed, str(self._options.version)}

    @contextmanager
    def enter_call(self, records: Sequence[Record]) -> Iterator[None]:
        """Make a call under its snapshots, with its marks."""
        scope = Scope(
            writer=self,
            engines=[self.database.engine],
            targets=list(self._list_targets(records)),
            marks=[record.key for record in records],
            call=read_context().of(Composition) or object(),
        )
        try:
            with enter_scope(scope):
                yield
        finally:
            if scope.unseen or scope.delegated:
                self._doubted.update(dict.fromkeys((r.key for r in records), scope.unseen))
                while len(self._doubted) > MOST:
                    self._doubted.popitem(last=False)

    # What they do on a connection.

    def is_outdated(self, connection: Connection, target: Target) -> bool:
        """Whether a row is not what was read before the call, nor what the call itself has left."""
        table = self.load(connection)
        if not self.deep:
            left, _ = self._left.get(target.mark, (None, []))
            return table.read_print(connection, target.key, lock=True) not in (target.at, left)
        now = read_row(connection, table, key=target.key, deep=True, lock=True)
        return print_deeply(now) != target.at

    def list_known(self, connection: Connection, scope: Scope) -> Iterator[KnownRow]:
        """The rows that a call may write, and with a delete those that go with them."""
        table = self.load(connection)
        rows = [target.before for target in scope.targets if target.before is not None]
        roots = [table.find_key(connection, row["key"], row["values"]) for row in rows]
        yield KnownRow(
            table=table,
            keys=roots,
            made=[
                key
                for made in scope.inserted
                for key in table.list_keys(connection, table.where, values=table.bind_key(made))
            ],
            makes=scope.makes,
            leaves=self.leaves,
        )
        for row in rows if scope.deleted else ():
            for each in row["dependants"]:
                owner = table.related[each["table"]]
                yield KnownRow(table=owner, keys=[each["key"]], by_database=True)

    def leave_marks(self, connection: Connection, scope: Scope) -> None:
        """Write the marks of what a transaction is about to commit."""
        table = self.load(connection)
        if scope.makes:
            self._mark_inserted(connection, table, scope)
            return
        if self.deep and scope.deleted:
            self._refuse_odd(connection, table, scope.targets)
        by_mark: dict[str, list[Target]] = {mark: [] for mark in scope.marks}
        for target in scope.targets:
            by_mark[target.mark].append(target)
        for mark, targets in by_mark.items():
            keys = [target.key for target in targets]
            before = [row["at"] for target in targets if (row := target.before) is not None]
            if self._is_marked(connection, table, scope, mark=mark, before=before):
                continue
            own = self._list_own(connection, table, scope, targets=targets)
            about = _dump(keys, own=own)
            some = len(by_mark) > 1
            left = self._mark(connection, table, mark=mark, keys=keys, about=about, some=some)
            if ABSENT in left and not scope.deleted:
                refuse_new_keys(table, [target for target in targets if target.at != ABSENT])

    def _list_own(
        self, connection: Connection, table: UserTable, scope: Scope, *, targets: list[Target]
    ) -> set[str]:
        """Stamps that the database has set by itself as the call wrote to its rows, and that it
        will set as an undo does. What else a trigger has set there is content."""
        if scope.assigned is None or not table.triggered:
            return set()
        rows = [target.before for target in targets if target.before is not None]
        pairs = [(row["values"], table.read_row(connection, row["key"])[0]) for row in rows]
        odd = {
            name for was, now in pairs if was and now for name in self._list_odd(table, was, now)
        }
        own = {name for name in odd if table.fields[name].is_stamp}
        return {name for name in own if name.casefold() not in scope.assigned}

    def _refuse_odd(self, connection: Connection, table: UserTable, targets: list[Target]) -> None:
        """What depends on a row goes or loses its reference with it, or else stays as it is."""
        rows = [target.before for target in targets if target.before is not None]
        there = [table.read_row(connection, row["key"])[0] is not None for row in rows]
        judged = {_name(row) for row in rows}
        gone_first = sorted(zip(there, rows, strict=True), key=itemgetter(0))
        dependants = [(at, row, each) for at, row in gone_first for each in row["dependants"]]
        going = {_name(each) for stays, _, each in dependants if each["goes"] and not stays}
        for stays, row, each in dependants:
            if _name(each) in judged:
                continue
            judged.add(_name(each))
            owner = table.related[each["table"]]
            now = owner.read_row(connection, each["key"])[0]
            was = each["values"] or {}
            lost = {name for at in table.list_references(owner) for name in at.lost if not stays}
            goes = _name(each) in going
            unmoved = now and (goes or not self._has_lost(connection, owner, was, now, lost))
            if unmoved and not stays:
                raise UndeclaredWriteError(
                    f"{owner.describe_row(each['key'])} is as it was, though by its foreign keys "
                    f"the database changes it with {table.describe_row(row['key'])}. Delete where "
                    "foreign keys are enforced, or have no connection of the engine enforce them."
                )
            if self._list_odd(owner, was, now) - lost if now else not goes:
                raise UndeclaredWriteError(
                    f"The call changes {owner.describe_row(each['key'])}, which depends on "
                    f"{table.describe_row(row['key'])}, by a trigger, or as it deletes that row "
                    "and makes it anew, so that an undo would leave it. Change the row instead."
                )

    def _has_lost(
        self, connection: Connection, owner: UserTable, was: Values, now: Values, lost: set[str]
    ) -> bool:
        """Whether a row has lost a reference, be it to what it would refer to by default."""
        return any(
            now[name] != was[name] or owner.has_default(connection, name, now[name])
            for name in lost
        )

    def _list_odd(self, owner: UserTable, was: Values, now: Values) -> set[str]:
        """Columns that are not as they were, and that no database sets by itself."""
        changed = {name for name, value in was.items() if now.get(name) != value}
        fields = owner.fields
        own = {name for name in changed if fields[name].is_own_time or fields[name].generated}
        return changed - own - self._options.sets - {str(self._options.version)}

    def _mark(
        self,
        connection: Connection,
        table: UserTable,
        *,
        mark: str,
        keys: list[list[Any]],
        about: str,
        some: bool,
    ) -> list[str | None]:
        if len(keys) == 1 and not some:
            return [self._mark_one(connection, table, mark=mark, key=keys[0], about=about)]
        prints = [table.read_print(connection, key, lock=False) for key in keys]
        left_at = prints[0] if len(keys) == 1 else json.dumps(prints)
        leave_plain_mark(connection, mark, marks=self._marks, about=about, left_at=left_at)
        self._remember(mark, combine_versions(iter(prints)), keys)
        return [*prints]

    def _mark_inserted(self, connection: Connection, table: UserTable, scope: Scope) -> None:
        marks = [target.mark for target in scope.targets]
        made = [[*map(to_plain, key)] for key in scope.inserted]
        keys = list({_dump([key]): key for key in made}.values())
        if len(keys) > len(marks):  # what a savepoint has rolled back is not there
            keys = [k for k in keys if table.read_print(connection, k, lock=False) != ABSENT]
        if not keys and not scope.made:  # it has found what it wanted, and made nothing
            for mark in marks:
                leave_plain_mark(connection, mark, marks=self._marks, about=_dump([]), left_at="[]")
                self._remember(mark, ABSENT, [])
            return
        if len(keys) != len(marks):
            raise UndeclaredWriteError(
                f"The call has made {len(keys)} rows of {self.table} whose keys are known, and is "
                f"declared for {len(marks)}. Have the statement return it (RETURNING "
                f"{', '.join(table.key)}), use SQLAlchemy's insert(…) or an ORM session, or name "
                "the parameter that has the key: id=…, as an upsert needs."
            )
        for mark, key in zip(marks, keys, strict=True):
            if not self._is_marked(connection, table, scope, mark=mark, before=[]):
                self._mark_one(connection, table, mark=mark, key=key, about=_dump([key]))

    def _mark_one(
        self, connection: Connection, table: UserTable, *, mark: str, key: list[Any], about: str
    ) -> str | None:
        left = leave_mark(connection, mark, marks=self._marks, about=about, table=table, key=key)
        self._remember(mark, left, [key])
        return left

    def _is_marked(
        self,
        connection: Connection,
        table: UserTable,
        scope: Scope,
        *,
        mark: str,
        before: list[str],
    ) -> bool:
        """Whether an earlier transaction of the call has said already what there is to say."""
        known = mark in scope.marked
        scope.marked.add(mark)
        found = find_mark(connection, mark, self._marks) if known else None
        if found is None or found.void:
            return False
        keys = _load(found)
        left = _load_left(found, len(keys))
        if left == [table.read_print(connection, key, lock=False) for key in keys]:
            return True
        if left != before:
            named = ", ".join(map(table.describe_row, keys))
            raise UndeclaredWriteError(
                f"The call has committed {named} already and changes it once more, which "
                "cannot be told from an edit in between. Have the tool write it in one "
                "transaction."
            )
        drop_mark(connection, mark, self._marks)
        return False

    def _remember(self, mark: str, left: str | None, keys: list[list[Any]]) -> None:
        self._left[mark] = left, keys
        if len(self._left) > MOST:
            self._left.popitem(last=False)

    def _read(self, record: Record, connection: Connection) -> TableState | None:
        table = self.load(connection)
        if self._options.makes and not self._find_given(record):
            return None  # this time the database makes the key
        keys = self._find_keys(connection, record)
        return read_state(connection, table, keys=keys, deep=self.deep)

    def _read_now(self, record: Record, connection: Connection) -> TableState | None:
        table, mark = self.load(connection), find_mark(connection, record.key, self._marks)
        # What a tool returns may be a row that it has found, and not made.
        found = mark is not None and record.before is None
        keys = _load(mark) if mark and found else self._list_known_keys(record)
        if not keys:
            return None if self._options.makes else TableState(rows=[], at=ABSENT, undone=False)
        state = read_state(connection, table, keys=keys, deep=self.deep)
        if record.before is None and all(row["values"] is None for row in state["rows"]):
            return None
        undone = find_mark(connection, record.key + UNDO, self._marks)
        prints = [row["at"] for row in state["rows"]]
        if undone is not None and _load_left(undone, len(keys)) == prints:
            # A trigger may set again what was all that the call has changed.
            again = state["at"] == record.version and isinstance(record.before, dict)
            at = cast("TableState", record.before)["at"] if again else state["at"]
            return TableState(rows=state["rows"], at=at, undone=True)
        if mark is not None and undone is None and record.version is not None:
            pairs = zip(prints, _load_left(mark, len(prints)), strict=True)
            prints = [at if self._is_restored(connection, now, at) else now for now, at in pairs]
            if combine_versions(iter(prints)) == record.version:
                return TableState(rows=state["rows"], at=record.version, undone=False)
        if mark is not None and undone is None and self._has_ours(prints, mark, record):
            # Of a bulk, some of it is as we left it: that part can be undone.
            return TableState(rows=state["rows"], at=str(record.version), undone=False)
        return state

    def _is_restored(self, connection: Connection, now: str, left: str) -> bool:
        """Whether a row is as a call left it, but for the version that the undo of a later call of
        ours gave it."""
        if now == ABSENT:
            return False
        for undo in find_undos(connection, now, tail=UNDO, marks=self._marks):
            was = _load_restored(undo)
            if (now, left) in zip(_load_left(undo, len(was)), was, strict=False):
                return True
        return False

    def _is_back(self, connection: Connection, table: UserTable, row: RowState) -> bool:
        """Whether somebody has made a row what it was before the call."""
        deep = bool(row["dependants"])
        now = read_row(connection, table, key=row["key"], deep=deep, lock=True)
        return is_same_row(row, now, own=self._list_set())

    def _has_ours(self, prints: list[str], mark: CallMark, record: Record) -> bool:
        left = _load_left(mark, len(prints))
        several = len(prints) > 1 and record.version == combine_versions(iter(left))
        return several and any(a == b for a, b in zip(prints, left, strict=True))

    def _read_left(self, connection: Connection, record: Record) -> str | None:
        mark = find_mark(connection, record.key, self._marks)
        if mark is None or mark.void:
            return None
        return combine_versions(iter(_load_left(mark, len(_load(mark)))))

    def _probe(self, record: Record, connection: Connection) -> object:
        table = self.load(connection)
        if self._doubted.get(record.key):
            raise ConfigurationError(_PAST)
        table.dialect.begin_writing(connection)
        mark = find_mark(connection, record.key, self._marks)
        if mark is None:
            table.dialect.limit_waiting(connection)
            try:
                with connection.begin_nested():
                    mark_void(connection, record.key, self._marks)
            except IntegrityError:
                mark = find_mark(connection, record.key, self._marks)
                if mark is None:
                    raise
        if mark is None or mark.void:
            return None
        rows = [table.read_row(connection, key)[0] for key in _load(mark)]
        found = [
            row or dict(zip(table.key, key, strict=True))
            for row, key in zip(rows, _load(mark), strict=True)
        ]
        return found[0] if len(found) == 1 else found

    def undo_on(self, connection: Connection, record: Record) -> tuple[list[str], bool]:
        """Undo what is still ours. Returns the rows changed since, and whether it undid others."""
        table = self.load(connection)
        table.dialect.begin_writing(connection)
        mark, undone = (
            find_mark(connection, record.key + tail, self._marks) for tail in ("", UNDO)
        )
        if self._doubted.get(record.key, mark is None):
            raise ConflictError(_PAST)
        if mark is None or mark.void or undone is not None:
            return [], False
        before = cast("TableState | None", record.before)
        rows = before["rows"] if before else [build_absent(table, key) for key in _load(mark)]
        left = _load_left(mark, len(rows))
        if len(rows) == 1:
            left = [str(record.version)]
        theirs, ours = list[str](), list[RowState]()
        for row, at in zip(rows, left, strict=True):
            if at == row["at"]:
                continue  # the call has left it as it was
            now = table.read_print(connection, row["key"], lock=True)
            # What depends on a row that the call has left there has nothing to do with it.
            own = row if at == ABSENT else cast("RowState", {**row, "dependants": []})
            if now == at or self._is_restored(connection, now, at):
                ours.append(own)
            elif not self._is_back(connection, table, own):
                theirs.append(table.describe_row(row["key"]))
        if ours:
            self._restore(connection, table, ours, own=_load_own(mark))
        if len(theirs) == len(rows):
            return theirs, False
        prints = [table.read_print(connection, row["key"], lock=False) for row in rows]
        kept = prints[0] if len(prints) == 1 else json.dumps(prints)
        left_at = "[]" if theirs else kept
        was = [row["at"] for row in rows]
        name, about = record.key + UNDO, _dump(_load(mark), _load_own(mark), restored=was)
        leave_plain_mark(connection, name, marks=self._marks, about=about, left_at=left_at)
        return theirs, bool(ours)

    def _restore(
        self, connection: Connection, table: UserTable, rows: list[RowState], *, own: set[str]
    ) -> None:
        lost = sorted({name for row in rows for name in row["values"] or ()} - set(table.fields))
        if lost:
            raise ConflictError(f"{table.name} has no column {', '.join(lost)} any more.")
        known = [
            KnownRow(
                table=owner,
                keys=[owner.find_key(connection, each["key"], each["values"])],
                leaves=self.leaves,
            )
            for row in rows
            for each in list_all(row)
            for owner in (table.related[each["table"]],)
        ]
        watch = open_watch(connection)
        watch.begin(known)
        restored = list(restore_rows(connection, table, rows=rows))
        watch.end(known)
        watch.settle(known)
        for owner, values in restored:
            odd, key = self._list_unlike(connection, owner, values, own if owner is table else ())
            if odd:
                # What a trigger has made of other columns may stay as it is put back by itself.
                watch.begin(known)
                again = {name: values[name] for name in odd}
                owner.update_row(connection, key, values=again, renew=False)
                watch.end(known)
        for owner, values in restored:
            self._require_restored(connection, owner, values, own if owner is table else set())
        self._refuse_more(connection, watch.list_strange(known))

    def _list_unlike(
        self, connection: Connection, owner: UserTable, values: Values, own: Collection[str]
    ) -> tuple[set[str], list[Any]]:
        """What of a row is not as it must be now, and its key: all of it, where it is not there."""
        key = [values[name] for name in owner.key]
        now = owner.read_row(connection, key)[0]
        return self._list_odd(owner, values, now or {}) - set(own), key

    def _require_restored(
        self, connection: Connection, owner: UserTable, values: Values, own: set[str]
    ) -> None:
        """A trigger may have changed a row again, also with the next one that came back."""
        odd, key = self._list_unlike(connection, owner, values, own)
        if odd:
            raise UndeclaredWriteError(
                f"The database itself, by a trigger, makes another value of what an undo puts into "
                f"{', '.join(sorted(odd))} of {owner.describe_row(key)}, so that it was left as it "
                f"is. If that is as it should be: sets={sorted(odd)}."
            )

    def _refuse_more(self, connection: Connection, strange: Sequence[Strange]) -> None:
        """An undo that changes more than it puts back is none."""
        for table, _, named in strange:
            written = read_name(connection, table)
            if not is_declared(connection, written, *self.leaves):
                raise UndeclaredWriteError(
                    f"Undoing it would make the database itself change {named or table}, by a "
                    "trigger or a foreign key, so that it was left as it is."
                )

    # Which rows.

    def _list_targets(self, records: Sequence[Record]) -> Iterator[Target]:
        for record in records:
            before = cast("TableState | None", record.before)
            if before is None:
                yield Target(mark=record.key, key=[], at=None)
                continue
            for row in before["rows"]:
                at = print_deeply(row) if self.deep else row["at"]
                yield Target(mark=record.key, key=row["key"], at=at, before=row)

    def _list_known_keys(self, record: Record) -> list[list[Any]]:
        before = record.before
        if isinstance(before, dict):
            return [row["key"] for row in before["rows"]]
        left = self._left.get(record.key)
        return self._find_given(record) or (left[1] if left else self._find_returned(record))

    def _find_keys(self, connection: Connection, record: Record) -> list[list[Any]]:
        if self._options.where is None:
            found = self._find_given(record)
            if not found and not self._is_empty(record):
                raise ConfigurationError(
                    f"The call says nothing of which row of {self.table} it is about."
                )
            return found
        condition, values = self._options.where(record)
        return self.load(connection).list_keys(connection, condition, values=values)

    def _is_empty(self, record: Record) -> bool:
        """Whether it is a bulk of no rows."""
        each = self._options.each
        return each is not None and record.arguments.get(each) in ([], ())

    def _find_given(self, record: Record) -> list[list[Any]]:
        """The key among the arguments, of an element of a bulk also inside of it."""
        return [[*map(to_plain, key)] for key in self._list_given(record)]

    def _list_given(self, record: Record) -> list[list[Any]]:
        said = self._options.id
        if said is None and self._options.makes:
            return []
        if callable(said):
            found = said(record)
            key = list(found) if isinstance(found, list | tuple) else [found]
            return [] if None in key else [key]
        given: Mapping[str, Any] = record.arguments
        names = (
            [said]
            if isinstance(said, str)
            else list(said or (self._loaded[0].key if self._loaded else ()))
        )
        element = given.get(self._options.each) if self._options.each else None
        if isinstance(element, Mapping):
            given = {**given, **element}
        elif self._is_empty(record):
            return []
        elif element is not None and len(names) == 1:
            return [[element]]
        key = [given.get(name) for name in names]
        return [] if not key or None in key else [key]

    def _find_returned(self, record: Record) -> list[list[Any]]:
        """The key in what the tool returned."""
        if not self._loaded:
            return []
        result, names = record.result, self._loaded[0].key
        if isinstance(result, int | str) and len(names) == 1:
            return [[result]]
        if isinstance(result, Mapping) and all(name in result for name in names):
            return [[result[name] for name in names]]
        return []


def _is_refused(writer: TableWriter, record: Record, connection: Connection, *, last: bool) -> bool:
    """Whether a part cannot be undone yet: it may rest on a row that another part brings back."""
    try:
        with connection.begin_nested():
            _refuse_theirs(writer.undo_on(connection, record)[0])
    except ConflictError:
        if last:
            raise
        return True
    return False


def _tell_theirs(came: tuple[list[str], bool]) -> None:
    theirs, undone = came
    if theirs and undone:
        raise PartlyUndoneError(f"changed since, and left alone: {', '.join(theirs)}")
    _refuse_theirs(theirs)


def _refuse_theirs(theirs: list[str]) -> None:
    if theirs:
        raise ConflictError(f"Changed since: {', '.join(theirs)}.")


def _name(row: RowState) -> str:
    return f"{row['table']}:{_dump([row['key']])}"


def _dump(keys: list[list[Any]], own: Iterable[str] = (), *, restored: Sequence[str] = ()) -> str:
    """The keys of a call's rows, the columns that the database has set in them by itself, and of an
    undo the versions that the rows had before the call."""
    more = {"own": sorted(own), "restored": [*restored]}
    told = {name: values for name, values in more.items() if values}
    return json.dumps({"keys": keys, **told} if told else keys, default=str)


def _load(mark: CallMark) -> list[list[Any]]:
    about = [] if mark.void else json.loads(mark.about)
    return cast("list[list[Any]]", about["keys"] if isinstance(about, dict) else about)


def _load_own(mark: CallMark) -> set[str]:
    about = json.loads(mark.about)
    return set(about.get("own", ())) if isinstance(about, dict) else set()


def _load_restored(mark: CallMark) -> list[str]:
    about = json.loads(mark.about)
    return list(about.get("restored", ())) if isinstance(about, dict) else []


def _load_left(mark: CallMark, count: int) -> list[str]:
    if count == 1 or mark.void:
        return [mark.left_at] * count
    return cast("list[str]", json.loads(mark.left_at))
