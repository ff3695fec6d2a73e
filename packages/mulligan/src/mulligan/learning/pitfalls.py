"""Known pitfalls of a tool, as a short section of a prompt or a tool's description."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from mulligan.learning.lessons import MAKING, may_tell_first
from mulligan.learning.recall import LessonReader, may_share
from mulligan.learning.scope import asks_for_other
from mulligan.learning.validation_errors import Complaint, ComplaintKind, parse_complaints
from mulligan.types.display import NAME, format_one_line, quote_name
from mulligan.types.effect import Effect
from mulligan.types.failure import Advice, ArgumentFault, ErrorClass
from mulligan.types.interfaces import KnownTool
from mulligan.types.lesson import (
    How,
    Lesson,
    LessonState,
    Pattern,
    Remedy,
    Transformation,
    shorten_pattern,
)
from mulligan.types.log import PatternSeen
from mulligan.types.values import read_label

MASKED = "<"
"""The start of a mask: a masked value is no rule for other calls."""
MOST_VALUES = 8
MOST_RULES = 3
_LONGEST_STATED = 40

Rules = Mapping[str, str]
"""Rules by argument: `{"topK": "at most 10"}`."""


def read_rules(template: str, *, names: Collection[str]) -> Rules:
    """The rules in an error's masked text, of the arguments that a tool has.

    A template is in lower case: an argument gets its spelling from `names`. Without any, everything
    that can be a name counts as one.
    """
    spelled = {name.casefold(): name for name in names}
    found: dict[str, dict[ComplaintKind, tuple[str, ...]]] = {}
    for complaint in parse_complaints(template):
        name = _find_argument(complaint, spelled)
        if name and not any(MASKED in each for each in complaint.wanted):
            found.setdefault(name, {})[complaint.about] = complaint.wanted
    rules = {name: _describe_wanted(said) for name, said in found.items()}
    return {name: rule for name, rule in list(rules.items())[:MOST_RULES] if rule}


def describe_demands(remedy: Remedy, rules: Rules) -> str:
    """What a tool expects, from its repaired failures and the rules in its errors."""
    parts = [f"it wants {quote_name(each.tool)} called first" for each in remedy.first]
    told = {each.argument: _describe_demand(each, rules) for each in remedy.changes}
    others = {name: rule for name, rule in rules.items() if name not in told}
    wanted = {name: rule for name, rule in {**told, **others}.items() if rule}
    parts += [f"{quote_name(name)} must be {rule}" for name, rule in wanted.items()]
    return ", ".join(parts)


def _describe_demand(made: Transformation, rules: Rules) -> str:
    """The rule for an argument: as its error states it, else as it was repaired."""
    if made.how is How.DROP:
        return "left out"
    stated = rules.get(made.argument, "")
    if made.how in (How.OPEN, How.FROM_ERROR) or (stated and made.how is How.CONSTANT):
        return stated
    making = f"given {MAKING[made.how](made.given)}"
    return f"{making}, {stated}" if stated else making


def _find_argument(complaint: Complaint, spelled: Mapping[str, str]) -> str:
    """The argument that a complaint is about, in its own spelling; empty: not of this tool."""
    name = complaint.subject.rpartition(".")[2]
    known = spelled.get(complaint.subject.casefold()) or spelled.get(name.casefold())
    own = name if NAME.fullmatch(name) else ""
    if complaint.about is ComplaintKind.UNEXPECTED:
        # "Invalid parameter: limit must be …" calls no argument unexpected that there is.
        return "" if known else own
    return known or ("" if spelled else own)


def _describe_wanted(said: Mapping[ComplaintKind, tuple[str, ...]]) -> str:
    """All rules of one argument, in a few words."""
    least, most = said.get(ComplaintKind.LEAST), said.get(ComplaintKind.MOST)
    parts = []
    if least and most:
        parts.append(f"from {_quote(least[0])} to {_quote(most[0])}")
    elif most or least:
        word, bound = ("at most", most) if most else ("at least", least)
        parts.append(f"{word} {_quote((bound or ('',))[0])}")
    for kind, all_wanted in said.items():
        wanted = [_quote(each) for each in all_wanted[:MOST_VALUES]]
        match kind:
            case ComplaintKind.MISSING:
                parts.append("given")
            case ComplaintKind.UNEXPECTED if not parts:
                parts.append("left out: the tool has no such argument")
            case ComplaintKind.DOMAIN:
                more = ", …" if len(all_wanted) > MOST_VALUES else ""
                parts.append(f"one of {', '.join(wanted)}{more}")
            case ComplaintKind.TYPE if wanted:
                parts.append(f"of type {wanted[0]}")
            case ComplaintKind.FORM if wanted and "%" not in wanted[0]:
                # A template is in lower case, and `%y` is not `%Y`.
                parts.append(f"written {wanted[0].upper()}")
            case _:
                pass
    return ", ".join(parts)


def _quote(text: str) -> str:
    """A word of an error: one line, with nothing that could end our sentence."""
    return format_one_line(text, most=_LONGEST_STATED).replace("`", "'").replace('"', "'")


OPENING = (
    "When a tool call fails, Mulligan answers with what to do and with corrected arguments "
    "where it knows them: use those before anything else."
)
CHARACTERS = 4
"""Characters of a token, by a common rule of thumb."""
LONGEST_LINE = 240
LEAST_WARNED = 3
"""Failures of one pattern before agents are warned about it."""
MOST_AGENTS = 3
"""Agents that are named in one line."""

VAGUE = (How.FROM_ERROR, How.OPEN)
"""Transformations that need an error to read."""

_FAULTS = {
    ArgumentFault.SHAPE: "Its arguments were refused.",
    ArgumentFault.VALUE: "The named object does not exist.",
}
_AGENT = re.compile(r"[\w.()~-]{1,40}")
_MASK = re.compile(r"<\w+>(?:[\s,]*<\w+>)*")

Readers = Mapping[tuple[str, str], LessonReader]


class Pitfall(Struct, frozen=True, kw_only=True):
    """One pitfall: tool, frequency and text."""

    tool: str
    count: int
    text: str
    remedy: str = ""
    """What to try after the failure; empty where none is proven."""


def render_pitfalls(
    lessons: Sequence[Lesson],
    seen: Sequence[PatternSeen] = (),
    *,
    tokens: int,
    link: str = "",
    tools: Sequence[KnownTool] = (),
    quoting: bool = True,
    named: bool = False,
) -> str:
    """The section in Markdown, the most frequent first, within the budget; empty: no pitfalls.

    Active lessons count. `seen`: recent failures with count, date and agents; those without a known
    remedy become warnings. A tool's words are quoted as data, masked and cut, and without `quoting`
    not at all. `named`: each line names its tool, also where there is just one. The reader is
    unknown, so of people's lessons only what the schemas of `tools` confirm is shown, and never the
    errors of others.
    """
    reads = frozenset(each.tool for each in tools if each.effect == Effect.READ)
    readers = {
        (each.server, each.tool): LessonReader(schema=each.schema, reads=reads) for each in tools
    }
    told = [each for each in lessons if each.state is LessonState.ACTIVE]
    lines = []
    for each in told:
        reader = readers.get((each.server, each.tool), LessonReader())
        if may_tell_first(each, reader.reads) and (
            not each.shared or may_share(each.remedy, reader)
        ):
            lines.append(_describe_lesson(each, seen, reader=reader))
    repaired = {(each.tool, _MASK.sub("<>", each.when)) for each in told}
    lines += [
        _describe_warning(each, readers=readers, quoting=quoting)
        for each in seen
        if each.pattern.count >= LEAST_WARNED
        and (each.pattern.tool, _MASK.sub("<>", each.pattern.template)) not in repaired
    ]
    if not lines:
        return ""
    lines.sort(key=lambda line: (-line.count, line.tool, line.text))
    named = named or len({line.tool for line in lines}) > 1
    ending = f"More: {link}" if link else ""
    room = tokens * CHARACTERS - len(OPENING) - len(ending)
    pitfalls = [_render_line(line.tool, line.text, named=named) for line in lines]
    tries = [_render_line(line.tool, line.remedy, named=named) for line in lines if line.remedy]
    return "\n".join(_fit_lines(pitfalls, tries, ending=ending, room=room))


def _fit_lines(
    pitfalls: Sequence[str], tries: Sequence[str], *, ending: str, room: int
) -> Iterator[str]:
    """The opening and the link always; then pitfalls and remedies in turn, while there is room."""
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


def _describe_lesson(
    lesson: Lesson, seen: Sequence[PatternSeen], *, reader: LessonReader
) -> Pitfall:
    # The argument names from the tool's schema and its repairs.
    names = {*reader.properties, *(each.argument for each in lesson.remedy.changes)}
    rules = {} if lesson.shared else read_rules(lesson.when, names=names)
    said = describe_demands(lesson.remedy, rules) or lesson.mistake
    met = find_met(lesson, seen)
    error = f"a `{lesson.error_class}` error" if lesson.shared else _quote_text(lesson.when)
    unless = f" Not always: {lesson.when_not}." if lesson.when_not else ""
    vague = any(each.how in VAGUE for each in lesson.remedy.changes)
    instead = said if rules and vague else lesson.correction
    agents = [read_label(each) for each in lesson.agents]
    whose = f", {_list_agents(agents)}" if agents and not lesson.shared else ""
    count = f" ({_count(lesson.seen)}{whose}; lesson {lesson.id[:12]})" if lesson.seen else ""
    if asks_for_other(lesson.remedy, stated=f"{lesson.when} {reader.properties}"):
        # As at a failure: another request needs the person's decision.
        said, instead = f"fails with {error}", f"ask whether you may: {lesson.correction}"
    return Pitfall(
        tool=lesson.tool,
        count=met.pattern.count if met else lesson.seen,
        text=f"{said}{_describe_times(met) if met else count}",
        remedy=f"on {error}: {instead}.{unless}",
    )


def _describe_warning(seen: PatternSeen, *, readers: Readers, quoting: bool) -> Pitfall:
    """A failure without a known remedy: the rule, or who is refused, and the error."""
    pattern = seen.pattern
    names = {
        name
        for (_, tool), reader in readers.items()
        if tool == pattern.tool
        for name in reader.properties
    }
    rules = read_rules(pattern.template, names=names) if quoting else {}
    error = _quote_text(pattern.template) if quoting else f"a `{pattern.error_class}` error"
    if rules:
        said = describe_demands(Remedy(), rules)
    elif pattern.error_class is ErrorClass.POLICY and seen.agents:
        said = f"{_list_agents(seen.agents)} may not: it is refused with {error}"
        seen = replace(seen, agents=())
    else:
        said = f"fails with {error}"
    advice = pattern.error_class.traits.advice
    why = advice.why if isinstance(advice, Advice) else _FAULTS[advice]
    ending = "" if rules else f". {why} No remedy is proven yet"
    return Pitfall(
        tool=pattern.tool, count=pattern.count, text=f"{said}{_describe_times(seen)}{ending}"
    )


def _describe_times(seen: PatternSeen) -> str:
    """Count, first date, agents, and the pattern's name."""
    whose = f", {_list_agents(seen.agents)}" if seen.agents else ""
    name = shorten_pattern(seen.pattern.fingerprint)
    times = _count(seen.pattern.count)
    return f" ({times} since {seen.first_at:%Y-%m-%d}{whose}; pattern {name})"


def _list_agents(agents: Sequence[str]) -> str:
    """Agents by name where it is plainly a name, else their number: a client chooses its own name,
    and readers would take it for our words."""
    if not all(map(_AGENT.fullmatch, agents)):
        return f"{len(agents)} agents" if len(agents) > 1 else "1 agent"
    shown = list(agents[:MOST_AGENTS])
    more = [f"{len(agents) - MOST_AGENTS} more"] if len(agents) > MOST_AGENTS else []
    *first, last = [*shown, *more]
    return f"{', '.join(first)} and {last}" if first else last


def find_met(lesson: Lesson, seen: Sequence[PatternSeen]) -> PatternSeen | None:
    """The pattern that a lesson is about, as the log has it."""
    return next((each for each in seen if is_about(lesson, each.pattern)), None)


def _count(times: int) -> str:
    return "once" if times == 1 else f"{times} times"


def is_about(lesson: Lesson, pattern: Pattern) -> bool:
    """Whether a lesson is about a pattern of the log: by its fingerprint, or by its words.

    The log does not have the call's own values, so it may have masked the same error differently.
    """
    if pattern.tool != lesson.tool:
        return False
    same = pattern.fingerprint == lesson.fingerprint
    return same or _MASK.sub("<>", pattern.template) == _MASK.sub("<>", lesson.when)


def _render_line(tool: str, text: str, *, named: bool) -> str:
    whose = f"`{format_one_line(tool, most=80)}`: " if named else ""
    return f"- {format_one_line(f'{whose}{text}', most=LONGEST_LINE)}"


def _quote_text(text: str) -> str:
    plain = format_one_line(text, most=120).replace("`", "'").replace('"', "'")
    return f'"{plain}"'
