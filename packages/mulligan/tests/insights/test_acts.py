from __future__ import annotations

from datetime import timedelta

import pytest

from mulligan.insights.reader import ActLog
from mulligan.stores.opening import open_store
from mulligan.types.errors import ConfigurationError
from mulligan_testing.fakes import FixedClock


def refuse() -> None:
    raise ConfigurationError("it is done already")


def test_every_act_is_on_record_and_what_it_came_to() -> None:
    clock = FixedClock()
    acts = ActLog(open_store("memory:"), clock=clock)

    assert acts.record(lambda: 7, by="Mum", what="approve 1") == 7
    with pytest.raises(ConfigurationError):
        acts.record(refuse, by="Dad", what="approve 1")

    found = sorted((each.by, each.act, each.refused) for each in acts.list_acts())
    assert found == [("Dad", "approve 1", "it is done already"), ("Mum", "approve 1", "")]
    assert {each.at for each in acts.list_acts()} == {clock()}


def test_a_mistake_of_ours_comes_through() -> None:
    acts = ActLog(open_store("memory:"), clock=FixedClock())

    with pytest.raises(ZeroDivisionError):
        acts.record(lambda: 1 / 0, by="Mum", what="approve 1")


def test_what_was_exported_last_is_known_by_tool() -> None:
    clock = FixedClock()
    acts, first = ActLog(open_store("memory:"), clock=clock), clock()
    acts.record_export([], by="Mum")
    acts.record_export(["find", "send"], by="Mum")
    clock.move(timedelta(hours=1))
    acts.record_export(["send"], by="Mum")

    assert acts.list_exports() == {"": first, "find": first, "send": clock()}
    assert acts.list_acts() == []
