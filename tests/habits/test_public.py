"""What a user may import, and what that costs."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import mulligan
from mulligan.runtime.declaration import GROUPS as TOOL_GROUPS
from mulligan.settings import GROUPS as SETTING_GROUPS

WRITTEN_DOWN = (Path(__file__).parent / "public_names.txt").read_text().split()
MOST_NAMES = 33
GROUPS = {kind.__name__ for kind in (*TOOL_GROUPS.values(), *SETTING_GROUPS.values())}
"""What is said in several names at once: each stands for those that it spares a reader."""
HEAVY = {
    "rich", "opentelemetry", "psycopg", "psycopg_pool", "cryptography", "pydantic", "pydantic_ai",
    "starlette", "apsw", "sqlite3", "msgspec", "asyncio",
}  # fmt: skip


ONLY_AFTER_A_FAILURE = (
    "mulligan.learning.mining",
    "mulligan.learning.recall",
    "mulligan.redaction.mask",
)
ONLY_WHERE_ASKED_FOR = (
    "mulligan.learning.task_selection",
    "mulligan.loops.reflection",
    "mulligan.loops.review",
    "mulligan.redaction.numbers",
    "mulligan.redaction.patterns",
)
"""For tasks, for a judge, for text that may hold a secret."""


def modules_after(statement: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after a statement."""
    listing = "import json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", f"{statement}\n{listing}"],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    return set(json.loads(done.stdout))


def test_the_public_names_are_those_written_down():
    assert sorted(mulligan.__all__) == sorted(WRITTEN_DOWN)
    assert len(set(WRITTEN_DOWN) - GROUPS) <= MOST_NAMES


def test_every_public_name_can_be_had_and_says_what_it_is():
    silent = [name for name in WRITTEN_DOWN if not inspect.getdoc(getattr(mulligan, name))]

    assert silent == []
    assert set(WRITTEN_DOWN) <= set(dir(mulligan))


def test_a_function_of_an_extra_is_loaded_when_it_is_used():
    assert mulligan.replay is import_module("mulligan_replay").replay
    assert "mulligan_replay" not in modules_after("import mulligan")


def test_a_function_of_an_extra_that_is_missing_names_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "mulligan_replay", None)

    with pytest.raises(mulligan.MulliganError, match=r'pip install "mulligan\[replay\]"'):
        _ = mulligan.replay


@pytest.mark.parametrize("loop", ["replies", "drafts"])
def test_a_loop_over_text_is_one_import(loop):
    module = import_module(f"mulligan.{loop}")

    silent = [name for name in module.__all__ if not inspect.getdoc(getattr(module, name))]

    assert silent == []
    assert sorted(module.__all__) == module.__all__
    assert modules_after(f"import mulligan.{loop}") & HEAVY <= {"msgspec", "asyncio"}


def test_importing_mulligan_loads_nothing_heavy():
    assert modules_after("import mulligan") & HEAVY == set()
    assert modules_after("from mulligan import Effect, Finding, Turn, Verdict") & HEAVY == {
        "msgspec"
    }


def test_an_application_loads_nothing_that_most_never_need():
    loaded = modules_after("from mulligan import Mulligan")

    assert "mulligan.app.mulligan" in loaded
    assert {name for name in loaded if name.startswith(ONLY_AFTER_A_FAILURE)} == set()
    assert {name for name in loaded if name.startswith(ONLY_WHERE_ASKED_FOR)} == set()
