"""The crash campaign in its short form, and that its mistakes can still be planted."""

from __future__ import annotations

import time
from itertools import count
from pathlib import Path

import pytest

from bench.crash.means import SETTLES_WITHIN
from bench.crash.mutants import MUTANTS
from bench.crash.phases import Phase, settle_in
from bench.crash.processes import in_child
from bench.crash.rough import LAG
from bench.crash.scenarios import cases
from bench.packs import effect_mutants, sql_mutants
from bench.packs.hunting import PACK_MUTANTS
from mulligan_testing.faults import Faults
from tests.bench.running import read_result

pytestmark = [pytest.mark.promise(1), pytest.mark.full]

PROMISES = (
    "unaccounted", "undone_twice", "duplicates", "lost_edits", "untrue", "holds_alive",
    "somebody_elses", "other",
)  # fmt: skip


def test_a_short_campaign_breaks_no_promise_and_notices_planted_mistakes() -> None:
    result = read_result("crash", "--quick", "--calls", "1", "--mutants", "--store", "postgres")

    assert {name: result[name] for name in PROMISES} == dict.fromkeys(PROMISES, 0)
    assert result["named_points_hit"] == result["named_points"]
    assert result["points"] >= 40
    assert result["killed"] > 0
    assert (result["mutants"], result["caught"]) == (1, 1)
    people = result["needed_a_person"]
    assert people["actions"] >= people["persons"] == sum(people["by_cause"].values()) > 0


def test_a_reader_stays_behind_on_a_machine_that_takes_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [case] = [each for each in cases() if each.name == "behind by a time, update (wrong)"]
    phase = Phase(case=case, folder=tmp_path, process=0, faults=Faults())
    settle_in(phase)
    remote, hours = phase.remote, count(0, 3_600)
    remote.set_lag(LAG)
    monkeypatch.setattr(time, "monotonic", lambda: float(next(hours)))

    remote.update("e1", {"day": "2026-11-20"}, by="agent")

    seen = remote.get("e1")
    assert seen is not None
    assert seen.data["day"] == "2026-11-18"
    phase.clock().go_on(SETTLES_WITHIN)
    caught_up = remote.get("e1")
    assert caught_up is not None
    assert caught_up.data["day"] == "2026-11-20"


def test_mistakes_in_packs_are_known_to_their_packs_and_can_be_planted() -> None:
    known = effect_mutants.MUTANTS | {"sql": sql_mutants.MUTANTS}

    for planted in [each for mistakes in known.values() for each in mistakes.values()]:
        with planted():
            pass
    assert all(each.name in known[each.pack] for each in PACK_MUTANTS.values())
    assert set(effect_mutants.LIKELY) <= {name for names in known.values() for name in names}


@pytest.mark.parametrize("name", MUTANTS)
def test_every_mistake_fits_the_code_as_it_is(name: str) -> None:
    planted = MUTANTS[name]

    in_child(planted.plant)

    for words in planted.likely:
        assert any(
            words.partition(": ")[0] in case.name for case in cases() if case.scenario.hunted
        )
