"""Decides about a failed call: retry, repair, look something up, ask, or leave it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from mulligan.learning.classify import find_likely_class
from mulligan.learning.coerce import NOTHING_SAID
from mulligan.learning.protected_fields import is_locked, is_said_number
from mulligan.learning.suggest import Culprit, Knowledge, find_culprits
from mulligan.learning.validation_errors import Complaint, ComplaintKind, parse_complaints
from mulligan.learning.values import is_small
from mulligan.types.display import quote_value
from mulligan.types.effect import Effect, Mode
from mulligan.types.failure import Advice, ArgumentFault, Decision
from mulligan.types.lesson import FailedCall, Lesson, Suggestion
from mulligan_dates.text import split_name

MOST_SAME = 2
"""How often the same call may fail before a retry is no longer advised."""

SURELY = 0.8
"""The share of a pattern's failures that must have been settled in one way to outweigh the rules,
which are right about as often …"""
WORTH_OF_RULES = 12
"""… and count as this many failures."""

OPEN_TO_OTHERS = frozenset({Decision.REPAIR, Decision.ASK})
"""The decisions of the rules where another request may be needed."""

_BOUNDS = {ComplaintKind.MOST: "at most", ComplaintKind.LEAST: "at least"}

MOST_CHOICES = 5
MOST_SHOWN = 60
"""Characters of each: they are untrusted tool results."""

Past = Mapping[Decision, int]
"""How often each decision turned out right for failures of this pattern."""

NO_PAST: Past = MappingProxyType({})

_LANDED = Advice(
    decision=Decision.STOP,
    why="It took effect before the error: do not repeat it.",
)


def decide(
    failed: FailedCall,
    suggested: Sequence[Suggestion] = (),
    *,
    past: Past = NO_PAST,
    other: Lesson | None = None,
) -> Advice:
    """The advice for a failure. It is for the agent: nothing is done automatically.

    `other`: a lesson that helped by another request, which only the person can decide.
    """
    if failed.failure.landed:
        return _LANDED
    advice = _advise_by_rules(failed, suggested)
    if other is not None and not suggested and advice.decision in OPEN_TO_OTHERS:
        change = other.correction
        why = (
            f"{other.seen} of {other.of} failures like this one were repaired by another request: "
            f"{change}. That is another request, so the person must decide."
        )
        return Advice(decision=Decision.ASK, why=why, first=advice.first, ask=f"May I {change}?")
    usual = max(past, key=past.__getitem__, default=advice.decision)
    settled, met = past.get(usual, 0), sum(past.values())
    if settled < past.get(advice.decision, 0) + WORTH_OF_RULES or settled < SURELY * met:
        return advice
    if _repeats_effect(usual, failed) or _speaks_for_itself(failed, suggested):
        return advice
    why = f"{settled} of {met} failures like this one were settled this way."
    return Advice(decision=usual, why=why, first=advice.first, ask=advice.ask)


def _speaks_for_itself(failed: FailedCall, suggested: Sequence[Suggestion]) -> bool:
    """Whether this call and its turn decide: other failures had other values."""
    if suggested or _advise_person(failed) is not None:
        return True
    of_value = find_likely_class(failed.failure, failed.error).traits.advice is ArgumentFault.VALUE
    return of_value and _find_held(failed)[0] is not None


def _repeats_effect(decision: Decision, failed: FailedCall) -> bool:
    """Whether a retry could repeat an effect."""
    found = find_likely_class(failed.failure, failed.error)
    unsure = found.traits.may_have_landed and failed.effect is not Effect.READ
    return decision is Decision.RETRY and unsure


def _advise_by_rules(failed: FailedCall, suggested: Sequence[Suggestion]) -> Advice:
    traits = find_likely_class(failed.failure, failed.error).traits
    if _repeats_effect(Decision.RETRY, failed):
        return Advice(
            decision=Decision.LOOK_UP, why="It may have taken effect: check before repeating it."
        )
    if suggested and not traits.passes and not traits.final:
        best = suggested[0]
        first = best.patch.first[0].tool if best.patch.first else None
        decision = Decision.REPAIR if first is None else Decision.LOOK_UP
        return Advice(decision=decision, why=best.evidence, first=first)
    if (asked := _advise_person(failed)) is not None:
        return asked
    match traits.advice:
        case ArgumentFault.SHAPE:
            return _advise_repair(failed)
        case ArgumentFault.VALUE:
            return _advise_missing(failed)
        case advice:
            return _advise_retry(failed, advice) if traits.passes else advice


def _advise_person(failed: FailedCall) -> Advice | None:
    """Questions only the person can answer: another number than theirs, or less than requested."""
    given, changes = failed.call.arguments, failed.effect not in (Effect.READ, Effect.UNDECLARED)
    complaints = parse_complaints(failed.error)
    missing = any(each.about is ComplaintKind.MISSING for each in complaints)
    for each in complaints:
        name, value = each.subject, given.get(each.subject)
        if each.about in _BOUNDS and is_said_number(value, failed.said):
            bound = f"{_BOUNDS[each.about]} {each.wanted[0]}"
            why = f"{name} is {value!r}, as the person said, and the tool takes {bound}."
            return Advice(
                decision=Decision.ASK,
                why=why,
                ask=f"{name} {value!r} is not possible, {bound} is: what should it be?",
            )
        unknown = _is_unknown(each, failed) and value not in NOTHING_SAID
        if unknown and changes and not missing:
            shown = quote_value(name, most=MOST_SHOWN)
            what = f"{shown}={quote_value(value, most=MOST_SHOWN)}"
            why = f"The tool has no argument {shown}: without it, the call is another request."
            return Advice(
                decision=Decision.ASK,
                why=why,
                ask=f"{failed.call.tool} does not accept {what}: should it be done without?",
            )
    return None


def _advise_retry(failed: FailedCall, advice: Advice) -> Advice:
    small = is_small(failed.call.arguments)
    call, tried = failed.call, [each for each in failed.earlier if small and each.failed]
    before = sum(each.repeats(call.tool, call.arguments) for each in tried)
    if before >= MOST_SAME:
        return Advice(decision=Decision.STOP, why=f"The same call has failed {before + 1} times.")
    return advice


def _advise_repair(failed: FailedCall) -> Advice:
    found = parse_complaints(failed.error)
    missing = [each.subject for each in found if each.about is ComplaintKind.MISSING]
    unknown = [each.subject for each in found if _is_unknown(each, failed)]
    wanted = ", ".join(quote_value(each, most=MOST_SHOWN) for each in missing)
    about = f" ({wanted})" if missing else ""
    # The names come from the error, which is untrusted.
    named = ", ".join(quote_value(each, most=MOST_SHOWN) for each in unknown)
    none = f" It has no argument {named}." if unknown else ""
    return Advice(
        decision=Decision.REPAIR,
        why=f"The arguments do not have the form that the tool expects{about}.{none}",
    )


def _is_unknown(complaint: Complaint, failed: FailedCall) -> bool:
    """Whether an argument is one that the tool does not have, which its schema does not deny."""
    named = failed.schema.get("properties")
    known = isinstance(named, Mapping) and complaint.subject in named
    return complaint.about is ComplaintKind.UNEXPECTED and not known


def _advise_missing(failed: FailedCall) -> Advice:
    """Ask for values the person gave; look up values the agent made up."""
    held, others, found = _find_held(failed)
    if held is not None:
        what = f"{held.key} {held.value!r}"
        if len(others) < 2 or not is_locked(held.path):
            why = f"{what} was never mentioned, and this turn has others."
            return Advice(decision=Decision.REPAIR, why=why)
        # Several values are possible, and the field is protected.
        shown = ", ".join(quote_value(each, most=MOST_SHOWN) for each in others[:MOST_CHOICES])
        why = f"{what} does not exist, and several others do."
        return Advice(decision=Decision.ASK, why=why, ask=f"Which {held.key} is meant: {shown}?")
    names = ", ".join(f"{each.key} {each.value!r}" for each in found[:3]) or "what was asked for"
    return Advice(
        decision=Decision.ASK,
        why=f"Nothing exists under {names}.",
        ask=f"{names} was not found: is it right?",
    )


def _find_held(failed: FailedCall) -> tuple[Culprit | None, list[str], list[Culprit]]:
    """The invented value, the turn's values of its kind, and all suspects."""
    known = Knowledge(failed.said, failed.earlier)
    found = find_culprits(failed, known)
    for each in (each for each in found if not known.was_seen(each.value)):
        wanted = set(split_name(each.key))
        others = [held.text for held in known.values if wanted & set(split_name(held.key))]
        if others:
            return each, list(dict.fromkeys(others)), found
    return None, [], found


LEAST_FOR_READS = 0.5
LEAST_FOR_OTHERS = 0.8

ENOUGH_CALLS = 100
RARE = 0.05
MOST_REMEMBERED = 1_000


def may_apply(suggestion: Suggestion, failed: FailedCall, *, mode: Mode) -> bool:
    """Whether a correction may be applied without asking.

    Only in mode `auto`, only a change of form, only where the arguments failed before any effect,
    and only if it is likely enough to help. A read has no effect, however it failed.
    """
    reads, failure = failed.effect is Effect.READ, failed.failure
    refused = failure.error_class.traits.advice is ArgumentFault.SHAPE and not failure.by_words
    before_any_effect = reads or refused
    least = LEAST_FOR_READS if reads else LEAST_FOR_OTHERS
    likely = suggestion.probability >= least
    return mode is Mode.AUTO and suggestion.automatic and before_any_effect and likely


@dataclass(slots=True)
class TrackRecord:
    """How often a tool fails. Older calls count less, so that a tool may get worse."""

    calls: int = 0
    failures: int = 0

    def count_failure(self, calls: int) -> None:
        """Record a failure, `since` calls after the last one."""
        self.calls += calls
        self.failures += 1
        if self.calls > MOST_REMEMBERED:
            self.calls, self.failures = self.calls // 2, self.failures // 2

    def fails_rarely(self, since: int = 0) -> bool:
        """Whether it was called often enough and failed rarely enough to be skipped.

        `since`: calls made after the last failure.
        """
        calls = self.calls + since
        return calls >= ENOUGH_CALLS and self.failures < RARE * calls
