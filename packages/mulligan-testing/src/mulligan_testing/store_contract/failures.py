"""What a failure store must keep to, with episodes and with lessons."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from mulligan.types.errors import NaiveTimeError, StaleLessonError, StoreError
from mulligan.types.failure import Decision, ErrorClass
from mulligan.types.interfaces import FailureStore, Store
from mulligan.types.lesson import (
    Balance,
    Benefit,
    Ending,
    Episode,
    EpisodeQuery,
    EpisodeSlot,
    Group,
    How,
    Lesson,
    LessonQuery,
    LessonState,
    Origin,
    Remedy,
    Transformation,
)
from mulligan_testing.store_contract.contract import (
    DAY,
    ELSEWHERE,
    HOUR,
    NAIVE,
    NOW,
    OFFER,
    TEXT,
    Contract,
    make_episode,
    make_lesson,
    make_use,
)


class EpisodeContract(Contract):
    """Episodes that count once, whoever records them again."""

    @pytest.fixture
    def failures(self, store: Store) -> FailureStore:
        """The failure store under test. For one without a store around it, replace this."""
        return store.failures

    def test_an_episode_comes_back_as_it_was(self, failures: FailureStore) -> None:
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

        failures.record([full, bare])

        assert failures.list_episodes(EpisodeQuery()) == [bare, full]
        assert failures.list_episodes(EpisodeQuery(newest_first=True, limit=1)) == [full]
        assert failures.list_episodes(EpisodeQuery(tool=TEXT)) == [bare]

    def test_episodes_are_found_by_what_they_are(self, failures: FailureStore) -> None:
        """Oldest first, from an id on, a few at a time."""
        sent = [make_episode(number) for number in range(5)]
        other = make_episode(9, tool="pay", fingerprint="f2", ending=Ending.LEFT)
        failures.record([*sent[::-1], other])

        found = failures.list_episodes(EpisodeQuery(tool="get_order", after=sent[1].id, limit=2))

        assert found == [sent[2], sent[3]]
        assert failures.list_episodes(EpisodeQuery(fingerprint="f2")) == [other]
        assert failures.list_episodes(EpisodeQuery(ending=Ending.LEFT)) == [other]
        assert failures.list_episodes(EpisodeQuery(ending=Ending.UNDONE)) == []
        assert failures.list_episodes(EpisodeQuery(tenant="")) == []

    def test_an_episode_counts_once(self, failures: FailureStore) -> None:
        """However often it is recorded, alone or with others."""
        first, second = make_episode(1), make_episode(2)
        failures.record([first, first])
        failures.record([replace(first, ending=Ending.LEFT), second])

        assert failures.list_episodes(EpisodeQuery()) == [first, second]
        assert list(failures.count_episodes(since=NOW.date()).values()) == [2]
        assert failures.read_endings("get_order", fingerprint="f1", tenant="home") == {
            Decision.REPAIR: 1
        }

    def test_episodes_are_counted_by_day_and_kind(self, failures: FailureStore) -> None:
        """On the day it was in UTC; a day may be asked for from its beginning."""
        late = NOW.replace(hour=23).astimezone(ELSEWHERE.tzinfo)
        failures.record(
            [
                make_episode(1, at=late),
                make_episode(2, at=NOW + DAY, offer=None, group=None, ending=Ending.FAILED),
                make_episode(3, offer=replace(OFFER, taken=False, helped=None)),
                make_episode(4, group=Group.CONTROL, ending=Ending.UNDONE),
                make_episode(5, later=True),
                make_episode(6, later=True, ending=Ending.FAILED),
            ]
        )

        counted = failures.count_episodes(since=NOW.date())

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
        assert failures.count_episodes(since=(NOW + DAY).date()) == {unoffered: 1}

    def test_what_was_right_is_counted_by_pattern(self, failures: FailureStore) -> None:
        """A named principal counts once, an unnamed one each time."""
        failures.record(
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

        found = failures.read_endings("get_order", fingerprint="f1", tenant="home")

        assert found == {Decision.REPAIR: 1, Decision.ASK: 2, Decision.RETRY: 2}
        assert failures.read_endings("pay", fingerprint="f1", tenant="home") == {}

    def test_old_episodes_go_and_what_was_counted_stays(self, failures: FailureStore) -> None:
        """In whatever number, and lessons and uses with the counts."""
        old = [make_episode(number, at=NOW - DAY) for number in range(1100)]
        failures.record([*old, make_episode(5000)])
        failures.append([make_lesson(learned_at=NOW - DAY)])
        failures.use([make_use(at=NOW - DAY)])

        forgotten = failures.prune(before=NOW - HOUR)

        assert forgotten == 1100
        assert failures.list_episodes(EpisodeQuery()) == [make_episode(5000)]
        assert sum(failures.count_episodes(since=(NOW - DAY).date()).values()) == 1101
        assert failures.read_endings("get_order", fingerprint="f1", tenant="home") == {
            Decision.REPAIR: 1
        }
        assert len(failures.list_lesson_versions("l1")) == len(failures.list_uses("l1")) == 1
        assert failures.prune(before=NOW - HOUR) == 0

    def test_tenants_share_no_episode(self, failures: FailureStore) -> None:
        """Nor what was counted; no tenant is one of its own."""
        tenants = ["", "a", "a%", "A"]
        sent = [make_episode(number, tenant=tenant) for number, tenant in enumerate(tenants)]

        failures.record(sent)

        for episode in sent:
            endings = failures.read_endings("get_order", fingerprint="f1", tenant=episode.tenant)
            assert failures.list_episodes(EpisodeQuery(tenant=episode.tenant)) == [episode]
            assert endings == {Decision.REPAIR: 1}
        assert failures.list_episodes(EpisodeQuery(tenant="b")) == []
        counted = failures.count_episodes(since=NOW.date())
        assert sorted(slot.tenant for slot in counted) == sorted(tenants)

    def test_times_come_back_in_utc(self, failures: FailureStore) -> None:
        """Wherever they were said."""
        failures.record([make_episode(at=ELSEWHERE)])

        [episode] = failures.list_episodes(EpisodeQuery())

        assert (episode.at, episode.at.utcoffset()) == (NOW, timedelta())

    def test_a_time_without_a_zone_is_refused(self, failures: FailureStore) -> None:
        """And nothing is written."""
        with pytest.raises(NaiveTimeError):
            failures.record([make_episode(1), make_episode(2, at=NAIVE)])
        with pytest.raises(NaiveTimeError):
            failures.prune(before=NAIVE)

        assert failures.list_episodes(EpisodeQuery()) == []


class LessonContract(Contract):
    """Versions that are never lost, and uses that count once."""

    @pytest.fixture
    def failures(self, store: Store) -> FailureStore:
        """The failure store under test. For one without a store around it, replace this."""
        return store.failures

    def test_a_version_comes_back_as_it_was(self, failures: FailureStore) -> None:
        """Every field; only the latest is listed, and all of them are its history."""
        first, second = make_lesson(1), make_lesson(2, when=TEXT, state=LessonState.RETIRED)
        bare = Lesson(
            id="l2",
            version=1,
            tool="pay",
            error_class=ErrorClass.RULE,
            when="",
            statement=TEXT,
            remedy=Remedy(),
            learned_at=NOW,
        )

        failures.append([first, bare])
        failures.append([second])

        assert failures.list_lessons(LessonQuery()) == [second, bare]
        assert failures.list_lesson_versions("l1") == [first, second]
        assert failures.list_lesson_versions("nothing") == []

    @pytest.mark.parametrize("number", [-1, 0, 1, 2, 4])
    def test_a_number_that_is_not_the_next_is_refused(
        self, failures: FailureStore, number: int
    ) -> None:
        """Whether it is taken or one before it is missing; and nothing beside it is added."""
        failures.append([make_lesson(1)])
        failures.append([make_lesson(2)])

        with pytest.raises(StaleLessonError, match=f"Version {number} of lesson l1"):
            failures.append([make_lesson(1, id="l0"), make_lesson(number), make_lesson(1, id="l2")])

        assert failures.list_lessons(LessonQuery()) == [make_lesson(2)]
        assert failures.list_lesson_versions("l1") == [make_lesson(1), make_lesson(2)]
        assert failures.list_lessons(LessonQuery(text="order")) == [make_lesson(2)]

    def test_several_versions_can_be_added_at_once(self, failures: FailureStore) -> None:
        """As an import does."""
        failures.append([make_lesson(2), make_lesson(1)])

        assert failures.list_lesson_versions("l1") == [make_lesson(1), make_lesson(2)]

    def test_lessons_are_found_by_what_they_are(self, failures: FailureStore) -> None:
        """By their latest version, in the order of tool and id."""
        mine = make_lesson(id="l9", tool="a_tool")
        theirs = make_lesson(id="l3", agents=("clerk",), state=LessonState.CANDIDATE)
        late = make_lesson(id="l2", fingerprint="f2", learned_at=NOW + HOUR)
        failures.append([make_lesson(id="l9", tool="old_name"), theirs, late])
        failures.append([replace(mine, version=2)])

        def find_ids(**wanted: Any) -> list[str]:
            return [lesson.id for lesson in failures.list_lessons(LessonQuery(**wanted))]

        assert find_ids() == ["l9", "l2", "l3"]
        assert find_ids(limit=1) == ["l9"]
        assert find_ids(ids=("l3", "l9", "nothing")) == ["l9", "l3"]
        assert find_ids(tool="get_order", fingerprint="f1", tenant="home") == ["l3"]
        assert find_ids(tool="old_name") == []
        assert find_ids(state=LessonState.CANDIDATE) == ["l3"]
        assert find_ids(agent="planner") == ["l9", "l2"]
        assert find_ids(since=NOW + HOUR) == ["l2"]
        assert find_ids(fingerprint="") == []

    def test_the_closest_to_a_text_comes_first(self, failures: FailureStore) -> None:
        """The one with which it shares more words; those that share none are left out."""
        said: dict[str, Any] = {"when": "", "mistake": "", "correction": ""}
        both = make_lesson(id="l1", tool="pay", statement="The amount is in cents.", **said)
        one = make_lesson(id="l0", tool="pay", statement="The Amount, again.", **said)
        none = make_lesson(id="l2", tool="find", statement="Nothing.", **said)
        elsewhere = make_lesson(id="l3", tool="pay", tenant="b", statement="amount, cents", **said)
        failures.append([none, one, both, elsewhere])

        found = failures.list_lessons(LessonQuery(text="which AMOUNT in 'cents'?", tenant="home"))

        assert found == [both, one]
        assert failures.list_lessons(LessonQuery(text="pay_amount", tenant="home", limit=1)) == [
            one
        ]
        assert failures.list_lessons(LessonQuery(text="no such thing")) == []
        assert failures.list_lessons(LessonQuery(text="?!")) == []

    def test_the_closest_of_many_is_found_though_few_are_compared(
        self, failures: FailureStore
    ) -> None:
        """By a word that few have; beside it as many as were asked for."""
        said: dict[str, Any] = {"when": "", "mistake": "", "correction": "", "tool": "pay"}
        many = [
            make_lesson(id=f"l{n:02}", statement="The amount is refused.", **said)
            for n in range(20)
        ]
        close = make_lesson(id="l99", statement="The amount is refused: in cents.", **said)
        elsewhere = make_lesson(id="l98", statement="cents", **{**said, "tool": "find"})
        failures.append([*many, close, elsewhere])

        query = LessonQuery(text="amount refused, cents", tool="pay", tenant="home")

        assert failures.list_lessons(replace(query, compared=3)) == [close, *many[:3]]
        assert failures.list_lessons(query) == [close, *many]

    def test_words_of_an_older_version_find_nothing(self, failures: FailureStore) -> None:
        """What was reworded is found by its new words."""
        failures.append([make_lesson(1)])
        failures.append([make_lesson(2, statement="Begin with a hash.", when="", correction="")])

        assert failures.list_lessons(LessonQuery(text="hash"))
        assert failures.list_lessons(LessonQuery(text="number")) == []

    def test_a_call_counts_once_for_a_lesson(self, failures: FailureStore) -> None:
        """Whatever is said of it later; oldest first, or of these no more than the newest."""
        first, second = make_use(1), make_use(0, note=TEXT, turn=None)
        failures.use([first, second, replace(first, benefit=Benefit.HARMED)])
        failures.use([replace(second, benefit=Benefit.HARMED), make_use(1, lesson="l2")])

        assert failures.list_uses("l1") == failures.list_uses("l1", newest=9) == [second, first]
        assert failures.list_uses("l1", newest=1) == [first]
        assert failures.list_uses("l1", newest=0) == []
        assert failures.list_uses("l2") == [make_use(1, lesson="l2")]
        assert failures.list_uses("nothing") == []

    def test_a_balance_tells_turns_and_people_apart(self, failures: FailureStore) -> None:
        """Where it helped: a named principal counts once, an unnamed one not at all."""
        failures.use(
            [
                make_use(1),
                make_use(2),
                make_use(3, turn="t2", principal="ben", version=2),
                make_use(4, turn=None, principal=""),
                make_use(5, turn="t3", principal="eve", benefit=Benefit.HARMED),
                make_use(6, turn="t4", principal="eve", benefit=Benefit.HARMED),
                make_use(1, lesson="l2", benefit=Benefit.HARMED),
            ]
        )

        found = failures.read_balances(["l1", "l2", "l3"])

        assert found == {
            "l1": Balance(helped=3, harmed=1, turns=2, principals=2, uses=6),
            "l2": Balance(harmed=1, uses=1),
        }
        eves = failures.read_balances(["l1", "l2"], principal="eve")
        assert eves == {"l1": Balance(harmed=1, uses=2)}
        assert failures.read_balances(["l1"], principal="") == {"l1": Balance(helped=1, uses=1)}
        assert failures.read_balances([]) == {}

    def test_threads_lose_nothing(self, failures: FailureStore) -> None:
        """Of several that add the same version one does, and every episode counts."""

        def work(number: int) -> bool:
            failures.record([make_episode(number)])
            failures.use([make_use(number, principal="")])
            try:
                failures.append([make_lesson(1, id=f"l{number // 4}")])
            except StaleLessonError:
                return False
            return True

        with ThreadPoolExecutor(4) as threads:
            won = list(threads.map(work, range(80)))

        assert sum(won) == len(failures.list_lessons(LessonQuery())) == 20
        assert list(failures.count_episodes(since=NOW.date()).values()) == [80]
        assert failures.read_balances(["l1"])["l1"].helped == 80

    def test_what_is_kept_is_nobody_elses(self, failures: FailureStore) -> None:
        """What a caller does to its own mapping afterwards changes nothing."""
        given: dict[str, object] = {"text": "#"}
        change = Transformation(argument="id", how=How.PREFIX, given=given)
        failures.append([make_lesson(remedy=Remedy(changes=(change,)))])

        given["text"] = "!"

        [lesson] = failures.list_lessons(LessonQuery())
        assert lesson.remedy.changes[0].given == {"text": "#"}

    def test_what_is_not_json_is_refused(self, failures: FailureStore) -> None:
        """In one sentence, with nothing of it kept."""
        odd = Transformation(argument="id", how=How.CONSTANT, given={"value": {1, 2}})

        with pytest.raises(StoreError, match="Version 1 of lesson l2 cannot be kept"):
            failures.append([make_lesson(), make_lesson(id="l2", remedy=Remedy(changes=(odd,)))])

        assert failures.list_lessons(LessonQuery()) == []

    def test_tenants_share_no_lesson(self, failures: FailureStore) -> None:
        """By whatever it is asked for; no tenant is one of its own."""
        tenants = ["", "a", "a%", "A"]
        drawn = [make_lesson(id=f"l{number}", tenant=name) for number, name in enumerate(tenants)]

        failures.append(drawn)

        for lesson in drawn:
            assert failures.list_lessons(LessonQuery(tenant=lesson.tenant)) == [lesson]
            assert failures.list_lessons(LessonQuery(tenant=lesson.tenant, text="order")) == [
                lesson
            ]
        assert failures.list_lessons(LessonQuery(tenant="b")) == []

    def test_times_come_back_in_utc(self, failures: FailureStore) -> None:
        """Wherever they were said."""
        failures.append([make_lesson(learned_at=ELSEWHERE)])
        failures.use([make_use(at=ELSEWHERE)])

        [lesson] = failures.list_lessons(LessonQuery(since=ELSEWHERE))
        [use] = failures.list_uses("l1")

        assert lesson.learned_at == use.at == NOW
        assert {lesson.learned_at.utcoffset(), use.at.utcoffset()} == {timedelta()}

    def test_a_time_without_a_zone_is_refused(self, failures: FailureStore) -> None:
        """And nothing is written."""
        with pytest.raises(NaiveTimeError):
            failures.append([make_lesson(id="l1"), make_lesson(id="l2", learned_at=NAIVE)])
        with pytest.raises(NaiveTimeError):
            failures.use([make_use(1), make_use(2, at=NAIVE)])
        with pytest.raises(NaiveTimeError):
            failures.list_lessons(LessonQuery(since=NAIVE))

        assert failures.list_lessons(LessonQuery()) == []
        assert failures.list_uses("l1") == []
