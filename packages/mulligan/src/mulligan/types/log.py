"""What the log is given and asked, and what it counts by the hour: calls, replies, drafts, runs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from msgspec import Struct

from mulligan.types.call import DERIVED, OWN, LogRow, Outcome
from mulligan.types.finding import FindingRow, Standing
from mulligan.types.lesson import Alike, Pattern
from mulligan.types.reply import RATED
from mulligan_dates.text import is_number

HOUR_US = 3_600_000_000
_SUCCESS = Outcome.SUCCESS.value


class Slot(NamedTuple):
    """What a roll-up counts: one tool, used by one agent, in one hour."""

    hour: int
    """Hours since the epoch."""
    tenant: str
    server: str
    tool: str
    agent: str


@dataclass(slots=True)
class Rollup:
    """The counts of one slot."""

    calls: float = 0
    """Also those that no row is kept of, once a later one is. A call counts once."""
    failures: float = 0
    """Calls whose first try was no success."""
    repaired: float = 0
    """Of these, the calls that worked on a later try, in the hour of the first."""
    with_context: float = 0
    """Calls that name their agent and purpose."""
    duration_us: float = 0
    latency: dict[int, float] = field(default_factory=dict)
    """Tries by latency bucket."""
    repairs: dict[int, float] = field(default_factory=dict)
    """Repaired calls by the latency bucket of the whole repair, first try included."""
    retried: float = 0
    """Calls that were made again."""
    suggested: float = 0
    """Suggestions that were tried."""
    suggested_right: float = 0
    """Those by which a call worked."""
    tries: float = 0
    """Executions: every call once, and again each time it was made again."""
    derived: float = 0
    """Calls that do not name all of it; the rest is from their turn."""

    def add(self, more: Rollup) -> None:
        """Add the counts of another."""
        self.calls += more.calls
        self.failures += more.failures
        self.repaired += more.repaired
        self.with_context += more.with_context
        self.duration_us += more.duration_us
        self.retried += more.retried
        self.suggested += more.suggested
        self.suggested_right += more.suggested_right
        self.tries += more.tries
        self.derived += more.derived
        for total, counts in ((self.latency, more.latency), (self.repairs, more.repairs)):
            for bucket, calls in counts.items():
                total[bucket] = total.get(bucket, 0) + calls


class PatternSlot(NamedTuple):
    """What failures are counted by: one pattern, met by one agent, in one hour."""

    hour: int
    tenant: str
    tool: str
    fingerprint: str
    agent: str


@dataclass(slots=True)
class PatternCount:
    """The failures of one slot."""

    error_class: str
    template: str
    failures: int
    first_us: int
    last_us: int
    example: str
    """Id of the newest call."""


def compute_latency_bucket(duration_us: int) -> int:
    """The bucket of a duration: four to each doubling, so a bound is at most a quarter off."""
    if duration_us < 4:
        return max(duration_us, 0)
    length = duration_us.bit_length()
    return (length - 1) * 4 + (duration_us >> (length - 3)) - 8


def compute_bucket_floor_us(bucket: int) -> int:
    """The shortest duration that falls into a bucket."""
    if bucket < 4:
        return bucket
    octave, quarter = divmod(bucket, 4)
    return (4 + quarter) << (octave - 1)


def roll_up(rows: Iterable[LogRow]) -> dict[Slot, Rollup]:
    """Add calls and their tries up by slot; steps of our own loops are none."""
    slots: dict[tuple[object, ...], Rollup] = {}
    # Runs once for every row ever logged: unpacking is twice as fast as naming each field, and
    # of a part of a row, which is a plain tuple, three times.
    for row in rows:
        (
            at_us, tenant, agent, server, tool, _, context, outcome, duration_us,
            _, _, _, _, _, _, try_number, _, _, weight,
        ) = row[1:]  # fmt: skip
        key = (at_us // HOUR_US, tenant, server, tool, agent)
        counts = slots.get(key)
        if counts is None:
            counts = slots[key] = Rollup()
        counts.tries += weight
        counts.duration_us += weight * duration_us
        if try_number == 1:
            counts.calls += weight
            if outcome != _SUCCESS:
                counts.failures += weight
            if agent and context:
                if context.startswith(DERIVED) or agent[0] == "(":
                    counts.derived += weight
                else:
                    counts.with_context += weight
        bucket = compute_latency_bucket(duration_us)
        counts.latency[bucket] = counts.latency.get(bucket, 0) + weight
    counted = ((Slot._make(key), counts) for key, counts in slots.items())
    return {slot: counts for slot, counts in counted if slot.server != OWN}


def list_first_tries(rows: Iterable[LogRow]) -> set[str]:
    """Ids of the first tries that some of these rows come after."""
    return {row.parent for row in rows if row.try_number > 1 and row.parent}


def roll_up_tries(rows: Iterable[LogRow], tries: Iterable[LogRow]) -> dict[Slot, Rollup]:
    """Add up what later tries tell only beside the tries before them, where the first counts.

    `tries` are all that the log has of the calls that `rows`, the new ones, are tries of. One with
    other arguments than the first was made as a suggestion said: by itself, or by an agent that was
    told. What the log shows of equal arguments is equal; made again, it is the same suggestion.
    """
    new = {row.id for row in rows}
    # What was there before comes first, also before new rows that are older.
    ordered = sorted(tries, key=lambda row: (row.id in new, row.id))
    firsts = {row.id: row for row in ordered}
    retried: set[str] = set()
    repaired: set[str] = set()
    tried: set[tuple[str, str]] = set()
    right: set[tuple[str, str]] = set()
    slots: dict[Slot, Rollup] = {}
    for row in ordered:
        if row.try_number == 1 or not row.parent:
            continue
        first = firsts.get(row.parent)
        suggestion = (row.parent, row.parameters)
        corrected = first is not None and first.parameters != row.parameters
        worked = row.outcome == _SUCCESS
        newly = worked and row.parent not in repaired
        counts = Rollup(
            retried=row.parent not in retried,
            repaired=newly,
            repairs=_measure_repair(row, first) if newly else {},
            suggested=corrected and suggestion not in tried,
            suggested_right=corrected and worked and suggestion not in right,
        )
        retried.add(row.parent)
        tried.add(suggestion)
        if worked:
            repaired.add(row.parent)
            right.add(suggestion)
        if row.id in new:
            # A call counts with its first try, also where the log has lost that.
            said = first or row
            at_us = said.at_us if first else _read_time(row.parent) or row.at_us
            slot = Slot(at_us // HOUR_US, said.tenant, said.server, said.tool, said.agent)
            slots.setdefault(slot, Rollup()).add(counts)
    return slots


def _measure_repair(row: LogRow, first: LogRow | None) -> dict[int, float]:
    """How long a repair took, from when the first try began to the end of the one that worked."""
    began_us = first.at_us if first else _read_time(row.parent)
    if began_us is None:
        return {}
    return {compute_latency_bucket(row.at_us + row.duration_us - began_us): 1}


def _read_time(name: str | None) -> int | None:
    """When an id was made, in microseconds; one made elsewhere tells no time."""
    try:
        return int((name or "")[:12], 16) * 1000
    except ValueError:
        return None


def add_up(hours: Mapping[Slot, Rollup]) -> dict[Slot, Rollup]:
    """The counts of all hours together, each slot in hour 0."""
    totals: dict[Slot, Rollup] = {}
    for slot, counts in hours.items():
        totals.setdefault(slot._replace(hour=0), Rollup()).add(counts)
    return totals


def count_patterns(
    rows: Iterable[LogRow], patterns: Mapping[str, Pattern]
) -> dict[PatternSlot, PatternCount]:
    """Add failed rows up by the pattern each belongs to; `patterns` has them by the row's id."""
    slots: dict[PatternSlot, PatternCount] = {}
    for row in rows:
        pattern = patterns.get(row.id)
        if pattern is None:
            continue
        slot = PatternSlot(
            row.at_us // HOUR_US, row.tenant, row.tool, pattern.fingerprint, row.agent
        )
        seen = PatternCount(
            str(pattern.error_class), pattern.template, 1, row.at_us, row.at_us, row.id
        )
        slots[slot] = add_failures(slots[slot], seen) if slot in slots else seen
    return slots


def add_failures(counted: PatternCount, more: PatternCount) -> PatternCount:
    """Both together, as the newer describes them."""
    newer = max(counted, more, key=lambda each: each.example)
    return PatternCount(
        newer.error_class,
        newer.template,
        counted.failures + more.failures,
        min(counted.first_us, more.first_us),
        max(counted.last_us, more.last_us),
        newer.example,
    )


REPLY_CHECKED, REPLY_SETTLED = "reply.checked", "reply.settled"
DRAFT_REFLECTED, DRAFT_RESPONDED = "draft.reflected", "draft.responded"
TASK_RAN, TASK_REFLECTED = "task.ran", "task.reflected"
JUDGE_ASKED = "judge.asked"
"""The row of a question to a judge: a failure where there was no answer."""
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
    JUDGE = "judge"
    """What judges were asked, by model."""


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
    TOKENS = "tokens"
    """That writers, agents and judges reported for a text; of judges, those of the answers."""
    READ = "read"
    """Tokens of the questions to judges."""
    SECONDS = "seconds"
    """Until judges answered, or were not waited for any longer."""


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
    """Add up what each row says on its own: of the same rows, in whatever batches, the same."""
    counts: TextCounts = {}
    for row in rows:
        if row.server != OWN or row.tool not in _READERS:
            continue
        kind, read = _READERS[row.tool]
        for what, name, n in read(read_facts(row)):
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
        votes = [(thumb, 1.0) for thumb in given[-1:]] + [(thumb, -1.0) for thumb in before[-1:]]
        for thumb, n in votes:
            up = bool(read_facts(thumb).get("up"))
            what = TextMeasure.LIKED if up else TextMeasure.DISLIKED
            for rule in list_rules(read_facts(reply)):
                slot = _build_slot(reply, kind=TextKind.REPLY, what=what, name=rule)
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
    except (ValueError, RecursionError):
        return {}
    return facts if isinstance(facts, dict) else {}


def list_rules(facts: Mapping[str, Any]) -> list[str]:
    """The rules that a step names, each once, as any store can keep them."""
    rules = facts.get("rules")
    if not isinstance(rules, list | tuple):
        return []
    return list(dict.fromkeys(clean_text(str(rule)[:LONGEST_NAME]) for rule in rules))


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
    tries = _read_summand(facts.get("iterations"))
    yield TextMeasure.TRIES, "", 1.0 if tries is None else tries
    if facts.get("bound_reached"):
        yield TextMeasure.BOUND, "", 1.0
    yield from _read_tokens(facts)


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
    yield from _read_tokens(facts)


def _read_asked(facts: Mapping[str, Any]) -> Iterator[_Part]:
    model = clean_text(str(facts.get("model", ""))[:LONGEST_NAME])
    yield TextMeasure.TRIES, model, 1.0
    for what, fact in (
        (TextMeasure.READ, "input_tokens"),
        (TextMeasure.TOKENS, "output_tokens"),
        (TextMeasure.SECONDS, "seconds"),
    ):
        if n := _read_summand(facts.get(fact)):
            yield what, model, n


def _read_tokens(facts: Mapping[str, Any]) -> Iterator[_Part]:
    if n := _read_summand(facts.get("tokens")):
        yield TextMeasure.TOKENS, "", n


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
    score = _read_summand(facts.get("score"))
    if score is not None:
        yield TextMeasure.JUDGED, "", 1.0
        yield TextMeasure.SCORE, "", score
        yield TextMeasure.MARK, str(int(score)), 1.0


def _read_noted(_facts: Mapping[str, Any]) -> Iterator[_Part]:
    yield TextMeasure.REFLECTED, "", 1.0


def _read_thumb(facts: Mapping[str, Any]) -> Iterator[_Part]:
    yield (TextMeasure.UP if facts.get("up") else TextMeasure.DOWN), "", 1.0


def _read_summand(said: object) -> float | None:
    """A number that can be added up; a row that says anything else must not stop its batch."""
    return float(said) if is_number(said) and abs(said) < MOST else None


def clean_text(text: str) -> str:
    """Without what no database takes as text: lone surrogates and null characters."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")


_READERS = {
    REPLY_CHECKED: (TextKind.REPLY, _read_checked),
    REPLY_SETTLED: (TextKind.REPLY, _read_settled),
    DRAFT_REFLECTED: (TextKind.DRAFT, _read_reflected),
    DRAFT_RESPONDED: (TextKind.DRAFT, _read_responded),
    TASK_RAN: (TextKind.TASK, _read_ran),
    TASK_REFLECTED: (TextKind.TASK, _read_noted),
    RATED: (TextKind.THUMB, _read_thumb),
    JUDGE_ASKED: (TextKind.JUDGE, _read_asked),
}
COUNTED = tuple(_READERS)
"""The rows that are counted."""


class Loss(Struct, frozen=True, kw_only=True):
    """Rows the log gave up."""

    at: datetime
    reason: str
    """`overflow`, `refused`, `shutdown`; `damage`, when the log itself was found shortened."""
    successes: int = 0
    failures: int = 0


class Batch(Struct, frozen=True, kw_only=True):
    """What the log writes in one transaction."""

    rows: Sequence[LogRow]
    rollups: Mapping[Slot, Rollup] = {}
    patterns: Mapping[str, Pattern] = {}
    """Of failed rows, by their ids."""
    losses: Sequence[Loss] = ()
    findings: Sequence[FindingRow] = ()


class LogQuery(Struct, frozen=True, kw_only=True):
    """Which rows of the log are wanted. `None` and empty mean any."""

    id_prefix: str = ""
    tenant: str | None = None
    agent: str | None = None
    server: str | None = None
    tool: str | None = None
    outcome: str | None = None
    error_class: str | None = None
    turn: str | None = None
    turns: tuple[str, ...] = ()
    """Only rows of one of these turns."""
    parents: tuple[str, ...] = ()
    """Only rows whose parent is one of these."""
    since: datetime | None = None
    """This time included."""
    until: datetime | None = None
    """This time not included."""
    after: str = ""
    """Only rows with an id above this one: how a follower goes on."""
    below: str = ""
    """Only rows with an id under this one."""
    oldest_first: bool = False
    limit: int = 50


class PatternQuery(Struct, frozen=True, kw_only=True):
    """Which patterns are wanted. `None` means any; an empty tenant is one of its own."""

    since: datetime
    """Its hour included, like that of `until`."""
    until: datetime
    tenant: str | None = None
    tool: str | None = None
    limit: int = 100


class PatternSeen(Struct, frozen=True, kw_only=True):
    """A pattern, and when and to whom it happened."""

    pattern: Pattern
    first_at: datetime
    last_at: datetime
    agents: tuple[str, ...]
    example: str
    """Id of the newest call."""
    like: Alike | None = None
    """The most similar known pattern, where the kind of error is unknown."""
