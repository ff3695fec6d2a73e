"""How corrected calls are understood, what episodes teach, and what they say of lessons."""

from __future__ import annotations

import random
from typing import Any

import pytest
from msgspec.structs import replace

from mulligan.learning.lesson_file import decode_lessons, encode_lessons
from mulligan.learning.lessons import build_patch, quarantine
from mulligan.learning.mining import find_remedies, find_uses, load_seed_lessons, mine
from mulligan.learning.recall import Outcomes, build_chance, from_memory
from mulligan.learning.suggest import suggest_corrections
from mulligan.types.lesson import (
    Benefit,
    Earlier,
    Ending,
    FailedCall,
    FirstCall,
    How,
    Kind,
    Offer,
    Origin,
    Prerequisite,
    Remedy,
)
from tests.learning.cases import DAY, HASHED, NOW, calling, changing, episode, made
from tests.learning.failures import failed

MODE = {"properties": {"mode": {"type": "string", "description": "Either fast or slow."}}}


@pytest.mark.parametrize(
    ("how", "before", "after", "then", "expected"),
    [
        (How.PREFIX, {"id": "W1"}, {"id": "#W1"}, {"id": "X27"}, {"id": "#X27"}),
        (How.PREFIX, {"id": "./a"}, {"id": "a"}, {"id": "./b"}, {"id": "b"}),
        (How.SUFFIX, {"name": "memo"}, {"name": "memo/"}, {"name": "b"}, {"name": "b/"}),
        (How.CASE, {"code": "ber"}, {"code": "BER"}, {"code": "muc"}, {"code": "MUC"}),
        (How.PART, {"to": "tmp/a.csv"}, {"to": "a.csv"}, {"to": "x/y/b"}, {"to": "b"}),
        (How.PART, {"to": "tmp/a.csv"}, {"to": "tmp"}, {"to": "x/b"}, {"to": "x"}),
        (How.SCALE, {"cents": 3}, {"cents": 300}, {"cents": 12}, {"cents": 1200}),
        (How.LIST, {"tags": "a"}, {"tags": ["a"]}, {"tags": "b"}, {"tags": ["b"]}),
        (How.SCALAR, {"tag": ["a"]}, {"tag": "a"}, {"tag": ["b"]}, {"tag": "b"}),
        (How.COERCE, {"top": "3"}, {"top": 3}, {"top": "14"}, {"top": 14}),
        (How.COERCE, {"top": "60"}, {"top": 60.0}, {"top": "14"}, {"top": 14}),
        (
            How.FORMAT,
            {"day": "24/12/2026"},
            {"day": "2026-12-24"},
            {"day": "31/12/2026"},
            {"day": "2026-12-31"},
        ),
        (How.FORMAT, {"mode": "fast\u00a0"}, {"mode": "fast"}, {"mode": " slow"}, {"mode": "slow"}),
        (How.FROM_ARGUMENT, {"path": "a"}, {"folder": "a"}, {"path": "b"}, {"folder": "b"}),
        (How.DROP, {"a": True, "x": 9}, {"a": True}, {"a": False, "x": 1}, {"a": False}),
        (How.PREFIX, {"t": ["a", "b"]}, {"t": ["#a", "#b"]}, {"t": ["c"]}, {"t": ["#c"]}),
    ],
)
def test_a_change_is_understood_and_made_with_other_values(
    how: How,
    before: dict[str, Any],
    after: dict[str, Any],
    then: dict[str, Any],
    expected: dict[str, Any],
) -> None:
    found = find_remedies(failed(before, error="no"), after)

    patch = build_patch(found[0], failed(then, error="no"))

    assert how in {each.how for each in found[0].changes}
    assert patch is not None
    assert patch.apply(then) == expected


def test_a_word_of_the_schema_is_kept_as_a_constant() -> None:
    found = find_remedies(failed({"mode": "??"}, schema=MODE, error="bad"), {"mode": "fast"})

    assert [each.how for each in found[0].changes] == [How.CONSTANT]
    assert found[0].changes[0].given == {"value": "fast"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"user_id": "ann"}, {"user_id": "bob"}),
        ({"note": "hello"}, {"note": "good bye"}),
        ({"amount": 12}, {"amount": 50}),
        ({"path": "a"}, {"path": "/etc/passwd"}),
        ({"limit": 5_000}, {"limit": 1_234}),
    ],
)
def test_a_value_from_nowhere_is_never_kept(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert find_remedies(failed(before, error="no"), after) == ()


def test_letters_that_the_error_only_quotes_are_no_prefix() -> None:
    """They are this call's value, and the next one has others."""
    found = find_remedies(failed({"id": "old/7"}, error="no 'old/7' here"), {"id": "7"})

    assert {each.how for remedy in found for each in remedy.changes} == {How.PART}


def test_an_argument_that_is_given_its_default_is_no_change() -> None:
    schema = {"properties": {"all": {"type": "boolean", "default": False}}}
    call = failed({"order": "7"}, schema=schema, error="no")

    (remedy,) = find_remedies(call, {"order": "#7", "all": False})

    assert remedy == changing(made("order", How.PREFIX, text="#"))


def test_what_a_call_before_was_given_is_not_learned_as_lost() -> None:
    """The folder that was entered belongs to the lesson."""
    entered = Earlier(tool="cd", arguments={"folder": "a"})

    found = find_remedies(
        failed({"file": "a/b.txt"}, error="no"), {"file": "b.txt"}, between=[entered]
    )

    assert found
    assert all(remedy.first for remedy in found)


def test_a_number_of_the_error_is_taken_from_the_next_error() -> None:
    first = failed({"amount": 299}, error="total price is 375, but paid 299")
    then = failed({"amount": 10}, error="total price is 88, but paid 10")

    found = find_remedies(first, {"amount": 375})
    patch = build_patch(found[0], then)

    assert patch is not None
    assert patch.changes == {"amount": 88}


def test_a_looked_up_value_is_looked_up_again_before_it_is_used() -> None:
    first = failed({"origin": "Oslo"}, error="no route", tool="fly")
    found = find_remedies(
        first,
        {"origin": "OSL"},
        between=[Earlier(tool="airport", arguments={"city": "Oslo"}, result={"code": "OSL"})],
    )
    looked_up = Earlier(tool="airport", arguments={"city": "Rome"}, result={"code": "FCO"})

    before = build_patch(found[0], failed({"origin": "Rome"}, error="no route", tool="fly"))
    after = build_patch(
        found[0], failed({"origin": "Rome"}, error="no route", tool="fly", earlier=(looked_up,))
    )

    assert before is not None
    assert before.first == (FirstCall(tool="airport", arguments={"city": "Rome"}),)
    assert before.changes == {}
    assert after is not None
    assert after.first == ()
    assert after.changes == {"origin": "FCO"}


def test_each_step_of_a_cascade_is_kept() -> None:
    start = failed({"mode": "START"}, error="lock the doors", tool="start")
    between = [
        Earlier(tool="lock", arguments={"all": True}),
        Earlier(tool="start", arguments={"mode": "START"}, result="press the brake", failed=True),
        Earlier(tool="brake", arguments={"position": 1.0}),
    ]

    found = find_remedies(start, {"mode": "START"}, between=between)

    assert {tuple(call.tool for call in each.first) for each in found} == {("lock", "brake")}


def test_a_step_that_changed_nothing_is_left_out() -> None:
    start = failed({"mode": "START"}, error="press the brake", tool="start")
    between = [
        Earlier(tool="honk", arguments={}),
        Earlier(tool="start", arguments={"mode": "START"}, result="press the brake", failed=True),
        Earlier(tool="brake", arguments={"position": 1}),
    ]

    found = find_remedies(start, {"mode": "START"}, between=between)

    assert {tuple(call.tool for call in each.first) for each in found} == {("brake",)}


def test_a_long_struggle_is_looked_at_from_its_end() -> None:
    start = failed({"mode": "START"}, error="no 0", tool="start")
    between = [
        made
        for number in range(1, 200)
        for made in (
            *(Earlier(tool=f"try_{number}_{part}", arguments={"n": 1}) for part in range(5)),
            Earlier(tool="start", arguments={}, result=f"no {number}", failed=True),
        )
    ]
    last = Earlier(tool="brake", arguments={"position": 1})

    found = find_remedies(start, {"mode": "START"}, between=[*between, last])

    assert 0 < len(found) <= 40
    assert all(each.first[-1].tool == "brake" for each in found)


LOWER = changing(made("order_id", How.CASE, case="lower"))


TOUCH = calling("touch", made("name", How.FROM_ARGUMENT, of="file"))


def test_the_order_of_the_episodes_does_not_matter() -> None:
    episodes = [episode(n, HASHED, LOWER) for n in range(4)] + [episode(8, LOWER, HASHED)]
    shuffled = random.Random(7).sample(episodes, k=len(episodes))

    assert mine(shuffled, at=NOW) == mine(episodes, at=NOW)


def test_tenants_and_schemas_are_learned_apart() -> None:
    episodes = [
        episode(1, HASHED, tenant="a"),
        episode(2, HASHED, tenant="b"),
        episode(3, HASHED, tenant="a", schema_hash="s2"),
    ]

    lessons = mine(episodes, at=NOW)

    assert sorted((each.tenant, each.schema_hash, each.seen) for each in lessons) == [
        ("a", "s1", 1),
        ("a", "s2", 1),
        ("b", "s1", 1),
    ]


def test_failures_that_were_not_repaired_teach_no_remedy() -> None:
    episodes = [episode(n, HASHED, ending=Ending.UNDONE) for n in range(5)]

    assert mine(episodes, at=NOW) == []


def test_more_evidence_makes_a_new_version_and_none_makes_none() -> None:
    first = mine([episode(1, HASHED)], at=NOW)
    more = [episode(1, HASHED), episode(2, HASHED)]

    second = mine(more, known=first, at=NOW + DAY)

    assert [(each.id, each.version, each.seen) for each in second] == [(first[0].id, 2, 2)]
    assert mine(more, known=second, at=NOW + DAY) == []


def test_a_quarantined_lesson_is_not_learned_anew() -> None:
    (lesson,) = mine([episode(1, HASHED)], at=NOW)
    doubted = quarantine(lesson, by="ann", at=NOW)

    again = mine([episode(n, HASHED) for n in range(9)], known=[doubted], at=NOW + DAY)

    assert again == []


def test_errors_in_the_same_words_teach_about_every_tool_with_the_same_argument() -> None:
    said = "<value>: no such file or directory"
    episodes = [
        episode(n, TOUCH, tool=tool, fingerprint=f"1:{tool}", template=f"{tool}: {said}")
        for n, tool in enumerate(("cat", "tail"))
    ]

    general = [each for each in mine(episodes, at=NOW) if not each.tool]

    assert [each.seen for each in general] == [2]
    assert general[0].remedy == TOUCH


def test_arguments_of_two_names_teach_nothing_about_every_tool() -> None:
    said = "<value>: no such file or directory"
    remedies = {"cat": TOUCH, "tail": calling("touch", made("name", How.FROM_ARGUMENT, of="path"))}
    episodes = [
        episode(n, remedies[tool], tool=tool, fingerprint=f"1:{tool}", template=f"{tool}: {said}")
        for n, tool in enumerate(remedies)
    ]

    assert all(each.tool for each in mine(episodes, at=NOW))


@pytest.mark.parametrize("times", [2, 3])
def test_one_tool_teaches_the_others_what_a_call_takes_over_from_an_argument(times: int) -> None:
    """Three sources do, fewer do not; and a call that takes nothing over stays with its tool."""
    cut = made("file", How.PART, sign="/", at=-1)
    folder = made("folder", How.PART, of="file", sign="/", at=0)
    enter = Remedy(changes=(cut,), first=(Prerequisite(tool="cd", arguments=(folder,)),))
    said = "cat: <path>: no such file or directory"

    lessons = mine([episode(n, enter, tool="cat", template=said) for n in range(times)], at=NOW)
    others = mine([episode(n, TOUCH, tool="cat", template=said) for n in range(times)], at=NOW)

    assert [each.seen for each in lessons if not each.tool] == [3] * (times // 3)
    assert all(each.tool for each in others)


def test_a_new_name_needs_no_call_that_happened_to_be_made_before() -> None:
    renamed = changing(made("folder", How.FROM_ARGUMENT, of="path"), made("path", How.DROP))
    after_looking = Remedy(changes=renamed.changes, first=calling("pwd").first)

    (lesson,) = mine([episode(1, renamed, after_looking)], at=NOW)

    assert lesson.remedy == renamed


def test_a_call_that_was_once_enough_alone_is_kept_without_the_others() -> None:
    alone = calling("log_in")
    whole = Remedy(first=(*calling("ls").first, *alone.first))
    episodes = [episode(1, alone, calling("ls"), whole), episode(2, alone), episode(3, alone)]

    lessons = mine(episodes, at=NOW)

    assert lessons[0].remedy == alone


def test_one_person_speaks_once_however_often_they_failed() -> None:
    loud = [episode(n, LOWER, principal="eve") for n in range(50)]
    honest = [episode(n, HASHED, principal=f"p{n}") for n in range(100, 103)]

    lessons = {each.remedy == HASHED: each for each in mine([*loud, *honest], at=NOW)}

    assert (lessons[True].seen, lessons[True].of, lessons[True].met) == (3, 4, 4)
    assert (lessons[False].seen, lessons[False].shared) == (1, True)


def test_what_nobody_named_has_taught_is_shared_with_nobody_in_particular() -> None:
    (lesson,) = mine([episode(n, HASHED, principal="") for n in range(3)], at=NOW)

    assert (lesson.seen, lesson.shared) == (3, False)


(LESSON,) = mine([episode(1, HASHED)], at=NOW)


OFFER = Offer(
    source=Origin.MEMORY, kinds=(Kind.REFORMAT,), probability=0.9, n=3, lesson=LESSON.id, taken=True
)


def test_an_agents_own_fix_counts_as_a_use() -> None:
    (use,) = find_uses([episode(5, HASHED)], [LESSON])

    assert (use.lesson, use.call, use.benefit) == (LESSON.id, "call-5", Benefit.HELPED)
    assert (use.principal, use.turn) == ("ann-5", "turn-5")


def test_what_nobody_verified_speaks_for_nothing() -> None:
    assert find_uses([episode(5, HASHED, verified=False)], [LESSON]) == []
    assert find_uses([episode(5, HASHED, ending=Ending.LEFT)], [LESSON]) == []


def test_what_was_taken_back_speaks_against_a_lesson() -> None:
    (use,) = find_uses([episode(5, HASHED, ending=Ending.UNDONE)], [LESSON])

    assert use.benefit is Benefit.HARMED


def test_a_suggestion_that_did_not_help_harmed_although_the_agent_went_on() -> None:
    taken = episode(5, LOWER, offer=replace(OFFER, helped=False))

    (use,) = find_uses([taken], [LESSON])

    assert (use.benefit, use.note) == (Benefit.HARMED, "suggested")


def test_another_tenant_tool_pattern_or_remedy_is_another_matter() -> None:
    others = [
        episode(1, HASHED, tenant="b"),
        episode(2, HASHED, tool="get_item"),
        episode(3, HASHED, fingerprint="1:g"),
        episode(4, LOWER),
    ]

    assert find_uses(others, [LESSON]) == []


def test_no_seed_names_a_tool_or_brings_a_value_of_its_own() -> None:
    for lesson in load_seed_lessons():
        assert lesson.tool == ""
        assert lesson.by == "seed"
        assert How.CONSTANT not in {each.how for each in lesson.remedy.changes}


def test_seeds_pass_the_checks_of_an_import() -> None:
    found = decode_lessons(encode_lessons(load_seed_lessons()), at=NOW)

    assert len(found) == len(load_seed_lessons()) == len({each.id for each in load_seed_lessons()})


def suggested(call: FailedCall) -> list[dict[str, object]]:
    memory = from_memory(load_seed_lessons(), chance=build_chance(Outcomes(), {}))
    found = suggest_corrections(call, sources=(memory,))
    assert not any(each.automatic for each in found)
    return [dict(each.patch.changes) for each in found]


def test_a_seed_helps_a_tool_nobody_has_seen() -> None:
    call = failed(
        {"currency": "eur", "note": "eur"},
        error="currency must be upper case, a code in capital letters was expected",
    )

    assert suggested(call) == [{"currency": "EUR"}]


def test_a_seed_says_nothing_of_an_argument_that_the_error_does_not_name() -> None:
    call = failed(
        {"currency": "eur"}, error="must be upper case, a code in capital letters was expected"
    )

    assert suggested(call) == []
