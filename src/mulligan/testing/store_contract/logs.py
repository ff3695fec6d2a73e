"""What a log must keep to."""

from __future__ import annotations

import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from mulligan.core.call import LogRow, Outcome
from mulligan.core.failures.error_class import ErrorClass
from mulligan.core.failures.suggestion import Pattern
from mulligan.core.finding import FindingRow, Severity
from mulligan.core.interfaces import Store
from mulligan.core.storage.ids import make_uuid7
from mulligan.core.storage.instants import from_us, to_us
from mulligan.core.storage.log_query import Batch, LogQuery, Loss, PatternQuery, PatternSeen
from mulligan.core.storage.rollup import Rollup, Slot, add_up, roll_up, roll_up_tries
from mulligan.testing.store_contract.contract import (
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

    def test_compressed_rows_are_found_like_any_other(self, store: Store) -> None:
        """In every order and through every filter; retention reaches them too."""
        rows = [
            (make_failed_row if number % 10 == 3 else make_log_row)(
                number, at=NOW - DAY + number * HOUR / 100, tool=f"tool{number % 3}"
            )
            for number in range(1500)
        ]
        store.log.write(make_batch(rows))
        queries = [
            ALL,
            LogQuery(limit=10),
            LogQuery(oldest_first=True, limit=700),
            LogQuery(tool="tool1", limit=40),
            LogQuery(outcome="failure", limit=1000),
            LogQuery(outcome="success", limit=5),
            LogQuery(after=rows[700].id, oldest_first=True, limit=9),
            LogQuery(id_prefix=rows[600].id),
            LogQuery(since=NOW - DAY + 2 * HOUR, until=NOW - DAY + 4 * HOUR, limit=1000),
        ]
        before = [store.log.list_rows(query) for query in queries]

        store.log.compress(before=NOW - DAY + 12 * HOUR)

        assert [store.log.list_rows(query) for query in queries] == before
        assert read_totals(store) == roll_up(rows)
        assert store.log.prune(before=NOW - DAY + 6 * HOUR) == 600
        assert store.log.list_rows(ALL) == rows[:599:-1]

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
