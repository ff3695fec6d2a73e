"""Whatever is changed by somebody who can write to a store, but has no key, is noticed."""

from __future__ import annotations

import os

import pytest

from tests.stores.relational.damage import fast_folder
from tests.stores.relational.tamper_kinds import list_kinds
from tests.stores.relational.tampering import (
    PostgresTables,
    SqliteFiles,
    count_tamperings,
    is_noticed,
)

TAMPERINGS = int(os.environ.get("MULLIGAN_TEST_TAMPERINGS", "114"))
"""More: `MULLIGAN_TEST_TAMPERINGS=500 pytest tests/stores/relational/test_signatures.py`."""


@pytest.fixture
def files():
    with fast_folder() as folder:
        yield SqliteFiles(folder)


def test_every_kind_of_tampering_with_files_is_noticed(files) -> None:
    found, silent = count_tamperings(files, TAMPERINGS)

    assert silent == []
    assert len(found) >= min(TAMPERINGS, len({str(kind) for kind in list_kinds(files=True)}))


def test_every_kind_of_tampering_on_a_server_is_noticed(postgres_url) -> None:
    found, silent = count_tamperings(PostgresTables(postgres_url), TAMPERINGS // 3)

    assert silent == []
    assert sum(found.values()) == TAMPERINGS // 3


def test_a_whole_folder_put_back_is_not_noticed_without_anything_outside(files) -> None:
    """What cannot be promised, so that the pages which say so stay true."""
    count_tamperings(files, 0)
    earlier = dict(files.content)
    files.save()
    files.content = earlier

    files.restore()

    assert is_noticed(files.url) == ""
