"""The crash campaign in its short form, and that its mistakes can still be planted."""

from __future__ import annotations

import pytest

from bench.crash.mutants import MUTANTS
from bench.crash.processes import in_child
from bench.crash.scenarios import cases
from bench.packs import effect_mutants, sql_mutants
from bench.packs.hunting import PACK_MUTANTS
from tests.bench.running import read_result

pytestmark = [pytest.mark.promise(1), pytest.mark.full]

PROMISES = (
    "unaccounted", "undone_twice", "duplicates", "lost_edits", "untrue", "holds_alive",
    "somebody_elses", "other",
)  # fmt: skip


def test_a_short_campaign_breaks_no_promise_and_notices_planted_mistakes() -> None:
    result = read_result("crash", "--quick", "--calls", "50", "--mutants", "--store", "postgres")

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
