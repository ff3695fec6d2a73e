"""The first and the last of a day, where the person asked for one of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from mulligan.checks.ids import Read, list_ids
from mulligan.checks.language.choosing import choose_requests
from mulligan.checks.language.quotations import drop_quotes
from mulligan.checks.language.zones import parse_local_moment
from mulligan.checks.slots import ReadDay
from mulligan.checks.subject.concern import limit_to_parameters
from mulligan.checks.subject.subject import Parameters, Subject, select_arguments
from mulligan.checks.subject.values import as_record
from mulligan.core.call import Call
from mulligan.core.finding import Fact, Finding
from mulligan.core.interfaces import Check, Gather
from mulligan.core.turn import Turn
from mulligan.core.waiting.awaiting import await_value

RANK = "calendar.rank"
"""The kind of fact: where in its day an object stands: `first`, `last`, `only`, `between`."""


def ranks_read(parameters: Parameters, *, when: str, read: Read, read_day: ReadDay) -> Gather:
    """Find out where in its day each object stands that a call names.

    `read` and `when` say on which day it is, `read_day` what else that day has.
    """

    async def gather(turn: Turn, calls: Sequence[Call]) -> Iterable[Fact]:
        facts: list[Fact] = []
        for value in dict.fromkeys(list_ids(calls, parameters)):
            held = as_record(await await_value(read(value))).get(when)
            moment = parse_local_moment(held, zone=turn.timezone)
            if moment is not None:
                starts = [each.start for each in await await_value(read_day(moment.date()))]
                facts.extend(_build_facts(value, moment, starts))
        return facts

    return gather


def rank_as_said(parameters: Parameters) -> Check[Subject]:
    """Flag another object than the first or the last of its day, where that one was asked for."""

    @limit_to_parameters(parameters, when=_asks_for_a_rank)
    def check(subject: Subject) -> Iterator[Finding]:
        message = drop_quotes(subject.turn.message)
        phrases = choose_requests(message)
        asked = {found.lastgroup for found in phrases.rank.finditer(message)}
        # Whatever narrows it down further ("with Ann", "about the budget") makes another list.
        if len(asked) != 1 or phrases.narrowed.search(message):
            return
        (wanted,) = asked
        ranks = {fact.subject: fact.value for fact in subject.facts if fact.kind == RANK}
        for argument in select_arguments(subject, parameters):
            if ranks.get(argument.value, wanted) not in (wanted, "only"):
                yield argument.build_finding(
                    "object.wrong_rank",
                    issue=f"which is not the {wanted} of its day.",
                    correction=f"Look at the whole day, and take the {wanted}.",
                )

    return check


def _asks_for_a_rank(turn: Turn) -> bool:
    return choose_requests(turn.message).rank.search(turn.message) is not None


def _build_facts(value: str, moment: datetime, starts: Sequence[datetime]) -> Iterator[Fact]:
    if moment not in starts:
        return
    first, last = moment == min(starts), moment == max(starts)
    rank = {(True, True): "only", (True, False): "first", (False, True): "last"}.get(
        (first, last), "between"
    )
    about = f"{value!r} is the {rank} of {len(starts)} on {moment.date()}."
    yield Fact(kind=RANK, subject=value, value=rank, about=about)
