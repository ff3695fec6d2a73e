"""A MariaDB of one's own: Debian's `mariadb-server`, in a folder, on a unix socket alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import NullPool

from bench.missing import MissingError

_NAME = "mulligan"
_TIMEOUT = 120.0
_MOST = {"innodb-buffer-pool-size": "32M", "innodb-log-file-size": "16M"}
_QUICK = {"innodb-flush-log-at-trx-commit": "0", "sync-binlog": "0"}
"""Nobody pulls the plug of a test."""


@contextmanager
def serve_mariadb() -> Iterator[str]:
    """A server for as long as the context lasts. The URL of an empty database on it."""
    install, serve = _find("mariadb-install-db"), _find("mariadbd")
    # A short path: a unix socket's name may have 107 characters at most.
    folder = Path(tempfile.mkdtemp(prefix="mulligan-maria-", dir="/tmp"))
    user = ["--user=root"] if os.geteuid() == 0 else []
    shared = ["--no-defaults", f"--datadir={folder}/data", *user]
    options = {"skip-networking": None, "socket": f"{folder}/socket", **_MOST, **_QUICK}
    try:
        with (folder / "log").open("wb") as log:
            first = [install, *shared, "--auth-root-authentication-method=normal", "--skip-test-db"]
            subprocess.run(first, check=True, stdout=log, stderr=log)
            given = [
                f"--{name}={value}" if value else f"--{name}" for name, value in options.items()
            ]
            process = subprocess.Popen([serve, *shared, *given], stdout=log, stderr=log)
        try:
            yield _create_database(folder, process)
        finally:
            process.terminate()
            process.wait(_TIMEOUT)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _create_database(folder: Path, process: subprocess.Popen[bytes]) -> str:
    def build_url(name: str) -> str:
        return f"mysql+pymysql://root@localhost/{name}?unix_socket={folder}/socket&charset=utf8mb4"

    engine, until = create_engine(build_url(""), poolclass=NullPool), time.monotonic() + _TIMEOUT
    while True:
        try:
            with engine.begin() as connection:
                connection.execute(text(f"CREATE DATABASE {_NAME} CHARACTER SET utf8mb4"))
        except OperationalError:
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(
                    f"MariaDB did not start: {(folder / 'log').read_text()}"
                ) from None
            time.sleep(0.1)
        else:
            return build_url(_NAME)


def _find(program: str) -> str:
    found = shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if found is None:
        raise MissingError(f"There is no {program}: apt-get install mariadb-server, or give a URL.")
    return found
