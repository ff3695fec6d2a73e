from __future__ import annotations

from pathlib import Path

import pytest

from mulligan_testing.store_contract import (
    EpisodeContract,
    JournalContract,
    LeaseContract,
    LessonContract,
    LifeContract,
    LogContract,
    ProcessContract,
    TaskVersionContract,
    TextContract,
    VaultContract,
)

pytestmark = pytest.mark.full


class InSqlite:
    @pytest.fixture
    def url(self, tmp_path):
        return f"sqlite:///{tmp_path}/family.db"


class InSignedSqlite(InSqlite):
    opener = "tests.stores.signed:open_signed"


class TestJournal(InSqlite, JournalContract):
    pass


class TestSignedJournal(InSignedSqlite, JournalContract):
    pass


class TestSignedVault(InSignedSqlite, VaultContract):
    pass


class TestSignedLessons(InSignedSqlite, LessonContract):
    pass


class TestVault(InSqlite, VaultContract):
    pass


class TestLog(InSqlite, LogContract):
    pass


class TestTexts(InSqlite, TextContract):
    pass


class TestArchive(InSqlite, TaskVersionContract):
    pass


class TestEpisodes(InSqlite, EpisodeContract):
    pass


class TestLessons(InSqlite, LessonContract):
    pass


class TestLife(InSqlite, LifeContract):
    def count_connections(self, url):
        folder = Path(url.removeprefix("sqlite:///")).parent
        links = [link for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
        return sum(str(link.readlink()).startswith(str(folder)) for link in links)


class TestProcesses(InSqlite, ProcessContract):
    pass


class TestLeases(InSqlite, LeaseContract):
    pass
