"""The crash campaign in its short form, and that its counting would see what it counts."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bench import suites
from bench.crash.campaign import draw_blows
from bench.crash.counting import (
    Broken,
    Story,
    account,
    find_false_conflicts,
    find_live_holds,
    find_survivors,
    keep_to_the_story,
    say_what_is_so,
    trace,
)
from bench.crash.mutants import MUTANTS
from bench.crash.mutants.planting import plant_in, swap
from bench.crash.pausing import was_written_by_the_dead
from bench.crash.people import disturb
from bench.crash.processes import in_child
from bench.crash.rows import Row
from bench.crash.scenarios import cases
from bench.crash.seams import Seams
from bench.packs import effect_mutants, sql_mutants
from bench.packs.hunting import PACK_MUTANTS
from mulligan.types.action import State
from mulligan_testing.remote import Effected, FakeRemote

pytestmark = pytest.mark.promise(1)

ROOT = Path(__file__).parents[2]
PROMISES = (
    "unaccounted",
    "undone_twice",
    "duplicates",
    "lost_edits",
    "untrue",
    "holds_alive",
    "somebody_elses",
    "other",
)


def test_a_short_campaign_breaks_no_promise_and_notices_planted_mistakes() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "bench",
            "crash",
            "--quick",
            "--calls",
            "100",
            "--mutants",
            "--json",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert {name: result[name] for name in PROMISES} == dict.fromkeys(PROMISES, 0)
    assert result["named_points_hit"] == result["named_points"]
    assert result["points"] >= 40
    assert result["killed"] > 0
    assert (result["mutants"], result["caught"]) == (1, 1)
    assert result["ambiguity"]["duplicates"] == result["ambiguity"]["untrue"] == 0
    people = result["needed_a_person"]
    assert people["actions"] >= people["persons"] == sum(people["by_cause"].values()) > 0
    needed = result["ambiguity"]["needed_a_person"]
    assert needed["probe"]["persons"] == needed["both"]["persons"] == 0


def test_blows_are_drawn_by_the_seed_alone_whatever_cases_a_version_adds() -> None:
    every = cases()
    drawn = draw_blows(every, seed=1, points=300)

    again = draw_blows(list(reversed(every)), seed=1, points=300)
    fewer = draw_blows(every[10:], seed=1, points=300)

    assert [blow.name for blow in again] == [blow.name for blow in drawn]
    kept = [new.name for old, new in zip(drawn, fewer, strict=False) if old.case in every[10:]]
    assert kept == [blow.name for blow in drawn if blow.case in every[10:]]
    assert sum(blow.runs for blow in drawn) >= 300
    assert {blow.kind for blow in drawn} >= {"kill", "edit", "rival", "sleep", "cancel"}


def test_mistakes_in_packs_are_known_to_their_packs() -> None:
    known = effect_mutants.MUTANTS | {"sql": sql_mutants.MUTANTS}

    assert all(each.name in known[each.pack] for each in PACK_MUTANTS.values())
    assert set(effect_mutants.LIKELY) <= {name for names in known.values() for name in names}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, ""),
        ({"lost_edits": 2}, "2 lost_edits"),
        ({"named_points_missed": ["doomed"]}, "doomed was never reached"),
        ({"mutants": 20, "caught": 18}, "only 18 of 20 mistakes showed"),
        ({"mutants": 20, "caught": 19}, ""),
    ],
)
def test_a_campaign_that_proves_nothing_says_so(changed: dict[str, object], said: str) -> None:
    result = dict.fromkeys(PROMISES, 0) | {"named_points_missed": []}
    result |= {"ambiguity": {"duplicates": 0, "untrue": 0}}

    assert suites.failure_of(suites.load("crash"), result | changed) == said


def line(seq: int, by: str, day: str | None, *, op: str = "update", mark: str = "") -> Effected:
    data = {"day": day, "mark": mark} if mark else {"day": day}
    return Effected(seq=seq, op=op, id="e1", by=by, before=None, after=f"v{seq}", data=data)


SEED = line(1, "person", "Monday", op="create")
OURS = line(2, "agent", "Friday", mark="a1c1")
BACK = line(3, "undo", "Monday")
EDIT = line(3, "person", "an edit")


@pytest.mark.parametrize(
    ("ledger", "broken"),
    [
        ([SEED, OURS, BACK], None),
        ([SEED, OURS, BACK, line(4, "undo", "Monday")], "undone_twice"),
        ([SEED, OURS, EDIT, line(4, "undo", "Monday")], "lost_edits"),
        (
            [
                SEED,
                OURS,
                EDIT,
                line(4, "agent", "Sunday"),
                line(5, "undo", "an edit"),
                line(6, "undo", "Monday"),
            ],
            "lost_edits",
        ),
        ([SEED, OURS, line(3, "undo", "Sunday")], "unaccounted"),
        ([SEED, BACK], "somebody_elses"),
        (
            [SEED, OURS, BACK, line(4, "person", None, op="delete"), line(5, "undo", "Monday")],
            "undone_twice",
        ),
    ],
)
def test_an_undo_that_goes_wrong_shows_in_the_ledger(
    ledger: list[Effected], broken: str | None
) -> None:
    found = Broken()

    trace(ledger, found)

    assert [name for name, said in found.lists().items() if said] == ([broken] if broken else [])


def row(state: State, *history: State, tool: str = "move") -> Row:
    return Row(id="1", tool=tool, state=state, target=("a1c1", "e1"), history=history)


def second(state: State, *history: State) -> Row:
    return replace(row(state, *history), target=("a2c1", "e1"))


@pytest.mark.parametrize(
    ("state", "ledger", "broken"),
    [
        (State.VERIFIED, [SEED, OURS], None),
        (State.UNDONE, [SEED, OURS, BACK], None),
        (State.CONFLICT, [SEED, OURS, EDIT], None),
        (State.VERIFIED, [SEED], "unaccounted"),
        (State.VERIFIED, [SEED, OURS, BACK], "unaccounted"),
        (State.UNDONE, [SEED, OURS], "untrue"),
        (State.NOT_EXECUTED, [SEED, OURS], "unaccounted"),
        (State.VERIFIED, [SEED, OURS, line(3, "agent", "Friday", mark="a1c1")], "duplicates"),
    ],
)
def test_an_action_that_says_what_is_not_so_is_seen(
    state: State, ledger: list[Effected], broken: str | None
) -> None:
    found = Broken()

    fates = trace(ledger, found)
    account([row(state)], fates, found)
    say_what_is_so([row(state)], fates, (), found)

    assert [name for name, said in found.lists().items() if said] == ([broken] if broken else [])


def test_an_effect_that_no_action_is_about_is_seen() -> None:
    found = Broken()

    account([], trace([SEED, OURS], found), found)

    assert found.unaccounted == ["('a1c1', 'e1'): an effect that no action is about"]


@pytest.mark.parametrize(
    ("seen", "reviewers", "said"),
    [
        (row(State.VERIFIED), ["right"], ""),
        (row(State.VERIFIED), ["down"], "is verified, and the reviewers said"),
        (row(State.UNDONE, State.UNDOING), ["right"], "was undone, and the reviewers said"),
        (row(State.UNDONE, State.UNDOING), ["down", "wrong"], "after the answer was delivered"),
        (row(State.VERIFIED, State.INTENT, tool="invite"), ["right"], "nobody approved it"),
        (row(State.VERIFIED, tool="invite"), ["right"], "nobody has looked since"),
        (row(State.UNCHECKED, tool="invite"), ["right"], ""),
        (row(State.VERIFIED), ["only moves"], ""),
        (row(State.VERIFIED, tool="create"), ["only moves"], "nobody looked at anything but moves"),
        (row(State.VERIFIED, tool="create"), ["fact of moves"], "anything but moves"),
        (row(State.UNCHECKED, tool="create"), ["fact of moves"], ""),
        (row(State.UNDOING, State.UNDOING), ["wrong"], "left lying"),
        (row(State.VERIFIED), ["judge right"], ""),
        (row(State.VERIFIED), ["judge against facts"], ""),
        (row(State.DISPUTED, State.DISPUTED), ["judge wrong"], ""),
        (row(State.DISPUTED, State.DISPUTED), ["judge against facts"], "was disputed"),
        (row(State.UNDONE, State.UNDOING), ["judge against facts"], "was undone, and"),
        (second(State.UNDONE, State.UNDOING), ["judge wrong"], "on a judge's word alone"),
        (second(State.UNDONE, State.UNDOING), ["judge wrong", "wrong"], ""),
        (row(State.PENDING_REVIEW, tool="move_if_reviewed"), ["down"], "left lying"),
    ],
)
def test_a_verdict_or_an_approval_that_was_not_kept_to_is_seen(
    seen: Row, reviewers: list[str], said: str
) -> None:
    found = Broken()
    delivered = 1 if reviewers[0] == "down" and seen.tool == "move" else 0
    story = Story(
        reviewers=reviewers,
        delivered=delivered,
        approved=False,
        edited=False,
        undo_can_fail=False,
    )

    keep_to_the_story([seen], story, found)

    assert said in "; ".join(found.other)
    assert bool(said) == bool(found.other)


def test_a_blow_falls_where_none_has_fallen_before() -> None:
    seams = Seams(chance=random.Random(1))
    usual, rare = ["recovering", "claimed", "recovered"], ["recovering", "called", "recovered"]
    for _ in range(5):
        seams.choose(usual, ["kill"], most=3)

    chosen = seams.choose(rare, ["kill"], most=2)

    assert sorted(chosen) == [(2, "kill"), (3, "kill")]
    assert seams.fresh(rare, ["kill"]) == 0


def test_a_planted_mistake_that_could_not_even_be_called_is_refused() -> None:
    def right(subject: object, *, condition: object) -> None: ...

    def out_of_date(subject: object) -> None: ...

    with pytest.raises(TypeError, match="right is called with subject, condition"):
        swap(right, out_of_date)


def test_what_the_agent_was_told_is_held_against_the_ledger() -> None:
    found = Broken()
    failed = row(State.UNDO_FAILED)

    say_what_is_so([failed], trace([SEED, OURS], found), [failed.id], found)

    assert found.untrue == ["move ('a1c1', 'e1') stands, and the agent was told not"]


@pytest.mark.parametrize(("people", "false"), [(frozenset(), 1), (frozenset({"e1"}), 0)])
def test_a_conflict_with_nobody_is_counted_apart(people: frozenset[str], false: int) -> None:
    found = Broken()
    story = Story(
        reviewers=["wrong"],
        delivered=0,
        approved=False,
        edited=bool(people),
        undo_can_fail=False,
        people=people,
    )

    find_false_conflicts([row(State.CONFLICT)], trace([SEED, OURS], found), story, found)

    assert len(found.false_conflicts) == false


@pytest.mark.parametrize(
    ("held", "alive"),
    [
        ((State.HELD,), 1),
        ((State.HELD, State.DENIED), 0),
        ((State.HELD, State.APPROVED), 0),
        ((State.HELD, State.HELD, State.HELD, State.APPROVED), 1),
    ],
)
def test_a_hold_that_outlives_its_rejection_is_seen(held: tuple[State, ...], alive: int) -> None:
    found = Broken()
    undone = replace(
        row(State.UNDONE, State.EXECUTED, State.UNDOING, State.UNDONE), times=(0, 2, 3)
    )
    hold = Row(
        id="2",
        tool="invite",
        state=held[-1],
        target=("a1c2", ""),
        history=held,
        times=tuple(range(len(held))),
    )

    find_live_holds([undone, hold], found)

    assert len(found.holds_alive) == alive


def test_what_an_inner_turn_left_standing_is_seen() -> None:
    found = Broken()
    outer, inner = row(State.UNDONE), replace(row(State.DISPUTED), id="2", target=("a1c2", "e2"))
    story = Story(
        reviewers=["wrong"],
        delivered=0,
        approved=False,
        edited=False,
        undo_can_fail=False,
        form="nested",
    )

    find_survivors([outer, inner], story, found)

    assert found.other == ["move is disputed, and its outer turn was taken back"]


@pytest.mark.parametrize(
    ("writers", "stale"), [("a", False), ("aab", False), ("aabb", False), ("aba", True)]
)
def test_an_entry_of_a_writer_that_was_taken_over_from_is_stale(
    writers: str, *, stale: bool
) -> None:
    assert was_written_by_the_dead(replace(row(State.UNKNOWN), writers=tuple(writers))) is stale


@pytest.mark.parametrize(
    ("given_up", "stale"),
    [({"b": 2}, False), ({"b": 4}, True), ({"a": 1, "b": 2}, True), ({"a": 9, "b": 2}, False)],
)
def test_what_is_anybodys_again_may_go_back_to_a_writer_that_lives(
    given_up: dict[str, int], *, stale: bool
) -> None:
    found = replace(row(State.UNKNOWN), writers=tuple("aba"), times=(1, 2, 3), given_up=given_up)

    assert was_written_by_the_dead(found) is stale


@pytest.mark.parametrize(
    ("person", "days"),
    [
        ("edits", {"e1": "edit 1", "e2": "edit 1", "e3": "edit 1"}),
        ("deletes", {}),
        ("makes anew", {"e1": "edit 1", "e2": "edit 1", "e3": "edit 1"}),
    ],
)
def test_a_person_does_as_they_please(tmp_path: Path, person: str, days: dict[str, str]) -> None:
    remote = FakeRemote(tmp_path / "ledger")
    remote.create({"day": "Monday"}, id="e1", by="person")

    disturb(remote, person=person)

    assert {name: item.data["day"] for name, item in remote.list_items().items()} == days
    assert {line.by for line in remote.ledger()} == {"person"}


def test_there_are_as_many_mistakes_and_cases_as_a_proof_needs() -> None:
    names = [case.name for case in cases()]

    assert len(MUTANTS) >= 45
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", MUTANTS)
def test_every_mistake_fits_the_code_as_it_is(name: str) -> None:
    planted = MUTANTS[name]

    in_child(planted.plant)

    for words in planted.likely:
        assert any(
            words.partition(": ")[0] in case.name for case in cases() if case.scenario.hunted
        )


def test_a_function_that_nobody_has_is_not_replaced() -> None:
    with pytest.raises(AttributeError, match="Nobody has disturb to put a mistake"):
        swap(disturb, disturb)


def test_a_mistake_is_not_planted_where_there_is_nothing_to_replace() -> None:
    with pytest.raises(AttributeError, match="has no fly to put a mistake in"):
        plant_in(Broken, fly=lambda self: None)
