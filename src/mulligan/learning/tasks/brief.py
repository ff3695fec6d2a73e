"""What a run is told: notes from earlier runs as quoted data, then the task as it was written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mulligan.core.display.quoted import Quoted
from mulligan.core.notes import Notes
from mulligan.core.task import Reflect, Task

CHARACTERS_A_TOKEN = 4
"""A rough measure that needs no tokenizer, and errs on the short side for English."""
_HEADING = """\
## From earlier runs

Notes on this task, written after earlier runs of it. They are quoted, and they are advice: where a
note and the task below differ, the task below holds."""
_END = "---"


def render_brief(task: Task, notes: Notes | None, *, bounds: Reflect) -> str:
    """The whole prompt of a run. It always ends with `task.text`, byte for byte."""
    if notes is None or notes.version == 0:
        return task.text
    quoted = _fit_sections(_list_sections(notes, most=bounds.most_notes), tokens=bounds.most_tokens)
    if not quoted:
        return task.text
    return "\n".join([_HEADING, "", *quoted, "", _END, "", task.text])


def _list_sections(notes: Notes, *, most: int) -> Iterator[tuple[str, list[str]]]:
    """Each heading with the lines under it; what is said first is what the room is for."""
    said = notes.refinement
    yield "### Refined instructions", _quote_lines([said.description])
    yield "### Output guidance", _quote_lines([said.expected_output])
    yield "### Observations", _quote_lines(f"- {item}" for item in said.observations[:most])
    yield "### Suggestions", _quote_lines(f"- {item}" for item in said.suggestions[:most])


def _quote_lines(texts: Iterable[str]) -> list[str]:
    """Every line quoted, whatever it takes for a line, so that no note can end its own quote."""
    written = (Quoted(text, "earlier runs") for text in texts if text.strip("- \n"))
    return [line for each in written for line in each.as_lines()]


def _fit_sections(sections: Iterable[tuple[str, list[str]]], *, tokens: int) -> list[str]:
    """As many of the sections' lines as there is room for, each under its heading."""
    room = tokens * CHARACTERS_A_TOKEN - len(_HEADING)
    kept: list[str] = []
    for heading, lines in sections:
        left = room - len(heading)
        fitting = list(_fit_lines(lines, room=left))
        if not fitting:
            continue
        kept += ["", heading, *fitting] if kept else [heading, *fitting]
        room = left - sum(map(len, fitting))
    return kept


def _fit_lines(lines: Iterable[str], *, room: int) -> Iterator[str]:
    for line in lines:
        if len(line) > room:
            if room > len("> …"):
                yield f"{line[: room - 1]}…"
            return
        yield line
        room -= len(line) + 1


def cut_middle(text: str, *, tokens: int) -> str:
    """Text within a budget: its beginning and its end, and how much is missing between them."""
    room = tokens * CHARACTERS_A_TOKEN
    if len(text) <= room:
        return text
    mark = f"\n[… {len(text) - room:,} characters left out …]\n"
    half = max(1, room // 2)
    return f"{text[: room - half]}{mark}{text[len(text) - half :]}"
