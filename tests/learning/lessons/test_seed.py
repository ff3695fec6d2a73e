"""The seed corpus: generic, harmless, and of use."""

from __future__ import annotations

from mulligan.core.lesson import How
from mulligan.learning.lessons.lines import decode_lessons, encode_lessons
from mulligan.learning.lessons.probability import Outcomes, chance_of
from mulligan.learning.lessons.recall import from_memory
from mulligan.learning.lessons.seed import seed_lessons
from mulligan.learning.repair.suggest import suggestions
from tests.learning.failures import failed
from tests.learning.lessons.cases import NOW


def test_no_seed_names_a_tool_or_brings_a_value_of_its_own() -> None:
    for lesson in seed_lessons():
        assert lesson.tool == ""
        assert lesson.by == "seed"
        assert How.CONSTANT not in {each.how for each in lesson.remedy.changes}


def test_seeds_pass_the_checks_of_an_import() -> None:
    found = decode_lessons(encode_lessons(seed_lessons()), at=NOW)

    assert len(found) == len(seed_lessons()) == len({each.id for each in seed_lessons()})


def test_a_seed_helps_a_tool_nobody_has_seen() -> None:
    call = failed(
        {"source": "a.txt", "target": "archive/a.txt"},
        error="archive/a.txt: path not allowed. Provide only a file or directory name.",
    )
    memory = from_memory(seed_lessons(), chance=chance_of(Outcomes(), {}))

    (found,) = suggestions(call, sources=(memory,))

    assert found.patch.changes == {"target": "a.txt"}
    assert not found.automatic
