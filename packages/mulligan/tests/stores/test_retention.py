"""Settled actions are forgotten beside processes that go on writing."""

from __future__ import annotations

from contextlib import closing

import psycopg

from mulligan.stores.opening import open_store
from mulligan.types.action import State
from mulligan.types.values import to_us
from mulligan_testing.store_contract.contract import DAY, NOW, find_way, walk
from tests.stores.beside import SECONDS, start_beside


def test_an_action_that_is_settled_anew_while_others_are_forgotten_stays(postgres_url) -> None:
    with closing(open_store(postgres_url)) as store, psycopg.connect(postgres_url) as other:
        store.journal.submit(walk("a", find_way(State.VERIFIED))).result()
        later = to_us(NOW + 2 * DAY, name="later")
        other.execute("update mulligan.action set changed_us = %s", [later])

        pruning = start_beside(postgres_url, lambda: store.journal.prune(settled_before=NOW + DAY))
        other.commit()

        assert pruning.result(SECONDS) == 0
        assert other.execute("select id from mulligan.action").fetchall() == [("a",)]
