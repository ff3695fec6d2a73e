"""Adapters are tried where their framework is: `make hosts` makes an environment for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.hosts.drivers import HOSTS, list_installed
from bench.hosts.world import add_event, open_app
from mulligan import Mulligan
from mulligan_testing.remote import FakeRemote

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
def event(remote: FakeRemote) -> str:
    return add_event(remote)
