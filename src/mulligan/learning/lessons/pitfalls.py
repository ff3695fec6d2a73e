"""What is known to go wrong with a tool, as a short section of a prompt or a tool's description."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mulligan.core.effect import Effect
from mulligan.core.escape import format_one_line
from mulligan.core.interfaces import KnownTool
from mulligan.core.lesson import Lesson, LessonState
from mulligan.core.suggestion import Pattern
from mulligan.learning.lessons.sharing import LessonReader, may_share

OPENING = (
    "When a tool call fails, Mulligan answers with what to do and with corrected arguments "
    "where it knows them: use those before anything else."
)
CHARACTERS = 4
"""Of a token, by a common rule of thumb."""
LONGEST_LINE = 240


def render_pitfalls(
    lessons: Sequence[Lesson],
    warnings: Sequence[Pattern] = (),
    *,
    tokens: int,
    link: str = "",
    tools: Sequence[KnownTool] = (),
) -> str:
    """The section in Markdown, the most frequent first, within the budget; empty: nothing to say.

    Lessons that are active count; `warnings` are failures nobody knows a remedy for. What a tool
    said is quoted as data, masked and cut. Nobody knows who will read it: of what people taught,
    only what the schemas of `tools` bear out is told, and not what the errors of others said.
    """
    readers = _build_readers(tools)
    known = sorted(
        (each for each in lessons if each.state is LessonState.ACTIVE and _may_tell(each, readers)),
        key=lambda each: (-each.seen, each.tool, each.id),
    )
    named = len({each.tool for each in known} | {each.tool for each in warnings}) > 1
    pitfalls = [_render_pitfall(each, named=named) for each in known]
    pitfalls += [_render_warning(each, named=named) for each in _sort_warnings(warnings)]
    tries = [_render_try(each, named=named) for each in known]
    if not pitfalls:
        return ""
    ending = f"More: {link}" if link else ""
    room = tokens * CHARACTERS - len(OPENING) - len(ending)
    return "\n".join(_fit_lines(pitfalls, tries, ending=ending, room=room))


def _fit_lines(
    pitfalls: Sequence[str], tries: Sequence[str], *, ending: str, room: int
) -> Iterator[str]:
    """The opening and the link always; then pitfalls and tries in turn, while there is room."""
    kept: tuple[list[str], list[str]] = ([], [])
    headings = ("\nCommon pitfalls:", "\nIf this fails, try:")
    for at in range(max(len(pitfalls), len(tries))):
        for section, lines, heading in zip(kept, (pitfalls, tries), headings, strict=True):
            if at >= len(lines):
                continue
            costs = len(lines[at]) + 1 + (0 if section else len(heading) + 1)
            if costs > room:
                continue
            section.append(lines[at])
            room -= costs
    yield OPENING
    for section, heading in zip(kept, headings, strict=True):
        if section:
            yield heading
            yield from section
    if ending:
        yield f"\n{ending}"


def _render_pitfall(lesson: Lesson, *, named: bool) -> str:
    often = f" ({lesson.seen} times)" if lesson.seen else ""
    return _render_line(f"{_render_tool(lesson.tool, named=named)}{lesson.mistake}{often}")


def _render_try(lesson: Lesson, *, named: bool) -> str:
    error = f"a `{lesson.error_class}` error" if lesson.shared else _quote_text(lesson.when)
    unless = f" Not always: {lesson.when_not}." if lesson.when_not else ""
    return _render_line(
        f"{_render_tool(lesson.tool, named=named)}on {error}: {lesson.correction}.{unless}"
    )


def _render_warning(pattern: Pattern, *, named: bool) -> str:
    often = f" ({pattern.count} times)" if pattern.count else ""
    said = _quote_text(pattern.template)
    return _render_line(
        f"{_render_tool(pattern.tool, named=named)}fails with {said}{often}; no remedy is known"
    )


def _build_readers(tools: Sequence[KnownTool]) -> dict[tuple[str, str], LessonReader]:
    reads = frozenset(each.tool for each in tools if each.effect == Effect.READ)
    return {
        (each.server, each.tool): LessonReader(schema=each.schema, reads=reads) for each in tools
    }


def _may_tell(lesson: Lesson, readers: Mapping[tuple[str, str], LessonReader]) -> bool:
    nobody = LessonReader()
    return not lesson.shared or may_share(
        lesson.remedy, readers.get((lesson.server, lesson.tool), nobody)
    )


def _sort_warnings(warnings: Sequence[Pattern]) -> list[Pattern]:
    return sorted(warnings, key=lambda each: (-each.count, each.tool, each.fingerprint))


def _render_tool(tool: str, *, named: bool) -> str:
    return f"`{format_one_line(tool, most=80)}`: " if named else ""


def _quote_text(text: str) -> str:
    plain = format_one_line(text, most=120).replace("`", "'").replace('"', "'")
    return f'"{plain}"'


def _render_line(text: str) -> str:
    return f"- {format_one_line(text, most=LONGEST_LINE)}"
