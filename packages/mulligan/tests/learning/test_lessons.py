"""A lesson: what it is drawn from, where it stands, what it says and which patch it makes."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mulligan.learning.lessons import (
    KINDS,
    MAKING,
    RULES,
    SUBJECT,
    approve,
    build_patch,
    build_suggestion,
    describe_correction,
    describe_exceptions,
    describe_lesson,
    describe_mistake,
    find_count_start,
    is_general,
    judge_life,
    quarantine,
    specialise,
)
from mulligan.types.lesson import (
    Balance,
    Benefit,
    Earlier,
    Ending,
    FirstCall,
    How,
    LessonState,
    Patch,
    Prerequisite,
    Remedy,
    Transformation,
    Use,
    compute_balance,
)
from tests.learning.cases import DAY, HASHED, NOW, calling, changing, episode, lesson, made
from tests.learning.failures import failed

ACTIVE = lesson(state=LessonState.ACTIVE)


@pytest.mark.parametrize(
    ("balance", "people", "state"),
    [
        (Balance(helped=3, turns=2), None, LessonState.ACTIVE),
        (Balance(helped=6, turns=6, principals=1), None, None),
        (Balance(helped=3, turns=2, principals=3), 3, LessonState.ACTIVE),
        (Balance(helped=3, turns=2, principals=3), 8, LessonState.ACTIVE),
        (Balance(helped=3, turns=2, principals=3), 9, None),
        (Balance(helped=10, turns=10, principals=10), 30, None),
        (Balance(helped=20, turns=20, principals=20), 3_000, LessonState.ACTIVE),
        (Balance(helped=3, turns=3, principals=2), 3, None),
        (Balance(helped=3, turns=1, principals=3), None, None),
        (Balance(helped=2, turns=2, principals=2), None, None),
        (Balance(helped=9, turns=9, harmed=1), None, None),
        (Balance(helped=90, turns=60, harmed=1), None, LessonState.ACTIVE),
        (Balance(helped=3, turns=3, harmed=2), None, LessonState.QUARANTINED),
        (Balance(helped=500, turns=500, principals=5, harmed=2), 5, LessonState.QUARANTINED),
    ],
)
def test_a_candidate_is_judged_by_its_uses(balance, people, state) -> None:
    found = judge_life(lesson(), balance, now=NOW, people=people)

    assert (None if found is None else found.state) is state


@pytest.mark.parametrize(("met", "state"), [(7, LessonState.ACTIVE), (8, None)])
def test_most_of_those_who_met_a_failure_must_have_repaired_it_so(met, state) -> None:
    balance = Balance(helped=4, turns=4, principals=4)

    found = judge_life(lesson(met=met), balance, now=NOW, people=8)

    assert (None if found is None else found.state) is state


def test_an_active_lesson_is_quarantined_after_two_harms() -> None:
    assert judge_life(ACTIVE, Balance(helped=5, turns=5, harmed=1), now=NOW) is None

    found = judge_life(ACTIVE, Balance(helped=5, turns=5, harmed=2), now=NOW)

    assert found is not None
    assert found.state is LessonState.QUARANTINED
    assert found.version == ACTIVE.version + 1
    assert found.why == "it harmed 2 times and helped 5 times"


def test_a_changed_schema_sends_a_lesson_back() -> None:
    found = judge_life(ACTIVE, Balance(helped=9, turns=9), now=NOW, schema_hash="s2")

    assert found is not None
    assert (found.state, found.schema_hash) == (LessonState.CANDIDATE, "s2")


def test_after_a_changed_schema_only_later_uses_count() -> None:
    back = judge_life(ACTIVE, Balance(), now=NOW + DAY, schema_hash="s2")
    assert back is not None
    uses = [use(n, NOW + timedelta(hours=n)) for n in range(10)]

    balance = compute_balance(uses, since=find_count_start([ACTIVE, back]))

    assert balance == Balance()
    assert judge_life(back, balance, now=NOW + DAY, schema_hash="s2") is None


def test_what_nothing_needs_for_long_is_retired() -> None:
    later = NOW + RULES.quiet + DAY

    found = judge_life(ACTIVE, Balance(helped=9, turns=9), now=later)
    needed = judge_life(ACTIVE, Balance(helped=9, turns=9), now=later, last_needed=later - DAY)

    assert found is not None
    assert found.state is LessonState.RETIRED
    assert needed is None


def test_a_persons_word_starts_the_count_anew_but_later_harm_still_counts() -> None:
    doubted = quarantine(ACTIVE, by="evidence", at=NOW)
    again = approve(doubted, by="ann", at=NOW + DAY)
    since = find_count_start([ACTIVE, doubted, again])
    before = [use(n, NOW, Benefit.HARMED) for n in (1, 2)]
    after = [use(n, NOW + 2 * DAY, Benefit.HARMED) for n in (3, 4)]

    kept = judge_life(again, compute_balance(before, since=since), now=NOW + DAY)
    lost = judge_life(again, compute_balance(before + after, since=since), now=NOW + 2 * DAY)

    assert kept is None
    assert lost is not None
    assert lost.state is LessonState.QUARANTINED


def use(number: int, at: object, benefit: Benefit = Benefit.HELPED) -> Use:
    return Use(
        lesson="lesson-1",
        version=1,
        call=f"call-{number}",
        at=at,  # type: ignore[arg-type]
        turn=f"turn-{number}",
        principal=f"person-{number}",
        benefit=benefit,
    )


def test_every_way_to_make_a_value_has_a_kind() -> None:
    assert set(KINDS) == set(How)


@pytest.mark.parametrize(
    ("remedy", "arguments"),
    [
        (HASHED, {}),
        (changing(made("limit", How.CONSTANT, value=3)), {"limit": 3}),
        (changing(made("limit", How.DROP)), {"order_id": "W9"}),
        (Remedy(), {"order_id": "W9"}),
    ],
)
def test_a_remedy_that_would_change_nothing_says_nothing(remedy, arguments) -> None:
    assert build_patch(remedy, failed(arguments)) is None


def test_a_call_that_was_just_made_in_vain_is_not_asked_for_again() -> None:
    remedy = calling("log_in")
    done = Earlier(tool="log_in", result="ok")
    again = Earlier(tool="find_order", failed=True)

    assert build_patch(remedy, failed({})) == Patch(first=(FirstCall(tool="log_in", arguments={}),))
    assert build_patch(remedy, failed({}, earlier=[done])) is None
    assert build_patch(remedy, failed({}, earlier=[done, again])) is not None


def test_one_failure_teaches_nobody_to_call_first_what_may_change_something() -> None:
    once, twice = (lesson(remedy=calling("delete_account"), seen=seen) for seen in (1, 2))

    assert build_suggestion(once, failed({"order_id": "W9"})) is None
    assert build_suggestion(twice, failed({"order_id": "W9"})) is not None


SIGN = Transformation(argument="order_id", how=How.PREFIX, given={"text": "#"})


DROP = Transformation(argument="limit", how=How.DROP)


SPOKEN = Remedy(changes=(SIGN, DROP), first=(Prerequisite(tool="log_in"),))


def test_every_way_to_make_a_value_has_words() -> None:
    assert set(MAKING) == set(How)
    assert all(phrase({}) for phrase in MAKING.values())


def test_a_lesson_is_one_sentence() -> None:
    assert describe_lesson(SPOKEN, tool="find", template="no <value>") == (
        "When `find` fails with 'no <value>', call `log_in` first, "
        "give `order_id` with '#' in front, leave `limit` out."
    )
    assert describe_correction("find", Remedy()) == "call `find` again as it was"


def test_a_mistake_is_what_was_not_done() -> None:
    assert describe_mistake(SPOKEN) == (
        "`log_in` was not called before, `order_id` is not right, `limit` is given"
    )
    assert describe_mistake(Remedy()) == "none: a retry succeeds"


@pytest.mark.parametrize(
    ("endings", "told"),
    [
        ([], ""),
        (
            [Ending.FAILED, Ending.LEFT, Ending.UNDONE],
            "2 never repaired, 1 repaired and undone",
        ),
        ([Ending.REPAIRED], "1 repaired in another way"),
    ],
)
def test_what_was_not_repaired_is_told_apart(endings: list[Ending], told: str) -> None:
    others = [episode(n, ending=ending) for n, ending in enumerate(endings)]

    assert describe_exceptions(SPOKEN, others).startswith(told)


def prefixed(argument: str, how: How = How.PREFIX, **given: object) -> Transformation:
    return Transformation(argument=argument, how=how, given=given or {"text": "#", "of": argument})


def test_a_curated_remedy_gets_the_name_of_what_the_error_is_about() -> None:
    curated = Remedy(changes=(prefixed(SUBJECT),))

    assert specialise(curated, failed({"code": "W1"}), about=["code"]) == Remedy(
        changes=(prefixed("code"),)
    )
    assert specialise(curated, failed({"code": "W1"}), about=[]) is None


@pytest.mark.parametrize(
    ("remedy", "general"),
    [
        (Remedy(changes=(prefixed("a"),)), True),
        (Remedy(changes=(prefixed("a"), prefixed("b", How.SUFFIX, text="!", of="b"))), True),
        (Remedy(), False),
        (Remedy(changes=(prefixed("a", How.FROM_ARGUMENT, of="b"),)), False),
        (Remedy(changes=(prefixed("a", How.PREFIX, text="#", of="b"),)), False),
        (Remedy(changes=(prefixed("a", How.DROP, of="a"),)), False),
        (Remedy(first=(Prerequisite(tool="log_in"),)), False),
        (Remedy(first=(Prerequisite(tool="look", arguments=(prefixed("x", of="a"),)),)), True),
    ],
)
def test_general_is_what_speaks_of_its_own_arguments_and_leaves_none_out(remedy, general) -> None:
    assert is_general(remedy) is general
