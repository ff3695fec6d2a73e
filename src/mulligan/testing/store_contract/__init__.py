"""The contract of a store: what any implementation must keep to, as tests that a stranger can run.

    class TestMyJournal(JournalContract):
        opener = "my_package:open_store"

        @pytest.fixture
        def url(self, tmp_path):
            return f"mine:///{tmp_path}"

Do the same for `VaultContract`, `LogContract`, `LifeContract` and, where the store outlives its
process, `ProcessContract`, and it is certified.
"""

from __future__ import annotations

from mulligan.testing.store_contract.journal import JournalContract
from mulligan.testing.store_contract.life import LifeContract
from mulligan.testing.store_contract.log import LogContract
from mulligan.testing.store_contract.processes import ProcessContract
from mulligan.testing.store_contract.vault import VaultContract

__all__ = ["JournalContract", "LifeContract", "LogContract", "ProcessContract", "VaultContract"]
