"""What tool calls did to the world: reviewed after the calls, before the answer is shown."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from mulligan.checks.custom import ANSWERS_WITHIN
from mulligan.checks.subject import find_agreed, has_concern, watch_checks
from mulligan.loops.checking import run_checks_aside
from mulligan.process.event_loop import LateModules, await_value, run_with_timeout
from mulligan.redaction.redactor import hide_in_findings
from mulligan.types.action import UndoResult
from mulligan.types.call import Call, Execution, Outcome
from mulligan.types.display import SaidText, escape, is_long
from mulligan.types.events import AttemptReviewed, RemarkDropped
from mulligan.types.finding import (
    ABOUT_ACTIONS,
    Confidence,
    Correction,
    Fact,
    Finding,
    FindingSeen,
    Severity,
    Verdict,
    reach_verdict,
)
from mulligan.types.interfaces import Check, Gather, Judge
from mulligan.types.limits import ATTEMPTS, UndoBudget
from mulligan.types.turn import Turn

if TYPE_CHECKING:
    from mulligan.loops.review import Show, Weighed

T = TypeVar("T")

_report = logging.getLogger("mulligan")

ASK = "If you cannot know what is right, ask the person rather than guess."

DATES = LateModules("mulligan.checks.facts", "mulligan.checks.date_arguments")
"""With the tables of dates and of every language, which only turns that change something need:
loaded, and used for the first time, on a thread beside the loop."""

ORDER = ("date", "time", "id", "place")
"""What an agent is told first: an id may be wrong only because the day was."""


NOTHING_DONE = "attempt.nothing_done"
"""The rule: after a rejection, an attempt that changes nothing is not accepted by silence."""
_IDLE = Finding(
    rule=NOTHING_DONE,
    severity=Severity.WARNING,
    issue="What was done first was rejected, and nothing was done after that.",
)


class Attempted(Struct, frozen=True, kw_only=True):
    """One attempt as a check sees it."""

    turn: Turn
    executions: tuple[Execution, ...]
    """Every call that was made, in order, with raw values."""
    reply: object = None
    facts: tuple[Fact, ...] = ()
    """What was computed or read about the turn."""
    earlier: tuple[Execution, ...] = ()
    """Calls of the conversation, and of earlier attempts that were not undone: what they
    returned was
    seen too."""
    acted: frozenset[str] | None = None
    """Ids of the calls that changed something or may have; `None`: all that did not fail."""
    leftovers: bool = False
    """Something of the turn waits, is not certain, or stands though it was rejected."""
    again: bool = False
    """An earlier attempt has changed something and was rejected: it is still to be done."""

    def list_acted(self) -> list[str]:
        """The calls that changed something or may have, each by one id."""
        effective = (e.call.id for e in self.executions if e.outcome is not Outcome.FAILURE)
        return list(effective) if self.acted is None else sorted(self.acted)


class RejectedAction(Struct, frozen=True, kw_only=True):
    """One action of a rejected attempt, and what undoing it came to."""

    action: str
    tool: str
    what: str
    """The call in a few words, for the agent and for a person."""
    result: UndoResult | None
    """`None`: it cannot be undone at all."""
    said: str = ""
    """The same as a sentence for a person; else the call will do."""
    why: str = ""
    """Why it stands, where the result does not say it."""
    certain: bool = True
    """Whether it is known that it took effect."""
    blocks: bool = True
    """Whether, standing, it rules out a second attempt."""


class Reviewers(Struct, frozen=True, kw_only=True):
    """Everybody who has a say: what is computed first, a model last and only if it must."""

    checks: Sequence[Check[Attempted]] = ()
    gathers: Sequence[Gather] = ()
    judge: Judge | None = None
    attempts: int = ATTEMPTS
    """How often an agent may try, the first time included."""
    undos: UndoBudget = field(default_factory=UndoBudget)
    """What a judge alone may have undone."""
    show: Show = lambda value: value
    """How a judge gets to see a value: less secrets."""
    tell: Callable[[AttemptReviewed | RemarkDropped], None] = lambda _: None


async def review_attempt(
    attempted: Attempted, *, by: Reviewers, attempt: int, judged: bool
) -> Verdict:
    """Gather facts, run every check, and ask the judge where that has not settled it.

    `judged`: a tool of this attempt asks for a judge's word. A reviewer that breaks has given no
    answer, and no answer is never a pass.
    """
    first = not DATES.loaded and bool(attempted.list_acted())
    if first:
        await DATES.load_beside_loop()
    facts, long = await gather_facts(attempted, by.gathers), is_long(*_list_read(attempted))
    # Our own reading makes its tables at first, which takes as long as reading much.
    aside = first or long
    attempted, read = replace(attempted, facts=facts), set[str]()
    findings, answered = await run_checks_aside(attempted, watch_checks(by.checks, read), long=long)
    read.update(finding.call for finding in findings if finding.call is not None)
    looks = await _read_aside(partial(look_at, attempted, by.checks, read), long=long)
    denied, computed = await _hold_against_facts(attempted, beside=findings, long=aside)
    findings, answered = _spare_approved([*findings, *denied], attempted), answered and computed
    if denied:
        looks = replace(looks, by=tuple(dict.fromkeys((*looks.by, "facts"))))
    settled = any(finding.severity is Severity.ERROR for finding in findings)
    judge = by.judge if judged and attempted.executions and not settled else None
    if judge is not None or (looks.whole and not settled):
        # Words that account for a call make surer what somebody has looked at. They are no look.
        account = await _read_aside(partial(find_confirmation, attempted), long=aside)
        attempted = replace(attempted, facts=(*facts, *account))
        looks = looks.with_facts(attempted)
    if judge is not None:
        weighed = await _ask(attempted, judge, by=by)
        findings += _spare_approved(weighed.findings, attempted)
        answered = answered and weighed.answered
        looks = looks.with_judge(weighed, attempted, unread=_has_unread_dates(attempted))
    idle = attempted.again and not attempted.list_acted() and not looks.confirmed
    verdict = reach_verdict(
        [*findings, _IDLE] if idle else findings,
        answered=answered,
        looked=looks.whole and not idle,
        # What rests on a person's "yes" is no better than the words that they said it to.
        confirmed=looks.confirmed and not find_agreed(attempted.turn),
        attempt=attempt,
    )
    given = (execution.call.arguments for execution in attempted.executions)
    verdict = replace(
        verdict,
        findings=hide_in_findings(verdict.findings, *given),
        by=looks.by,
        unchecked=looks.unchecked,
        looked=looks.calls,
        facts=attempted.facts,
    )
    if verdict.confidence is not None and not attempted.turn.vouched:
        verdict = replace(verdict, confidence=Confidence.LOW)
    by.tell(_build_event(attempted, verdict, attempt=attempt))
    return verdict


def _spare_approved(findings: Iterable[Finding], attempted: Attempted) -> list[Finding]:
    """The findings, of which none on a call that a person let run is an error.

    They saw what it was to be made with. To reject it would have it made a second time: what was
    found is told, and a person decides.
    """
    approved = {each.call.id for each in attempted.executions if each.approved}
    return [
        replace(each, severity=Severity.WARNING) if each.call in approved else each
        for each in findings
    ]


async def _read_aside(look: Callable[[], T], *, long: bool) -> T:
    """Look at what is there; where that is much, on a thread beside the loop."""
    return await asyncio.to_thread(look) if long else look()


async def _hold_against_facts(
    attempted: Attempted, *, beside: Sequence[Finding], long: bool
) -> tuple[list[Finding], bool]:
    """What the facts deny of an attempt, and no check has said already; whether all was compared.

    A judge who confirms it is not asked: facts outrank models, in both directions.
    """
    if not attempted.list_acted():
        return [], True
    from mulligan.checks.facts import find_denials

    found, answered = await run_checks_aside(attempted, (find_denials,), long=long)
    said = {(finding.rule, finding.call) for finding in beside}
    return [each for each in found if (each.rule, each.call) not in said], answered


class Looks(Struct, frozen=True, kw_only=True):
    """Who has looked at what of an attempt."""

    acted: tuple[str, ...]
    """The calls that changed something or may have."""
    calls: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By the id of each call that somebody looked at: who did."""
    by: tuple[str, ...] = ()
    confirmed: bool = False
    """A fact speaks for each call that counts, or a judge for all of them."""

    @property
    def unchecked(self) -> tuple[str, ...]:
        """The calls that changed something and that nobody looked at."""
        return tuple(each for each in self.acted if each not in self.calls)

    @property
    def whole(self) -> bool:
        """Whether somebody looked, and at everything that was changed."""
        return bool(self.by) and not self.unchecked

    def with_facts(self, attempted: Attempted) -> Looks:
        """The same with the facts that confirm: each speaks for the calls that it names."""
        confirming = [fact for fact in attempted.facts if fact.confirms]
        if not confirming:
            return self
        tries = {e.call.id: e.call for e in attempted.executions}
        whole = self.acted or tuple(
            e.call.id for e in attempted.executions if e.outcome is not Outcome.FAILURE
        )
        only = whole if len(whole) == 1 else ()
        named = {call for fact in confirming for call in fact.calls or only}
        spoken = named | {tries[each].parent or each for each in named if each in tries}
        looks = self._add("facts", spoken)
        return replace(looks, confirmed=set(whole) <= spoken)

    def with_judge(self, weighed: Weighed, attempted: Attempted, *, unread: bool) -> Looks:
        """The same after a judge has seen every call, or could not say.

        Of a date that is `unread` no fact can speak, and a judge's word alone does not confirm it.
        """
        if not weighed.answered:
            return self
        looks = self._add("judge", (*self.acted, *(e.call.id for e in attempted.executions)))
        return replace(looks, confirmed=self.confirmed or (weighed.confirmed and not unread))

    def _add(self, who: str, calls: Iterable[str]) -> Looks:
        seen = {each: tuple(dict.fromkeys((*self.calls.get(each, ()), who))) for each in calls}
        by = tuple(dict.fromkeys((*self.by, who)))
        return replace(self, calls={**self.calls, **seen}, by=by)


def _has_unread_dates(attempted: Attempted) -> bool:
    """Whether something was changed by a call with a date that nobody can read."""
    acted = attempted.list_acted()
    if not acted:
        return False
    from mulligan.checks.date_arguments import has_unread_dates

    made = [e.call for e in attempted.executions if {e.call.id, e.call.parent} & {*acted}]
    return any(has_unread_dates(call.arguments) for call in made)


def look_at(
    attempted: Attempted, checks: Sequence[Check[Attempted]], read: Collection[str]
) -> Looks:
    """Which calls checks and facts have looked at; `read`: those of checks that do not say so."""
    turn, seen = attempted.turn, dict[str, tuple[str, ...]]()
    acted = attempted.list_acted()
    for execution in attempted.executions:
        call = execution.call
        if execution.outcome is Outcome.FAILURE and not {call.id, call.parent} & {*acted}:
            # It changed nothing: a look at what it was to do is none at what was done.
            continue
        if call.id in read or any(has_concern(each, turn=turn, call=call) for each in checks):
            # A later try of a call is the call, also under the id of its first try.
            seen[call.id] = seen[call.parent or call.id] = ("checks",)
    by = ("checks",) if seen else ()
    looks = Looks(acted=tuple(acted), calls=seen, by=by)
    return looks.with_facts(attempted)


def find_confirmation(attempted: Attempted) -> tuple[Fact, ...]:
    """The fact that what was done is what was asked for, where words and values account for it."""
    if attempted.leftovers or not attempted.acted or not attempted.turn.vouched:
        return ()
    from mulligan.checks.facts import find_account

    read = [execution.result for execution in attempted.earlier]
    try:
        found = find_account(attempted.turn, attempted.executions, acted=attempted.acted, read=read)
    except Exception as error:  # noqa: BLE001 - values of others may refuse anything
        _report.warning("A request could not be compared (%s).", type(error).__name__)
        return ()
    return () if found is None else (found,)


def _list_read(attempted: Attempted) -> tuple[object, ...]:
    """Everything that checks may read of an attempt."""
    made = (*attempted.executions, *attempted.earlier)
    raised = [each.failure.error for each in made if each.failure is not None]
    told = [part for each in made for part in (each.call.arguments, each.result)]
    turn = attempted.turn
    said = (SaidText(turn.message), turn.history.said, turn.history.instructions, turn.known)
    return (*said, attempted.reply, told, raised)


async def gather_facts(attempted: Attempted, gathers: Sequence[Gather]) -> tuple[Fact, ...]:
    """What is known already, and what can be computed or read; each fact once.

    What one of the gathers cannot know is left out.
    """
    calls = [execution.call for execution in attempted.executions]
    facts = list(attempted.facts)
    for gather in gathers:
        try:
            facts += await run_with_timeout(
                await_value(gather(attempted.turn, calls)), within=ANSWERS_WITHIN
            )
        except Exception as error:  # noqa: BLE001 - a user's function may raise anything
            _report.warning("Facts could not be gathered (%s).", type(error).__name__)
    return tuple(dict.fromkeys(facts))


async def _ask(attempted: Attempted, judge: Judge, *, by: Reviewers) -> Weighed:
    # Loaded where there is a judge: what weighs an opinion is a good part of the whole.
    from mulligan.loops.review import Opinion, Weighed, ask_about, weigh

    turn, executions, facts = attempted.turn, attempted.executions, attempted.facts
    try:
        opinion = await judge.ask(ask_about(turn, executions=executions, facts=facts, show=by.show))
        said = opinion if isinstance(opinion, Opinion) else None
        weighed = weigh(said, turn=turn, executions=executions, facts=facts)
    except Exception as error:  # noqa: BLE001 - a user's own judge may raise or say anything
        _report.warning("The judge failed (%s).", type(error).__name__)
        return Weighed(answered=False)
    for dropped in weighed.dropped:
        by.tell(dropped)
    return weighed


def _build_event(attempted: Attempted, verdict: Verdict, *, attempt: int) -> AttemptReviewed:
    calls = {execution.call.id: execution.call for execution in attempted.executions}
    return AttemptReviewed(
        turn=attempted.turn.id,
        attempt=attempt,
        agent=attempted.turn.agent,
        tenant=attempted.turn.tenant,
        standing=verdict.standing,
        confidence=verdict.confidence,
        found=tuple(
            _summarize_finding(finding, calls.get(finding.call or ""))
            for finding in verdict.findings
        ),
    )


def _summarize_finding(finding: Finding, call: Call | None) -> FindingSeen:
    tool, server = (call.tool, call.server) if call else ("", "")
    return FindingSeen(rule=finding.rule, severity=finding.severity, tool=tool, server=server)


def render_correction(verdict: Verdict, rejected: Iterable[RejectedAction]) -> Correction:
    """Tell the agent what was wrong and what is true now; nothing is called restored unproven."""
    acted = list(rejected)
    restored = [a for a in acted if a.result is UndoResult.RESTORED]
    standing = [a for a in acted if a.result is not UndoResult.RESTORED]
    stands = "Nothing else of it" if standing else "Nothing of it"
    lines = [ABOUT_ACTIONS, ""]
    for finding in sorted(verdict.errors, key=_rank_finding):
        lines.append(f"- {_as_line(finding.describe())}")
        if finding.correction:
            lines.append(f"  Fix: {_as_line(finding.correction)}")
    if restored:
        lines += ["", "Taken back, and read back to be sure:"]
        lines += [f"- {a.what}" for a in restored]
    if standing:
        lines += ["", "Not taken back. It stands as it is now; do not do it again:"]
        lines += [f"- {a.what} ({_explain_result(a)})" for a in standing]
    undone = f"{stands} is done now: do again what was right in it. " if acted else ""
    lines += ["", f"{undone}Try again with the fixes above. {ASK}"]
    return Correction(
        text="\n".join(lines),
        findings=verdict.errors,
        restored=tuple(a.action for a in restored),
        standing_actions=tuple(a.action for a in standing),
    )


def render_question(verdict: Verdict, rejected: Iterable[RejectedAction]) -> str:
    """What the person reads when the last attempt was rejected too, or could not be checked."""
    lines = ["I could not do this reliably, so please check or tell me more:", ""]
    unchecked = ["Nobody could check what I did, so I did not leave it like that."]
    issues = [_as_line(finding.describe()) for finding in verdict.errors]
    lines += [f"- {issue}" for issue in issues or unchecked]
    acted = list(rejected)
    standing = [a for a in acted if a.result is not UndoResult.RESTORED]
    unsure = [a for a in standing if not a.certain or a.result is UndoResult.UNKNOWN]
    # Theirs stands in its place, or a part of it, or a later call of ours.
    other = (UndoResult.CONFLICT, UndoResult.PARTIAL)
    covered = [a for a in standing if a.result is UndoResult.FAILED and a.why]
    mixed = [a for a in standing if a.result in other or a in covered]
    sure = [a for a in standing if a not in unsure and a not in mixed]
    heads = (("Still in effect:", sure), ("Not taken back:", mixed), ("Not certain:", unsure))
    for head, found in heads:
        if found:
            lines += ["", head]
            lines += [f"- {a.said or a.what} ({_explain_result(a)})" for a in found]
    if standing:
        return "\n".join(lines)
    if acted:
        lines += ["", "Nothing of it is in effect: everything was taken back and read back."]
    else:
        lines += ["", "Nothing was changed."]
    return "\n".join(lines)


def _as_line(text: str) -> str:
    """One line, whatever a check has put into it: a line of its own would read as ours."""
    return escape(" ".join(text.splitlines()))


def _rank_finding(finding: Finding) -> int:
    area = finding.rule.partition(".")[0]
    return ORDER.index(area) if area in ORDER else len(ORDER)


def _explain_result(acted: RejectedAction) -> str:
    if acted.why:
        return acted.why
    match acted.result:
        case None:
            return "it cannot be undone"
        case UndoResult.CONFLICT:
            return "someone changed it since, and their version was left alone"
        case UndoResult.PARTIAL:
            return "only a part of it could be undone"
        case UndoResult.UNKNOWN:
            return "whether it was undone could not be read back"
        case _:
            return "undoing it failed"
