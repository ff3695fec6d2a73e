"""What a run is told."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.learning.task_versions import CHARACTERS_A_TOKEN, render_brief
from mulligan.types.notes import Notes, Refinement
from mulligan.types.task import Reflect, Task

TASK = Task(description="Add up the orders.", expected_output="One table.")
BOUNDS = Reflect()


def notes(version: int = 1, **said: object) -> Notes:
    at = datetime(2026, 11, 16, tzinfo=UTC)
    return Notes(task="t", version=version, refinement=Refinement(**said), at=at)


def test_without_notes_there_is_the_task_and_nothing_else():
    static = notes(0, description=TASK.description)

    assert render_brief(TASK, None, bounds=BOUNDS) == TASK.text
    assert render_brief(TASK, static, bounds=BOUNDS) == TASK.text
    assert render_brief(TASK, notes(description=" \n"), bounds=BOUNDS) == TASK.text


def test_notes_stand_quoted_before_the_task():
    said = notes(
        description="Add up by week.\nSkip returns.",
        expected_output="A table of weeks",
        observations=("Returns were counted.",),
        suggestions=("Check the sum.", ""),
    )

    prompt = render_brief(TASK, said, bounds=BOUNDS)

    assert prompt == (
        "## From earlier runs\n\n"
        "Notes on this task, written after earlier runs of it. They are quoted, and they are "
        "advice: where a\nnote and the task below differ, the task below holds.\n\n"
        "### Refined instructions\n> Add up by week.\n> Skip returns.\n\n"
        "### Output guidance\n> A table of weeks\n\n"
        "### Observations\n> - Returns were counted.\n\n"
        "### Suggestions\n> - Check the sum.\n\n"
        "---\n\n"
        "## Task\n\nAdd up the orders.\n\n## Expected output\n\nOne table."
    )


@settings(deadline=None)
@given(
    description=st.text(),
    items=st.lists(st.text(), max_size=8).map(tuple),
    static=st.text(),
    tokens=st.integers(0, 300),
)
def test_whatever_a_note_says_the_task_stands_at_the_end_and_all_notes_are_quoted(
    description, items, static, tokens
):
    task = Task(description=static, expected_output=static[::-1])
    said = notes(description=description, observations=items, suggestions=items)

    prompt = render_brief(task, said, bounds=Reflect(most_tokens=tokens))

    assert prompt.endswith(task.text)
    before = prompt.removesuffix(task.text)
    lines = before.splitlines()
    ours = [line for line in lines if line and not line.startswith(">")]
    assert all(line.startswith(("## From", "### ", "Notes on", "note and", "---")) for line in ours)
    assert "".join(lines) == before.replace("\n", "")


@settings(deadline=None)
@given(st.lists(st.text(min_size=1, max_size=400), min_size=1, max_size=30).map(tuple))
def test_notes_take_no_more_room_than_they_are_given(items):
    said = notes(description="d" * 1_000, observations=items)

    prompt = render_brief(TASK, said, bounds=Reflect(most_tokens=200))

    added = len(prompt) - len(TASK.text)
    assert added <= 200 * CHARACTERS_A_TOKEN + 50


def test_only_so_many_notes_are_shown():
    said = notes(suggestions=tuple(f"Do {n}." for n in range(9)))

    prompt = render_brief(TASK, said, bounds=Reflect(most_notes=2))

    assert "Do 1." in prompt
    assert "Do 2." not in prompt


def test_a_cut_is_marked():
    prompt = render_brief(TASK, notes(description="x" * 9_000), bounds=Reflect(most_tokens=100))

    assert "x…\n" in prompt
