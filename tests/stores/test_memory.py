from __future__ import annotations

import pytest

from mulligan.testing.store_contract import (
    ArchiveContract,
    EpisodeContract,
    JournalContract,
    LessonContract,
    LifeContract,
    LogContract,
    TextContract,
    VaultContract,
)


class InMemory:
    @pytest.fixture
    def url(self):
        return "memory:"


class TestJournal(InMemory, JournalContract):
    pass


class TestVault(InMemory, VaultContract):
    pass


class TestLog(InMemory, LogContract):
    pass


class TestTexts(InMemory, TextContract):
    pass


class TestArchive(InMemory, ArchiveContract):
    pass


class TestEpisodes(InMemory, EpisodeContract):
    pass


class TestLessons(InMemory, LessonContract):
    pass


class TestLife(InMemory, LifeContract):
    def count_connections(self, url):
        return 0
