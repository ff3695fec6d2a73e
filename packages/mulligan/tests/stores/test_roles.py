"""Roles of Postgres: each sees what it was granted, whatever SQL it writes."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta

import psycopg
import pytest
from psycopg import errors as pg
from psycopg import sql

from mulligan.stores.postgres.roles import (
    BY_COLUMN,
    BY_PARENT,
    HIDDEN,
    OPEN,
    UNREADABLE,
    RoleGrant,
    RoleTable,
    Surface,
)
from mulligan.stores.postgres.session import PostgresSession
from mulligan.types.errors import ConfigurationError, StoreUnavailableError
from tests.stores.filled import TENANTS, build_url_of, connect_as, fill, make_role

TENANT_TABLES = [*sorted(BY_COLUMN), *sorted(BY_PARENT)]

SEEN = sorted({*TENANT_TABLES, *HIDDEN} - UNREADABLE)

FORMS = ["acme", "two words", "' or true --", "x" * 5000]


@pytest.fixture(scope="module")
def filled(postgres, postgres_schema) -> Iterator[str]:
    """The name of a database with rows of all tenants: to copy it takes a moment."""
    with postgres.create_database(postgres_schema) as made:
        fill(made)
        yield made.rpartition("/")[2]


@pytest.fixture
def url(postgres, filled) -> Iterator[str]:
    with postgres.create_database(filled) as made:
        yield made


@pytest.fixture
def session(url) -> Iterator[PostgresSession]:
    opened = PostgresSession(url, timeout=timedelta(seconds=5))
    yield opened
    opened.close()


@pytest.fixture
def roles(url, session) -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def give(url, session, roles):
    """Makes a role, and gives it what a surface sees."""

    def make(surface: Surface, tenant: str | None = None) -> str:
        role = roles.enter_context(make_role(url, stem='Read "er'))
        RoleTable(session).grant(RoleGrant(role=role, surface=surface, tenant=tenant))
        return role

    return make


def count(connection: psycopg.Connection, table: str) -> int:
    form = sql.SQL("select count(*) from {}").format(sql.Identifier(table))
    return connection.execute(form).fetchone()[0]


def read_all(url: str, table: str, where: str = "true") -> list[tuple]:
    with psycopg.connect(url, options="-csearch_path=mulligan") as connection:
        query = f"select * from {table} where {where} order by 1, 2"
        return connection.execute(query.encode()).fetchall()


@pytest.mark.parametrize("tenant", TENANTS, ids=lambda name: name[:20])
def test_of_each_table_a_tenant_sees_its_own_rows_and_no_other(url, give, tenant: str) -> None:
    role = give(Surface.TENANT, tenant)

    with connect_as(url, role) as connection:
        own = {
            table: connection.execute(
                sql.SQL("select * from {}").format(sql.Identifier(table))
            ).fetchall()
            for table in SEEN
        }

    number = TENANTS.index(tenant) + 1
    mine = {str(number * 10 + turn) for turn in (1, 2)}
    assert {table: len(rows) for table, rows in own.items()} == dict.fromkeys(
        TENANT_TABLES, 2
    ) | dict.fromkeys(set(SEEN) & set(HIDDEN), 0)
    for table in TENANT_TABLES:
        texts = {value for row in own[table] for value in row if isinstance(value, str)}
        assert {each.rpartition("-")[2] for each in texts - {tenant}} <= mine


def test_nobody_reaches_past_the_log_at_one_of_its_partitions(url, give) -> None:
    role = give(Surface.TENANT, "acme")

    with connect_as(url, role) as connection:
        parts = "select oid::regclass::text from pg_class where relispartition and relkind = 'r'"
        names = [name for (name,) in connection.execute(parts).fetchall()]
        for name in names:
            with pytest.raises(pg.InsufficientPrivilege):
                connection.execute(f"select * from {name}".encode())

    assert any("execution_default" in name for name in names)


LEAKS = [
    "select count(*) from execution where 1 / (case when tenant = {mine} then 1 else 0 end) = 1",
    (
        "select count(*) from execution where cast(tenant || id as text) <> '' and "
        "1 / length(replace(tenant, tenant, case when tenant = {mine} then 'x' else '' end)) = 1"
    ),
    "select sum(1 / (case when tenant = {mine} then 1 else 0 end)) from action",
    (
        "select count(*) from entry where 1 / (case when body like '%-1_' then 1 else 1 end) = 1 "
        "and cast(case when action in (select id from action) then '1' else 'x' end as int) = 1"
    ),
]


def test_an_error_on_purpose_tells_nothing_of_other_rows(url, give) -> None:
    role = give(Surface.TENANT, "acme")

    with connect_as(url, role) as connection:
        for query in LEAKS:
            form = sql.SQL(query).format(mine=sql.Literal("acme")).as_string(connection)
            # Looked at before the policy, a row of somebody else divides by zero.
            found = connection.execute(form.encode()).fetchone()

            assert found == (2,), query


JOINS = [
    "select count(*) from action join execution on true where action.tenant <> {mine}",
    (
        "select count(*) from action full join lesson on false "
        "where coalesce(action.tenant, lesson.tenant) <> {mine}"
    ),
    (
        "select count(*) from (select tenant from hourly union all select tenant from notes) as t "
        "where tenant <> {mine}"
    ),
    (
        "with recursive t(x) as (select tenant from episode union select tenant from finding, t) "
        "select count(*) from t where x <> {mine}"
    ),
    "select count(*) from scorecard left join ground on number = ground where tenant <> {mine}",
    "select count(distinct tenant) - 1 from ground",
    (
        "select count(*) from lesson_word where lesson not in "
        "(select id from lesson where tenant = {mine})"
    ),
    (
        "select count(*) from entry, lateral (select max(tenant) as t from action) as a "
        "where a.t <> {mine}"
    ),
    "select count(*) from access where role <> current_user",
]


@pytest.mark.parametrize("tenant", FORMS, ids=lambda name: name[:12])
def test_joins_aggregates_and_unions_reach_no_other_tenant(url, give, tenant: str) -> None:
    role = give(Surface.TENANT, tenant)

    with connect_as(url, role) as connection:
        for query in JOINS:
            form = sql.SQL(query).format(mine=sql.Literal(tenant)).as_string(connection)
            found = connection.execute(form.encode()).fetchone()

            assert found == (0,), query


def test_a_copy_of_a_table_has_the_tenants_own_rows(url, give) -> None:
    role = give(Surface.TENANT, "o'brien")

    with connect_as(url, role) as connection:
        copied = io.BytesIO()
        with connection.cursor().copy("copy (select tenant from execution) to stdout") as rows:
            for data in rows:
                copied.write(data)
        with connection.cursor().copy("copy hourly (tenant) to stdout") as rows:
            for data in rows:
                copied.write(data)

    assert copied.getvalue().decode().splitlines() == ["o'brien"] * 4


REFUSED = [
    "insert into execution select * from execution",
    "update execution set tenant = 'acme'",
    "delete from execution",
    "truncate execution",
    "insert into access values (current_user, 'look', null)",
    "update access set tenant = 'two words'",
    "update access set surface = 'worker'",
    "alter table execution disable row level security",
    "create policy mine on execution using (true)",
    'drop policy "rows of its own tenant" on execution',
    "create view peep as select * from execution",
    "create function peep() returns int language sql as 'select 1'",
    "select value from secret",
    "select last_value from writer_number_seq",
    "select last_value from ground_number_seq",
    "select nextval('pattern_number_seq')",
    "copy execution from stdin",
    "lock table execution in exclusive mode",
    "set row_security = off; select * from execution",
    "set role mulligan",
    "set session authorization mulligan",
]


def test_whoever_looks_for_one_tenant_writes_nothing_and_changes_no_rule(url, give) -> None:
    role = give(Surface.TENANT, "acme")
    before = read_all(url, "execution"), read_all(url, "access")

    with connect_as(url, role) as connection:
        for statement in REFUSED:
            with pytest.raises(pg.InsufficientPrivilege), connection.transaction():
                connection.execute(statement.encode())

    assert (read_all(url, "execution"), read_all(url, "access")) == before


def test_figures_that_the_planner_keeps_are_not_shown(url, give) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("analyze")
    role = give(Surface.TENANT, "acme")

    with connect_as(url, role) as connection:
        kept = connection.execute(
            "select count(*) from pg_stats where schemaname = 'mulligan'"
        ).fetchone()

    assert kept == (0,)


def test_a_role_that_looks_at_all_sees_every_row_and_writes_none(url, give) -> None:
    role = give(Surface.LOOK)

    with connect_as(url, role) as connection:
        for table in (*TENANT_TABLES, *HIDDEN):
            assert count(connection, table) == len(read_all(url, table))
            with pytest.raises(pg.InsufficientPrivilege):
                connection.execute(f"delete from {table}".encode())


def test_a_worker_writes_every_table_but_not_who_sees_what(url, give) -> None:
    role = give(Surface.WORKER)

    with connect_as(url, role) as connection:
        for table in (*BY_PARENT, *HIDDEN, *BY_COLUMN):
            assert connection.execute(f"delete from {table}".encode()).rowcount > 0
        with pytest.raises(pg.InsufficientPrivilege):
            connection.execute("update access set surface = 'look'")


def test_a_role_that_was_given_nothing_is_told_so(url, give, roles) -> None:
    give(Surface.LOOK)
    stranger = roles.enter_context(make_role(url))
    with psycopg.connect(url, autocommit=True) as connection:
        who = sql.Identifier(stranger)
        connection.execute(sql.SQL("grant usage on schema mulligan to {}").format(who))
        connection.execute(
            sql.SQL("grant select on all tables in schema mulligan to {}").format(who)
        )

    with connect_as(url, stranger) as connection:
        assert [count(connection, table) for table in TENANT_TABLES] == [0] * len(TENANT_TABLES)
    looking = PostgresSession(build_url_of(url, stranger), timeout=timedelta(seconds=5))
    with pytest.raises(StoreUnavailableError, match="was given nothing to see"):
        RoleTable(looking).find_own()
    looking.close()


def test_what_is_given_replaces_what_was_given_before(url, session, roles) -> None:
    role = roles.enter_context(make_role(url))
    table = RoleTable(session)

    table.grant(RoleGrant(role=role, surface=Surface.WORKER))
    table.grant(RoleGrant(role=role, surface=Surface.TENANT, tenant="acme"))

    with connect_as(url, role) as connection:
        assert count(connection, "execution") == 2
        with pytest.raises(pg.InsufficientPrivilege):
            connection.execute("delete from execution")
    assert [each.surface for each in table.list_granted()] == [Surface.TENANT]


def test_what_is_taken_back_is_gone(url, session, roles) -> None:
    role = roles.enter_context(make_role(url))
    table = RoleTable(session)
    table.grant(RoleGrant(role=role, surface=Surface.LOOK))

    assert table.revoke(role)

    with connect_as(url, role) as connection, pytest.raises(pg.InsufficientPrivilege):
        connection.execute("select count(*) from mulligan.execution")
    assert not table.revoke(role)
    assert table.list_granted() == []


def test_a_role_that_nothing_can_hold_is_refused(url, session, roles) -> None:
    table = RoleTable(session)
    worker, member = (roles.enter_context(make_role(url)) for _ in range(2))
    table.grant(RoleGrant(role=worker, surface=Surface.WORKER))
    with psycopg.connect(url, autocommit=True) as connection:
        (owner,) = connection.execute("select current_user").fetchone()
        connection.execute(
            sql.SQL("grant {} to {}").format(sql.Identifier(worker), sql.Identifier(member))
        )

    for role, why in [(owner, "superuser"), (member, "is a member of"), ("nobody here", "no role")]:
        with pytest.raises(ConfigurationError, match=why):
            table.grant(RoleGrant(role=role, surface=Surface.TENANT, tenant="acme"))


def test_a_role_that_got_a_way_around_later_is_listed_with_it(url, session, roles) -> None:
    role = roles.enter_context(make_role(url))
    RoleTable(session).grant(RoleGrant(role=role, surface=Surface.TENANT, tenant="acme"))
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.SQL("alter role {} bypassrls").format(sql.Identifier(role)))

    [listed] = RoleTable(session).list_granted()

    assert listed.unbound == "bypasses row security"


def test_a_table_that_comes_later_is_closed_to_tenants_and_open_to_workers(
    url, session, give
) -> None:
    tenant, worker = give(Surface.TENANT, "acme"), give(Surface.WORKER)
    session.execute("create table thought_of_later (tenant text)")
    session.execute("insert into thought_of_later values ('acme')")

    RoleTable(session).enable()

    with connect_as(url, worker) as connection:
        assert connection.execute("delete from thought_of_later").rowcount == 1
    with connect_as(url, tenant) as connection, pytest.raises(pg.InsufficientPrivilege):
        count(connection, "thought_of_later")


TABLES = """
select c.relname::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'mulligan' and c.relkind in ('r', 'p') and not c.relispartition
"""

AROUND = """
select 'view ' || viewname from pg_views where schemaname = 'mulligan'
union all select 'view ' || matviewname from pg_matviews where schemaname = 'mulligan'
union all select 'function ' || p.proname from pg_proc p
  join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'mulligan'
union all select 'trigger ' || t.tgname from pg_trigger t
  join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'mulligan' and not t.tgisinternal
union all select 'rule ' || rulename from pg_rules where schemaname = 'mulligan'
"""


def fetch_names(url: str, query: str) -> set[str]:
    with psycopg.connect(url) as connection:
        return {name for (name,) in connection.execute(query).fetchall()}


def test_every_table_says_whose_its_rows_are_or_why_a_tenant_sees_none(postgres_url) -> None:
    said = [*BY_COLUMN, *BY_PARENT, *OPEN, *HIDDEN]

    assert set(said) == fetch_names(postgres_url, TABLES)
    assert len(said) == len(set(said))
    assert all(reason.endswith(".") for reason in (OPEN | HIDDEN).values())


def test_a_table_with_a_tenant_goes_by_it(postgres_url) -> None:
    having = """select table_name::text from information_schema.columns
        where table_schema = 'mulligan' and column_name = 'tenant'"""

    assert fetch_names(postgres_url, having) & fetch_names(postgres_url, TABLES) == BY_COLUMN


def test_nothing_in_the_schema_sees_with_the_eyes_of_its_owner(postgres_url) -> None:
    assert fetch_names(postgres_url, AROUND) == set()
