"""Tests for what a process hears of another's decisions on the same file."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from mulligan.stores.opening import open_store
from mulligan.types.interfaces import Store
from tests.stores.news import A_MOMENT, Ear, approve, hold


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/family.db"


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    store = open_store(url)
    yield store
    store.close()


def test_a_decision_is_heard_and_everyday_entries_are_not(url: str, store: Store) -> None:
    ear, other = Ear(), open_store(url)
    before = set(threading.enumerate())
    end = store.listen(ear)  # type: ignore[attr-defined]

    hold(other, "a")
    quiet = not ear.hears(within=A_MOMENT)
    approve(other, "a")
    heard = ear.hears()
    other.close()
    left = ear.hears()
    end()
    end()

    assert (quiet, heard) == (True, True)
    # Who leaves says so, as what it was at is anybody's now.
    assert left
    assert "mulligan-listen" not in {each.name for each in {*threading.enumerate()} - before}
