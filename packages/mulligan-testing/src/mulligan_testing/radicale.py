"""A real CalDAV server for tests and examples: Radicale, in a process of its own on loopback."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urljoin

from msgspec import Struct

from mulligan.types.errors import MissingExtraError

_TIMEOUT = 60.0
_USER = "family"
_TRIES = 5
_MEMORY = "/dev/shm"  # noqa: S108 - only where it is there; the folder in it is ours alone
_READY = "Radicale server ready"
_EVENT = re.compile(r"<(?:\w+:)?href>([^<]+\.ics)</")
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))
"""Loopback is reached directly, whatever the environment says about proxies."""


class RadicaleServer(Struct, frozen=True, kw_only=True):
    """A running server, without a password."""

    url: str
    process: subprocess.Popen[bytes]
    folder: Path

    def calendar(self) -> str:
        """Make an empty calendar, and give its URL."""
        url = urljoin(self.url, f"{_USER}/{uuid.uuid4().hex}/")
        _request(url, "MKCALENDAR")
        return url

    def export(self, calendar: str) -> dict[str, bytes]:
        """Every event of a calendar by its path, as the server gives it out."""
        listing = _request(calendar, "PROPFIND", headers={"Depth": "1"}).decode()
        paths = sorted(_EVENT.findall(listing))
        return {path: _request(urljoin(self.url, path), "GET") for path in paths}

    def put(self, calendar: str, text: str, *, name: str) -> None:
        """Write an event without any condition, as a person's own program may."""
        kind = {"Content-Type": "text/calendar; charset=utf-8"}
        _request(urljoin(calendar, name), "PUT", text.encode(), headers=kind)

    def stop(self) -> None:
        """End the process that was started here, and remove what it kept."""
        try:
            self.process.communicate(timeout=_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def radicale_server() -> Iterator[RadicaleServer]:
    """A server for as long as the context lasts, and no longer than this process does."""
    if find_spec("radicale") is None:
        raise MissingExtraError(need="A calendar server of your own", extra="demo")
    server = next((found for found in map(_start, range(_TRIES)) if found is not None), None)
    if server is None:
        raise RuntimeError(f"Radicale did not start in {_TRIES} tries.")
    try:
        _request(urljoin(server.url, f"{_USER}/"), "MKCOL")
        yield server
    finally:
        server.stop()


def _start(_try: int) -> RadicaleServer | None:
    """A server that listens; `None` if another program took the port before it could."""
    folder = Path(tempfile.mkdtemp(prefix="mulligan-radicale-", dir=_find_memory_folder()))
    port, log = _find_free_port(), folder / "server.log"
    with log.open("wb") as sink:
        # A session of its own: Ctrl-C is for whoever started it, and they may still need it.
        process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            _build_command(folder, port),
            stdin=subprocess.PIPE,
            stdout=sink,
            stderr=sink,
            start_new_session=True,
        )
    server = RadicaleServer(url=f"http://127.0.0.1:{port}/", process=process, folder=folder)
    until = time.monotonic() + _TIMEOUT
    while time.monotonic() < until and process.poll() is None:
        if _READY in log.read_text(errors="replace"):
            return server
        time.sleep(0.02)
    server.stop()
    return None


def _find_memory_folder() -> str | None:
    """Where a sync costs nothing: Radicale makes several at each write, and tests need none."""
    return _MEMORY if os.access(_MEMORY, os.W_OK) else None


def _find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _build_command(folder: Path, port: int) -> list[str]:
    options = {
        "config": "",
        "server-hosts": f"127.0.0.1:{port}",
        "server-max-connections": "50",
        "auth-type": "none",
        "storage-filesystem-folder": str(folder / "storage"),
        "logging-level": "info",
    }
    given = [f"--{name}={value}" for name, value in options.items()]
    # -P: a file in the reader's folder that is called like a module must not get in between.
    guarded = [sys.executable, "-P", "-m", "mulligan_testing.guarded", str(folder)]
    return [*guarded, "radicale", *given]


def _request(
    url: str, method: str, body: bytes = b"", *, headers: Mapping[str, str] | None = None
) -> bytes:
    request = urllib.request.Request(  # noqa: S310 - loopback
        url, data=body or None, method=method, headers=dict(headers or {})
    )
    with _DIRECT.open(request, timeout=_TIMEOUT) as answer:
        content: bytes = answer.read()
    return content
