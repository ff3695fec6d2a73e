"""What a casebook must keep to with episodes."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from mulligan.core.errors import NaiveTimeError
from mulligan.core.failures.advice import Decision
from mulligan.core.failures.error_class import ErrorClass
from mulligan.core.failures.lesson import (
    Ending,
    Episode,
    EpisodeQuery,
    EpisodeSlot,
    Group,
)
from mulligan.core.failures.suggestion import Origin
from mulligan.core.interfaces import Casebook, Store
from mulligan.testing.store_contract.cases import OFFER, TEXT, make_episode, make_lesson, make_use
from mulligan.testing.store_contract.contract import DAY, HOUR, NOW, Contract

NAIVE = datetime(2026, 11, 16, 9, 30)  # noqa: DTZ001
ELSEWHERE = NOW.astimezone(timezone(timedelta(hours=9)))


class EpisodeContract(Contract):
    """Episodes that count once, whoever records them again."""

    @pytest.fixture
    def casebook(self, store: Store) -> Casebook:
        """The casebook under test. For one without a store around it, replace this."""
        return store.casebook

    def test_an_episode_comes_back_as_it_was(self, casebook: Casebook) -> None:
        """Every field, text in any script."""
        full = make_episode(1, template=TEXT, context=TEXT)
        bare = Episode(
            id="call-0",
            at=NOW,
            tool=TEXT,
            fingerprint="f2",
            error_class=ErrorClass.UNKNOWN,
            ending=Ending.LEFT,
        )

        casebook.record([full, bare])

        assert casebook.list_episodes(EpisodeQuery()) == [bare, full]
        assert casebook.list_episodes(EpisodeQuery(newest_first=True, limit=1)) == [full]
        assert casebook.list_episodes(EpisodeQuery(tool=TEXT)) == [bare]

    def test_episodes_are_found_by_what_they_are(self, casebook: Casebook) -> None:
        """Oldest first, from an id on, a few at a time."""
        sent = [make_episode(number) for number in range(5)]
        other = make_episode(9, tool="pay", fingerprint="f2", ending=Ending.LEFT)
        casebook.record([*sent[::-1], other])

        found = casebook.list_episodes(EpisodeQuery(tool="get_order", after=sent[1].id, limit=2))

        assert found == [sent[2], sent[3]]
        assert casebook.list_episodes(EpisodeQuery(fingerprint="f2")) == [other]
        assert casebook.list_episodes(EpisodeQuery(ending=Ending.LEFT)) == [other]
        assert casebook.list_episodes(EpisodeQuery(ending=Ending.UNDONE)) == []
        assert casebook.list_episodes(EpisodeQuery(tenant="")) == []

    def test_an_episode_counts_once(self, casebook: Casebook) -> None:
        """However often it is recorded, alone or with others."""
        first, second = make_episode(1), make_episode(2)
        casebook.record([first, first])
        casebook.record([replace(first, ending=Ending.LEFT), second])

        assert casebook.list_episodes(EpisodeQuery()) == [first, second]
        assert list(casebook.count_episodes(since=NOW.date()).values()) == [2]
        assert casebook.read_endings("get_order", fingerprint="f1", tenant="home") == {
            Decision.REPAIR: 1
        }

    def test_episodes_are_counted_by_day_and_kind(self, casebook: Casebook) -> None:
        """On the day it was in UTC; a day may be asked for from its beginning."""
        late = NOW.replace(hour=23).astimezone(timezone(timedelta(hours=9)))
        casebook.record(
            [
                make_episode(1, at=late),
                make_episode(2, at=NOW + DAY, offer=None, group=None, ending=Ending.FAILED),
                make_episode(3, offer=replace(OFFER, taken=False, helped=None)),
                make_episode(4, group=Group.CONTROL, ending=Ending.UNDONE),
                make_episode(5, later=True),
                make_episode(6, later=True, ending=Ending.FAILED),
            ]
        )

        counted = casebook.count_episodes(since=NOW.date())

        base = EpisodeSlot(
            day=NOW.date(),
            tenant="home",
            principal="anna",
            tool="get_order",
            error_class=ErrorClass.VALIDATION,
            source=Origin.MEMORY,
            kinds="drop+reformat",
            group=Group.TREATED,
            taken=True,
            helped=True,
            repaired=True,
        )
        nothing: dict[str, Any] = {"source": None, "kinds": "", "group": None}
        not_taken: dict[str, Any] = {"taken": False, "helped": False}
        unoffered = base._replace(day=(NOW + DAY).date(), repaired=False, **nothing, **not_taken)
        assert counted == {
            base: 1,
            unoffered: 1,
            base._replace(**not_taken): 1,
            base._replace(group=Group.CONTROL, repaired=False): 1,
            base._replace(later=True): 1,
            base._replace(later=True, repaired=False): 1,
        }
        assert casebook.count_episodes(since=(NOW + DAY).date()) == {unoffered: 1}

    def test_what_was_right_is_counted_by_pattern(self, casebook: Casebook) -> None:
        """Where anybody can tell; who is named counts once, and each time that nobody is."""
        casebook.record(
            [
                make_episode(1),
                make_episode(2, decision=Decision.ASK),
                make_episode(3, decision=Decision.ASK, principal="ben"),
                make_episode(6, decision=Decision.ASK, principal="ben"),
                make_episode(7, decision=Decision.RETRY, principal=""),
                make_episode(8, decision=Decision.RETRY, principal=""),
                make_episode(4, decision=None),
                make_episode(5, fingerprint="f2", decision=Decision.STOP),
            ]
        )

        found = casebook.read_endings("get_order", fingerprint="f1", tenant="home")

        assert found == {Decision.REPAIR: 1, Decision.ASK: 2, Decision.RETRY: 2}
        assert casebook.read_endings("pay", fingerprint="f1", tenant="home") == {}

    def test_old_episodes_go_and_what_was_counted_stays(self, casebook: Casebook) -> None:
        """In whatever number, and lessons and uses with the counts."""
        old = [make_episode(number, at=NOW - DAY) for number in range(1100)]
        casebook.record([*old, make_episode(5000)])
        casebook.append([make_lesson(learned_at=NOW - DAY)])
        casebook.use([make_use(at=NOW - DAY)])

        forgotten = casebook.prune(before=NOW - HOUR)

        assert forgotten == 1100
        assert casebook.list_episodes(EpisodeQuery()) == [make_episode(5000)]
        assert sum(casebook.count_episodes(since=(NOW - DAY).date()).values()) == 1101
        assert casebook.read_endings("get_order", fingerprint="f1", tenant="home") == {
            Decision.REPAIR: 1
        }
        assert len(casebook.list_lesson_versions("l1")) == len(casebook.list_uses("l1")) == 1
        assert casebook.prune(before=NOW - HOUR) == 0

    def test_tenants_share_no_episode(self, casebook: Casebook) -> None:
        """Nor what was counted; no tenant is one of its own."""
        tenants = ["", "a", "a%", "A"]
        sent = [make_episode(number, tenant=tenant) for number, tenant in enumerate(tenants)]

        casebook.record(sent)

        for episode in sent:
            endings = casebook.read_endings("get_order", fingerprint="f1", tenant=episode.tenant)
            assert casebook.list_episodes(EpisodeQuery(tenant=episode.tenant)) == [episode]
            assert endings == {Decision.REPAIR: 1}
        assert casebook.list_episodes(EpisodeQuery(tenant="b")) == []
        counted = casebook.count_episodes(since=NOW.date())
        assert sorted(slot.tenant for slot in counted) == sorted(tenants)

    def test_times_come_back_in_utc(self, casebook: Casebook) -> None:
        """Wherever they were said."""
        casebook.record([make_episode(at=ELSEWHERE)])

        [episode] = casebook.list_episodes(EpisodeQuery())

        assert (episode.at, episode.at.utcoffset()) == (NOW, timedelta())

    def test_a_time_without_a_zone_is_refused(self, casebook: Casebook) -> None:
        """And nothing is written."""
        with pytest.raises(NaiveTimeError):
            casebook.record([make_episode(1), make_episode(2, at=NAIVE)])
        with pytest.raises(NaiveTimeError):
            casebook.prune(before=NAIVE)

        assert casebook.list_episodes(EpisodeQuery()) == []
