"""Whatever a statement begins with, and however names are written, its tables are told."""

from __future__ import annotations

import pytest
from sqlalchemy import create_mock_engine

from mulligan_packs.sql.statements import (
    Spelling,
    TableName,
    find_spelling,
    read_statement,
)

ANY = Spelling()
POSTGRES = Spelling(folds_quoted=False)
MYSQL = Spelling(folds=False, folds_quoted=False, backslashes=True)


@pytest.mark.parametrize(
    ("spelling", "statement", "tables"),
    [
        (ANY, "UPDATE audit SET n = 1", "audit"),
        (ANY, "/* why */ UPDATE audit SET n = 1", "audit"),
        (ANY, "-- why\nupdate Audit set n = 1", "audit"),
        (ANY, "UPDATE OR REPLACE main.audit SET n = 1", "main.audit"),
        (ANY, 'UPDATE "my audit" SET n = 1', "my audit"),
        (ANY, "UPDATE [my audit] SET n = 1", "my audit"),
        (ANY, "UPDATE 'audit' SET n = 1", "audit"),
        (ANY, "REPLACE INTO audit VALUES (1)", "audit"),
        (ANY, "INSERT OR IGNORE INTO audit DEFAULT VALUES", "audit"),
        (ANY, "UPDATE audit SET n = :update WHERE m = ?", "audit"),
        (ANY, "WITH x AS (SELECT 1) UPDATE audit SET n = 1", "audit"),
        (POSTGRES, "WITH x AS (UPDATE audit SET n = 1 RETURNING n) SELECT n FROM x", "audit"),
        (POSTGRES, "EXPLAIN ANALYZE DELETE FROM ONLY audit", "audit"),
        (
            POSTGRES,
            "MERGE INTO audit a USING b ON true WHEN MATCHED THEN UPDATE SET n = 1",
            "audit",
        ),
        (POSTGRES, "TRUNCATE TABLE audit, task CASCADE", "audit task"),
        (POSTGRES, "COPY audit FROM STDIN", "audit"),
        (POSTGRES, "INSERT INTO Audit VALUES (%(a)s) ON CONFLICT DO UPDATE SET n = 1", "audit"),
        (POSTGRES, 'UPDATE "Audit" SET n = 1', "Audit"),
        (POSTGRES, "DELETE FROM audit USING task", "audit"),
        (POSTGRES, "UPDATE audit SET n = t.n FROM task t", "audit"),
        (POSTGRES, "UPDATE a SET n = 'x''; UPDATE b'; UPDATE c SET n = 1", "a c"),
        (POSTGRES, "SELECT E'it\\'s; UPDATE b SET', $x$ ; UPDATE b SET $x$", ""),
        (MYSQL, "UPDATE `audit` SET n = 'it\\'s; UPDATE b SET n = 1'", "audit"),
        (MYSQL, "UPDATE Audit SET n = 1 # why", "Audit"),
        (MYSQL, "UPDATE task, audit SET audit.n = 1 WHERE task.n = 2", "audit"),
        (MYSQL, "UPDATE task t JOIN audit a ON t.n = a.n SET t.n = 1, a.n = 2", "audit task"),
        (MYSQL, "UPDATE task t JOIN audit a ON t.n = a.n SET n = 1", "audit task"),
        (MYSQL, "UPDATE task JOIN (SELECT a, b FROM c) x USING (a) SET n = 1", "task"),
        (MYSQL, "DELETE a FROM task t JOIN audit a ON t.n = a.n", "audit"),
        (MYSQL, "DELETE LOW_PRIORITY FROM audit WHERE n IN (1, 2)", "audit"),
        (MYSQL, "INSERT IGNORE audit VALUES (1) ON DUPLICATE KEY UPDATE n = 2", "audit"),
        (MYSQL, "/*!50000 UPDATE audit SET n = 1 */", "audit"),
        (ANY, "SELECT replace(a, 'b', 'c'), replace FROM audit", ""),
        (POSTGRES, "SELECT t.update FROM task t FOR NO KEY UPDATE OF t", ""),
        (ANY, "BEGIN IMMEDIATE", ""),
        (ANY, "PRAGMA foreign_keys = ON", ""),
        (ANY, "", ""),
    ],
)
def test_the_tables_of_a_statement(spelling: Spelling, statement: str, tables: str) -> None:
    read = read_statement(statement, spelling)

    assert sorted(map(str, read.tables)) == ([tables] if "my" in tables else tables.split())
    assert read.untold == frozenset()
    assert read.writes == bool(tables)


@pytest.mark.parametrize(
    ("statement", "untold"),
    [
        ("CALL buy(1)", {"call buy"}),
        ("DO $$ BEGIN UPDATE audit SET n = 1; END $$", {"do"}),
        ("ALTER TABLE task ADD n INTEGER", {"alter table"}),
        ("SELECT 1; DROP TABLE task", {"drop table"}),
    ],
)
def test_what_nobody_can_tell_is_said_to_be_so(statement: str, untold: set[str]) -> None:
    read = read_statement(statement, POSTGRES)

    assert read.untold == untold
    assert read.deletes
    assert read.writes


@pytest.mark.parametrize(
    ("statement", "deletes"),
    [
        ("DELETE FROM task", True),
        ("REPLACE INTO task VALUES (1)", True),
        ("WITH x AS (DELETE FROM task RETURNING 1) SELECT 1", True),
        ("UPDATE task SET n = 1", False),
        ("INSERT INTO task VALUES (1)", False),
    ],
)
def test_what_can_take_a_row_away(statement: str, deletes: bool) -> None:
    assert read_statement(statement, ANY).deletes is deletes


def test_a_commit_is_seen_wherever_a_statement_begins() -> None:
    assert read_statement("UPDATE task SET n = 1; COMMIT", ANY).commits
    assert not read_statement("UPDATE task SET n = 'commit'", ANY).commits


@pytest.mark.parametrize(
    ("written", "declared", "same"),
    [
        (TableName("", "task"), "task", True),
        (TableName("", "task"), "shop.task", True),
        (TableName("public", "task"), "task", True),
        (TableName("shop", "task"), "task", False),
        (TableName("shop", "task"), "shop.task", True),
        (TableName("other", "task"), "shop.task", False),
        (TableName("", "Task"), "task", False),
        (TableName("", "Task"), "Task", True),
    ],
)
def test_a_table_is_that_of_a_declaration(written: TableName, declared: str, same: bool) -> None:
    assert written.is_named(declared, default="public", spelling=POSTGRES) is same


@pytest.mark.parametrize(
    ("url", "spelling"),
    [("sqlite://", ANY), ("postgresql+psycopg://", POSTGRES), ("mysql+pymysql://", MYSQL)],
)
def test_databases_differ_in_how_they_read(url: str, spelling: Spelling) -> None:
    dialect = create_mock_engine(url, print).dialect

    assert find_spelling(dialect) == spelling


def test_a_long_statement_is_read_in_time() -> None:
    long = "INSERT INTO audit VALUES ('" + "it''s " * 200_000 + "')"

    assert read_statement(long, ANY).tables == {TableName("", "audit")}


@pytest.mark.parametrize("text", ["update task set a = 'x", "select 1 /* x", 'select "a'])
@pytest.mark.parametrize("backslashes", [False, True])
def test_what_is_opened_and_never_closed_may_hide_anything(text: str, *, backslashes: bool) -> None:
    read = read_statement(text, Spelling(backslashes=backslashes))

    assert read.untold == {"what is opened and never closed"}


@pytest.mark.parametrize(
    ("spelling", "statement", "ends"),
    [
        (POSTGRES, "PREPARE TRANSACTION 'x'", True),
        (POSTGRES, "PREPARE x AS SELECT 1", False),
        (POSTGRES, "BEGIN", False),
        (MYSQL, "START TRANSACTION", True),
        (MYSQL, "LOCK TABLES task WRITE", True),
        (MYSQL, "SET autocommit = 1", True),
        (MYSQL, "SET @@SESSION.autocommit = 1", True),
        (MYSQL, "SET SESSION sql_mode = ''", False),
        (MYSQL, "XA PREPARE 'x'", True),
    ],
)
def test_what_ends_a_transaction_is_told(spelling: Spelling, statement: str, *, ends: bool) -> None:
    assert read_statement(statement, spelling).commits is ends


@pytest.mark.parametrize(
    ("statement", "columns"),
    [
        ('UPDATE t SET a = 1, "B" = (SELECT x, y FROM z), c = f(d, e) WHERE rev = 2', "a b c"),
        ("UPDATE t SET (a, b) = (1, g), q = 2", "a b q"),
        ("INSERT INTO t (k) VALUES (1) ON CONFLICT (k) DO UPDATE SET v = excluded.v, w = 1", "v w"),
        ("INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE said = 'x', n = n + 1", "said n"),
        ("WITH x AS (UPDATE t SET a = 1 RETURNING b) UPDATE u SET u.c = 2 FROM x", "a c"),
        ("DELETE FROM t WHERE a = 1", ""),
        ("REPLACE INTO t VALUES (1)", None),
        ("CALL buy(1)", None),
    ],
)
def test_the_columns_that_a_statement_sets_are_known(statement: str, columns: str | None) -> None:
    found = read_statement(statement, Spelling()).assigns

    assert found == (None if columns is None else set(columns.split()))
