from __future__ import annotations

import psycopg
import pytest
from psycopg import errors as pg

from mulligan.stores import database
from mulligan.stores.postgres.session import describe_error, translate, translate_errors
from mulligan.types import errors


@pytest.mark.parametrize(
    ("error", "ours"),
    [
        (pg.UniqueViolation("dup"), database.AlreadyThereError),
        (pg.DeadlockDetected("dead"), database.TryAgainError),
        (pg.SerializationFailure("ser"), database.TryAgainError),
        (pg.LockNotAvailable("locked"), errors.StoreLockedError),
        (pg.DiskFull("full"), errors.StoreFullError),
        (pg.DataCorrupted("bad"), errors.StoreDamagedError),
        (pg.AdminShutdown("bye"), database.ConnectionLostError),
        (psycopg.DataError("cannot contain NUL (0x00)"), database.UnstorableTextError),
        (pg.InsufficientPrivilege("denied"), errors.StoreUnavailableError),
        (pg.UndefinedTable("no writer"), errors.StoreUnavailableError),
        (pg.InvalidSqlStatementName("no _pg3_0"), errors.StoreUnavailableError),
        (pg.DuplicatePreparedStatement("_pg3_0 again"), errors.StoreUnavailableError),
        (psycopg.OperationalError("gone"), errors.StoreUnavailableError),
        (psycopg.ProgrammingError("odd"), errors.StoreError),
    ],
)
def test_every_error_of_postgres_is_one_of_ours_and_names_the_store(
    error: psycopg.Error, ours: type[Exception]
) -> None:
    found = translate(error, "postgresql://db/family", broken=False)

    assert type(found) is ours
    assert "postgresql://db/family" in str(found)


def test_on_a_broken_connection_nobody_knows_whether_it_was_committed() -> None:
    found = translate(pg.UniqueViolation("dup"), "db", broken=True)

    assert isinstance(found, database.ConnectionLostError)


def test_a_text_that_no_encoding_has_is_named_as_such() -> None:
    with (
        pytest.raises(database.UnstorableTextError, match="lone surrogate"),
        translate_errors("db"),
    ):
        "\ud800".encode()


def test_what_postgres_says_is_one_line() -> None:
    assert describe_error(psycopg.Error("a\n  b")) == "a b"
    assert describe_error(psycopg.Error()) == "Error"


def test_who_may_not_is_told_so_and_not_to_look_at_the_server() -> None:
    found = translate(pg.InsufficientPrivilege("denied"), "postgresql://db/family", broken=False)

    assert "may not do that (denied)" in str(found)
    assert "check the server" not in str(found)


def test_a_server_that_forgot_what_a_connection_was_told_is_behind_a_pooler() -> None:
    found = translate(pg.UndefinedTable("no writer"), "postgresql://db/family", broken=False)

    assert "pool by session" in str(found)
