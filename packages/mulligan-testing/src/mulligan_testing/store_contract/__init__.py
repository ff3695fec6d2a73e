"""The contract of a store: what any implementation must keep to, as tests that a stranger can run.

    class TestMyJournal(JournalContract):
        opener = "my_package:open_store"

        @pytest.fixture
        def url(self, tmp_path):
            return f"mine:///{tmp_path}"

Do the same for `VaultContract`, `LogContract`, `TextContract`, `TaskVersionContract`,
`EpisodeContract`, `LessonContract`, `LifeContract` and, where the store outlives its process,
`ProcessContract` and `LeaseContract`, and it is certified. A `TaskVersions` alone is certified by
`TaskVersionContract` with a fixture `task_versions` that opens it; a failure store alone by
`EpisodeContract` and `LessonContract`, with a fixture `failures`.
"""

from __future__ import annotations

import pytest

# Without this a failing assertion of the contract would show no values.
pytest.register_assert_rewrite(
    *(
        f"{__name__}.{part}"
        for part in (
            "task_versions",
            "failures",
            "journals",
            "life",
            "logs",
            "processes",
        )
    )
)

from mulligan_testing.store_contract.failures import EpisodeContract, LessonContract  # noqa: E402
from mulligan_testing.store_contract.journals import JournalContract, VaultContract  # noqa: E402
from mulligan_testing.store_contract.life import LifeContract  # noqa: E402
from mulligan_testing.store_contract.logs import LogContract, TextContract  # noqa: E402
from mulligan_testing.store_contract.processes import LeaseContract, ProcessContract  # noqa: E402
from mulligan_testing.store_contract.task_versions import TaskVersionContract  # noqa: E402

__all__ = [
    "EpisodeContract",
    "JournalContract",
    "LeaseContract",
    "LessonContract",
    "LifeContract",
    "LogContract",
    "ProcessContract",
    "TaskVersionContract",
    "TextContract",
    "VaultContract",
]
