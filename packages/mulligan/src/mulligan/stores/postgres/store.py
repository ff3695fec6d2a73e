"""A store in a Postgres database: its schema, its vacuum, and news of other processes."""

from __future__ import annotations

import logging
import os
import re
import secrets
import selectors
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress

import psycopg
from msgspec import Struct
from psycopg.errors import Diagnostic

from mulligan.stores.database import Pool, Row, Session, fetch_one
from mulligan.stores.migrations import DatabaseSchema, Migration, bring_up_to_date, check_version
from mulligan.stores.opening import Options, strip_credentials
from mulligan.stores.postgres.roles import RoleTable, Surface
from mulligan.stores.postgres.session import PART, PostgresSession, as_postgres
from mulligan.stores.process import find_presence_caveats, renew_after_fork
from mulligan.stores.relational.audit import refuse_damages
from mulligan.stores.relational.log import Dropped, LogTables
from mulligan.stores.relational.store import ENTRIES_CHECKED, TableStore
from mulligan.types.display import quote_name
from mulligan.types.errors import HiddenSecretError, StoreError, StoreLockedError
from mulligan.types.interfaces import Health, Vacuumed
from mulligan.types.values import from_us, make_uuid7

DAY_US = 86_400_000_000
AHEAD = 3
"""Days after today that have their partition made."""
_LOCK_DAYS = 0x4D756C6D
"""The advisory lock of whoever makes or drops one."""
_TIME_DIGITS = 12
_RANGE = re.compile(r"FROM \((?:MINVALUE|'(\w+)')\) TO \('(\w+)'\)")


class Partition(Struct, frozen=True, kw_only=True):
    """The rows of some ids."""

    name: str
    from_id: str
    """The least; empty: whatever was there before there were partitions."""
    to_id: str
    """Above all of them."""
    rows: int = -1
    """As the server has last estimated them; -1: not yet."""


class LogPartitions:
    """Makes partitions ahead of time, and drops them when it is over."""

    def __init__(self) -> None:
        self.mixed: set[str] = set()
        """Expired days that could not be dropped: their rows are deleted one by one."""

    def make_ahead(self, session: Session) -> None:
        """Make those of today and the next days. Where that cannot be, the default one serves."""
        # Locked, or not ours to make: tried again in an hour, and no row waits for it.
        with suppress(StoreError):
            make_days(as_postgres(session))

    def drop_old(self, session: Session, before_us: int) -> Dropped:
        """Drop what is older as a whole. Days that are so only in part, or not yet, are spared."""
        self.make_ahead(session)
        bound, dropped, spared = compute_bound(before_us), 0, []
        self.mixed.clear()
        for partition in list_partitions(session):
            if partition.to_id > bound:
                spared.append(partition)
                continue
            self.mixed.add(partition.name)
            try:
                rows = _drop(as_postgres(session), partition, before_us=before_us)
                if rows is not None:
                    dropped += rows
                    self.mixed.discard(partition.name)
            except StoreLockedError:
                # A long read holds it: tried again in an hour.
                spared.append(partition)
            except StoreError:
                # Only the owner may drop tables. Other roles delete row by row.
                continue
        days = [each for each in spared if each.from_id]
        span = (days[0].from_id, days[-1].to_id) if days else ("", "")
        return Dropped(rows=dropped, spared=span)


def list_partitions(session: Session) -> list[Partition]:
    """All but the default one, in the order of their ids; none where the log is one table."""
    found = []
    for name, bounds, rows in session.fetch("partitions"):
        if (parts := _RANGE.search(bounds)) is not None:
            from_id, to_id = parts[1] or "", parts[2]
            found.append(Partition(name=name, from_id=from_id, to_id=to_id, rows=rows))
    return sorted(found, key=lambda each: each.to_id)


def make_days(session: PostgresSession) -> None:
    """Make the partition of today and of each of the next days, where it is missing."""
    there = list_partitions(session)
    if not there:
        return
    today_us = read_time(session) // DAY_US * DAY_US
    for day in range(AHEAD + 1):
        wanted = build_day(today_us + day * DAY_US)
        if not _overlaps(wanted, there):
            make_partition(session, wanted)


def build_day(day_us: int) -> Partition:
    """The partition of the day that begins then."""
    from_id, to_id = compute_bound(day_us), compute_bound(day_us + DAY_US)
    return Partition(name=f"execution_{from_us(day_us):%Y%m%d}", from_id=from_id, to_id=to_id)


def compute_bound(at_us: int) -> str:
    """What is below every id of that time, and above every one before it."""
    return make_uuid7(max(0, at_us), 0)[:_TIME_DIGITS]


def read_time(session: Session) -> int:
    """Now, by the database's own clock."""
    return int(session.fetch("time_us")[0][0])


def make_partition(session: PostgresSession, wanted: Partition) -> None:
    """Attach a table that is ready: readers and writers of the others need not wait for it."""
    with session.begin_transaction():
        _take_turn(session)
        if _overlaps(wanted, list_partitions(session)):
            return
        if session.fetch("rows_in_default", from_id=wanted.from_id, to_id=wanted.to_id):
            # The day has begun without one, and ends so.
            return
        session.run_named("make_partition", partition=wanted.name)
        # For its plans a server keeps samples, which would outlive the rows they are of.
        session.run_named("keep_no_samples_of_rows", table=wanted.name)
        session.run_named("index_partition", partition=wanted.name)
        session.run_named(
            "attach_partition",
            partition=wanted.name,
            from_id=wanted.from_id,
            to_id=wanted.to_id,
        )


def _drop(session: PostgresSession, partition: Partition, *, before_us: int) -> int | None:
    """Drop one, unless a row in it has a later time than its id. About how many rows it had."""
    if _has_rows_since(session, partition, before_us):
        return None
    rows = partition.rows
    if rows < 0:
        # So young, or so small, that the server has never looked at it.
        [(rows,)] = session.run_named("count_partition", partition=partition.name)
    with session.begin_transaction():
        _take_turn(session)
        session.run_named("hold_partition", partition=partition.name)
        if _has_rows_since(session, partition, before_us):
            # It came while they were counted.
            return None
        session.run_named("drop_partition", partition=partition.name)
    return rows


def _has_rows_since(session: PostgresSession, partition: Partition, since_us: int) -> bool:
    """Whether one in it has that time or a later one, as the ranges of its blocks tell."""
    with session.begin_transaction():
        # The server has no samples to see by that none will be found, and would read all of them.
        session.run("read_no_table_whole")
        return bool(session.run_named("rows_since", partition=partition.name, since=str(since_us)))


def _take_turn(session: PostgresSession) -> None:
    """One at a time, and never in the way of others for long."""
    session.run("wait_briefly")
    session.fetch("lock_migrations", lock=_LOCK_DAYS)


def _overlaps(wanted: Partition, there: Sequence[Partition]) -> bool:
    return any(each.from_id < wanted.to_id and each.to_id > wanted.from_id for each in there)


_OLDEST_SERVER = 12
_TEXTS = {
    **dict.fromkeys(
        ("execution", "execution_before", "execution_default"),
        ("parameters", "context", "error_message", "result"),
    ),
    "action": ("opening", "detail"),
    "entry": ("body",),
    "episode": ("body",),
    "finding": ("rule",),
    "kept": ("value",),
    "lesson_use": ("body",),
    "lesson_version": ("body",),
    "notes": ("body",),
    "pattern": ("template", "example"),
    "task_run": ("standing", "problem", "excerpt"),
}
_SERVER = re.compile(r"PostgreSQL (\d+)(?:\.\d+|[a-z]+\d+)? ")


def make_log(session: PostgresSession) -> None:
    """Make the partitioned log, what is older than today in its first part; or leave one table."""
    if not _is_postgres(session):
        session.run_named("keep_log_whole")
        return
    session.run_named("make_partitioned_log")
    session.run_named("make_default_partition")
    today_us = read_time(session) // DAY_US * DAY_US
    session.run_named("attach_before", bound=compute_bound(today_us))


def skip_samples(session: PostgresSession) -> None:
    """Have the server take none of the texts that it would then keep for longer than we do."""
    if _is_postgres(session):
        for table, columns in _TEXTS.items():
            for column in columns:
                session.run_named("keep_no_samples_of_text", table=table, column=column)


def _is_postgres(session: PostgresSession) -> bool:
    [(server,)] = session.fetch("server_name")
    found = _SERVER.match(server)
    return found is not None and int(found[1]) >= _OLDEST_SERVER


_LOCK = 0x4D756C6C
"""The advisory lock of whoever migrates."""
_CALLED: dict[str, Callable[[PostgresSession], None]] = {
    "call make_log": make_log,
    "call make_days": make_days,
    "call skip_samples": skip_samples,
}
"""Statements that are others on another server."""


class PostgresSchema(DatabaseSchema):
    """A database's schema: what ran stands in the table `migration`."""

    session: PostgresSession

    def read_version(self) -> int:
        """The number of its last migration; 0 when it is empty."""
        [(table,)] = self.session.fetch("migration_table")
        return int(self.session.fetch("schema_version")[0][0]) if table else 0

    def read_needs(self) -> int:
        """The schema that a program has to know at least to use it."""
        return int(self.session.fetch("schema_needs")[0][0])

    @contextmanager
    def lock(self) -> Iterator[None]:
        """A transaction that only one migrator can be in."""
        with self.session.begin_transaction():
            self.session.fetch("lock_migrations", lock=_LOCK)
            # Checked first: a role that may not create a schema may still use an existing one.
            if not self.session.fetch("schema")[0][0]:
                self.session.run("make_schema")
            self.session.run("make_migration_table")
            yield

    def execute(self, sql: str) -> object:
        """Run one statement."""
        called = _CALLED.get(sql)
        return self.session.execute(sql) if called is None else called(self.session)

    def list_earlier(self, known: int) -> list[str]:
        """The running processes of earlier versions, as an operator can find them."""
        found = self.session.fetch("earlier_programs", known=known)
        return [f"pid {pid} on {machine}" for pid, machine in found]

    def set_version(self, migration: Migration) -> None:
        """Write its number down, in the same transaction."""
        self.session.run("add_migration", number=migration.number, needs=migration.needs)
        access = RoleTable(self.session)
        if access.is_on():
            # In the same transaction: no table of ours is ever there without its policies.
            access.enable()


def prepare(
    session: PostgresSession, *, store: str, migrate: bool, row_security: bool = False
) -> None:
    """Create or migrate the schema, or refuse it in one sentence and leave it as it is."""
    schema = PostgresSchema(session)
    check_version(PART, schema, store=store, url=store, migrate=migrate)
    if migrate:
        bring_up_to_date(schema, PART)
    access = RoleTable(session)
    if row_security and not (access.is_on() and not access.find_uncovered()):
        if not migrate:
            raise StoreError(
                f"{store} has tables without row security, which the setting row_security asks "
                f"for: run `mulligan migrate --store {store}` once with it set, as who owns the "
                "tables."
            )
        access.enable()


_report = logging.getLogger("mulligan")

LOOK = 30.0
"""Seconds of silence after which the connection is tried: one may die and say nothing."""

PAUSES = (0.1, 0.5, 2.0, 5.0)
"""Seconds between one try to connect again and the next."""

CLOSING = 2.0
"""Seconds that ending waits for the thread."""


class PostgresListener:
    """Waits on a thread for notifications. Where there are none to be had, nothing depends on it.

    A pooler may swallow them, and a server may be away: whoever is woken by them looks every few
    seconds by himself all the same.
    """

    def __init__(self, connect: Callable[[], PostgresSession], on_news: Callable[[], None]) -> None:
        self._connect = connect
        self._on_news = on_news
        self._pid = os.getpid()
        self._over = threading.Event()
        self._ending, self._end = os.pipe()
        self._thread = threading.Thread(target=self._run, name="mulligan-listen", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End it. Twice is fine."""
        if self._over.is_set() or self._pid != os.getpid():
            # In a forked child the thread is the parent's, and so are both ends of the pipe.
            return
        # First, as the thread closes the pipe once it is over.
        os.write(self._end, b".")
        self._over.set()
        if self._thread is not threading.current_thread():
            self._thread.join(timeout=CLOSING)

    def _run(self) -> None:
        failures = 0
        while not self._over.is_set():
            try:
                with closing(self._connect()) as session:
                    session.fetch("listen_to_others")
                    failures = 0
                    self._tell()  # notifications missed while disconnected
                    self._wait_for_news(session)
            except (StoreError, psycopg.Error, OSError):
                # The store's other connections report what is wrong.
                pause = PAUSES[min(failures, len(PAUSES) - 1)]
                failures += 1
                self._over.wait(pause)
        os.close(self._ending)
        os.close(self._end)

    def _wait_for_news(self, session: PostgresSession) -> None:
        with selectors.DefaultSelector() as selector:
            for each in (session.connection.fileno(), self._ending):
                selector.register(each, selectors.EVENT_READ)
            while True:
                readable = selector.select(LOOK)
                if self._over.is_set():
                    return
                if session.read_news(try_connection=not readable):
                    self._tell()

    def _tell(self) -> None:
        try:
            self._on_news()
        except Exception:  # noqa: BLE001 - a listener of others
            _report.warning("What was heard from the store led to an error.", exc_info=True)


TABLES = (
    "action", "daily", "entry", "episode", "execution", "execution_before",
    "execution_default", "finding", "ground", "hourly", "kept", "lesson", "lesson_version",
    "lesson_word", "loss", "notes", "pairing", "pattern", "pattern_day", "pattern_hour",
    "row_block", "row_kind", "scorecard", "stray_block", "task_run", "text_hour", "tool",
)  # fmt: skip
"""Those that rows are deleted from."""
_NUMBER = re.compile(r"\d+")


def vacuum_tables(
    session: PostgresSession, *, most_bytes: int | None, also: Iterable[str] = ()
) -> Vacuumed:
    """Each of them, and some days of the log, unless it is larger, in use, or another's."""
    parts, left = [], []
    session.run("wait_briefly_for_tables")
    try:
        for table in (*TABLES, *sorted(also)):
            standing = fetch_one(session, "table_standing", table=table)
            if standing is None:
                continue
            why = _vacuum(session, table, standing, most_bytes=most_bytes)
            if why is None:
                parts.append(table)
            else:
                left.append(f"{table} {why}")
    finally:
        session.run("wait_for_tables")
    return Vacuumed(parts=tuple(parts), left=tuple(left))


def _vacuum(
    session: PostgresSession, table: str, standing: Row, *, most_bytes: int | None
) -> str | None:
    """Rewrite one, or say why not."""
    size, ours = standing
    if most_bytes is not None and size > most_bytes:
        return f"has {size / 1e6:,.0f} MB."
    if not ours:
        return "belongs to another role."
    details: list[str] = []

    def keep_detail(said: Diagnostic) -> None:
        details.append(said.message_detail or "")

    session.connection.add_notice_handler(keep_detail)
    try:
        session.run_named("vacuum_table", table=table)
    except StoreError as error:
        return f"is in use: {error}"
    finally:
        session.connection.remove_notice_handler(keep_detail)
    # Deleted rows that came along. In whatever language the server says it, the number comes first.
    seen = sum(int(found[0]) for each in details if (found := _NUMBER.match(each)))
    return f"has {seen} deleted rows that a transaction still sees: end it." if seen else None


_SEES_ONE_TENANT = (
    "This role sees one tenant's rows, so whether the journal is whole was not checked, and no "
    "name is looked up: `mulligan doctor` under a role that sees all checks it."
)


class PostgresStore(TableStore):
    """Everything in the schema `mulligan`. The server keeps its own log; no file is ours."""

    def __init__(self, url: str, options: Options) -> None:
        self._url = url
        self._surface: Surface | None = None
        pool = Pool(self._connect)
        self._partitions = LogPartitions()
        log = LogTables(pool, erasing=pool.acquire_session, drop_old=self._partitions.drop_old)
        # A process that hangs on this machine is no better than one that hangs elsewhere, and
        # whoever comes back after its lease is told so before it acts. No file is ours to erase:
        # `vacuum` sees to the tables.
        super().__init__(Pool(self._connect), log=log, options=options, trust_processes=False)
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise
        renew_after_fork(self)

    def load_secret(self) -> bytes:
        """32 random bytes, made once and the same ever after."""
        if self._surface is Surface.TENANT:
            raise HiddenSecretError(
                "A role that sees one tenant's rows may not read what names are hashed with: give "
                "the identity as it is shown, such as acme~ and its digits, and no name."
            )
        found = self._pool.fetch("secret")
        if not found:
            # The first process creates it; all read the stored one.
            self.set_secret(secrets.token_bytes(32))
            found = self._pool.fetch("secret")
        return bytes(found[0][0])

    def set_secret(self, secret: bytes) -> None:
        """Have the secret be that one, if there is none yet."""
        with self._pool.acquire_session() as session:
            session.run("make_secret", value=secret)

    @contextmanager
    def open_access(self) -> Iterator[RoleTable]:
        """Look at which roles see what, or change it."""
        with self._pool.acquire_session() as session:
            yield RoleTable(as_postgres(session))

    def check_health(self, *, thorough: bool = True) -> Health:
        """Check everything, or only what takes constant time."""
        [[version], [schema], [size]] = (
            self._pool.fetch(query)[0] for query in ("version", "schema_version", "size")
        )
        return Health(
            url=strip_credentials(self._url),
            kind="postgres",
            version=version,
            schemas={"journal": schema, "log": schema},
            rows=self.log.count() if thorough else None,
            open_actions=self.journal.count_open(),
            size_bytes=size,
            problems=tuple(self._find_problems()) if thorough else (),
            caveats=(
                *find_presence_caveats(self._options.lease),
                *self._find_key_caveats(),
                *(() if self._keyring.whole else (_SEES_ONE_TENANT,)),
            ),
            writers=self.journal.writers.list_lately(),
        )

    def _find_problems(self) -> Iterator[str]:
        for kind, name, table in self._pool.fetch("planted"):
            yield (
                f"The table mulligan.{table} has a {kind}, {quote_name(name)}, that Mulligan did "
                "not make: it is run with what is written there. See whose it is, and remove it "
                f"(`drop {kind}`)."
            )
        yield from (damage.what for damage in self.journal.verify())
        yield from self.vault.find_problems()
        yield from self.failures.find_problems()

    def listen(self, on_news: Callable[[], None]) -> Callable[[], None]:
        """Call `on_news` when another process has decided something, or has left its work."""
        return PostgresListener(self._connect, on_news).close

    def vacuum(self, *, most_bytes: int | None) -> Vacuumed:
        """Rewrite tables, so that nothing deleted is left in them."""
        with self._pool.acquire_session() as session:
            return vacuum_tables(
                as_postgres(session), most_bytes=most_bytes, also=self._partitions.mixed
            )

    def _connect(self) -> PostgresSession:
        return PostgresSession(self._url, timeout=self._options.timeout)

    def _prepare(self) -> None:
        options, store = self._options, strip_credentials(self._url)
        with self._pool.acquire_session() as found:
            session = as_postgres(found)
            secured, migrate = options.row_security, options.migrate
            prepare(session, store=store, migrate=migrate, row_security=secured)
            if migrate:
                self._partitions.make_ahead(session)
            self._surface = RoleTable(session).find_own()
        if self._surface is Surface.TENANT:
            # Without what all tenants share there is neither a key nor a chain to check.
            self._keyring.whole = False
            return
        self._check_key()
        if options.tolerate_damage:
            return
        if self._keyring.given is not None:
            # A server keeps its own files whole: without a key there is nothing to look for.
            damages = self.journal.look(budget=ENTRIES_CHECKED)
            refuse_damages(damages, store=store)
        if migrate:
            self._sign()
