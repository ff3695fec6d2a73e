from __future__ import annotations

import pytest

from mulligan.insights.reader import StoreReader
from mulligan.settings import Settings
from mulligan.stores.opening import open_store
from mulligan.types.log import Batch, LogQuery
from mulligan_testing.store_contract.contract import make_log_row


def test_nobody_reads_a_store_without_saying_whose_rows() -> None:
    with pytest.raises(TypeError, match="tenant"):
        StoreReader(open_store("memory:"), settings=Settings())  # type: ignore[call-arg]


def test_who_reads_for_a_tenant_has_a_store_of_its_rows_alone() -> None:
    store = open_store("memory:")
    store.log.write(Batch(rows=[make_log_row(n, tenant=t) for n, t in enumerate(("a", "b"))]))

    def read(tenant: str | None) -> list[str]:
        reader = StoreReader(store, tenant=tenant, settings=Settings())
        return sorted(row.tenant for row in reader.store.log.list_rows(LogQuery()))

    assert (read("a"), read("b"), read(None)) == (["a"], ["b"], ["a", "b"])
