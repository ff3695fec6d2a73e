"""Adapters are tried where their framework is: `make hosts` makes an environment for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bench.hosts.drivers import HOSTS, list_installed
from bench.hosts.world import add_event, open_app
from mulligan import Mulligan
from mulligan.core.call import LogRow
from mulligan.core.event import CallLogged
from mulligan.testing.remote import FakeRemote

# These import their framework, which the environment of all other tests has not.
collect_ignore_glob = [
    f"test_{host.replace('-', '_')}{rest}.py"
    for host in {*HOSTS} - {*list_installed()}
    for rest in ("", "_*")
]


@pytest.fixture
def remote(tmp_path: Path) -> FakeRemote:
    return FakeRemote(tmp_path / "remote")


@pytest.fixture
def m(tmp_path: Path, remote: FakeRemote) -> Iterator[Mulligan]:
    with open_app(f"sqlite:///{tmp_path / 'store.db'}", remote) as app:
        yield app


@pytest.fixture
def rows(m: Mulligan) -> Callable[[], list[LogRow]]:
    seen: list[LogRow] = []
    m.subscribe(lambda event: seen.append(event.row) if isinstance(event, CallLogged) else None)

    def so_far() -> list[LogRow]:
        m.flush()
        return seen

    return so_far


@pytest.fixture
def event(remote: FakeRemote) -> str:
    return add_event(remote)
