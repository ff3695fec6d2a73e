"""What a log must keep to, also in what it counts of replies, drafts and runs of tasks."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from mulligan.types.call import OWN, LogRow, Outcome
from mulligan.types.failure import ErrorClass
from mulligan.types.finding import FindingRow, Severity
from mulligan.types.interfaces import Store
from mulligan.types.lesson import Pattern
from mulligan.types.log import (
    COUNTED,
    DRAFT_REFLECTED,
    DRAFT_RESPONDED,
    JUDGE_ASKED,
    REPLY_CHECKED,
    REPLY_SETTLED,
    TASK_RAN,
    TASK_REFLECTED,
    Batch,
    LogQuery,
    Loss,
    PatternQuery,
    PatternSeen,
    Rollup,
    Slot,
    TextCounts,
    TextMeasure,
    add_texts,
    add_up,
    roll_up,
    roll_up_texts,
    roll_up_thumbs,
    roll_up_tries,
)
from mulligan.types.reply import RATED
from mulligan.types.values import from_us, make_uuid7, to_us
from mulligan_testing.store_contract.contract import (
    DAY,
    HOUR,
    NOW,
    Contract,
    make_failed_row,
    make_log_row,
)

ALL = LogQuery(limit=100_000)
NOW_US = to_us(NOW, name="now")


def make_batch(rows: Sequence[LogRow]) -> Batch:
    """A batch as the log's writer makes it."""
    return Batch(rows=rows, rollups=roll_up(rows))


def read_totals(store: Store) -> dict[Slot, Rollup]:
    """Every roll-up of the days around now."""
    return store.log.read_rollups(since=NOW - 400 * DAY, until=NOW + 400 * DAY)


def count_patterns_of(
    store: Store, *, tenant: str | None = None, tool: str | None = None
) -> list[int]:
    """How often each pattern was met by one tenant or at one tool."""
    query = PatternQuery(since=NOW, until=NOW + DAY, tenant=tenant, tool=tool)
    return [seen.pattern.count for seen in store.log.list_patterns(query)]


def make_finding_row(
    number: int,
    *,
    rule: str = "process.sloppy",
    severity: str = "warning",
    agent: str = "planner",
    tenant: str = "",
    at: datetime = NOW,
) -> FindingRow:
    """What a review found."""
    return FindingRow(
        id=f"{number}",
        at_us=to_us(at, name="at"),
        tenant=tenant,
        agent=agent,
        server="cal",
        tool="move",
        rule=rule,
        severity=severity,
    )


class LogContract(Contract):
    """Telemetry about every call."""

    def test_rows_read_back_as_they_were_written(self, store: Store) -> None:
        """Every column, in any script, the newest first."""
        rows = [
            make_log_row(
                1, parameters='{"x":"日本"}', context="🗓", parent="p", turn="t", try_number=3
            ),
            make_failed_row(2, tool="ünïcode", tenant="家"),
            make_log_row(3, outcome=Outcome.UNKNOWN, weight=10, result=None),
        ]

        store.log.write(make_batch(rows))

        assert store.log.list_rows(ALL) == rows[::-1]
        assert store.log.list_rows(LogQuery(oldest_first=True, limit=2)) == rows[:2]
        assert store.log.list_rows(LogQuery(limit=1)) == rows[2:]

    @pytest.mark.parametrize(
        ("query", "numbers"),
        [
            (LogQuery(tenant="office"), [4]),
            (LogQuery(agent="writer"), [3]),
            (LogQuery(server="mail"), [2]),
            (LogQuery(tool="send"), [2]),
            (LogQuery(outcome="failure"), [5, 1]),
            (LogQuery(outcome="success"), [4, 3, 2, 0]),
            (LogQuery(error_class="missing"), [5]),
            (LogQuery(turn="t7"), [4, 3]),
            (LogQuery(turn="t7", tenant="home"), [3]),
            (LogQuery(turns=("t7", "t9")), [4, 3]),
            (LogQuery(parents=("p5", "none")), [5]),
            (LogQuery(since=NOW + HOUR), [5]),
            (LogQuery(until=NOW + HOUR), [4, 3, 2, 1, 0]),
            (LogQuery(tool="nobody"), []),
        ],
        ids=lambda value: "-".join(map(str, value)) if isinstance(value, list) else None,
    )
    def test_filters_keep_what_fits(
        self, store: Store, query: LogQuery, numbers: list[int]
    ) -> None:
        """Each on its own, and together."""
        rows = [
            make_log_row(0),
            make_failed_row(1),
            make_log_row(2, server="mail", tool="send"),
            make_log_row(3, agent="writer", turn="t7"),
            make_log_row(4, tenant="office", turn="t7"),
            make_failed_row(5, at=NOW + HOUR, error_class="missing", parent="p5"),
        ]
        store.log.write(make_batch(rows))

        assert store.log.list_rows(query) == [rows[number] for number in numbers]

    def test_rows_are_found_by_the_beginning_of_their_id(self, store: Store) -> None:
        """As a person types it."""
        rows = [make_log_row(0), make_log_row(0, at=NOW + DAY)]
        store.log.write(make_batch(rows))

        found = store.log.list_rows(LogQuery(id_prefix=rows[0].id[:9]))

        assert found == rows[:1]

    def test_a_follower_sees_every_row_once(self, store: Store) -> None:
        """Page by page, and what was added since."""
        rows = [make_log_row(number) for number in range(7)]
        store.log.write(make_batch(rows[:5]))

        seen: list[LogRow] = []
        for new in ([], rows[5:]):
            store.log.write(make_batch(new))
            while page := store.log.list_rows(
                LogQuery(after=seen[-1].id if seen else "", oldest_first=True, limit=2)
            ):
                seen += page

        assert seen == rows

    def test_rollups_are_those_of_all_rows_and_honour_weights(self, store: Store) -> None:
        """Over many batches, hours, tools and agents."""
        chance = random.Random(7)  # noqa: S311
        rows = [
            (make_failed_row if chance.random() < 0.2 else make_log_row)(
                number,
                at=NOW + chance.randrange(3) * HOUR,
                tool=chance.choice(["a", "b"]),
                agent=chance.choice(["", "x"]),
                context=chance.choice(["", "booking", "derived: step=1"]),
                duration_us=chance.randrange(1, 10**7),
                try_number=chance.choice([1, 2]),
                parent=chance.choice(
                    [None, f"no time {number}", make_uuid7(NOW_US - 10**6, number)]
                ),
                weight=chance.choice([1.0, 10.0]),
            )
            for number in range(300)
        ]

        for start in range(0, 300, 50):
            store.log.write(make_batch(rows[start : start + 50]))

        counted = roll_up(rows)
        for slot, counts in roll_up_tries(rows, rows).items():
            counted.setdefault(slot, Rollup()).add(counts)
        assert read_totals(store) == counted
        assert store.log.sum_rollups(since=NOW, until=NOW + 2 * HOUR) == add_up(counted)
        assert store.log.sum_rollups(since=NOW + DAY, until=NOW + DAY) == {}
        some = store.log.read_rollups(since=NOW + HOUR, until=NOW + HOUR)
        assert some == {
            slot: counts for slot, counts in counted.items() if slot.hour == _compute_hour(1)
        }

    def test_what_came_of_suggestions_is_counted_once(self, store: Store) -> None:
        """Later tries are held against the first, over batches and repeats."""
        first = make_failed_row(0, parameters='{"to":"Fryday"}')
        tries = (first.parameters, '{"to":"Sunday"}', '{"to":"Friday"}', '{"to":"Friday"}')
        later = [
            (make_log_row if number == 4 else make_failed_row)(
                number, parameters=given, parent=first.id, try_number=number + 1
            )
            for number, given in enumerate(tries, start=1)
        ]

        for rows in ([first], later[:3], later[3:], [first, *later]):
            store.log.write(make_batch(rows))

        [counts] = read_totals(store).values()
        assert (counts.calls, counts.failures, counts.tries) == (1, 1, 5)
        assert (counts.retried, counts.repaired) == (1, 1)
        assert (counts.suggested, counts.suggested_right) == (2, 1)

    def test_failures_are_counted_by_pattern(self, store: Store) -> None:
        """The most frequent first, over batches, hours and agents; a repeat counts no more."""
        tripped = Pattern(
            fingerprint="f1", tool="walk", error_class=ErrorClass.RULE, template="tripped over <x>"
        )
        lost = replace(tripped, fingerprint="f2", template="lost: «<x>» \x00")
        rows = [
            make_failed_row(
                number,
                at=NOW + number % 3 * HOUR,
                tenant="home" if number < 6 else "away",
                tool="walk",
                agent=f"{number % 2 or ''}",
            )
            for number in range(7)
        ]
        patterns = {row.id: lost if number < 2 else tripped for number, row in enumerate(rows)}
        for some in (rows[:4], rows[3:], [*rows[6:], make_log_row(9)]):
            store.log.write(Batch(rows=some, rollups=roll_up(some), patterns=patterns))

        found = store.log.list_patterns(PatternQuery(since=NOW, until=NOW + 2 * HOUR))
        early = store.log.list_patterns(PatternQuery(since=NOW - HOUR, until=NOW))

        newest = max(rows[2:])
        assert found[0] == PatternSeen(
            pattern=replace(tripped, count=5),
            first_at=from_us(min(row.at_us for row in rows[2:])),
            last_at=from_us(newest.at_us),
            agents=("1",),
            example=newest.id,
        )
        assert [(seen.pattern.fingerprint, seen.pattern.count) for seen in found[1:]] == [("f2", 2)]
        assert [seen.pattern.count for seen in early] == [2, 1]
        assert count_patterns_of(store, tenant="home") == [4, 2]
        assert count_patterns_of(store, tenant="away", tool="walk") == [1]
        assert count_patterns_of(store, tool="run") == count_patterns_of(store, tenant="") == []
        store.log.prune(before=NOW + 2 * HOUR)
        left = store.log.list_patterns(PatternQuery(since=NOW, until=NOW + DAY))
        assert [seen.pattern.count for seen in left] == [2]

    def test_a_batch_written_twice_counts_once(self, store: Store) -> None:
        """Whole or in part: an answer that was lost must not distort a figure."""
        rows = [make_log_row(number) for number in range(20)]
        loss = Loss(at=NOW, reason="overflow", successes=3, failures=1)
        twice = Batch(rows=rows, rollups=roll_up(rows), losses=[loss])
        store.log.write(twice)
        more = [*rows[10:], make_log_row(20), make_log_row(21), make_log_row(21)]

        store.log.write(twice)
        store.log.write(make_batch(more))

        assert sorted(store.log.list_rows(ALL)) == [*rows, *more[-3:-1]]
        assert read_totals(store) == roll_up([*rows, *more[-3:-1]])
        assert store.log.list_losses() == [loss]

    def test_losses_are_kept_with_their_reasons(self, store: Store) -> None:
        """The oldest first, in aware times."""
        losses = [
            Loss(at=NOW, reason="shutdown", successes=1),
            Loss(at=NOW - HOUR, reason="overflow", successes=900, failures=2),
        ]

        for loss in losses:
            store.log.write(Batch(rows=[], losses=[loss]))

        assert store.log.list_losses() == losses[::-1]
        assert store.log.list_losses()[0].at.utcoffset() == timedelta(0)

    def test_findings_are_counted_by_rule_tool_and_agent(self, store: Store) -> None:
        """The most frequent first; one that is written twice counts once."""
        rows = [
            make_finding_row(1),
            make_finding_row(2),
            make_finding_row(3, agent="writer"),
            make_finding_row(4, rule="date.not_as_said", severity="error"),
            make_finding_row(5, at=NOW - 2 * DAY),
        ]

        store.log.write(Batch(rows=[make_log_row(1)], findings=rows))
        store.log.write(Batch(rows=[make_log_row(1)], findings=rows[:2]))

        counted = store.log.list_finding_counts(since=NOW - DAY, until=NOW + DAY)
        assert [(c.count, c.rule, c.severity, c.server, c.tool, c.agent) for c in counted] == [
            (2, "process.sloppy", Severity.WARNING, "cal", "move", "planner"),
            (1, "date.not_as_said", Severity.ERROR, "cal", "move", "planner"),
            (1, "process.sloppy", Severity.WARNING, "cal", "move", "writer"),
        ]

    def test_findings_of_one_tenant_are_counted_alone(self, store: Store) -> None:
        """Who is named nowhere is a tenant of its own."""
        rows = [make_finding_row(1), make_finding_row(2, tenant="acme")]

        store.log.write(Batch(rows=[make_log_row(1)], findings=[*rows, rows[1]._replace(id="3")]))

        day = {"since": NOW - DAY, "until": NOW + DAY}
        counts = [
            sum(each.count for each in store.log.list_finding_counts(**day, tenant=tenant))
            for tenant in ("acme", "", None, "other")
        ]
        assert counts == [2, 1, 3, 0]

    def test_pruning_deletes_what_is_older(self, store: Store) -> None:
        """Rows, roll-ups, losses and findings."""
        old = [make_log_row(number, at=NOW - 40 * DAY) for number in range(1100)]
        new = [make_log_row(0), make_failed_row(1)]
        losses = [Loss(at=NOW - 40 * DAY, reason="overflow"), Loss(at=NOW, reason="overflow")]
        findings = [make_finding_row(1, at=NOW - 40 * DAY), make_finding_row(2)]
        rows = [*old, *new]
        store.log.write(Batch(rows=rows, rollups=roll_up(rows), losses=losses, findings=findings))

        pruned = store.log.prune(before=NOW - 30 * DAY)

        assert pruned == 1100
        assert store.log.list_rows(ALL) == new[::-1]
        assert read_totals(store) == roll_up(new)
        assert store.log.list_losses() == losses[1:]
        left = store.log.list_finding_counts(since=NOW - 400 * DAY, until=NOW + DAY)
        assert [each.count for each in left] == [1]

    def test_text_no_database_takes_is_stored_in_a_readable_form(self, store: Store) -> None:
        """Lone surrogates and null characters cost a character, never a row."""
        rows = [
            make_log_row(0),
            make_log_row(1, context="a\ud800b"),
            make_log_row(2, context="a\x00b"),
        ]
        findings = [make_finding_row(1, agent="a\x00b"), make_finding_row(2, agent="a\ud800b")]

        store.log.write(replace(make_batch(rows), findings=findings))

        found = store.log.list_rows(LogQuery(oldest_first=True))
        assert [row.id for row in found] == [row.id for row in rows]
        assert all(row.context[0] == "a" and row.context[-1] == "b" for row in found[1:])
        assert sum(counts.calls for counts in read_totals(store).values()) == 3
        seen = store.log.list_finding_counts(since=NOW - DAY, until=NOW + DAY)
        assert all(each.agent[0] == "a" and each.agent[-1] == "b" for each in seen)
        assert sum(each.count for each in seen) == 2

    def test_many_threads_write_at_once(self, store: Store) -> None:
        """No row and no count is lost."""
        rows = [make_log_row(number) for number in range(800)]

        with ThreadPoolExecutor(4) as threads:
            list(
                threads.map(
                    lambda at: store.log.write(make_batch(rows[at : at + 50])), range(0, 800, 50)
                )
            )

        assert store.log.list_rows(ALL) == rows[::-1]
        assert read_totals(store) == roll_up(rows)

    def test_rows_of_a_megabyte_are_kept(self, store: Store) -> None:
        """Whoever allows them gets them back."""
        row = make_log_row(0, parameters="x" * 1024 * 1024)

        store.log.write(make_batch([row]))

        assert store.log.list_rows(ALL) == [row]


def _compute_hour(later: int) -> int:
    return int(NOW.timestamp()) // 3600 + later


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
    """Outcomes of texts are counted by the hour, without looking at a row."""

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

    def test_a_reply_can_be_rated_again_later(self, store: Store) -> None:
        """Thumbs stay at hand, because a later one is held against them."""
        settled = make_step(1, REPLY_SETTLED, iterations=1, rules=[_RULES[1]])
        rows = [settled, make_step(2, RATED, of=settled.id, up=False, agent="")]
        store.log.write(Batch(rows=rows))

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
        JUDGE_ASKED: {
            "model": chance.choice(["small", "large"]),
            "input_tokens": chance.randrange(2_000),
            "output_tokens": chance.randrange(200),
            "seconds": chance.choice([0.5, 1.25, 8]),
        },
    }
    return make_step(number, tool, at=at, agent=agent, **facts[tool])
