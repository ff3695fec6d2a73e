"""What a casebook must keep to with lessons."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from mulligan.core.errors import NaiveTimeError, StaleLessonError, StoreError
from mulligan.core.failures.error_class import ErrorClass
from mulligan.core.failures.lesson import (
    Balance,
    Benefit,
    How,
    Lesson,
    LessonQuery,
    LessonState,
    Remedy,
    Transformation,
)
from mulligan.core.interfaces import Casebook, Store
from mulligan.testing.store_contract.cases import TEXT, make_episode, make_lesson, make_use
from mulligan.testing.store_contract.contract import HOUR, NOW, Contract

NAIVE = datetime(2026, 11, 16, 9, 30)  # noqa: DTZ001
ELSEWHERE = NOW.astimezone(timezone(timedelta(hours=9)))


class LessonContract(Contract):
    """Versions that are never lost, and uses that count once."""

    @pytest.fixture
    def casebook(self, store: Store) -> Casebook:
        """The casebook under test. For one without a store around it, replace this."""
        return store.casebook

    def test_a_version_comes_back_as_it_was(self, casebook: Casebook) -> None:
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

        casebook.append([first, bare])
        casebook.append([second])

        assert casebook.list_lessons(LessonQuery()) == [second, bare]
        assert casebook.list_lesson_versions("l1") == [first, second]
        assert casebook.list_lesson_versions("nothing") == []

    @pytest.mark.parametrize("number", [-1, 0, 1, 2, 4])
    def test_a_number_that_is_not_the_next_is_refused(
        self, casebook: Casebook, number: int
    ) -> None:
        """Whether it is taken or one before it is missing; and nothing beside it is added."""
        casebook.append([make_lesson(1)])
        casebook.append([make_lesson(2)])

        with pytest.raises(StaleLessonError, match=f"Version {number} of lesson l1"):
            casebook.append([make_lesson(1, id="l0"), make_lesson(number), make_lesson(1, id="l2")])

        assert casebook.list_lessons(LessonQuery()) == [make_lesson(2)]
        assert casebook.list_lesson_versions("l1") == [make_lesson(1), make_lesson(2)]
        assert casebook.list_lessons(LessonQuery(text="order")) == [make_lesson(2)]

    def test_several_versions_can_be_added_at_once(self, casebook: Casebook) -> None:
        """As an import does."""
        casebook.append([make_lesson(2), make_lesson(1)])

        assert casebook.list_lesson_versions("l1") == [make_lesson(1), make_lesson(2)]

    def test_lessons_are_found_by_what_they_are(self, casebook: Casebook) -> None:
        """By their latest version, in the order of tool and id."""
        mine = make_lesson(id="l9", tool="a_tool")
        theirs = make_lesson(id="l3", agents=("clerk",), state=LessonState.CANDIDATE)
        late = make_lesson(id="l2", fingerprint="f2", learned_at=NOW + HOUR)
        casebook.append([make_lesson(id="l9", tool="old_name"), theirs, late])
        casebook.append([replace(mine, version=2)])

        def find_ids(**wanted: Any) -> list[str]:
            return [lesson.id for lesson in casebook.list_lessons(LessonQuery(**wanted))]

        assert find_ids() == ["l9", "l2", "l3"]
        assert find_ids(limit=1) == ["l9"]
        assert find_ids(ids=("l3", "l9", "nothing")) == ["l9", "l3"]
        assert find_ids(tool="get_order", fingerprint="f1", tenant="home") == ["l3"]
        assert find_ids(tool="old_name") == []
        assert find_ids(state=LessonState.CANDIDATE) == ["l3"]
        assert find_ids(agent="planner") == ["l9", "l2"]
        assert find_ids(since=NOW + HOUR) == ["l2"]
        assert find_ids(fingerprint="") == []

    def test_the_closest_to_a_text_comes_first(self, casebook: Casebook) -> None:
        """The one with which it shares more words; those that share none are left out."""
        said: dict[str, Any] = {"when": "", "mistake": "", "correction": ""}
        both = make_lesson(id="l1", tool="pay", statement="The amount is in cents.", **said)
        one = make_lesson(id="l0", tool="pay", statement="The Amount, again.", **said)
        none = make_lesson(id="l2", tool="find", statement="Nothing.", **said)
        elsewhere = make_lesson(id="l3", tool="pay", tenant="b", statement="amount, cents", **said)
        casebook.append([none, one, both, elsewhere])

        found = casebook.list_lessons(LessonQuery(text="which AMOUNT in 'cents'?", tenant="home"))

        assert found == [both, one]
        assert casebook.list_lessons(LessonQuery(text="pay_amount", tenant="home", limit=1)) == [
            one
        ]
        assert casebook.list_lessons(LessonQuery(text="no such thing")) == []
        assert casebook.list_lessons(LessonQuery(text="?!")) == []

    def test_words_of_an_older_version_find_nothing(self, casebook: Casebook) -> None:
        """What was reworded is found by its new words."""
        casebook.append([make_lesson(1)])
        casebook.append([make_lesson(2, statement="Begin with a hash.", when="", correction="")])

        assert casebook.list_lessons(LessonQuery(text="hash"))
        assert casebook.list_lessons(LessonQuery(text="number")) == []

    def test_a_call_counts_once_for_a_lesson(self, casebook: Casebook) -> None:
        """Whatever is said of it later; oldest first, or of these no more than the newest."""
        first, second = make_use(1), make_use(0, note=TEXT, turn=None)
        casebook.use([first, second, replace(first, benefit=Benefit.HARMED)])
        casebook.use([replace(second, benefit=Benefit.HARMED), make_use(1, lesson="l2")])

        assert casebook.list_uses("l1") == casebook.list_uses("l1", newest=9) == [second, first]
        assert casebook.list_uses("l1", newest=1) == [first]
        assert casebook.list_uses("l1", newest=0) == []
        assert casebook.list_uses("l2") == [make_use(1, lesson="l2")]
        assert casebook.list_uses("nothing") == []

    def test_a_balance_tells_turns_and_people_apart(self, casebook: Casebook) -> None:
        """Where it helped; who is not named is nobody, and who is counts once."""
        casebook.use(
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

        found = casebook.read_balances(["l1", "l2", "l3"])

        assert found == {
            "l1": Balance(helped=3, harmed=1, turns=2, principals=2, uses=6),
            "l2": Balance(harmed=1, uses=1),
        }
        eves = casebook.read_balances(["l1", "l2"], principal="eve")
        assert eves == {"l1": Balance(harmed=1, uses=2)}
        assert casebook.read_balances(["l1"], principal="") == {"l1": Balance(helped=1, uses=1)}
        assert casebook.read_balances([]) == {}

    def test_threads_lose_nothing(self, casebook: Casebook) -> None:
        """Of several that add the same version one does, and every episode counts."""

        def work(number: int) -> bool:
            casebook.record([make_episode(number)])
            casebook.use([make_use(number, principal="")])
            try:
                casebook.append([make_lesson(1, id=f"l{number // 4}")])
            except StaleLessonError:
                return False
            return True

        with ThreadPoolExecutor(4) as threads:
            won = list(threads.map(work, range(80)))

        assert sum(won) == len(casebook.list_lessons(LessonQuery())) == 20
        assert list(casebook.count_episodes(since=NOW.date()).values()) == [80]
        assert casebook.read_balances(["l1"])["l1"].helped == 80

    def test_what_is_kept_is_nobody_elses(self, casebook: Casebook) -> None:
        """What a caller does to its own mapping afterwards changes nothing."""
        given: dict[str, object] = {"text": "#"}
        change = Transformation(argument="id", how=How.PREFIX, given=given)
        casebook.append([make_lesson(remedy=Remedy(changes=(change,)))])

        given["text"] = "!"

        [lesson] = casebook.list_lessons(LessonQuery())
        assert lesson.remedy.changes[0].given == {"text": "#"}

    def test_what_is_not_json_is_refused(self, casebook: Casebook) -> None:
        """In one sentence, with nothing of it kept."""
        odd = Transformation(argument="id", how=How.CONSTANT, given={"value": {1, 2}})

        with pytest.raises(StoreError, match="Version 1 of lesson l2 cannot be kept"):
            casebook.append([make_lesson(), make_lesson(id="l2", remedy=Remedy(changes=(odd,)))])

        assert casebook.list_lessons(LessonQuery()) == []

    def test_tenants_share_no_lesson(self, casebook: Casebook) -> None:
        """By whatever it is asked for; no tenant is one of its own."""
        tenants = ["", "a", "a%", "A"]
        drawn = [make_lesson(id=f"l{number}", tenant=name) for number, name in enumerate(tenants)]

        casebook.append(drawn)

        for lesson in drawn:
            assert casebook.list_lessons(LessonQuery(tenant=lesson.tenant)) == [lesson]
            assert casebook.list_lessons(LessonQuery(tenant=lesson.tenant, text="order")) == [
                lesson
            ]
        assert casebook.list_lessons(LessonQuery(tenant="b")) == []

    def test_times_come_back_in_utc(self, casebook: Casebook) -> None:
        """Wherever they were said."""
        casebook.append([make_lesson(learned_at=ELSEWHERE)])
        casebook.use([make_use(at=ELSEWHERE)])

        [lesson] = casebook.list_lessons(LessonQuery(since=ELSEWHERE))
        [use] = casebook.list_uses("l1")

        assert lesson.learned_at == use.at == NOW
        assert {lesson.learned_at.utcoffset(), use.at.utcoffset()} == {timedelta()}

    def test_a_time_without_a_zone_is_refused(self, casebook: Casebook) -> None:
        """And nothing is written."""
        with pytest.raises(NaiveTimeError):
            casebook.append([make_lesson(id="l1"), make_lesson(id="l2", learned_at=NAIVE)])
        with pytest.raises(NaiveTimeError):
            casebook.use([make_use(1), make_use(2, at=NAIVE)])
        with pytest.raises(NaiveTimeError):
            casebook.list_lessons(LessonQuery(since=NAIVE))

        assert casebook.list_lessons(LessonQuery()) == []
        assert casebook.list_uses("l1") == []
