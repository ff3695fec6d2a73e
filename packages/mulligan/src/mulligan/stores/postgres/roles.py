"""Which role of the server sees what of a store, held by the policies of row-level security."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace
from psycopg import sql

from mulligan.stores.database import fetch_one
from mulligan.stores.postgres.session import PostgresSession
from mulligan.types.errors import ConfigurationError, StoreUnavailableError

OWN_TENANT = '(select access.tenant from access where access.role = current_user) collate "C"'
"""The tenant whose rows the current role may see; none without a grant."""

BY_COLUMN = frozenset(
    {
        "action",
        "case_count",
        "daily",
        "ending_count",
        "episode",
        "execution",
        "finding",
        "ground",
        "hourly",
        "lesson",
        "notes",
        "pattern",
        "row_kind",
        "text_hour",
    }
)
"""Tables with a tenant column."""

BY_PARENT: Mapping[str, tuple[str, str]] = {
    "entry": ("action", "action.id = entry.action"),
    "lesson_use": ("lesson", "lesson.id = lesson_use.lesson"),
    "lesson_version": ("lesson", "lesson.id = lesson_version.lesson"),
    "lesson_word": ("lesson", "lesson.id = lesson_word.lesson"),
    "pairing": ("ground", "ground.number = pairing.ground"),
    "pattern_day": ("pattern", "pattern.number = pattern_day.pattern"),
    "pattern_hour": ("pattern", "pattern.number = pattern_hour.pattern"),
    "row_block": ("row_kind", "row_kind.number = row_block.kind"),
    "scorecard": ("ground", "ground.number = scorecard.ground"),
    "task_run": ("ground", "ground.number = task_run.ground"),
}
"""Tables whose rows belong to a row of another table, and are visible with it."""

OPEN: Mapping[str, str] = {
    "migration": "The number of the schema is not secret.",
    "stray_block": "How far a clock was off in some minutes is not secret.",
}
"""Tables that every role sees which was given any."""

HIDDEN: Mapping[str, str] = {
    "anchor": "Where chains begin that all tenants share.",
    "damage": "Sentences about actions of all tenants.",
    "duty": "What processes do for all tenants.",
    "kept": "Raw values, for whoever undoes and reviews.",
    "key_check": "About the key of the whole store.",
    "loss": "Rows that were lost, whosever they were.",
    "presence": "Machines and processes that work for all tenants.",
    "secret": "What names are hashed with.",
    "tool": "Declared by applications, which serve all tenants.",
    "writer": "Processes that write for all tenants.",
}
"""Tables of which a role of one tenant sees no row, and why."""

UNREADABLE = frozenset({"secret"})
"""Hidden tables that such a role may not even ask: nothing it does needs them."""

NOT_WRITTEN = frozenset({"access", "migration"})
"""What only the owner of the tables writes."""

OWN_ACCESS = "access.role = current_user"
"""Each role sees only its own grant."""


def build_condition(table: str) -> str | None:
    """Which rows of a table a role of one tenant sees; `None`: not one."""
    if table in BY_COLUMN:
        return f"{table}.tenant = {OWN_TENANT}"
    if table in BY_PARENT:
        parent, joined = BY_PARENT[table]
        # The parent is asked under its own policy.
        return f"exists (select 1 from {parent} where {joined})"  # noqa: S608 - our own names
    if table == "access":
        return OWN_ACCESS
    return "true" if table in OPEN else None


def may_ask(table: str) -> bool:
    """Whether a role of one tenant may query a table; unknown tables are closed."""
    known = table in BY_COLUMN or table in BY_PARENT or table in OPEN or table in HIDDEN
    return table == "access" or (known and table not in UNREADABLE)


OF_TENANTS = "rows of its own tenant"
"""The policy, on each table, of all roles that see one tenant."""


class Surface(StrEnum):
    """What a role is for, and with that what it sees."""

    WORKER = "worker"
    """An application or a worker: sees and writes everything, and migrates nothing."""
    LOOK = "look"
    """The dashboard or command line of an operator: sees everything, writes nothing."""
    TENANT = "tenant"
    """The same for one tenant: sees that tenant's rows, writes nothing."""


class RoleGrant(Struct, frozen=True, kw_only=True):
    """What one role of the server was given."""

    role: str
    surface: Surface
    tenant: str | None = None
    """The identity whose rows it sees; `None`: all."""
    unbound: str = ""
    """Why the server does not hold it to that, in a few words; empty: it does."""


class RoleTable:
    """Roles and their grants, over one connection. Only the owner of the tables can change them.

    Roles and their passwords are the server's: none is made here.
    """

    def __init__(self, session: PostgresSession) -> None:
        self._session = session

    def is_on(self) -> bool:
        """Whether row security is on."""
        return bool(self._session.fetch("access_table")[0][0])

    def find_own(self) -> Surface | None:
        """What the connected role is; `None`: it owns the tables, and nothing holds it."""
        if not self.is_on():
            return None
        [(bound, role, surface)] = self._session.fetch("own_access")
        if not bound:
            return None
        if surface is None:
            raise StoreUnavailableError(
                f"The role {role} was given nothing to see: have the owner of the tables run "
                f"`mulligan access grant {role}` with what it is for."
            )
        return Surface(surface)

    def list_granted(self) -> list[RoleGrant]:
        """Every role that was given something."""
        if not self.is_on():
            return []
        return [replace(each, unbound=self._find_way_around(each)) for each in self._list_rows()]

    def find_uncovered(self) -> list[str]:
        """Tables that row security does not hold yet."""
        return [table for table, on in self._session.fetch("own_tables") if not on]

    def enable(self) -> None:
        """Have row security hold every table, also those of a migration just made.

        One table at a time, so that other sessions wait for one lock at most.
        """
        self._session.run("make_access_table")
        for table in self.find_uncovered():
            with self._session.begin_transaction():
                self._cover(table)

    def grant(self, access: RoleGrant) -> None:
        """Have a role see what its surface does, and nothing it was given before."""
        if fetch_one(self._session, "role_powers", role=access.role) is None:
            raise ConfigurationError(
                f"The server has no role {access.role!r}: make it first, with "
                f"`create role {access.role} login`."
            )
        around = self._find_way_around(access)
        if around:
            raise ConfigurationError(
                f"Nothing would hold the role {access.role} to what it is given: it {around}. "
                "Use a role that does not."
            )
        self.enable()
        self.revoke(access.role)
        for table in self._list_tables():
            with self._session.begin_transaction():
                self._add_policy(access, table)
        # Last: until here it sees nothing.
        with self._session.begin_transaction():
            self._session.run(
                "set_access", role=access.role, surface=access.surface, tenant=access.tenant
            )
            for table in self._list_tables():
                self._grant_table(access, table)
            self._execute("grant usage on schema mulligan to {role}", role=access.role)

    def revoke(self, role: str) -> bool:
        """Revoke what a role was given; whether it was given anything."""
        if not self.is_on():
            return False
        there = fetch_one(self._session, "role_powers", role=role) is not None
        with self._session.begin_transaction():
            known = self._session.run("drop_access", role=role)
            if there:
                self._execute("revoke all on all tables in schema mulligan from {role}", role=role)
                self._execute("revoke all on schema mulligan from {role}", role=role)
        for table, policy in self._session.fetch("policies"):
            if policy == role:
                self._execute("drop policy {role} on {table}", role=role, table=table)
        return bool(known)

    def _cover(self, table: str) -> None:
        """One table: closed first, then opened to whom it is for."""
        self._execute("alter table {table} enable row level security", table=table)
        condition = build_condition(table)
        if condition is not None:
            self._execute(
                f"create policy {{policy}} on {{table}} for select using ({condition})",
                table=table,
                policy=OF_TENANTS,
            )
        for access in self._list_rows():
            self._add_policy(access, table)
            self._grant_table(access, table)

    def _add_policy(self, access: RoleGrant, table: str) -> None:
        match access.surface:
            case Surface.WORKER:
                form = "create policy {role} on {table} to {role} using (true) with check (true)"
            case Surface.LOOK:
                form = "create policy {role} on {table} for select to {role} using (true)"
            case Surface.TENANT:
                return
        self._execute(form, role=access.role, table=table)

    def _grant_table(self, access: RoleGrant, table: str) -> None:
        if access.surface is Surface.TENANT and not may_ask(table):
            return
        writes = access.surface is Surface.WORKER and table not in NOT_WRITTEN
        may = "select, insert, update, delete" if writes else "select"
        self._execute(f"grant {may} on {{table}} to {{role}}", role=access.role, table=table)

    def _list_tables(self) -> list[str]:
        return [table for table, _ in self._session.fetch("own_tables")]

    def _list_rows(self) -> list[RoleGrant]:
        return [
            RoleGrant(role=role, surface=Surface(surface), tenant=tenant)
            for role, surface, tenant in self._session.fetch("accesses")
        ]

    def _find_way_around(self, access: RoleGrant) -> str:
        """Why policies would not bind a role, in a few words."""
        if access.surface is Surface.WORKER:
            # It sees and writes all: there is nothing to hold it to.
            return ""
        row = fetch_one(self._session, "role_powers", role=access.role)
        if row is None:
            return "is no role of the server any more"
        within = self._session.fetch("roles_within", role=access.role) if self.is_on() else []
        owns = "owns the tables, or is a member of who does"
        ways = zip(("is a superuser", "bypasses row security", owns), row, strict=True)
        held = [way for way, has in ways if has]
        held += [f"is a member of {other}, and sees what that does" for (other,) in within]
        return held[0] if held else ""

    def _execute(self, form: str, **names: str) -> None:
        """A statement with names in it, which no parameter can be."""
        named = {each: sql.Identifier(name) for each, name in names.items()}
        self._session.execute(sql.SQL(form).format(**named).as_string(None))
