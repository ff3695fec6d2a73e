"""Counts that are added up as rows are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.types.call import LogRow, Outcome
from mulligan.types.log import (
    HOUR_US,
    REPLY_CHECKED,
    REPLY_SETTLED,
    Rollup,
    Slot,
    TextMeasure,
    compute_bucket_floor_us,
    compute_latency_bucket,
    roll_up,
    roll_up_texts,
    roll_up_tries,
)
from mulligan.types.values import make_uuid7
from mulligan_testing.store_contract.logs import make_step

durations = st.integers(min_value=0, max_value=2**62)


def row(**changes) -> LogRow:
    made = LogRow(
        id="1", at_us=0, tenant="", agent="planner", server="", tool="find", parameters="{}",
        context="booking", outcome=Outcome.SUCCESS, duration_us=100, error_class=None,
        error_type=None, error_message=None, error_code=None, error_at=None, result=None,
        try_number=1, parent=None, turn=None, weight=1.0,
    )  # fmt: skip
    return made._replace(**changes)


@given(durations)
def test_a_duration_lies_between_the_floor_of_its_bucket_and_the_next(duration):
    bucket = compute_latency_bucket(duration)

    assert compute_bucket_floor_us(bucket) <= duration < compute_bucket_floor_us(bucket + 1)


def test_a_clock_that_ran_backwards_counts_as_no_time():
    assert compute_latency_bucket(-5) == 0


def test_rows_are_counted_by_hour_tenant_server_tool_and_agent():
    rows = [
        row(),
        row(at_us=HOUR_US - 1),
        row(at_us=HOUR_US),
        row(tenant="a"),
        row(server="s"),
        row(tool="move"),
        row(agent="other"),
    ]

    slots = roll_up(rows)

    assert {slot: counts.calls for slot, counts in slots.items()} == {
        Slot(0, "", "", "find", "planner"): 2,
        Slot(1, "", "", "find", "planner"): 1,
        Slot(0, "a", "", "find", "planner"): 1,
        Slot(0, "", "s", "find", "planner"): 1,
        Slot(0, "", "", "move", "planner"): 1,
        Slot(0, "", "", "find", "other"): 1,
    }


@pytest.mark.parametrize(
    ("changes", "calls", "failures"),
    [
        ({"outcome": Outcome.SUCCESS}, 1, 0),
        ({"outcome": Outcome.UNKNOWN}, 1, 1),
        ({"outcome": Outcome.CANCELLED}, 1, 1),
        ({"outcome": Outcome.SUCCESS, "try_number": 2}, 0, 0),
        ({"outcome": Outcome.FAILURE, "try_number": 2}, 0, 0),
    ],
)
def test_a_call_is_counted_by_its_first_try_and_every_try_is_a_try(changes, calls, failures):
    (counts,) = roll_up([row(**changes)]).values()

    assert (counts.calls, counts.failures, counts.tries) == (calls, failures, 1)


FIRST = row(id="1", parameters="wrong", outcome=Outcome.FAILURE)


def later(name: str, parameters: str, *, worked: bool = False, parent: str = "1") -> LogRow:
    outcome = Outcome.SUCCESS if worked else Outcome.FAILURE
    return row(id=name, parameters=parameters, outcome=outcome, try_number=2, parent=parent)


@pytest.mark.parametrize(
    ("known", "new", "retried", "suggested", "right"),
    [
        ([], [FIRST], 0, 0, 0),
        ([FIRST], [later("2", "wrong", worked=True)], 1, 0, 0),
        ([FIRST], [later("2", "better", worked=True)], 1, 1, 1),
        ([], [FIRST, later("2", "odd"), later("3", "better", worked=True)], 1, 2, 1),
        ([FIRST, later("2", "better")], [later("3", "better", worked=True)], 0, 0, 1),
        ([FIRST, later("3", "better", worked=True)], [later("2", "better")], 0, 0, 0),
        ([], [later("2", "better", worked=True, parent="gone")], 1, 0, 0),
    ],
)
def test_a_later_try_with_other_arguments_is_a_suggestion_and_counts_once(
    known, new, retried, suggested, right
):
    total = Rollup()

    for counts in roll_up_tries(new, [*known, *new]).values():
        total.add(counts)

    assert (total.retried, total.suggested, total.suggested_right) == (retried, suggested, right)


def test_a_repair_takes_from_the_first_try_to_the_end_of_the_one_that_worked():
    first = FIRST._replace(at_us=5_000_000)
    second = later("2", "wrong")._replace(at_us=6_000_000)
    third = later("3", "wrong", worked=True)._replace(at_us=7_000_000, duration_us=500_000)
    again = later("4", "wrong", worked=True)._replace(at_us=9_000_000)

    (counts,) = roll_up_tries([second, third, again], [first, second, third, again]).values()

    assert counts.repaired == 1
    assert counts.repairs == {compute_latency_bucket(2_500_000): 1}


def test_a_call_that_is_repaired_in_the_next_hour_counts_in_the_hour_of_its_first_try():
    first = FIRST._replace(at_us=HOUR_US - 1, agent="planner")
    fixed = later("2", "better", worked=True)._replace(at_us=HOUR_US + 1, agent="")

    counted = roll_up([first, fixed])
    for slot, counts in roll_up_tries([fixed], [first, fixed]).items():
        counted.setdefault(slot, Rollup()).add(counts)

    own = counted[Slot(0, "", "", "find", "planner")]
    assert (own.calls, own.failures, own.repaired, own.retried) == (1, 1, 1, 1)
    assert counted[Slot(1, "", "", "find", "")].calls == 0


def test_where_the_first_try_is_lost_its_id_tells_when_it_was():
    lost = make_uuid7(3 * HOUR_US, 1)
    fixed = later("2", "better", worked=True, parent=lost)._replace(at_us=4 * HOUR_US)
    other = later("3", "better", worked=True, parent="of somebody else")

    counted = roll_up_tries([fixed, other], [fixed, other])

    assert {slot.hour: counts.repaired for slot, counts in counted.items()} == {3: 1, 0: 1}
    assert [len(counts.repairs) for counts in counted.values()] == [1, 0]


@pytest.mark.parametrize(
    ("agent", "context", "given", "derived"),
    [
        ("planner", "booking", 1, 0),
        ("", "booking", 0, 0),
        ("planner", "", 0, 0),
        ("", "", 0, 0),
        ("planner", "derived: tools=2 step=1", 0, 1),
        ("(serve)", "booking", 0, 1),
        ("", "derived: tools=2 step=1", 0, 0),
    ],
)
def test_a_call_has_context_only_if_it_says_who_and_what_for(agent, context, given, derived):
    (counts,) = roll_up([row(agent=agent, context=context)]).values()

    assert (counts.with_context, counts.derived) == (given, derived)


@given(
    st.lists(
        st.builds(
            row,
            at_us=st.integers(0, 3 * HOUR_US),
            tool=st.sampled_from(["a", "b"]),
            outcome=st.sampled_from(list(Outcome)),
            duration_us=st.integers(0, 10**9),
            weight=st.sampled_from([1.0, 8.0]),
        )
    )
)
def test_nothing_is_lost_or_counted_twice(rows):
    slots = roll_up(rows)

    weights = sum(r.weight for r in rows)
    assert sum(counts.tries for counts in slots.values()) == weights
    assert sum(sum(counts.latency.values()) for counts in slots.values()) == weights
    assert sum(counts.duration_us for counts in slots.values()) == sum(
        r.weight * r.duration_us for r in rows
    )


def test_only_the_first_try_says_whether_a_reply_had_to_be_written_again() -> None:
    rows = [
        make_step(n, REPLY_CHECKED, number=n, standing="rejected", rules=["a", "a", "b"])
        for n in (1, 2)
    ]

    counts = roll_up_texts(rows)

    said = {(slot.what, slot.name): n for slot, n in counts.items()}
    assert said == {
        (TextMeasure.REFLECTED, ""): 1,
        (TextMeasure.RULE, "a"): 1,
        (TextMeasure.RULE, "b"): 1,
    }


def test_calls_of_tools_are_no_texts_whatever_they_are_called() -> None:
    row = make_step(1, REPLY_SETTLED, iterations=1)._replace(server="theirs")

    assert roll_up_texts([row]) == {}
