"""The suites on memory: what they do around the environments, on cases written here."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import replace

from bench.__main__ import main
from bench.failures.environments import Environments, is_error
from bench.failures.learner import Learner, taught_by
from bench.failures.proposing import Stage, try_out
from bench.failures.stream import failures_in_order
from mulligan.learning.fingerprint import compute_fingerprint, mask_error
from mulligan.learning.mining import find_remedies
from mulligan.types.call import Call, Failure
from mulligan.types.failure import ErrorClass
from mulligan.types.lesson import (
    Earlier,
    Ending,
    Episode,
    FailedCall,
    FirstCall,
    Kind,
    Origin,
    Patch,
    Suggestion,
)
from tests.bench.running import write_cases
from tests.learning.cases import NOW

START = {"tool": "start", "failed_args": {}, "test": "drive_1", "id": "c1"}
LOCKED_OUT = "Error: lock the doors first"
UNBRAKED = "Error: press the brake first"


class Car:
    """Environments of one scenario: a car that starts when it is locked, and then braked."""

    def failed_call(self, case: dict[str, Any]) -> FailedCall:
        return FailedCall(
            call=Call(id=case["id"], tool="start"),
            failure=Failure(error_class=ErrorClass.UNKNOWN),
            error=LOCKED_OUT,
            tools=("start", "lock", "brake"),
        )

    def play(self, test: str, calls: list[Earlier]) -> list[Earlier]:
        assert test == "drive_1"
        done: set[str] = set()
        played = []
        for each in calls:
            answer = "ok" if each.tool != "start" else self._start(done)
            done.add(each.tool)
            played.append(replace(each, result=answer, failed=answer.startswith("Error")))
        return played

    def _start(self, done: set[str]) -> str:
        return LOCKED_OUT if "lock" not in done else UNBRAKED if "brake" not in done else "ok"


CAR = cast("Environments", Car())


def first(tool: str, error: str) -> Any:
    """A source that knows which call one error asks for."""

    def suggest(failed: FailedCall) -> Iterator[Suggestion]:
        if failed.error == error:
            yield Suggestion(
                patch=Patch(first=(FirstCall(tool=tool, arguments={}),)),
                source=Origin.MEMORY,
                kinds=(Kind.FIRST,),
                probability=0.5,
                n=0,
                evidence="",
            )

    return suggest


def test_a_new_error_is_met_with_a_new_proposal() -> None:
    trial = try_out(CAR, START, sources=(first("lock", LOCKED_OUT), first("brake", UNBRAKED)))

    assert trial.succeeded
    assert trial.tries == 2


def test_a_proposal_that_did_not_help_is_not_made_twice() -> None:
    stage = Stage(CAR, START, sources=(first("honk", LOCKED_OUT),))
    proposal = stage.proposal()
    assert proposal is not None

    helped = stage.carry_out(proposal)

    assert not helped
    assert stage.proposal() is None


def test_without_a_proposal_nothing_is_tried() -> None:
    assert try_out(CAR, START, sources=()).tries == 0


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ("Error during execution: no", True),
        ('{"error": "no"}', True),
        ('{"errors": 0}', False),
        ("None", False),
        ("plain", False),
    ],
)
def test_an_environment_says_no_in_two_ways(answer: str, error: bool) -> None:
    assert is_error(answer) is error


def episode(number: int, failed: FailedCall, fixed: dict[str, object]) -> Episode:
    masked = mask_error(failed.error, failed.call.arguments)
    return Episode(
        id=f"e{number}",
        at=NOW,
        tool=failed.call.tool,
        fingerprint=compute_fingerprint(failed.call.tool, masked),
        error_class=ErrorClass.MISSING,
        template=masked,
        turn=f"t{number}",
        ending=Ending.REPAIRED,
        verified=True,
        remedies=find_remedies(failed, fixed),
    )


def order(code: str) -> FailedCall:
    return FailedCall(
        call=Call(id="1", tool="get", arguments={"id": code}),
        failure=Failure(error_class=ErrorClass.UNKNOWN),
        error=f"{code} not found",
    )


def test_a_fold_is_not_taught_by_itself() -> None:
    memory = taught_by([(0, episode(1, order("W11"), {"id": "#W11"}))])

    assert [each.patch.changes for each in memory(None)(order("X22"))] == [{"id": "#X22"}]
    assert list(memory(0)(order("X22"))) == []


def test_a_learner_learns_in_batches_and_believes_outcomes() -> None:
    learner = Learner()
    for number in range(25):
        learner.remember(
            episode(number, order(f"W{number + 100}"), {"id": f"#W{number + 100}"}), None
        )

    (found,) = (each for source in learner.sources for each in source(order("X22")))
    offer = learner.settle(order("X22"), found, helped=True)

    assert found.patch.changes == {"id": "#X22"}
    assert found.proven
    assert offer.lesson == found.lesson


def test_failures_come_run_by_run_and_step_by_step(tmp_path: Path) -> None:
    def case(name: str, run: str, before: int) -> dict[str, Any]:
        return {"id": name, "model": "m", "run": run, "test": "t", "prior_calls": [{}] * before}

    write_cases(tmp_path, "bfcl_multiturn/repair_pairs", case("b", "1", 5), case("d", "2", 0))
    write_cases(tmp_path, "bfcl_multiturn/failed_unrepaired", case("a", "1", 2), case("c", "1", 9))
    write_cases(tmp_path, "tau/repair_pairs", case("e", "1", 0))
    write_cases(tmp_path, "tau/failed_unrepaired")

    found = failures_in_order(argparse.Namespace(data=tmp_path, half="public", limit=None))

    assert [each.case["id"] for each in found] == ["a", "b", "c", "d", "e"]
    assert [each.repaired for each in found] == [False, True, False, True, True]


@pytest.mark.parametrize("suite", ["memory", "calibration"])
def test_without_its_environments_a_suite_says_so(
    suite: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("bfcl_multiturn", "tau"):
        write_cases(tmp_path, f"{name}/repair_pairs")
        write_cases(tmp_path, f"{name}/failed_unrepaired")
    for name in ("tools_tau1.json", "tools_tau2.json"):
        (tmp_path / "tau" / name).write_text("{}", encoding="utf-8")
    missing = str(tmp_path / "none")

    code = main([suite, "--data", str(tmp_path), "--environments", missing, "--no-install"])

    assert code == 2
    assert "not installed" in capsys.readouterr().err
