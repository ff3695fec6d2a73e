"""What a reflection may not do: drop what the task requires, or pose as anything but a note.

Judged is what a line does to the task, and not the words in it: "ignore cancelled orders" is about
orders. Such a line is left out, and the rest may be tried. This is a net, and not the wall. The
wall is that notes are quoted, that the task itself always follows them unchanged, and that a
version that makes runs worse loses its place. Of a language it knows what its tables tell
(`ProsePhrases`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from mulligan.types.display import escape, format_one_line
from mulligan.types.finding import Finding, Severity
from mulligan.types.notes import Refinement
from mulligan.types.task import Task
from mulligan_dates.languages import list_prose

LONGEST = 4_000
"""Characters of a refined description or expected output, or twice the static text if that is more:
instructions are to get shorter and clearer."""
MOST_ITEMS = 20
LONGEST_ITEM = 500

SPEAKS_AS = re.compile(
    r"<\|.{0,40}?\|>|\[/?INST\]|<<SYS>>|</?\s*(?:system|assistant|user|instructions?|tool)\b[^>]{0,99}>"
    r"|(?:^|[.!?]\s)\W{0,6}(?:system|assistant|user|developer|tool)\W{0,4}:"
    r"|^\s{0,3}#{1,6}\s|^\s{0,3}(?:-{3,}|={3,}|\*{3,})\s*$|```|~~~",
    re.IGNORECASE,
)
ADDRESS = re.compile(
    r"\b(?:https?|ftp|file|data|javascript):\S+|\bwww\.\S+"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]+\.[\w.-]+|\b(?:\d{1,3}\.){3}\d{1,3}\b",
    re.IGNORECASE,
)
REQUIRED = re.compile(
    r"`([^`]+)`|\"([^\"]+)\"|“([^“”]++)”|(\d++(?:[.,]\d++)*+)|\b([A-Z]{2}[A-Za-z0-9]*+)\b"
)
"""What can be checked of an expected output: what it quotes, its numbers, its acronyms."""


class Proposed(Struct, frozen=True, kw_only=True):
    """A refinement beside the task that it is for."""

    task: Task
    refinement: Refinement


class Screened(Struct, frozen=True, kw_only=True):
    """What is left of a refinement, and what was left out of it."""

    kept: Refinement | None
    """`None`: nothing that may be tried."""
    findings: tuple[Finding, ...]
    """Each names the line it is about."""


def screen(proposed: Proposed) -> Screened:
    """Leave out every line that may not reach a run, and say which and why."""
    said = proposed.refinement
    if not _is_readable(said):
        issue = "The reflection is not a Refinement of plain text."
        return Screened(kept=None, findings=(_build_error("notes.unreadable", issue),))
    found: list[Finding] = []
    task = proposed.task
    kept = Refinement(
        description=_screen_text(
            said.description,
            "description",
            longest=_limit_length(task.description),
            task=task,
            found=found,
        ),
        expected_output=_screen_output(proposed, found),
        observations=_screen_items(said.observations, "observation", task=task, found=found),
        suggestions=_screen_items(said.suggestions, "suggestion", task=task, found=found),
    )
    if kept == Refinement():
        if not found:
            found.append(_build_error("notes.empty", "The reflection says nothing."))
        return Screened(kept=None, findings=tuple(found))
    return Screened(kept=kept, findings=tuple(found))


def _screen_output(proposed: Proposed, found: list[Finding]) -> str:
    """The refined output: without what it has to ask for, none of it is kept."""
    task = proposed.task
    kept = _screen_text(
        proposed.refinement.expected_output,
        "expected output",
        longest=_limit_length(task.expected_output),
        task=task,
        found=found,
    )
    lost = list(_check_contract(replace(proposed.refinement, expected_output=kept), task))
    found += lost
    return "" if lost else kept


def _screen_items(
    items: tuple[str, ...], name: str, *, task: Task, found: list[Finding]
) -> tuple[str, ...]:
    if len(items) > MOST_ITEMS:
        issue = f"Only the first {MOST_ITEMS} of {len(items)} {name}s are read."
        found.append(_build_error("notes.too_long", issue))
    kept = [
        _screen_text(item, f"{name} {number}", longest=LONGEST_ITEM, task=task, found=found)
        for number, item in enumerate(items[:MOST_ITEMS], start=1)
    ]
    return tuple(item for item in kept if item)


def _screen_text(text: str, where: str, *, longest: int, task: Task, found: list[Finding]) -> str:
    """The lines of a text that may be tried."""
    if len(text) > longest:
        issue = f"The {where} is too long for a run to read: {len(text):,} characters."
        found.append(_build_error("notes.too_long", issue))
        return ""
    if not text.strip():
        return ""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    # A sentence may be broken over lines to get past a look at each: then none of them is kept.
    if len(lines) > 1 and _overrides(" ".join(lines)):
        broken = not any(_overrides(line) for line in lines)
        if broken:
            found += _name_line([_OVERRIDING], where, " ".join(lines))
            return ""
    kept = []
    for line in lines:
        wrong = list(_check_line(line, task))
        found += _name_line(wrong, where, line)
        kept += [] if wrong else [line]
    return "\n".join(kept).strip("\n") if any(line.strip() for line in kept) else ""


def _name_line(wrong: list[tuple[str, str]], where: str, line: str) -> Iterator[Finding]:
    for rule, issue in wrong:
        yield _build_error(rule, f"The {where} {issue}: “{format_one_line(line, most=80)}”.")


def _limit_length(static: str) -> int:
    return max(LONGEST, 2 * len(static))


def _check_line(line: str, task: Task) -> Iterator[tuple[str, str]]:
    if escape(line) != line:
        yield "notes.hidden_text", "holds characters that hide text"
    known = task.text.casefold()
    if any(found.casefold() not in known for found in ADDRESS.findall(line)):
        yield "notes.new_address", "names an address that the task does not"
    for says, rule, issue in _SPOKEN:
        if says(line):
            yield rule, issue


def _check_contract(refinement: Refinement, task: Task) -> Iterator[Finding]:
    """A tighter output format may say more than the task's, never less."""
    refined = refinement.expected_output.casefold()
    if not refined.strip():
        return
    for required in _list_requirements(task.expected_output):
        if required.casefold() not in refined:
            yield _build_error(
                "notes.drops_contract",
                f"The refined output no longer asks for {required!r}, and the task does.",
            )


def _list_requirements(text: str) -> Iterator[str]:
    for found in REQUIRED.finditer(text):
        yield next(group for group in found.groups() if group is not None)


def _overrides(text: str) -> bool:
    return any(each.overrides.search(text) for each in list_prose())


def _poses(text: str) -> bool:
    return any(each.poses.search(text) for each in list_prose()) or bool(SPEAKS_AS.search(text))


def _hands_out(text: str) -> bool:
    return any(each.hands_out.search(text) for each in list_prose())


_OVERRIDING = ("notes.overrides_task", "sets itself above the task")
_SPOKEN: tuple[tuple[Callable[[str], bool], str, str], ...] = (
    (_overrides, *_OVERRIDING),
    (_poses, "notes.poses", "poses as something other than a note"),
    (_hands_out, "notes.hands_out", "asks for secrets"),
)


def _is_readable(said: object) -> bool:
    """A strategy is foreign code: its output is validated."""
    if not isinstance(said, Refinement):
        return False
    lists: tuple[object, ...] = (said.observations, said.suggestions)
    texts: list[object] = [said.description, said.expected_output]
    for items in lists:
        if not isinstance(items, tuple):
            return False
        texts += items
    return all(isinstance(text, str) for text in texts)


def _build_error(rule: str, issue: str) -> Finding:
    return Finding(rule=rule, severity=Severity.ERROR, issue=issue)
