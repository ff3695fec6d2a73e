"""A vault that several processes write to and shred at once."""

from __future__ import annotations

from contextlib import closing

import psycopg

from mulligan.stores.opening import open_store
from mulligan.types.action import Kept
from mulligan.types.values import to_us
from mulligan_testing.store_contract.contract import DAY, HOUR, NOW
from tests.stores.beside import SECONDS, start_beside


def test_a_value_that_gets_a_later_end_while_others_are_shredded_stays(postgres_url) -> None:
    later = to_us(NOW + DAY, name="later")
    with (
        closing(open_store(postgres_url, clock=lambda: NOW + HOUR)) as store,
        psycopg.connect(postgres_url) as other,
    ):
        for owner in ("a", "b"):
            store.vault.put(Kept(owner=owner, name="before", value=b"raw", expires_at=NOW))
        other.execute("update mulligan.kept set expires_us = %s where owner = 'a'", [later])

        shredding = start_beside(postgres_url, lambda: store.vault.shred(now=NOW + HOUR))
        other.commit()

        assert shredding.result(SECONDS) == 1
        assert store.vault.get("a", "before") == b"raw"
