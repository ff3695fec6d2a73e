from __future__ import annotations

from pathlib import Path

import pytest

from mulligan.checks.file import preset
from mulligan.checks.text import avoids
from mulligan.core.errors import ConfigurationError
from mulligan.core.finding import Correction
from mulligan.core.text import Reply
from mulligan.evaluation.cases import (
    Case,
    build_recorded_case,
    load_golden_cases,
    read_cases,
    write_cases,
)
from mulligan.evaluation.run import run_cases
from mulligan.evaluation.writers import build_replay_writer, compose
from mulligan.loops.checking import run_checks_now
from mulligan.loops.replies import ReplyRules, write_reply


def test_the_golden_set_has_at_least_forty_questions_each_once_and_with_context() -> None:
    cases = load_golden_cases()

    assert len(cases) >= 40
    assert len({case.id for case in cases}) == len({case.question for case in cases}) == len(cases)
    assert all(case.context and case.answer for case in cases)


@pytest.mark.parametrize("case", load_golden_cases(), ids=lambda case: case.id)
def test_the_right_answer_to_every_question_passes_every_check(case: Case) -> None:
    reply = Reply(text=compose(case, set()), query=case.question, context=case.context)

    assert run_checks_now(reply, preset("marketing")) == ([], True)


def test_cases_are_read_as_they_were_written(tmp_path: Path) -> None:
    cases = (
        Case(id="a", question="Où?", context=("ici",), recorded=("là", "ici")),
        Case(id="b", question="Who?"),
    )

    write_cases(cases, tmp_path / "cases.jsonl")

    assert read_cases(tmp_path / "cases.jsonl") == cases


@pytest.mark.parametrize("line", ["{", '{"context": []}', "[]", '{"question": "?", "context": 3}'])
def test_a_line_that_is_no_case_is_named_with_an_example(tmp_path: Path, line: str) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text('{"question": "fine"}\n' + line + "\n")

    with pytest.raises(ConfigurationError, match=r"Line 2 of .* is no case"):
        read_cases(file)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_cases(tmp_path / "none.jsonl")


async def test_what_was_really_written_becomes_a_case_that_can_be_replayed() -> None:
    texts = iter(["we delve", "we look"])

    async def write(correction: Correction | None) -> str:
        return next(texts)

    rules = ReplyRules(checks=[avoids(words=["delve"])])
    replied = await write_reply(write, rules=rules, query="How?", context=("passage",))

    case = build_recorded_case(replied, id="t1")

    assert case == Case(
        id="t1", question="How?", context=("passage",), recorded=("we delve", "we look")
    )
    (again,) = await run_cases([case], write=build_replay_writer(), rules=rules)
    assert (again.iterations, again.text) == (2, "we look")
