"""Replies, drafts and runs of tasks counted by the hour, as the rows of their steps are written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from mulligan.core.call import OWN, LogRow
from mulligan.core.finding import Standing
from mulligan.core.storage.rating import RATED
from mulligan.core.storage.rollup import HOUR_US

REPLY_CHECKED, REPLY_SETTLED = "reply.checked", "reply.settled"
DRAFT_REFLECTED, DRAFT_RESPONDED = "draft.reflected", "draft.responded"
TASK_RAN, TASK_REFLECTED = "task.ran", "task.reflected"
ENDS = (REPLY_SETTLED, DRAFT_RESPONDED, TASK_RAN)
"""The rows that a text ends with; their ids are those of the whole."""
LONGEST_NAME = 200
MOST = 1e9
"""No count of tries and no score is near it."""


class TextKind(StrEnum):
    """Which loop it was."""

    REPLY = "reply"
    DRAFT = "draft"
    TASK = "task"
    THUMB = "thumb"
    """What people said of any of them."""


class TextMeasure(StrEnum):
    """What is counted of texts."""

    SETTLED = "settled"
    """Texts that went out; the share of everything else is of these."""
    REFLECTED = "reflected"
    """Whose first try was rejected; of tasks, runs after which notes were written."""
    TRIES = "tries"
    """Written in all; of tasks, runs made, also those beside another."""
    BOUND = "bound"
    """That went out although they were not good enough."""
    ACCEPTED = "accepted"
    JUDGED = "judged"
    """That have a score."""
    SCORE = "score"
    """Of those, added up."""
    MARK = "mark"
    """Of those, by the score rounded down, which is the name."""
    NOTED = "noted"
    """Runs of tasks with notes from earlier runs."""
    RULE = "rule"
    """First tries, or runs, that a rule spoke up about; its id is the name."""
    UP = "up"
    DOWN = "down"
    LIKED = "liked"
    """Thumbs up, the last of each reply, for those that went out although the rule spoke up."""
    DISLIKED = "disliked"


class TextSlot(NamedTuple):
    """What one count is about: one measure of the texts of one kind, of one agent, in one hour."""

    hour: int
    """Hours since the epoch, of when the text was begun."""
    tenant: str
    agent: str
    kind: str
    what: str
    """A `TextMeasure`."""
    name: str = ""
    """Of the rule, or the mark."""


TextCounts = dict[TextSlot, float]
_Part = tuple[TextMeasure, str, float]


def roll_up_texts(rows: Iterable[LogRow]) -> TextCounts:
    """Add up what each row says by itself: of the same rows, in whatever batches, the same."""
    counts: TextCounts = {}
    for row in rows:
        kind = _KINDS.get(row.tool) if row.server == OWN else None
        if kind is None:
            continue
        for what, name, n in _READERS[row.tool](read_facts(row)):
            slot = _build_slot(row, kind=kind, what=what, name=name)
            counts[slot] = counts.get(slot, 0.0) + n * row.weight
    return counts


def list_rated(rows: Iterable[LogRow]) -> set[str]:
    """Ids of what some of these rows are thumbs for."""
    # Asked of every row there is: what its tool is called says it of nearly all.
    return {row.parent for row in rows if row.tool == RATED and is_thumb(row) and row.parent}


def is_thumb(row: LogRow) -> bool:
    """Whether a row says what a person thinks of a text."""
    return row.tool == RATED and row.server == OWN


def roll_up_thumbs(rows: Iterable[LogRow], known: Iterable[LogRow]) -> TextCounts:
    """Add up what new thumbs say of rules, where the reply counts; people change their minds.

    `known` is all that the log has of the replies that `rows`, the new ones, are for, and of
    their thumbs: where a later thumb takes the place of one that was counted, that one is taken
    out again.
    """
    new = {row.id for row in rows if is_thumb(row)}
    thumbs: dict[str, list[LogRow]] = {}
    replies: dict[str, LogRow] = {}
    for row in sorted(known, key=lambda row: row.id):
        if is_thumb(row) and row.parent:
            thumbs.setdefault(row.parent, []).append(row)
        elif row.tool == REPLY_SETTLED and row.server == OWN:
            replies[row.id] = row
    counts: TextCounts = {}
    for of, reply in replies.items():
        given = thumbs.get(of, [])
        before = [thumb for thumb in given if thumb.id not in new]
        for thumb, n in ((given[-1:], 1.0), (before[-1:], -1.0)):
            for slot in _list_votes(reply, thumb):
                counts[slot] = counts.get(slot, 0.0) + n
    return {slot: n for slot, n in counts.items() if n}


def add_texts(counts: TextCounts, more: Mapping[TextSlot, float]) -> None:
    """Add other counts to these."""
    for slot, n in more.items():
        counts[slot] = counts.get(slot, 0.0) + n


def read_facts(row: LogRow) -> dict[str, Any]:
    """What a step says of itself; nothing, where that cannot be read."""
    try:
        facts = json.loads(row.parameters)
    except ValueError:
        return {}
    return facts if isinstance(facts, dict) else {}


def list_rules(facts: Mapping[str, Any]) -> list[str]:
    """The rules that a step names, each once, as any store can keep them."""
    rules = facts.get("rules")
    if not isinstance(rules, list | tuple):
        return []
    return list(dict.fromkeys(_clean_name(str(rule)) for rule in rules))


def _list_votes(reply: LogRow, thumbs: Iterable[LogRow]) -> Iterator[TextSlot]:
    for thumb in thumbs:
        up = bool(read_facts(thumb).get("up"))
        what = TextMeasure.LIKED if up else TextMeasure.DISLIKED
        for rule in list_rules(read_facts(reply)):
            yield _build_slot(reply, kind=TextKind.REPLY, what=what, name=rule)


def _build_slot(row: LogRow, *, kind: TextKind, what: TextMeasure, name: str) -> TextSlot:
    return TextSlot(row.at_us // HOUR_US, row.tenant, row.agent, kind.value, what.value, name)


def _read_checked(facts: Mapping[str, Any]) -> Iterator[_Part]:
    if facts.get("number") != 1:
        return
    if facts.get("standing") == Standing.REJECTED:
        yield TextMeasure.REFLECTED, "", 1.0
    for rule in list_rules(facts):
        yield TextMeasure.RULE, rule, 1.0


def _read_settled(facts: Mapping[str, Any]) -> Iterator[_Part]:
    yield TextMeasure.SETTLED, "", 1.0
    tries = _read_number(facts.get("iterations"))
    yield TextMeasure.TRIES, "", 1.0 if tries is None else tries
    if facts.get("bound_reached"):
        yield TextMeasure.BOUND, "", 1.0


def _read_reflected(facts: Mapping[str, Any]) -> Iterator[_Part]:
    if facts.get("revising"):
        yield TextMeasure.TRIES, "", 1.0
        if facts.get("number") == 1:
            yield TextMeasure.REFLECTED, "", 1.0


def _read_responded(facts: Mapping[str, Any]) -> Iterator[_Part]:
    yield TextMeasure.SETTLED, "", 1.0
    yield TextMeasure.TRIES, "", 1.0
    yield (TextMeasure.ACCEPTED if facts.get("accepted") else TextMeasure.BOUND), "", 1.0
    yield from _read_score(facts)


def _read_ran(facts: Mapping[str, Any]) -> Iterator[_Part]:
    yield TextMeasure.TRIES, "", 1.0
    if facts.get("beside"):
        return
    yield TextMeasure.SETTLED, "", 1.0
    if facts.get("version"):
        yield TextMeasure.NOTED, "", 1.0
    if facts.get("standing") == Standing.REJECTED:
        yield TextMeasure.BOUND, "", 1.0
    for rule in list_rules(facts):
        yield TextMeasure.RULE, rule, 1.0
    yield from _read_score(facts)


def _read_score(facts: Mapping[str, Any]) -> Iterator[_Part]:
    score = _read_number(facts.get("score"))
    if score is not None:
        yield TextMeasure.JUDGED, "", 1.0
        yield TextMeasure.SCORE, "", score
        yield TextMeasure.MARK, str(int(score)), 1.0


def _read_noted(_facts: Mapping[str, Any]) -> Iterator[_Part]:
    yield TextMeasure.REFLECTED, "", 1.0


def _read_thumb(facts: Mapping[str, Any]) -> Iterator[_Part]:
    yield (TextMeasure.UP if facts.get("up") else TextMeasure.DOWN), "", 1.0


def _read_number(said: object) -> float | None:
    """A number that can be added up; a row that says anything else must not stop its batch."""
    if isinstance(said, bool) or not isinstance(said, int | float):
        return None
    return float(said) if abs(said) < MOST else None


def _clean_name(name: str) -> str:
    """Without what no database takes as text, and no longer than a name is."""
    kept = name[:LONGEST_NAME].encode("utf-8", "replace").decode()
    return kept.replace("\0", "\N{REPLACEMENT CHARACTER}")


_READERS = {
    REPLY_CHECKED: _read_checked,
    REPLY_SETTLED: _read_settled,
    DRAFT_REFLECTED: _read_reflected,
    DRAFT_RESPONDED: _read_responded,
    TASK_RAN: _read_ran,
    TASK_REFLECTED: _read_noted,
    RATED: _read_thumb,
}
_KINDS = {
    REPLY_CHECKED: TextKind.REPLY,
    REPLY_SETTLED: TextKind.REPLY,
    DRAFT_REFLECTED: TextKind.DRAFT,
    DRAFT_RESPONDED: TextKind.DRAFT,
    TASK_RAN: TextKind.TASK,
    TASK_REFLECTED: TextKind.TASK,
    RATED: TextKind.THUMB,
}
COUNTED = tuple(_READERS)
"""The rows that are counted."""
