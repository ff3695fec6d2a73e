"""The contract of what a log counts of replies, drafts and runs of tasks."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from mulligan.core.call import OWN, LogRow
from mulligan.core.interfaces import Store
from mulligan.core.storage.log_query import Batch, LogQuery
from mulligan.core.storage.rating import RATED
from mulligan.core.storage.text_rollup import (
    COUNTED,
    DRAFT_REFLECTED,
    DRAFT_RESPONDED,
    REPLY_CHECKED,
    REPLY_SETTLED,
    TASK_RAN,
    TASK_REFLECTED,
    TextCounts,
    TextMeasure,
    add_texts,
    roll_up_texts,
    roll_up_thumbs,
)
from mulligan.testing.store_contract.contract import DAY, HOUR, NOW, Contract, make_log_row

_RULES = ("text.too_long", "text.unwanted_word", "grounding.number")


def make_step(number: int, tool: str, /, *, of: str | None = None, **facts: object) -> LogRow:
    """A row of a step; what is not said of it is said by `make_log_row`."""
    at = facts.pop("at", NOW)
    agent = facts.pop("agent", "planner")
    assert isinstance(at, datetime)
    assert isinstance(agent, str)
    row = make_log_row(number, at=at, tool=tool, agent=agent)
    return row._replace(server=OWN, parameters=json.dumps(facts), parent=of)


def make_texts(chance: random.Random, *, count: int) -> list[LogRow]:
    """Steps of many texts, in the order of their time, with thumbs for some of the replies."""
    rows: list[LogRow] = []
    replies: list[str] = []
    for number in range(count):
        at = NOW + chance.randrange(4) * HOUR
        row = _draw_step(chance, number, at=at, replies=replies)
        if row.tool == REPLY_SETTLED:
            replies.append(row.id)
        rows.append(row)
    return rows


def count_anew(rows: Sequence[LogRow]) -> TextCounts:
    """What rows come to when all of them are counted at once."""
    counts = roll_up_texts(rows)
    add_texts(counts, roll_up_thumbs(rows, rows))
    return counts


def read_counts(store: Store) -> TextCounts:
    """What the store has counted, rounded: sums of scores may differ in their last digit."""
    found = store.log.read_texts(since=NOW - 400 * DAY, until=NOW + 400 * DAY)
    return clean_counts(found)


def clean_counts(counts: TextCounts) -> TextCounts:
    """Without what comes to nothing."""
    return {slot: round(n, 6) for slot, n in counts.items() if round(n, 6)}


class TextContract(Contract):
    """What became of texts is known by the hour, without looking at a row."""

    def test_counts_are_those_of_all_rows_in_whatever_batches(self, store: Store) -> None:
        """Over hours, agents, kinds and rules; with people who change their minds."""
        chance = random.Random(11)  # noqa: S311
        rows = make_texts(chance, count=400)

        written = 0
        while written < len(rows):
            some = chance.randrange(1, 60)
            store.log.write(Batch(rows=rows[written : written + some]))
            written += some

        assert read_counts(store) == clean_counts(count_anew(rows))
        later = store.log.read_texts(since=NOW + 2 * HOUR, until=NOW + 2 * HOUR)
        assert {slot.hour for slot in later} == {min(slot.hour for slot in later)}

    def test_a_repeated_row_is_counted_once(self, store: Store) -> None:
        """Also among others that are new, and also a thumb."""
        rows = make_texts(random.Random(5), count=60)  # noqa: S311

        store.log.write(Batch(rows=rows[:40]))
        store.log.write(Batch(rows=rows[20:]))
        store.log.write(Batch(rows=rows))

        assert read_counts(store) == clean_counts(count_anew(rows))

    def test_only_the_last_thumb_of_a_reply_speaks_of_its_rules(self, store: Store) -> None:
        """Whatever order they come in; but every thumb is a thumb."""
        settled = make_step(1, REPLY_SETTLED, iterations=2, rules=[_RULES[0]])
        up, down = (
            make_step(n, RATED, of=settled.id, up=n == 3, agent="", at=NOW + HOUR) for n in (3, 2)
        )

        for row in (settled, down, up):
            store.log.write(Batch(rows=[row]))

        said = {(slot.what, slot.name): n for slot, n in read_counts(store).items()}
        assert said[TextMeasure.LIKED, _RULES[0]] == 1
        assert (TextMeasure.DISLIKED, _RULES[0]) not in said
        assert (said[TextMeasure.UP, ""], said[TextMeasure.DOWN, ""]) == (1, 1)

    def test_packing_changes_no_count_and_a_packed_reply_can_be_rated(self, store: Store) -> None:
        """Thumbs stay at hand, because a later one is held against them."""
        settled = make_step(1, REPLY_SETTLED, iterations=1, rules=[_RULES[1]])
        rows = [settled, make_step(2, RATED, of=settled.id, up=False, agent="")]
        store.log.write(Batch(rows=rows))

        store.log.compress(before=NOW + DAY)
        last = make_step(3, RATED, of=settled.id, up=True, agent="")
        store.log.write(Batch(rows=[last]))

        assert read_counts(store) == clean_counts(count_anew([*rows, last]))
        assert len(store.log.list_rows(LogQuery(tool=RATED))) == 2
        assert store.log.list_rows(LogQuery(tool=RATED, parents=(settled.id,), limit=1)) == [last]
        assert store.log.list_rows(LogQuery(tool=RATED, parents=("another",))) == []

    def test_counts_go_with_the_roll_ups_of_their_hours(self, store: Store) -> None:
        """Hours before that are forgotten, the others are whole."""
        old = [make_step(n, REPLY_SETTLED, iterations=1, at=NOW - 40 * DAY) for n in range(3)]
        young = [make_step(9, REPLY_SETTLED, iterations=3)]
        store.log.write(Batch(rows=old + young))

        store.log.prune(before=NOW - 30 * DAY)

        assert read_counts(store) == clean_counts(count_anew(young))

    def test_a_row_that_makes_no_sense_stops_nothing(self, store: Store) -> None:
        """Numbers that are none, rules that no database can hold."""
        odd = [
            make_step(n, tool, number=1, rules=["a\0b", "\ud800", 5, None], score=score, up="yes")
            for n, tool in enumerate(COUNTED)
            for score in (float("inf"), "ten", 10**400, True)[n % 4 :][:1]
        ]
        odd.append(make_step(50, REPLY_SETTLED)._replace(parameters="[1"))

        store.log.write(Batch(rows=odd))

        assert len(store.log.list_rows(LogQuery(limit=100))) == len(odd)
        settled = [slot for slot in read_counts(store) if slot.what == TextMeasure.SETTLED]
        assert {slot.kind for slot in settled} == {"reply", "draft", "task"}


def _draw_step(
    chance: random.Random, number: int, *, at: datetime, replies: Sequence[str]
) -> LogRow:
    tool = chance.choice(COUNTED)
    if tool == RATED:
        of = chance.choice([*replies[-6:], "somewhere else"])
        return make_step(number, RATED, of=of, at=at, agent="", up=chance.random() < 0.5)
    agent = chance.choice(["", "planner", "writer"])
    rules = chance.sample(_RULES, chance.randrange(3))
    facts: dict[str, dict[str, Any]] = {
        REPLY_CHECKED: {
            "number": chance.choice([1, 1, 2]),
            "standing": chance.choice(["rejected", "accepted"]),
            "rules": rules,
        },
        REPLY_SETTLED: {
            "iterations": chance.randrange(1, 4),
            "bound_reached": chance.random() < 0.2,
            "rules": rules,
        },
        DRAFT_REFLECTED: {"number": chance.choice([1, 2]), "revising": chance.random() < 0.5},
        DRAFT_RESPONDED: {
            "accepted": chance.random() < 0.7,
            "score": chance.choice([None, 6.5, 8, 9.25]),
        },
        TASK_RAN: {
            "version": chance.randrange(3),
            "standing": chance.choice(["rejected", "accepted", "unchecked"]),
            "rules": rules,
            "score": chance.choice([None, 0.0, 0.7, 1.0]),
            "beside": chance.random() < 0.2,
        },
        TASK_REFLECTED: {"version": 1},
    }
    return make_step(number, tool, at=at, agent=agent, **facts[tool])
