from __future__ import annotations

import psycopg
import pytest

from mulligan.stores.postgres.roles import (
    BY_COLUMN,
    BY_PARENT,
    HIDDEN,
    NOT_WRITTEN,
    OPEN,
    build_condition,
    may_ask,
)

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


def fetch(url: str, query: str) -> set[str]:
    with psycopg.connect(url) as connection:
        return {name for (name,) in connection.execute(query).fetchall()}


def test_every_table_says_whose_its_rows_are_or_why_a_tenant_sees_none(postgres_url) -> None:
    said = [*BY_COLUMN, *BY_PARENT, *OPEN, *HIDDEN]

    assert set(said) == fetch(postgres_url, TABLES)
    assert len(said) == len(set(said))
    assert all(reason.endswith(".") for reason in (OPEN | HIDDEN).values())


def test_a_table_with_a_tenant_goes_by_it(postgres_url) -> None:
    having = """select table_name::text from information_schema.columns
        where table_schema = 'mulligan' and column_name = 'tenant'"""

    assert fetch(postgres_url, having) & fetch(postgres_url, TABLES) == BY_COLUMN


def test_nothing_in_the_schema_sees_with_the_eyes_of_its_owner(postgres_url) -> None:
    assert fetch(postgres_url, AROUND) == set()


@pytest.mark.parametrize("table", [*HIDDEN, "thought_of_later"])
def test_of_a_hidden_table_and_of_an_unknown_one_no_row_is_seen(table: str) -> None:
    assert build_condition(table) is None


def test_what_nobody_has_thought_of_may_not_even_be_asked() -> None:
    assert not may_ask("thought_of_later")
    assert not may_ask("secret")
    assert may_ask("execution")


def test_what_decides_who_sees_what_is_written_by_nobody_who_is_held_by_it() -> None:
    assert {"access"} <= NOT_WRITTEN
