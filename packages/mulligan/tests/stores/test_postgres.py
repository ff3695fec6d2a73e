from __future__ import annotations

import time

import psycopg
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

CONNECTIONS = """
select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
"""


class InPostgres:
    @pytest.fixture
    def url(self, postgres_url):
        return postgres_url


class TestJournal(InPostgres, JournalContract):
    pass


class TestVault(InPostgres, VaultContract):
    pass


class TestLog(InPostgres, LogContract):
    pass


class TestTexts(InPostgres, TextContract):
    pass


class TestArchive(InPostgres, TaskVersionContract):
    pass


class TestEpisodes(InPostgres, EpisodeContract):
    pass


class TestLessons(InPostgres, LessonContract):
    pass


class TestLife(InPostgres, LifeContract):
    def count_connections(self, url):
        deadline = time.monotonic() + 60
        with psycopg.connect(url, autocommit=True) as connection:
            # A server process ends a moment after its connection.
            while True:
                (count,) = connection.execute(CONNECTIONS).fetchone()
                if not count or time.monotonic() > deadline:
                    return count


class TestProcesses(InPostgres, ProcessContract):
    pass


class TestLeases(InPostgres, LeaseContract):
    pass
