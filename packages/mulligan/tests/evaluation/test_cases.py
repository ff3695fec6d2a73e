from __future__ import annotations

import json
from pathlib import Path

import pytest

from mulligan.checks.file import preset
from mulligan.codec import encode_json
from mulligan.evaluation.cases import (
    Case,
    load_golden_cases,
    read_cases,
)
from mulligan.evaluation.writers import compose
from mulligan.loops.checking import run_checks_now
from mulligan.types.errors import ConfigurationError
from mulligan.types.reply import Reply


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

    lines = [encode_json(case).decode() for case in cases]
    (tmp_path / "cases.jsonl").write_text("\n".join(lines), encoding="utf-8")

    assert read_cases(tmp_path / "cases.jsonl") == cases


@pytest.mark.parametrize("line", ["{", '{"context": []}', "[]", '{"question": "?", "context": 3}'])
def test_a_line_that_is_no_case_is_named_with_an_example(tmp_path: Path, line: str) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text('{"question": "fine"}\n' + line + "\n")

    with pytest.raises(ConfigurationError, match=r"no set of cases yet: line 2: .* Write \{"):
        read_cases(file)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_cases(tmp_path / "none.jsonl")


def test_one_text_is_one_passage_and_a_typo_or_a_second_id_is_named(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text('{"question": "Why?", "context": "One text.", "topic": "any", "id": 7}\n')
    assert read_cases(file) == (Case(id="7", question="Why?", context=("One text.",)),)

    lines = ['{"id": "a", "question": "?"}', '{"id": "a", "question": "?"}', '{"question": " "}']
    lines += ['{"question": "?", "contexts": ["x"]}'] * 6
    file.write_text("\n".join(lines))
    with pytest.raises(ConfigurationError) as raised:
        read_cases(file)

    said = str(raised.value)
    assert "line 2: its id 'a' is that of line 1 too" in said
    assert "line 3: it has no question" in said
    assert "line 4: 'contexts' is no field; did you mean 'context'?" in said
    assert "and 3 lines more" in said


@pytest.mark.parametrize("mark", ["\u0085", "\u2028", "\u2029", "\x1c", "\x0b", "\x0c"])
def test_only_a_line_feed_ends_a_line(tmp_path: Path, mark: str) -> None:
    file = tmp_path / "cases.jsonl"
    asked = [f"Why{mark}so?", "And then?"]
    lines = (json.dumps({"question": each}, ensure_ascii=False) for each in asked)
    file.write_bytes("\r\n".join(lines).encode())

    assert [case.question for case in read_cases(file)] == asked


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"question": "one", "question": "two"}', "it says 'question' more than once"),
        ('{"id": 1, "question": "one", "id": 2}', "it says 'id' more than once"),
        ("[" * 100_000, "it is no JSON"),
    ],
)
def test_a_line_that_says_two_things_or_none_is_named(tmp_path: Path, line: str, why: str) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(line)

    with pytest.raises(ConfigurationError, match=f"line 1: {why}"):
        read_cases(file)
