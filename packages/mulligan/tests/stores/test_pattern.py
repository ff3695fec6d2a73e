from __future__ import annotations

from dataclasses import replace

import pytest

from mulligan.stores.encoding import build_pattern
from mulligan.types.errors import StoreDamagedError
from mulligan.types.failure import ErrorClass
from mulligan.types.log import PatternCount
from mulligan.types.values import from_us

COUNTED = PatternCount(
    error_class="missing", template="no <value>", failures=3.0, first_us=1, last_us=9, example="id"
)


def test_a_pattern_has_what_was_counted_and_everybody_once_by_name() -> None:
    seen = build_pattern("find", "f1", counted=COUNTED, agents=["planner", "", "desk", "planner"])

    assert (seen.pattern.error_class, seen.pattern.count) == (ErrorClass.MISSING, 3)
    assert (seen.first_at, seen.last_at) == (from_us(1), from_us(9))
    assert seen.agents == ("desk", "planner")


def test_what_makes_no_sense_is_called_damage() -> None:
    with pytest.raises(StoreDamagedError, match="failures of find"):
        build_pattern("find", "f1", counted=replace(COUNTED, error_class="no class"), agents=[])
