"""What a judge says of an attempt: how it is asked, and what is left when facts have spoken.

What it says in its fields is checked, and becomes a sentence of ours. Its prose may be that of
whoever wrote what it has read: it is a quote, and never what an agent is told to do.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from mulligan.checks.contradiction import (
    CallFacts,
    contradict_correction,
    contradict_finding,
    is_outcome_right,
)
from mulligan.checks.tool_outputs import list_texts
from mulligan.learning.protected_fields import is_locked, stands_in
from mulligan.types.call import Execution
from mulligan.types.display import Ours, Question, Quoted, format_one_line, quote_name
from mulligan.types.events import RemarkDropped
from mulligan.types.finding import Fact, Finding, Severity, Source
from mulligan.types.turn import Turn
from mulligan.types.values import set_enums
from mulligan_dates.readings import find_zone, parse_local_moment

LONGEST_VALUE = 100
"""Characters of a value that a correction brings in: an id, a day, a name, and no sentence."""


class Area(StrEnum):
    """What a remark is about."""

    DATE = "date"
    TIME = "time"
    ID = "id"
    PLACE = "place"
    VALUE = "value"
    DUPLICATE = "duplicate"
    MISSING = "missing"
    PROCESS = "process"
    """The outcome is right, and the way to it was not good."""
    OTHER = "other"


_ABOUT: Mapping[Area, str] = {
    Area.DATE: "the date",
    Area.TIME: "the time",
    Area.ID: "the id",
    Area.PLACE: "the place",
    Area.VALUE: "a value",
    Area.DUPLICATE: "what was done twice",
    Area.MISSING: "what is missing",
    Area.PROCESS: "the way to it",
    Area.OTHER: "the outcome",
}


class Remark(Struct, frozen=True, kw_only=True):
    """One thing a judge has to say about an attempt."""

    area: Area
    severity: Severity
    call: int | None = None
    """Its number, from 1; `None`: about the attempt as a whole."""
    issue: str
    correction: str | None = None
    """In its own words: held against the facts, and quoted."""
    argument: str | None = None
    """The argument of that call that is to be another."""
    value: str | None = None
    """What it is to be, as JSON."""

    def __post_init__(self) -> None:
        set_enums(self, area=Area, severity=Severity)


class Opinion(Struct, frozen=True, kw_only=True):
    """What a judge says of an attempt. Whether that is a rejection is not for it to say."""

    findings: tuple[Remark, ...]
    confirmed: bool
    """Every call was compared with the person's words, and the outcome is right."""


def describe_remark(remark: Remark, about: Sequence[Execution]) -> Ours:
    """What is objected to, in words of ours."""
    where = f" in {quote_name(about[0].call.tool)}" if remark.call is not None else ""
    named = remark.argument if _names_argument(remark, about) else None
    which = f", {quote_name(named)}" if named else ""
    return Ours(f"A judge objects to {_ABOUT[remark.area]}{where}{which}.")


def quote_remark(remark: Remark) -> Quoted | None:
    """A judge's own words; `None` where it has none."""
    said = " ".join(part for part in (remark.issue, remark.correction) if part and part.strip())
    return Quoted(said, "a judge") if said else None


def describe_correction(
    remark: Remark, about: Sequence[Execution], *, turn: Turn, known: CallFacts
) -> Ours | None:
    """The one thing that a judge may have an agent told: another value for an argument of a call.

    The value is the person's own, one that a tool returned whole, or a day that the facts allow;
    who, where and how much are changed by nothing but the person's words.
    """
    if not _names_argument(remark, about) or remark.argument is None or remark.value is None:
        return None
    value = _read_value(remark.value)
    if value is None or not value.strip() or len(value) > LONGEST_VALUE:
        return None
    said = stands_in((turn.message,), value)
    read = not is_locked((remark.argument,)) and _was_returned(value, about)
    if not (_is_day_meant(value, turn, known) if _is_date(value, turn) else said or read):
        return None
    return Ours(f"Use {value!r} for {quote_name(remark.argument)}.")


def _names_argument(remark: Remark, about: Sequence[Execution]) -> bool:
    return remark.call is not None and remark.argument in about[0].call.arguments


def _read_value(written: str) -> str | None:
    """A text or a number; models forget the quotes of JSON."""
    try:
        value = json.loads(written[: LONGEST_VALUE * 4])
    except (ValueError, RecursionError):
        return written
    plain = isinstance(value, str | int | float) and not isinstance(value, bool)
    return str(value) if plain else None


def _was_returned(value: str, about: Iterable[Execution]) -> bool:
    """Whether it is the whole of something that a tool returned, and one word."""
    if len(value.split()) > 1:
        return False
    return any(value == text for each in about for text in list_texts(each.result))


def _is_date(value: str, turn: Turn) -> bool:
    return parse_local_moment(value, zone=turn.timezone) is not None


def _is_day_meant(value: str, turn: Turn, known: CallFacts) -> bool:
    """A day that the person can have meant, where that was computed; else one they wrote down."""
    moment = parse_local_moment(value, zone=turn.timezone)
    if known.days_meant and moment is not None:
        return moment.date() in known.days_meant
    return stands_in((turn.message,), value)


ARGUMENTS = 4_000
"""Characters of a call's arguments that a judge reads."""
MOST_REMARKS = 20
_SENTENCE = 400
_CONVERSATION = 2_000
"""Characters of what was said before that a judge reads."""
_SLOPPY = "process.sloppy"

Show = Callable[[object], object]
"""A value less secrets, in JSON's own types."""


class Weighed(Struct, frozen=True, kw_only=True):
    """An opinion after the facts have spoken."""

    findings: tuple[Finding, ...] = ()
    answered: bool
    """False: the judge could not say, and that is never a pass."""
    confirmed: bool = False
    dropped: tuple[RemarkDropped, ...] = ()


def ask_about(
    turn: Turn, *, executions: Sequence[Execution], facts: Sequence[Fact], show: Show
) -> Question[Opinion]:
    """The question whether an attempt did what the person asked for."""
    return Question(
        prompt="review_actions",
        values={
            "message": Ours(turn.message),
            "earlier": Ours(_render_earlier(turn) or "Nothing."),
            "now": _describe_now(turn),
            "facts": Ours("\n".join(_render_facts(facts)) or "None."),
            "calls": Ours("\n".join(_render_calls(executions, show)) or "None."),
        },
        untrusted={
            **_quote_proposal(turn),
            **dict(_quote_facts(facts)),
            **dict(_render_results(executions, show)),
        },
        answer=Opinion,
        purpose="review of actions",
        tenant=turn.tenant,
    )


def weigh(
    opinion: Opinion | None, *, turn: Turn, executions: Sequence[Execution], facts: Sequence[Fact]
) -> Weighed:
    """Turn an opinion into findings, less what is not about this attempt or denied by a fact.

    What it can say is bounded: so many remarks, a line each, about calls of this attempt alone.
    """
    if opinion is None:
        return Weighed(answered=False)
    findings: list[Finding] = []
    dropped: list[RemarkDropped] = []
    errors_first = sorted(opinion.findings, key=lambda remark: remark.severity)
    for remark in errors_first[:MOST_REMARKS]:
        about = _find_calls(remark, executions)
        if about is None:
            dropped.append(RemarkDropped(rule=_name_rule(remark), part="finding", why="call"))
            continue
        used = tuple(text for execution in about for text in _list_used(execution.call.arguments))
        known = CallFacts(message=turn.message, used=used, facts=tuple(facts))
        finding = _as_finding(remark, about)
        if not finding.issue and finding.correction is None:
            dropped.append(RemarkDropped(rule=finding.rule, part="finding", why="empty"))
            continue
        kept, told = _hold_against(finding, known)
        findings.extend(_tell_finding(each, remark, about, turn=turn, known=known) for each in kept)
        dropped.extend(told)
    wrong = any(remark.severity is Severity.ERROR for remark in opinion.findings)
    return Weighed(
        findings=tuple(findings),
        answered=True,
        confirmed=opinion.confirmed and not wrong,
        dropped=tuple(dropped),
    )


def _find_calls(remark: Remark, executions: Sequence[Execution]) -> Sequence[Execution] | None:
    """The calls that a remark is about; `None` if it names one that is not the attempt's."""
    if remark.call is None:
        return executions
    return [executions[remark.call - 1]] if 1 <= remark.call <= len(executions) else None


def _hold_against(finding: Finding, known: CallFacts) -> tuple[list[Finding], list[RemarkDropped]]:
    if (kind := contradict_finding(finding, known)) is not None:
        return [], [RemarkDropped(rule=finding.rule, part="finding", why=kind)]
    told: list[RemarkDropped] = []
    if (kind := contradict_correction(finding, known)) is not None:
        told.append(RemarkDropped(rule=finding.rule, part="correction", why=kind))
        finding = replace(finding, correction=None)
    process = finding.rule == _SLOPPY
    fine = process or is_outcome_right(finding, known) or _is_wholly_denied(finding, known)
    if finding.severity is Severity.ERROR and fine:
        told.append(RemarkDropped(rule=finding.rule, part="severity", why="outcome"))
        finding = replace(finding, severity=Severity.WARNING)
    return [finding], told


def _is_wholly_denied(finding: Finding, known: CallFacts) -> bool:
    """Whether it says no more than "wrong", of an outcome that a fact speaks for."""
    vague = finding.call is None and finding.correction is None
    return vague and any(fact.confirms for fact in known.facts)


def _name_rule(remark: Remark) -> str:
    return _SLOPPY if remark.area is Area.PROCESS else f"{remark.area}.judged"


def _tell_finding(
    held: Finding, remark: Remark, about: Sequence[Execution], *, turn: Turn, known: CallFacts
) -> Finding:
    """A finding as agents and people get it: its prose, which may be anybody's, is a quote."""
    remark = replace(remark, correction=held.correction)
    return replace(
        held,
        issue=describe_remark(remark, about),
        correction=describe_correction(remark, about, turn=turn, known=known),
        opinion=quote_remark(remark),
    )


def _as_finding(remark: Remark, about: Sequence[Execution]) -> Finding:
    """What a judge says in its own words, to be held against the facts."""
    correction = remark.correction and format_one_line(remark.correction, most=_SENTENCE)
    return Finding(
        rule=_name_rule(remark),
        severity=remark.severity,
        issue=format_one_line(remark.issue, most=_SENTENCE),
        correction=correction or None,
        source=Source.JUDGE,
        call=None if remark.call is None else about[0].call.id,
    )


def _list_used(value: object, depth: int = 8) -> Iterator[str]:
    """What is in some arguments, as text, down to a depth that nobody's arguments have."""
    match value:
        case Mapping() if depth:
            for inner in value.values():
                yield from _list_used(inner, depth - 1)
        case list() | tuple() | set() | frozenset() if depth:
            for inner in value:
                yield from _list_used(inner, depth - 1)
        case str():
            yield value[:ARGUMENTS]
        case date():
            yield value.isoformat()


def _render_earlier(turn: Turn) -> str:
    """What the person said earlier in the conversation, the newest of it."""
    room, kept = _CONVERSATION, list[str]()
    for said in reversed(turn.history.said):
        line = f"- {format_one_line(said, most=_SENTENCE)}"
        room -= len(line)
        if room < 0:
            break
        kept.insert(0, line)
    return "\n".join(kept)


def _quote_proposal(turn: Turn) -> dict[str, str]:
    """What the agent said right before the message, which may be an answer to it."""
    said = format_one_line(turn.history.proposal, most=_CONVERSATION)
    return {"what the agent said before": said} if said else {}


def _render_facts(facts: Sequence[Fact]) -> Iterator[str]:
    for number, fact in enumerate(facts, 1):
        if fact.computed:
            yield f"- {format_one_line(fact.about, most=_SENTENCE)}"
        else:
            yield f"- {quote_name(fact.kind)}: see fact {number} between the marks."


def _quote_facts(facts: Sequence[Fact]) -> Iterator[tuple[str, str]]:
    """Those that tell what somebody else wrote: a title, an id, a place."""
    for number, fact in enumerate(facts, 1):
        if not fact.computed:
            yield f"fact {number}", format_one_line(fact.about, most=_SENTENCE)


def _describe_now(turn: Turn) -> Ours:
    """Now as the person's own calendar and clock show it, if it is known where they are."""
    zone = find_zone(turn.timezone)
    local = turn.now.astimezone(zone or UTC)
    where = turn.timezone if zone else "UTC; where the person is, is not known"
    return Ours(f"{local:%A %Y-%m-%d %H:%M} ({where})")


def _render_calls(executions: Sequence[Execution], show: Show) -> Iterator[str]:
    for number, execution in enumerate(executions, 1):
        arguments = _encode_json(execution.call.arguments, show)
        yield f"{number}. {quote_name(execution.call.tool)} {arguments} ({execution.outcome})"


def _render_results(executions: Sequence[Execution], show: Show) -> Iterator[tuple[str, str]]:
    for number, execution in enumerate(executions, 1):
        failure = execution.failure
        raised = None if failure is None else failure.error
        result = execution.result if raised is None else raised
        if result is not None:
            yield f"result of call {number}", _encode_json(result, show)


def _encode_json(value: object, show: Show) -> str:
    try:
        error = isinstance(value, BaseException)
        text = json.dumps(
            show(f"{type(value).__name__}: {value}" if error else value), ensure_ascii=False
        )
    except Exception:  # noqa: BLE001 - a value of the user's may refuse anything
        return "<cannot be shown>"
    if len(text) <= ARGUMENTS:
        return text
    # As one text, so that what was inside quotes still is.
    return f"{json.dumps(text[:ARGUMENTS], ensure_ascii=False)} (cut)"
