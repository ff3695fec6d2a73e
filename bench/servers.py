"""Databases that suites measure on: files, and servers for as long as a context lasts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.missing import MissingError
from mulligan_testing.postgres import PostgresServer, run_postgres_server, to_sqlalchemy_url

DATABASES = ("sqlite", "postgres", "mariadb")


@contextmanager
def run_server() -> Iterator[PostgresServer]:
    """Postgres."""
    with ExitStack() as stack:
        try:
            server = stack.enter_context(run_postgres_server())
        except (ImportError, RuntimeError) as error:
            raise MissingError(
                f"There is no Postgres here ({error}): pip install 'mulligan[test]', or pass "
                "--store sqlite."
            ) from error
        yield server


def find_database(named: str, folder: Path, stack: ExitStack) -> str:
    """The URL, for SQLAlchemy, of an empty database of a kind; of what has one, the one it has."""
    match named:
        case "sqlite":
            return f"sqlite:///{folder}/rows.db"
        case "postgres":
            server = stack.enter_context(run_server())
            hurry(server)
            return to_sqlalchemy_url(stack.enter_context(server.create_database()))
        case "mariadb":
            from bench.packs.database_server import serve_mariadb

            return stack.enter_context(serve_mariadb())
        case url:
            return url


def hurry(server: PostgresServer) -> None:
    """Have a server of our own not wait for its disk: nobody pulls its plug here."""
    if server.process is not None:
        off = [f"alter system set {name} = off" for name in ("fsync", "full_page_writes")]
        run_statements(server, *off, "select pg_reload_conf()")


def run_statements(server: PostgresServer, *statements: str) -> None:
    """Each in a transaction of its own."""
    import psycopg

    with psycopg.connect(server.dsn, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)
