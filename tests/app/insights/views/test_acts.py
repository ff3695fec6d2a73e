from __future__ import annotations

import pytest

from mulligan.app.insights.views.acts import ActLog
from mulligan.core.errors import ConfigurationError
from mulligan.stores.opening import open_store
from mulligan.testing.fakes import FixedClock


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
