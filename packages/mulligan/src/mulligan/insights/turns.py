"""Turns: the latest, one of them call by call, and all calls for analysis elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from mulligan.codec import decode_json
from mulligan.insights.figures import UNNAMED
from mulligan.insights.filters import Paging, ViewFilter, ViewRequest, cut_page
from mulligan.insights.insights import Insights
from mulligan.insights.open_actions import HistoryStep, OpenList, build_history
from mulligan.runtime.payloads import KeptReview
from mulligan.types.action import SETTLED, Action, State
from mulligan.types.call import DERIVED, OWN, LogRow, Outcome
from mulligan.types.errors import ConfigurationError
from mulligan.types.log import HOUR_US, LogQuery
from mulligan.types.values import from_us, make_uuid7, to_us


class CallSeen(Struct, frozen=True, kw_only=True):
    """One execution, less secrets."""

    id: str
    at: datetime
    tool: str
    server: str
    agent: str
    context: str
    turn: str | None
    outcome: str
    ms: float
    try_number: int
    parameters: Mapping[str, Any]
    error: str
    """Its type and text; empty for a success."""
    error_class: str
    result: str


def build_call(row: LogRow) -> CallSeen:
    """A row with its JSON read."""
    error = f"{row.error_type}: {row.error_message or ''}" if row.error_type else ""
    return CallSeen(
        id=row.id,
        at=from_us(row.at_us),
        tool=row.tool,
        server=row.server,
        agent=row.agent,
        context=row.context,
        turn=row.turn,
        outcome=row.outcome,
        ms=row.duration_us / 1000,
        try_number=row.try_number,
        parameters=parse_parameters(row.parameters),
        error=error,
        error_class=row.error_class or "",
        result=row.result or "",
    )


def parse_parameters(text: str) -> dict[str, Any]:
    """What a call was given; what was cut short by its bound is shown as it is."""
    try:
        read = decode_json(text)
    except (ValueError, RecursionError):
        return {"cut short": text}
    return read if isinstance(read, dict) else {"value": read}


FAILED = "failed"
"""The word for turns in which a call failed."""
MOST_ROWS = 5_000
"""The newest rows, out of which turns are put together."""
MANY = 30_000
"""Rows that are looked at one by one, at most."""


class TurnRow(Struct, frozen=True, kw_only=True):
    """One turn in a line."""

    turn: str
    at: datetime
    agent: str
    context: str
    tools: tuple[str, ...]
    calls: int
    failed: int
    """Executions that were no success."""
    took: timedelta
    """From its first call to the end of its last."""
    request: str = ""
    """In the place of a context that nobody gave: what the person asked for, while it is kept."""

    @property
    def title(self) -> str:
        """What it was about, in words of a person; empty: nobody gave any."""
        return self.request or ("" if self.context.startswith(DERIVED) else self.context)


class TurnsView(Struct, frozen=True, kw_only=True):
    """The latest turns, the newest first."""

    asked: ViewFilter
    paging: Paging
    rows: tuple[TurnRow, ...]


class TurnCall(Struct, frozen=True, kw_only=True):
    """One call of a turn, and the state of its action."""

    call: CallSeen
    own: bool
    """A step of our own loops, such as the check of a reply."""
    action: str
    """Id of its action; empty where it changed nothing."""
    state: State | None
    attempt: int
    history: tuple[HistoryStep, ...]
    arguments: Mapping[str, object]
    """Of its action, as long as they are kept, less secrets; the log has them redacted."""


class AgentTold(Struct, frozen=True, kw_only=True):
    """The correction given to the agent before its next attempt."""

    attempt: int
    """That it then began."""
    text: str


class TurnPage(Struct, frozen=True, kw_only=True):
    """One turn from the request to its end."""

    row: TurnRow
    request: str
    """What the person asked for, as long as that is kept, less secrets."""
    attempts: int
    standing: str
    """Of what it did: verified, unchecked, undone, open; as its actions stand now."""
    calls: tuple[TurnCall, ...]
    whole: bool
    """`False`: it has more calls than are listed, later ones."""
    reviews: tuple[KeptReview, ...]
    """What was computed, found and decided about each attempt, as long as that is kept."""

    @property
    def timeline(self) -> list[TurnCall | KeptReview | AgentTold]:
        """Calls, reviews and what the agent was told about them, as they followed each other."""
        told = {r.attempt - 1: AgentTold(attempt=r.attempt, text=r.told) for r in self.reviews}
        made: list[TurnCall | KeptReview] = [*self.calls, *self.reviews]
        steps: list[TurnCall | KeptReview | AgentTold] = []
        for step in sorted(made, key=_find_place):
            steps.append(step)
            next_told = told.get(step.attempt) if isinstance(step, KeptReview) else None
            if next_told is not None and next_told.text:
                steps.append(next_told)
                del told[step.attempt]
        return steps

    @property
    def acted(self) -> bool:
        """Whether anything was done in it that could be undone."""
        return any(call.action for call in self.calls)

    @property
    def confidence(self) -> str:
        """Confidence of the last review; empty: not reviewed, or no longer kept."""
        return self.reviews[-1].confidence if self.reviews else ""


def read_turns(ask: Insights, asked: ViewRequest) -> TurnsView:
    """The latest turns, a page of them."""
    rows, whole = list_turns(ask, asked.filter)
    if asked.read_word("only") == FAILED:
        rows = [row for row in rows if row.failed]
    paging, shown = cut_page(rows, number=asked.page, size=asked.size)
    if not whole or asked.filter.tool is not None:
        shown = [_read_whole(ask, row) for row in shown]
    rows = [row if row.title else _find_request(ask, row) for row in shown]
    return TurnsView(asked=asked.filter, paging=replace(paging, whole=whole), rows=tuple(rows))


def _find_request(ask: Insights, row: TurnRow) -> TurnRow:
    calls = ask.log(LogQuery(turn=row.turn, oldest_first=True, limit=MOST_ASKED))
    found = (ask.store.journal.find_action(call.id) for call in calls)
    requests = (ask.open_list.read_request(action) for action in found if action is not None)
    return replace(row, request=next(filter(None, requests), ""))


MOST_ASKED = 20
"""Calls of a turn, the first, that are looked at for its request: reads have none."""


def _read_whole(ask: Insights, row: TurnRow) -> TurnRow:
    """The turn of a row that was put together from calls of one tool, or from the newest."""
    rows = ask.log(LogQuery(turn=row.turn, oldest_first=True, limit=MOST_ROWS))
    return _build_row(row.turn, rows) if rows else row


def list_turns(ask: Insights, asked: ViewFilter) -> tuple[list[TurnRow], bool]:
    """Turns of the newest rows, the newest first, and whether these are all rows."""
    return ask.cache.keep(("turns", asked), lambda: _list_turns(ask, asked))


def _list_turns(ask: Insights, asked: ViewFilter) -> tuple[list[TurnRow], bool]:
    query = LogQuery(
        tenant=asked.tenant,
        agent=None if asked.agent == UNNAMED else asked.agent,
        tool=asked.tool_name,
        since=ask.clock() - asked.window.length,
        limit=MOST_ROWS,
    )
    turns: dict[str, list[LogRow]] = {}
    newest, whole = _list_newest(ask, query, asked)
    for row in newest:
        if row.turn is not None and asked.agent in (None, row.agent or UNNAMED):
            turns.setdefault(row.turn, []).append(row)
    found = [_build_row(turn, reversed(rows)) for turn, rows in turns.items()]
    # A held call runs when a person says so: its row may be newer than later turns.
    found.sort(key=lambda row: row.at, reverse=True)
    return found, whole


def _list_newest(ask: Insights, query: LogQuery, asked: ViewFilter) -> tuple[list[LogRow], bool]:
    """Rows are found by their time and tool; whose they are takes a look at each. Are they all?"""
    log, rows = ask.store.log, list[LogRow]()
    if not (asked.agent or asked.tenant) or has_few_calls(ask, asked):
        found = log.list_rows(query)
        return found, len(found) < MOST_ROWS
    for hour in ask.counts.list_hours(asked, most=MANY):
        begins_us = to_us(hour, name="hour")
        after, below = make_uuid7(begins_us, 0), make_uuid7(begins_us + HOUR_US, 0)
        some = replace(query, after=after, below=below, limit=MOST_ROWS - len(rows))
        rows += log.list_rows(some) if some.limit else []
    return rows, False


def has_few_calls(ask: Insights, asked: ViewFilter) -> bool:
    """Whether all rows of a span can be looked at while a page waits."""
    return ask.counts.count_calls(asked.window.length) <= MANY


def read_turn(ask: Insights, asked: ViewRequest) -> TurnPage:
    """One turn's timeline, by its id."""
    turn, listed = asked.id, ask.open_list
    rows = ask.log(LogQuery(turn=turn, oldest_first=True, limit=MOST_ROWS))
    if not rows:
        raise ConfigurationError(
            f"{turn!r}: the log has no calls of this turn. `mulligan log` lists the latest calls."
        )
    found = {row.id: ask.store.journal.find_action(row.id) for row in rows}
    actions = [action for action in found.values() if action is not None]
    requests = (listed.read_request(action) for action in actions)
    attempts = max((action.opening.attempt for action in actions), default=1)
    reviews = listed.read_reviews(turn, attempts=attempts)
    return TurnPage(
        row=_build_row(turn, rows),
        request=next(filter(None, requests), ""),
        attempts=max([attempts, *(review.attempt for review in reviews)]),
        standing=_describe_standing(actions),
        calls=tuple(_build_call(listed, row, found[row.id]) for row in rows),
        whole=len(rows) < MOST_ROWS,
        reviews=tuple(reviews),
    )


def _find_place(step: TurnCall | KeptReview) -> tuple[datetime, int, bool]:
    """Where a clock is too coarse, an attempt's calls come first and then its review."""
    if isinstance(step, KeptReview):
        return step.at, step.attempt, True
    return step.call.at, step.attempt, False


def _build_row(turn: str, rows: Iterable[LogRow]) -> TurnRow:
    found = list(rows)
    calls = [row for row in found if row.server != OWN]
    first, last = found[0], found[-1]
    return TurnRow(
        turn=turn,
        at=from_us(first.at_us),
        agent=first.agent,
        context=next((row.context for row in found if row.context), ""),
        tools=tuple(dict.fromkeys(row.tool for row in calls)),
        calls=len(calls),
        failed=sum(row.outcome != Outcome.SUCCESS for row in calls),
        took=timedelta(microseconds=max(0, last.at_us + last.duration_us - first.at_us)),
    )


def _build_call(listed: OpenList, row: LogRow, action: Action | None) -> TurnCall:
    own = row.server == OWN
    acted = None if own else action
    return TurnCall(
        call=build_call(row),
        own=own,
        action="" if acted is None else acted.id,
        state=None if acted is None else acted.state,
        attempt=1 if acted is None else acted.opening.attempt,
        history=() if acted is None else build_history(listed.read_story(acted.id)),
        arguments={} if acted is None else listed.read_arguments(acted),
    )


def _describe_standing(actions: Iterable[Action]) -> str:
    """The worst state of its actions, in one word."""
    states = {action.state for action in actions}
    if not states:
        return "nothing changed"
    if states - SETTLED:
        return "open"
    if State.UNDONE in states:
        return "corrected" if states & {State.VERIFIED, State.UNCHECKED} else "undone"
    if State.UNCHECKED in states:
        return "unchecked"
    return "verified" if State.VERIFIED in states else max(states).value


PAGE = 5_000


def read_calls(insights: Insights, query: LogQuery, *, page: int = PAGE) -> Iterator[LogRow]:
    """All rows that fit, the oldest first."""
    query = replace(query, oldest_first=True, limit=page)
    while rows := insights.log(query):
        yield from rows
        query = replace(query, after=rows[-1].id)
