"""A judge's opinion of an attempt: how it is asked, and what remains after the facts are applied.

Its structured fields are checked and become our own sentences. Its prose may repeat text that an
attacker wrote: it is shown as a quote, and never becomes an instruction to an agent.
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
"""Characters of a value in a correction: enough for an id, a day or a name, not for a sentence."""


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
    """The outcome is right, but the way to it was not."""
    OTHER = "other"


_ABOUT: Mapping[Area, str] = {
    Area.DATE: "the date",
    Area.TIME: "the time",
    Area.ID: "the id",
    Area.PLACE: "the place",
    Area.VALUE: "a value",
    Area.DUPLICATE: "a repeated action",
    Area.MISSING: "what is missing",
    Area.PROCESS: "the way it was done",
    Area.OTHER: "the outcome",
}


class Remark(Struct, frozen=True, kw_only=True):
    """One remark of a judge about an attempt."""

    area: Area
    severity: Severity
    call: int | None = None
    """Its number, from 1; `None`: about the attempt as a whole."""
    issue: str
    correction: str | None = None
    """In its own words: compared with the facts, and quoted."""
    argument: str | None = None
    """The argument of that call that should change."""
    value: str | None = None
    """Its new value, as JSON."""

    def __post_init__(self) -> None:
        set_enums(self, area=Area, severity=Severity)


class Opinion(Struct, frozen=True, kw_only=True):
    """A judge's opinion of an attempt. It does not decide whether the attempt is rejected."""

    findings: tuple[Remark, ...]
    confirmed: bool
    """Every call was compared with the request, and the outcome is right."""


def describe_remark(remark: Remark, about: Sequence[Execution]) -> Ours:
    """The objection, in our own words."""
    where = f" in {quote_name(about[0].call.tool)}" if remark.call is not None else ""
    named = remark.argument if _names_argument(remark, about) else None
    which = f", {quote_name(named)}" if named else ""
    return Ours(f"A judge objects to {_ABOUT[remark.area]}{where}{which}.")


def quote_remark(remark: Remark) -> Quoted | None:
    """The judge's own words; `None` where there are none."""
    said = " ".join(part for part in (remark.issue, remark.correction) if part and part.strip())
    return Quoted(said, "a judge") if said else None


def describe_correction(
    remark: Remark, about: Sequence[Execution], *, turn: Turn, known: CallFacts
) -> Ours | None:
    """The only instruction a judge can give an agent: another value for an argument of a call.

    The value stands in the request, is the whole of a tool's result, or is a day that the facts
    allow. Recipients, places and amounts change only to values from the request.
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
    """A text or a number; models often omit the quotes of JSON."""
    try:
        value = json.loads(written[: LONGEST_VALUE * 4])
    except (ValueError, RecursionError):
        return written
    plain = isinstance(value, str | int | float) and not isinstance(value, bool)
    return str(value) if plain else None


def _was_returned(value: str, about: Iterable[Execution]) -> bool:
    """Whether it is one word and the whole of a value that a tool returned."""
    if len(value.split()) > 1:
        return False
    return any(value == text for each in about for text in list_texts(each.result))


def _is_date(value: str, turn: Turn) -> bool:
    return parse_local_moment(value, zone=turn.timezone) is not None


def _is_day_meant(value: str, turn: Turn, known: CallFacts) -> bool:
    """A day that the request can mean, where that was computed; else one it states literally."""
    moment = parse_local_moment(value, zone=turn.timezone)
    if known.days_meant and moment is not None:
        return moment.date() in known.days_meant
    return stands_in((turn.message,), value)


ARGUMENTS = 4_000
"""Characters of a call's arguments that a judge reads."""
MOST_REMARKS = 20
_SENTENCE = 400
_CONVERSATION = 2_000
"""Characters of the earlier conversation that a judge reads."""
_SLOPPY = "process.sloppy"
ELSEWHERE = "call"
"""Why a remark was dropped: it is about a call that was not made."""

Show = Callable[[object], object]
"""A value without secrets, in JSON's own types."""


class Weighed(Struct, frozen=True, kw_only=True):
    """An opinion after comparison with the facts."""

    findings: tuple[Finding, ...] = ()
    answered: bool
    """False: the judge gave no answer, which is never a pass."""
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
    """Turn an opinion into findings. Remarks about other attempts or denied by a fact are dropped;
    a judge that speaks only of other attempts has not answered.

    The number of remarks is limited, each is one line, and each is about calls of this attempt.
    """
    if opinion is None:
        return Weighed(answered=False)
    findings: list[Finding] = []
    dropped: list[RemarkDropped] = []
    errors_first = sorted(opinion.findings, key=lambda remark: remark.severity)
    for remark in errors_first[:MOST_REMARKS]:
        about = _find_calls(remark, executions)
        if about is None:
            dropped.append(RemarkDropped(rule=_name_rule(remark), part="finding", why=ELSEWHERE))
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
    elsewhere = sum(each.why == ELSEWHERE for each in dropped)
    return Weighed(
        findings=tuple(findings),
        answered=not elsewhere or elsewhere < len(errors_first[:MOST_REMARKS]),
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
    """Whether it only says "wrong" of an outcome that a fact confirms."""
    vague = finding.call is None and finding.correction is None
    return vague and any(fact.confirms for fact in known.facts)


def _name_rule(remark: Remark) -> str:
    return _SLOPPY if remark.area is Area.PROCESS else f"{remark.area}.judged"


def _tell_finding(
    held: Finding, remark: Remark, about: Sequence[Execution], *, turn: Turn, known: CallFacts
) -> Finding:
    """A finding as agents and people get it: its prose is untrusted, so it is quoted."""
    remark = replace(remark, correction=held.correction)
    return replace(
        held,
        issue=describe_remark(remark, about),
        correction=describe_correction(remark, about, turn=turn, known=known),
        opinion=quote_remark(remark),
    )


def _as_finding(remark: Remark, about: Sequence[Execution]) -> Finding:
    """The judge's own words, to be compared with the facts."""
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
    """The values in some arguments as text, down to a fixed depth."""
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
    """The newest earlier messages of the person."""
    room, kept = _CONVERSATION, list[str]()
    for said in reversed(turn.history.said):
        line = f"- {format_one_line(said, most=_SENTENCE)}"
        room -= len(line)
        if room < 0:
            break
        kept.insert(0, line)
    return "\n".join(kept)


def _quote_proposal(turn: Turn) -> dict[str, str]:
    """The agent's message before the request, which may answer it."""
    said = format_one_line(turn.history.proposal, most=_CONVERSATION)
    return {"the agent's earlier message": said} if said else {}


def _render_facts(facts: Sequence[Fact]) -> Iterator[str]:
    for number, fact in enumerate(facts, 1):
        if fact.computed:
            yield f"- {format_one_line(fact.about, most=_SENTENCE)}"
        else:
            yield f"- {quote_name(fact.kind)}: see fact {number} between the marks."


def _quote_facts(facts: Sequence[Fact]) -> Iterator[tuple[str, str]]:
    """The facts that quote others: a title, an id, a place."""
    for number, fact in enumerate(facts, 1):
        if not fact.computed:
            yield f"fact {number}", format_one_line(fact.about, most=_SENTENCE)


def _describe_now(turn: Turn) -> Ours:
    """The current time in the person's time zone, if it is known."""
    zone = find_zone(turn.timezone)
    local = turn.now.astimezone(zone or UTC)
    where = turn.timezone if zone else "UTC; the person's time zone is not known"
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
    # As one text, so that quoted parts stay quoted.
    return f"{json.dumps(text[:ARGUMENTS], ensure_ascii=False)} (cut)"
