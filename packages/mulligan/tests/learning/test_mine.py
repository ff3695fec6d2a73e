"""Lessons out of episodes: the same every time, and apart where they must be."""

from __future__ import annotations

import random

from mulligan.learning.lessons import quarantine
from mulligan.learning.mining import mine
from mulligan.types.lesson import Ending, How, LessonState, Remedy
from tests.learning.cases import DAY, HASHED, NOW, calling, changing, episode, made

LOWER = changing(made("order_id", How.CASE, case="lower"))
TOUCH = calling("touch", made("name", How.FROM_ARGUMENT, of="file"))


def test_the_remedy_that_explains_most_becomes_the_first_lesson() -> None:
    episodes = [episode(n, HASHED, LOWER) for n in range(3)] + [episode(9, HASHED)]

    (lesson,) = mine(episodes, at=NOW)

    assert lesson.remedy == HASHED
    assert (lesson.seen, lesson.of) == (4, 4)
    assert lesson.agents == ("desk",)
    assert lesson.state is LessonState.CANDIDATE
    assert lesson.when == "order <value> not found"
    assert lesson.correction == "give `order_id` with '#' in front"
    assert lesson.example == ("`order_id`=<value>", "`order_id`=<prefix>")


def test_what_one_remedy_leaves_over_is_explained_by_the_next() -> None:
    episodes = [*(episode(n, HASHED) for n in range(3)), *(episode(n, LOWER) for n in (5, 6))]

    lessons = mine(episodes, at=NOW)

    assert {(each.remedy == HASHED, each.seen, each.of) for each in lessons} == {
        (True, 3, 5),
        (False, 2, 5),
    }
    assert "2 mended in another way" in next(x for x in lessons if x.remedy == HASHED).when_not


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
