"""The seed corpus: generic, harmless, and of use."""

from __future__ import annotations

from mulligan.learning.lesson_file import decode_lessons, encode_lessons
from mulligan.learning.mining import load_seed_lessons
from mulligan.learning.recall import Outcomes, build_chance, from_memory
from mulligan.learning.suggest import suggest_corrections
from mulligan.types.lesson import FailedCall, How
from tests.learning.cases import NOW
from tests.learning.failures import failed


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
