"""The contract of a store: what any implementation must keep to, as tests that a stranger can run.

    class TestMyJournal(JournalContract):
        opener = "my_package:open_store"

        @pytest.fixture
        def url(self, tmp_path):
            return f"mine:///{tmp_path}"

Do the same for `VaultContract`, `LogContract`, `TextContract`, `ArchiveContract`,
`EpisodeContract`, `LessonContract`, `LifeContract` and, where the store outlives its process,
`ProcessContract` and `LeaseContract`, and it is certified. An archive alone is certified by
`ArchiveContract` with a fixture `archive` that opens it; a casebook alone by `EpisodeContract` and
`LessonContract`, with a fixture `casebook`.
"""

from __future__ import annotations

import pytest

# Without this a failing assertion of the contract would show no values.
pytest.register_assert_rewrite(
    *(
        f"{__name__}.{part}"
        for part in (
            "archives",
            "failures",
            "journals",
            "life",
            "logs",
            "processes",
        )
    )
)

from mulligan_testing.store_contract.archives import ArchiveContract  # noqa: E402
from mulligan_testing.store_contract.failures import EpisodeContract, LessonContract  # noqa: E402
from mulligan_testing.store_contract.journals import JournalContract, VaultContract  # noqa: E402
from mulligan_testing.store_contract.life import LifeContract  # noqa: E402
from mulligan_testing.store_contract.logs import LogContract, TextContract  # noqa: E402
from mulligan_testing.store_contract.processes import LeaseContract, ProcessContract  # noqa: E402

__all__ = [
    "ArchiveContract",
    "EpisodeContract",
    "JournalContract",
    "LeaseContract",
    "LessonContract",
    "LifeContract",
    "LogContract",
    "ProcessContract",
    "TextContract",
    "VaultContract",
]
