"""The campaigns of many workers in short, and that their counting sees what it counts."""

from __future__ import annotations

from collections import Counter

import pytest

from bench.crash.rows import Row
from bench.scale.ledger import Ledger
from bench.scale.measuring import compute_share, name_limit
from bench.scale.restarting import count
from mulligan.types.action import State
from tests.bench.running import read_result

PROMISES = ("lost", "untrue", "doubled", "stale_writes_accepted", "forgotten")


def test_a_server_that_is_killed_under_two_workers_costs_no_effect() -> None:
    result = read_result("restarts", "--restarts", "1", "--workers", "2", "--actions", "40")

    assert {name: result[name] for name in PROMISES} == dict.fromkeys(PROMISES, 0)
    assert result["restarts"] == 1
    assert result["actions"] >= 40


def test_a_day_of_the_log_is_dropped_and_timed_beside_others() -> None:
    result = read_result("drops", "--rows", "1000", "2000", "--rounds", "1")

    assert result["rows"] == [1_000, 2_000]
    assert all(each > 0 for each in result["gone_ms"] + result["drop_ms"])


def make_row(name: str, *history: State, writers: tuple[str, ...] = ("w",)) -> Row:
    return Row(
        id=name, tool="add", state=history[-1], target=("", ""), history=history, writers=writers
    )


@pytest.mark.parametrize(
    ("row", "made", "back", "broken"),
    [
        (make_row("a", State.INTENT, State.VERIFIED), 1, 0, ""),
        (make_row("a", State.INTENT, State.UNDONE), 1, 1, ""),
        (make_row("a", State.INTENT, State.NEEDS_HUMAN), 1, 0, ""),
        (make_row("a", State.INTENT, State.VERIFIED), 0, 0, "lost"),
        (make_row("b", State.INTENT, State.NOT_EXECUTED), 1, 0, "lost"),
        (make_row("a", State.INTENT, State.NOT_EXECUTED), 1, 0, "untrue"),
        (make_row("a", State.INTENT, State.UNDONE), 1, 0, "untrue"),
        (make_row("a", State.INTENT, State.VERIFIED), 2, 0, "doubled"),
        (make_row("a", State.INTENT, State.INTENT), 1, 0, "forgotten"),
        (
            make_row("a", State.INTENT, State.UNKNOWN, State.VERIFIED, writers=("w", "x", "w")),
            1, 0, "stale_writes_accepted",
        ),
    ],
)  # fmt: skip
def test_what_the_journal_says_is_held_against_what_happened(row, made, back, broken) -> None:
    found = count([row], Counter({"a": made} if made else {}), Counter({"a": back} if back else {}))

    assert [name for name in PROMISES if found[name]] == ([broken] if broken else [])
    assert bool(found["examples"]) is bool(broken)


def test_a_ledger_knows_what_stands(tmp_path) -> None:
    ledger = Ledger(path=tmp_path / "effects")

    ledger.make("a")
    ledger.make("b")
    ledger.take_back("a")

    assert (ledger.is_standing("a"), ledger.is_standing("b"), ledger.is_standing("c")) == (
        False, True, False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("client", "server", "words"),
    [(0.6, 0.3, "in the processes"), (0.3, 0.6, "in the server"), (0.2, 0.2, "waiting")],
)
def test_what_limits_is_what_there_is_none_left_of(client, server, words) -> None:
    assert words in name_limit(client=client, server=server)


def test_a_process_that_has_no_more_than_its_core_waits_for_nobody() -> None:
    assert "in the processes" in name_limit(client=0.49, server=0.0, share=0.5)


def test_a_share_of_values_is_one_of_them() -> None:
    values = [float(number) for number in range(1, 101)]

    assert (compute_share(values, 0.5), compute_share(values, 0.99)) == (51.0, 99.0)
