"""The suite on repairs of unknown sources: how it tells another request, and what it counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from bench.failures.outside import Referee, episode_of, failed_call, fold_of
from bench.failures.scope import required_drops, scope_changes
from bench.suites.repairs import CROSS, OTHER, OWN, Proposed, Told, summarize
from mulligan.types.lesson import Ending, FirstCall, Kind, Origin, Patch, Suggestion
from tests.learning.failures import failed, obj

TEXT = {"type": "string"}
CASE: dict[str, Any] = {
    "id": "c1",
    "source": "somewhere",
    "session": "s1",
    "model": "m",
    "suite": None,
    "task": "t1",
    "tool": "find",
    "failed_args": {"name": "ann"},
    "error": "name: wanted a list",
    "write": False,
    "said": ["find ann"],
    "prior_calls": [],
    "calls_between": [{"tool": "look", "args": {}, "ok": True}],
    "fixed_args": {"name": ["ann"]},
}


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ({"name": "Ann"}, {"name": ["ann"]}, []),
        ({"day": "05/26/2026"}, {"day": "2026-05-26"}, []),
        ({"id": "W1"}, {"order": "#W1"}, []),
        ({"limit": 50}, {"limit": 10}, []),
        ({}, {"unit": "m"}, []),
        ({"name": "ann"}, {"name": "bob"}, []),
        ({"name": "ann"}, {"name": "eve"}, ["name"]),
        ({"name": "bob smith"}, {"name": "bob"}, ["name"]),
        ({"name": "ann", "day": "friday"}, {"name": "ann"}, ["day"]),
        ({"name": "ann", "odd": 1}, {"name": "ann"}, []),
        ({"name": None}, {"name": [None]}, ["name"]),
        ({"limit": 50}, {"limit": 20}, ["limit"]),
    ],
)
def test_another_request_is_told_by_its_values(
    before: Mapping[str, object], after: Mapping[str, object], changed: list[str]
) -> None:
    schema = obj(
        "name",
        name=TEXT,
        day=TEXT,
        order=TEXT,
        limit={"type": "integer"},
        unit={"type": "string", "default": "m"},
    )
    call = failed(before, schema=schema, error="limit must be at most 10", said=["for bob"])

    assert scope_changes(call, after) == changed


def test_a_required_argument_that_was_there_and_goes_is_counted() -> None:
    call = failed({"name": "ann", "day": "x"}, schema=obj("name", "place", name=TEXT, day=TEXT))

    assert required_drops(call, {"day": "x"}) == ["name"]
    assert required_drops(call, {"name": "ann"}) == []


def proposal(*first: str, **changes: object) -> Suggestion:
    return Suggestion(
        patch=Patch(changes=changes, first=tuple(FirstCall(tool=tool) for tool in first)),
        source=Origin.MEMORY,
        kinds=(Kind.COERCE,),
        probability=0.9,
        n=3,
        evidence="",
    )


@pytest.mark.parametrize(
    ("made", "right"),
    [
        (proposal(name=["ann"]), True),
        (proposal("look", name=["ann"]), True),
        (proposal("shout", name=["ann"]), False),
        (proposal(name=["bob"]), False),
    ],
)
def test_where_nothing_can_be_played_a_proposal_is_compared(made: Suggestion, right: bool) -> None:
    referee = Referee.__new__(Referee)  # Without its worker: nothing of this case can be played.

    assert referee.judge(CASE, made) is right


def test_where_nobody_knows_the_repair_nothing_is_said_of_a_proposal() -> None:
    unknown = {name: value for name, value in CASE.items() if name != "fixed_args"}

    assert Referee.__new__(Referee).judge(unknown, proposal(name=["ann"])) is None


def test_a_case_is_a_failed_call_and_an_episode_of_its_task() -> None:
    call = failed_call(CASE, {})
    other = {**CASE, "id": "c2", "tool": "other"}

    assert call.call.arguments == {"name": "ann"}
    assert episode_of(CASE, call, 0).ending is Ending.REPAIRED
    assert fold_of(other) == fold_of(CASE)


def proposed(of: str, *, right: bool | None, scope: bool = False) -> Proposed:
    return Proposed(tool="find", of=of, right=right, scope=scope, dropped=False)


def told(*found: Proposed, **others: Any) -> Told:
    return Told(tool="find", proposed=found, **others)


def test_what_is_counted_is_counted_by_whose_it_is() -> None:
    found = [
        told(proposed(OWN, right=True), proposed(OWN, right=False, scope=True)),
        told(proposed(CROSS, right=False), proposed(OTHER, right=True, scope=True)),
        told(proposed(OWN, right=None), automatic=True),
        told(asked=True),
    ]

    figures = summarize(found)

    assert figures["own"] == {"n": 2, "right": 0.5, "wrong": 1, "made": 3}
    assert figures["cross"]["wrong"] == 1
    assert figures["auto"]["right"] == 1
    assert (figures["scope_changed"], figures["scope_changed_others"]) == (1, 1)
    assert (figures["silent_share"], figures["told_nothing_share"]) == (0.25, 0.25)
    assert (figures["asked_share"], figures["unjudged"]) == (0.25, 1)
