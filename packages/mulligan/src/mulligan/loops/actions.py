"""Reviews what tool calls changed: after the calls, before the answer is shown."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from mulligan.checks.custom import AREA
from mulligan.checks.subject import find_agreed, has_concern, watch_checks
from mulligan.loops.checking import run_checks
from mulligan.process.event_loop import LateModules
from mulligan.process.user_functions import ANSWERS_WITHIN, call_function
from mulligan.redaction.redactor import hide_in_findings
from mulligan.types.action import UndoResult
from mulligan.types.call import Execution, Outcome
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
    Waiver,
    reach_verdict,
)
from mulligan.types.interfaces import Check, Gather, Judge
from mulligan.types.limits import ATTEMPTS, UndoBudget
from mulligan.types.turn import Turn
from mulligan.types.values import hide_fields

if TYPE_CHECKING:
    from mulligan.loops.review import Show, Weighed

T = TypeVar("T")

_report = logging.getLogger("mulligan")

ASK = "If you cannot know what is right, ask the person rather than guess."

DATES = LateModules("mulligan.checks.facts", "mulligan.checks.date_arguments")
"""The date and language tables, needed only by turns that change something. They are loaded, and
used for the first time, on a worker thread."""

ORDER = ("date", "time", "id", "place")
"""Findings are shown in this order: an id may be wrong only because the date was."""


NOTHING_DONE = "attempt.nothing_done"
"""The rule: an attempt that changes nothing after a rejection is not accepted silently."""
_IDLE = Finding(
    rule=NOTHING_DONE,
    severity=Severity.WARNING,
    issue="The first attempt was rejected, and nothing was done after it.",
)


@hide_fields("memo")
class Attempted(Struct, frozen=True, kw_only=True):
    """One attempt as a check sees it."""

    turn: Turn
    executions: tuple[Execution, ...]
    """Every call that was made, in order, with raw values."""
    reply: object = None
    facts: tuple[Fact, ...] = ()
    """What was computed or read about the turn."""
    earlier: tuple[Execution, ...] = ()
    """Calls of the conversation, and of earlier attempts that were not undone. Their results
    count as seen."""
    acted: frozenset[str] | None = None
    """Ids of the calls that changed something or may have; `None`: all that did not fail."""
    leftovers: bool = False
    """An action of this turn is pending, uncertain, or stands although it was rejected."""
    again: bool = False
    """An earlier attempt changed something and was rejected: the work is still to be done."""
    memo: dict[object, Any] = field(default_factory=dict)
    """What one check has read of the calls and facts, for the next one."""

    def list_acted(self) -> list[str]:
        """The calls that changed something or may have, each by one id."""
        effective = (e.call.id for e in self.executions if e.outcome is not Outcome.FAILURE)
        return list(effective) if self.acted is None else sorted(self.acted)


class RejectedAction(Struct, frozen=True, kw_only=True):
    """One action of a rejected attempt, and the result of its undo."""

    action: str
    tool: str
    what: str
    """The call in a few words, for the agent and for a person."""
    result: UndoResult | None
    """`None`: it cannot be undone at all."""
    say: Callable[[], str] = str
    """The same as a sentence for a person; empty: `what` is shown."""
    why: str = ""
    """Why it was not undone, where `result` does not say so."""
    certain: bool = True
    """Whether it is known that it took effect."""
    blocks: bool = True
    """Whether it rules out a second attempt until it is undone."""
    loses: Sequence[str] = ()
    """What its undo does not bring back, as its tool says."""


class Reviewers(Struct, frozen=True, kw_only=True):
    """All reviewers: computed checks run first, a model last and only if needed."""

    checks: Sequence[Check[Attempted]] = ()
    gathers: Sequence[Gather] = ()
    judge: Judge | None = None
    attempts: int = ATTEMPTS
    """How often an agent may try, the first time included."""
    undos: UndoBudget = field(default_factory=UndoBudget)
    """The undo budget for rejections by a judge alone."""
    list_waivers: Callable[[], Sequence[Waiver]] = tuple
    """The waivers that hold now."""
    show: Show = lambda value: value
    """Renders a value for the judge, without secrets."""
    tell: Callable[[AttemptReviewed | RemarkDropped], None] = lambda _: None


async def review_attempt(
    attempted: Attempted, *, by: Reviewers, attempt: int, judged: bool
) -> Verdict:
    """Gather facts, run every check, and ask the judge where that has not settled it.

    `judged`: a tool of this attempt requires a judge. A reviewer that fails has given no answer,
    and no answer is never a pass.
    """
    if attempted.executions and not any(map(_is_reviewed, attempted.executions)):
        verdict = reach_verdict((), looked=False)
        return replace(verdict, unchecked=tuple(attempted.list_acted()))
    review = _Review(attempted, by)
    await review.compute()
    await review.ask_judge(wanted=judged)
    verdict = review.conclude(attempt=attempt)
    by.tell(_build_event(review.attempted, verdict, attempt=attempt))
    return verdict


class _Review:
    """A review under way: what was found so far, and who has looked at what."""

    def __init__(self, attempted: Attempted, by: Reviewers) -> None:
        self.attempted = attempted
        self._by = by
        self._findings: list[Finding] = []
        self._waivers = by.list_waivers()
        self._muted: dict[str, tuple[str, ...]] = {}
        """Rules of what was found and a person wants to hear nothing of, by the id of the call."""
        self._answered = True
        """Every reviewer that was asked has answered."""
        self._looks = Looks(acted=())
        self._aside = False
        """What reads the attempt works on a thread: there is much to read, or to load first."""

    async def compute(self) -> None:
        """Gather facts, run every check, and compare both with what was done."""
        first = not DATES.loaded and bool(self.attempted.list_acted())
        if first:
            await DATES.load_beside_loop()
        by, facts = self._by, await gather_facts(self.attempted, self._by.gathers)
        long = is_long(*_list_read(self.attempted))
        # The first use builds the date tables, which is slow.
        self._aside = first or long
        attempted = self.attempted = replace(self.attempted, facts=facts, memo={})
        found, answered = list[Finding](), True
        read, content = set[str](), list[Check[Attempted]]()
        for check in by.checks:
            seen = set[str]()
            said, came = await run_checks(attempted, watch_checks([check], seen), long=long)
            found, answered = [*found, *said], answered and came
            seen.update(finding.call for finding in said if finding.call is not None)
            quiet = self._note_muted(said)
            if quiet:
                seen.update(_list_concerned(check, attempted))
            else:
                content.append(check)
            read |= seen - quiet
        looks = await _read_aside(partial(look_at, attempted, content, read), long=long)
        denied, computed = await _compare_with_facts(attempted, beside=found, long=self._aside)
        self._note_muted(denied)
        counted = list(self._waive(denied))
        if counted:
            looks = replace(looks, by=tuple(dict.fromkeys((*looks.by, "facts"))))
        self._findings = _spare([*self._waive(found), *counted], attempted)
        self._answered, self._looks = answered and computed, looks

    def _waive(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """The findings as far as a person lets them count."""
        for finding in findings:
            said = self._read_waivers(finding)
            if not said:
                yield finding
            elif None not in said:
                mildest = Severity.WARNING if Severity.WARNING in said else Severity.ERROR
                yield replace(finding, severity=mildest)

    def _read_waivers(self, finding: Finding) -> set[Severity | None]:
        """What people say of a finding; `None`: nothing is reported."""
        if not self._waivers:
            return set()
        made = (each.call for each in self.attempted.executions)
        call = next((each for each in made if each.id == finding.call), None)
        tool = call.tool if call else None
        agent = (call.agent if call else "") or self.attempted.turn.agent
        return {
            each.severity
            for each in self._waivers
            if each.concerns(finding.rule, tool=tool, agent=agent)
        }

    def _note_muted(self, findings: Iterable[Finding]) -> set[str]:
        """Note what is muted, and give the ids of the calls that it is about: each with its tries,
        and all of them where it is about the attempt as a whole."""
        quiet = set[str]()
        for finding in findings:
            if None not in self._read_waivers(finding):
                continue
            made = [each.call for each in self.attempted.executions]
            about = {each.parent or each.id for each in made if finding.call in (None, each.id)}
            ids = about | {each.id for each in made if each.parent in about}
            for each in ids:
                rules = (*self._muted.get(each, ()), finding.rule)
                self._muted[each] = tuple(dict.fromkeys(rules))
            quiet |= ids
        return quiet

    @property
    def _is_settled(self) -> bool:
        """Whether it is rejected, or would be in another mode: no judge says more."""
        return any(
            each.severity is Severity.ERROR or each.rule == SHADOW_REJECTED
            for each in self._findings
        )

    async def ask_judge(self, *, wanted: bool) -> None:
        """Ask the judge where that is wanted and open; look for words that confirm the calls."""
        settled = self._is_settled
        asks = wanted and self.attempted.executions and not settled
        judge = self._by.judge if asks else None
        if judge is not None or (self._looks.whole and not settled):
            # Words that account for a call raise confidence in a reviewed call. They are no review.
            look = partial(find_confirmation, self.attempted)
            account = await _read_aside(look, long=self._aside)
            facts = (*self.attempted.facts, *account)
            self.attempted = replace(self.attempted, facts=facts)
            self._looks = self._looks.with_facts(self.attempted)
        if judge is not None:
            weighed = await _ask(self.attempted, judge, by=self._by)
            self._findings += _spare(self._waive(weighed.findings), self.attempted)
            self._answered = self._answered and weighed.answered
            unread, quiet = _has_unread_dates(self.attempted), self._note_muted(weighed.findings)
            looks = self._looks.with_judge(weighed, self.attempted, unread=unread, quiet=quiet)
            self._looks = looks

    def conclude(self, *, attempt: int) -> Verdict:
        """What it all adds up to."""
        attempted, looks, made = self.attempted, self._looks, self.attempted.executions
        idle = attempted.again and not attempted.list_acted() and not looks.confirmed
        only_watched = bool(made) and all(each.watched for each in made)
        found = [*self._findings, *_report_held(attempted), *([_IDLE] if idle else ())]
        verdict = reach_verdict(
            found,
            # In shadow mode nothing waits for a reviewer that gave no answer.
            answered=self._answered or only_watched,
            looked=looks.whole and not idle and self._answered,
            # A person's "yes" is worth no more than the message it answers.
            confirmed=looks.confirmed and not self._muted and not find_agreed(attempted.turn),
            attempt=attempt,
        )
        given = (execution.call.arguments for execution in made)
        sure = verdict.confidence
        return replace(
            verdict,
            confidence=Confidence.LOW if sure and not attempted.turn.vouched else sure,
            findings=hide_in_findings(verdict.findings, *given),
            by=looks.by,
            unchecked=looks.unchecked,
            looked=looks.calls,
            facts=attempted.facts,
            muted=self._muted,
        )


SHADOW_HELD = "shadow.held"
SHADOW_UNDONE = "shadow.undone"
SHADOW_REJECTED = "shadow.rejected"
"""Rules under which shadow mode reports what another mode would have done."""


def _is_reviewed(execution: Execution) -> bool:
    return execution.watched is None or execution.watched.mode.reviews


def _spare(findings: Iterable[Finding], attempted: Attempted) -> list[Finding]:
    """The findings, less those on calls that are not reviewed; errors on calls in shadow mode
    become warnings, with a report of what would have been done."""
    watched = {e.call.id: e for e in attempted.executions if e.watched}
    acted = attempted.list_acted()
    all_watched = bool(watched) and (
        watched.keys() >= {*acted} if acted else len(watched) == len(attempted.executions)
    )
    kept, rejected = list[Finding](), list[Finding]()
    for finding in _spare_approved(findings, attempted):
        found = watched.get(finding.call or "")
        if found is None and not (finding.call is None and all_watched):
            kept.append(finding)
        elif found is None or _is_reviewed(found):
            kept.append(replace(finding, severity=Severity.WARNING))
            rejected += [finding] if finding.severity is Severity.ERROR else []
    if rejected:
        undone = [e.call for e in watched.values() if e.watched and e.watched.undone]
        would = "In another mode the attempt would have been rejected, and the agent corrected."
        kept.append(_build_report(SHADOW_REJECTED, would, call=rejected[0].call))
        would = "In another mode it would have been undone."
        kept += [_build_report(SHADOW_UNDONE, would, call=each.id) for each in undone]
    return kept


def _report_held(attempted: Attempted) -> list[Finding]:
    held = [e.call.id for e in attempted.executions if e.watched and e.watched.held]
    would = "In another mode it would have been held for approval."
    return [_build_report(SHADOW_HELD, would, call=each) for each in held]


def _build_report(rule: str, issue: str, *, call: str | None) -> Finding:
    return Finding(rule=rule, severity=Severity.WARNING, issue=issue, call=call)


def _spare_approved(findings: Iterable[Finding], attempted: Attempted) -> list[Finding]:
    """The findings; errors on calls that a person approved become warnings.

    The person saw the arguments. Rejecting such a call would make it a second time, so the finding
    is reported and a person decides.
    """
    approved = {each.call.id for each in attempted.executions if each.approved}
    return [
        replace(each, severity=Severity.WARNING) if each.call in approved else each
        for each in findings
    ]


async def _read_aside(look: Callable[[], T], *, long: bool) -> T:
    """Run a check; on a worker thread where there is much to read."""
    return await asyncio.to_thread(look) if long else look()


async def _compare_with_facts(
    attempted: Attempted, *, beside: Sequence[Finding], long: bool
) -> tuple[list[Finding], bool]:
    """Findings from facts that contradict the attempt, and whether everything was compared.

    Findings that a check already made are left out. Facts outrank models, in both directions.
    """
    if not attempted.list_acted():
        return [], True
    from mulligan.checks.facts import find_denials

    found, answered = await run_checks(attempted, (find_denials,), long=long)
    said = {(finding.rule, finding.call) for finding in beside}
    return [each for each in found if (each.rule, each.call) not in said], answered


class Looks(Struct, frozen=True, kw_only=True):
    """Which reviewers have reviewed which calls of an attempt."""

    acted: tuple[str, ...]
    """The calls that changed something or may have."""
    calls: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Reviewers by the id of each reviewed call."""
    by: tuple[str, ...] = ()
    confirmed: bool = False
    """Each call that counts is confirmed by a fact, or all of them by a judge."""

    @property
    def unchecked(self) -> tuple[str, ...]:
        """The calls that changed something and were not reviewed."""
        return tuple(each for each in self.acted if each not in self.calls)

    @property
    def whole(self) -> bool:
        """Whether every call that changed something was reviewed."""
        return bool(self.by) and not self.unchecked

    def with_facts(self, attempted: Attempted) -> Looks:
        """The same with the confirming facts: each counts for the calls that it names."""
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

    def with_judge(
        self, weighed: Weighed, attempted: Attempted, *, unread: bool, quiet: Collection[str]
    ) -> Looks:
        """The same after a judge has reviewed every call, or gave no answer; what it found of the
        `quiet` ones is muted.

        No fact exists for an `unread` date, and a judge alone does not confirm it.
        """
        if not weighed.answered:
            return self
        seen = (*self.acted, *(e.call.id for e in attempted.executions))
        looks = self._add("judge", (each for each in seen if each not in quiet))
        return replace(looks, confirmed=self.confirmed or (weighed.confirmed and not unread))

    def _add(self, who: str, calls: Iterable[str]) -> Looks:
        seen = {each: tuple(dict.fromkeys((*self.calls.get(each, ()), who))) for each in calls}
        by = tuple(dict.fromkeys((*self.by, who)))
        return replace(self, calls={**self.calls, **seen}, by=by)


def _has_unread_dates(attempted: Attempted) -> bool:
    """Whether a call that changed something has a date that cannot be parsed."""
    acted = attempted.list_acted()
    if not acted:
        return False
    from mulligan.checks.date_arguments import has_unread_dates

    made = [e.call for e in attempted.executions if {e.call.id, e.call.parent} & {*acted}]
    return any(has_unread_dates(call.arguments) for call in made)


def look_at(
    attempted: Attempted, checks: Sequence[Check[Attempted]], read: Collection[str]
) -> Looks:
    """The calls that checks and facts have reviewed; `read`: by checks that do not name theirs."""
    turn, seen = attempted.turn, dict[str, tuple[str, ...]]()
    acted = attempted.list_acted()
    for execution in attempted.executions:
        call = execution.call
        if execution.outcome is Outcome.FAILURE and not {call.id, call.parent} & {*acted}:
            # It changed nothing: a review before the call is no review of its result.
            continue
        if call.id in read or any(has_concern(each, turn=turn, call=call) for each in checks):
            # A retry counts as the call itself, also under the id of the first try.
            seen[call.id] = seen[call.parent or call.id] = ("checks",)
    by = ("checks",) if seen else ()
    looks = Looks(acted=tuple(acted), calls=seen, by=by)
    return looks.with_facts(attempted)


def _list_concerned(check: Check[Attempted], attempted: Attempted) -> Iterator[str]:
    """The ids of the calls that a check declares that it looks at."""
    for each in attempted.executions:
        if has_concern(check, turn=attempted.turn, call=each.call):
            yield each.call.id


def find_confirmation(attempted: Attempted) -> tuple[Fact, ...]:
    """The fact that the calls match the request, where words and values account for them."""
    if attempted.leftovers or not attempted.acted or not attempted.turn.vouched:
        return ()
    from mulligan.checks.account import find_account

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
    held = filter(None, (turn.history.said, turn.history.instructions, told, raised))
    return (SaidText(turn.message), turn.known, attempted.reply, *held)


async def gather_facts(attempted: Attempted, gathers: Sequence[Gather]) -> tuple[Fact, ...]:
    """The known facts and those that can be computed or read; each fact once.

    A fact that cannot be gathered is left out.
    """
    calls = [execution.call for execution in attempted.executions]
    facts = list(attempted.facts)
    for gather in gathers:
        try:
            facts += await call_function(
                gather, attempted.turn, calls, within=ANSWERS_WITHIN, read=_read_facts
            )
        except Exception as error:  # noqa: BLE001 - a user's function may raise anything
            _report.warning("Facts could not be gathered (%s).", type(error).__name__)
    return tuple(dict.fromkeys(facts))


def _read_facts(said: Iterable[object]) -> list[Fact]:
    facts = []
    for each in said:
        if not isinstance(each, Fact):
            raise TypeError(f"{type(each).__name__} is no Fact")
        facts.append(each)
    return facts


async def _ask(attempted: Attempted, judge: Judge, *, by: Reviewers) -> Weighed:
    # Loaded only where there is a judge: it is a large import.
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
    about = [(finding, calls.get(finding.call or "")) for finding in verdict.findings]
    return AttemptReviewed(
        turn=attempted.turn.id,
        attempt=attempt,
        agent=attempted.turn.agent,
        tenant=attempted.turn.tenant,
        standing=verdict.standing,
        confidence=verdict.confidence,
        found=tuple(
            FindingSeen(
                rule=finding.rule,
                severity=finding.severity,
                tool=call.tool if call else "",
                server=call.server if call else "",
            )
            for finding, call in about
        ),
    )


def render_correction(verdict: Verdict, rejected: Iterable[RejectedAction]) -> Correction:
    """Tell the agent what was wrong and the state now; only verified undos are called undone."""
    acted = list(rejected)
    restored = [a for a in acted if a.result is UndoResult.RESTORED]
    standing = [a for a in acted if a.result is not UndoResult.RESTORED]
    lines = [ABOUT_ACTIONS, ""]
    for finding in sorted(verdict.errors, key=_rank_finding):
        about = next((a.what for a in acted if a.action == finding.call), "")
        lines.append(f"- {_name_call(finding, about if len(acted) > 1 else '')}")
        if finding.correction:
            lines.append(f"  Fix: {_as_line(finding.correction)}")
    if restored:
        lines += ["", "Undone and verified:"]
        lines += [f"- {a.what}{_describe_lost(a)}" for a in restored]
    if standing:
        lines += ["", "Not undone. It is still in effect; do not repeat it:"]
        lines += [f"- {a.what} ({_explain_result(a)})" for a in standing]
    state = ""
    if restored:
        which = "Everything else" if standing else "Everything"
        lost = " but what an undo does not bring back" if any(a.loses for a in restored) else ""
        state = f"{which} was undone{lost}. Redo the parts that were correct. "
    elif standing:
        state = "Nothing else is in effect. "
    lines += ["", f"{state}Try again with the fixes above. {ASK}"]
    return Correction(
        text="\n".join(lines),
        findings=verdict.errors,
        restored=tuple(a.action for a in restored),
        standing_actions=tuple(a.action for a in standing),
    )


def _name_call(finding: Finding, about: str) -> str:
    """What was found; the sentence of an own check with the call that it is about."""
    said = _as_line(finding.describe())
    return f"{about}: {said}" if about and finding.rule.startswith(f"{AREA}.") else said


def render_question(verdict: Verdict, rejected: Iterable[RejectedAction]) -> str:
    """The message to the person when the last attempt was rejected or could not be reviewed."""
    lines = ["I could not do this reliably, so please check or tell me more:", ""]
    unchecked = ["What I did could not be reviewed, so I tried to undo it."]
    acted = list(rejected)
    about = {a.action: a.say() or a.what for a in acted} if len(acted) > 1 else {}
    issues = [_name_call(finding, about.get(finding.call or "", "")) for finding in verdict.errors]
    lines += [f"- {issue}" for issue in issues or unchecked]
    standing = [a for a in acted if a.result is not UndoResult.RESTORED]
    unsure = [a for a in standing if not a.certain or a.result is UndoResult.UNKNOWN]
    # Another version stands in its place: a person's, a part of ours, or that of a later call.
    other = (UndoResult.CONFLICT, UndoResult.PARTIAL)
    covered = [a for a in standing if a.result is UndoResult.FAILED and a.why]
    mixed = [a for a in standing if a.result in other or a in covered]
    sure = [a for a in standing if a not in unsure and a not in mixed]
    heads = (("Still in effect:", sure), ("Not undone:", mixed), ("Not certain:", unsure))
    for head, found in heads:
        if found:
            lines += ["", head]
            lines += [f"- {a.say() or a.what} ({_explain_result(a)})" for a in found]
    if standing:
        return "\n".join(lines)
    if acted:
        lost = [f"- {a.say() or a.what}{_describe_lost(a)}" for a in acted if a.loses]
        plain = "Nothing is in effect: everything was undone and verified."
        known = ["Everything was undone and verified, but what an undo does not bring back:", *lost]
        lines += ["", *(known if lost else [plain])]
    else:
        lines += ["", "Nothing was changed."]
    return "\n".join(lines)


def _as_line(text: str) -> str:
    """The text on one line: a line break from a check could imitate our own lines."""
    return escape(" ".join(text.splitlines()))


def _rank_finding(finding: Finding) -> int:
    area = finding.rule.partition(".")[0]
    return ORDER.index(area) if area in ORDER else len(ORDER)


def _describe_lost(acted: RejectedAction) -> str:
    return f" (not brought back: {', '.join(acted.loses)})" if acted.loses else ""


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
            return "whether it was undone could not be verified"
        case _:
            return "undoing it failed"
