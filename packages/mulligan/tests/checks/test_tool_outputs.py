"""What tools returned, as values, fields and records."""

from __future__ import annotations

import time

import pytest

from mulligan.checks.tool_outputs import (
    LONGEST_OUTPUT,
    MOST_LINES,
    list_texts,
    read_outline,
    read_structure,
)


def test_neither_a_cycle_nor_a_web_nor_a_shaft_keeps_a_reader_for_ever() -> None:
    cycle: list[object] = ["a"]
    cycle += [cycle, cycle]
    web: list[object] = ["b"]
    for _ in range(60):
        web = [web, web]
    shaft: object = "c"
    for _ in range(100_000):
        shaft = [shaft]

    assert [*list_texts(cycle), *list_texts(web), *list_texts(shaft)] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("a: 1\nb: x y", {"a": 1, "b": "x y"}),
        ("- id: '07'\n  on: true\n- id: 0012", [{"id": "07", "on": True}, {"id": "0012"}]),
        ("to:\n- a@b.org\n- c@d.org\ncc: []", {"to": ["a@b.org", "c@d.org"], "cc": []}),
        ("body: 'It''s\n\n  late'\nid: 3", {"body": "It's\n\nlate", "id": 3}),
        ('body: "one\\ntwo"\nid: 3', {"body": "one\ntwo", "id": 3}),
        ("note: goes on\n  and on\nid: 3", {"note": "goes on and on", "id": 3}),
        ("text: |\n  one\n  two\nid: 3", {"text": "one two", "id": 3}),
        ("- a:\n    b: null\n- 12345678901234567890", [{"a": {"b": None}}, "12345678901234567890"]),
        ("body: 'cut off\n  here", {"body": "cut off\nhere"}),
    ],
)
def test_names_values_and_lists_are_read(text: str, read: object) -> None:
    assert read_outline(text) == read


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Note: it rains",
        "A sentence.\nAnother one.",
        "a: 1\nand then some words",
        "\n".join(["- a"] * (MOST_LINES + 1)),
        "- " * 100 + "a",
    ],
)
def test_what_is_not_quite_that_is_no_outline(text: str) -> None:
    assert read_outline(text) is None


@pytest.mark.parametrize("end", ['\\"', "''"])
def test_a_quoted_text_of_many_lines_takes_as_long_as_it_is(end: str) -> None:
    line = "b" * 36 + end
    page = "- " + end[-1] + "\n".join([line] * 4_900)

    before = time.thread_time()
    read_outline(page)

    assert time.thread_time() - before < 0.5


@pytest.mark.parametrize(
    ("result", "read"),
    [
        ('{"id": "7"}', {"id": "7"}),
        ("```json\n[1, 2]\n```", [1, 2]),
        ("{'id': '7', 'note': nan}", {"id": "7", "note": None}),
        ("<<- a\n- b>>", ["a", "b"]),
        ("- id: 1\n  name: x", [{"id": 1, "name": "x"}]),
        ([{"type": "text", "text": '{"id": "7"}'}], [{"id": "7"}]),
        ({"type": "text", "text": "[1]"}, [1]),
        ("Just a sentence.", "Just a sentence."),
        ("{broken", "{broken"),
        (None, None),
    ],
)
def test_a_text_is_taken_apart_as_far_as_it_writes_fields_out(result: object, read: object) -> None:
    assert read_structure(result) == read


def test_what_is_very_long_stays_a_text() -> None:
    long = "[" + "1," * LONGEST_OUTPUT + "1]"

    assert read_structure(long) is long
