"""What the pages and examples show passes two strict type checkers, as a user's program must."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.habits.test_docs import ALL_BLOCKS, ROOT

pytestmark = pytest.mark.full

STRICT = ("README.md", "tutorial.md")
"""Pages whose programs are annotated as a strict project demands; others may leave functions of
their own without annotations."""
USER = """
from typing import TypedDict

from mulligan import Done, Failures, Mulligan, OpenTurn, Record, Review


class Move(TypedDict):
    event: str
    day: str


m = Mulligan("memory:")
days: dict[str, str] = {"dinner": "2026-11-18"}


def read_day(record: Record[Move, str]) -> str:
    return days[record.arguments["event"]]


def write_back(record: Record[Move, str]) -> None:
    before: str = record.before
    days[record.arguments["event"]] = before


def tell(record: Record) -> str:
    return str(record.arguments["event"])


@m.tool(effect="reversible", repeat="idempotent", mode="auto", before=read_day,
        undo=write_back, about=tell,
        review=Review(release="checks", on_no_verdict="undo", untrusted="error"),
        failures=Failures(precheck="refuse"))
def move_event(event: str, day: str) -> str:
    days[event] = day
    return day


async def plan(turn: OpenTurn) -> str:
    return move_event("dinner", turn.message)


def count(turn: OpenTurn) -> int:
    return len(turn.message)


async def main() -> None:
    done = await m.act("2026-11-20", plan)
    words: str = done.reply
    made: Done[int] = m.act_sync("2026-11-20", count)
    number: int = made.output
    print(words, number)


def show(done: Done) -> None:
    print(done.reply)
"""
WRONG = """
from mulligan import Mulligan, Record

m = Mulligan("memory:")


@m.tool(effect="undoable")
def f(x: int) -> int:
    return x


text: str = m.act_sync("x", lambda turn: 1).output


def write_back(record: Record[dict[str, int], int]) -> None:
    before: str = record.before
"""


CONFIGURATION = """
[mypy]
strict = true
ignore_missing_imports = true

# Such programs leave open empty lists, values that may be None, and what others do not say.
[mypy-plain.*]
disable_error_code = assignment, attr-defined, empty-body, has-type, union-attr, var-annotated
disallow_any_generics = false
disallow_incomplete_defs = false
disallow_subclassing_any = false
disallow_untyped_calls = false
disallow_untyped_decorators = false
disallow_untyped_defs = false
extra_checks = false
strict_equality = false
warn_return_any = false
warn_unused_ignores = false

# Of libraries that are not followed, decorators and classes are unknown.
[mypy-examples.*]
disallow_subclassing_any = false
disallow_untyped_decorators = false

# Following large libraries takes ten times as long as all the rest: pyright does.
[mypy-agents.*,apsw.*,celery.*,dbos.*,fastmcp.*,flask.*,langchain.*,langchain_core.*,langgraph.*,mcp.*,openai.*,pydantic.*,pydantic_ai.*,sqlalchemy.*,temporalio.*]
follow_imports = skip
"""


def write_programs(folder: Path) -> None:
    """Every Python block of the pages and every example, each a module."""
    for kind in ("strict", "plain", "examples"):
        (folder / kind).mkdir(exist_ok=True)
        (folder / kind / "__init__.py").touch()
    for block in ALL_BLOCKS:
        if block.language == "python" and block.run and "…" not in block.text:
            page = block.where.partition(":")[0]
            kind = "strict" if page in STRICT else "plain"
            name = re.sub(r"\W", "_", block.where)
            (folder / kind / f"of_{name}.py").write_text(block.text)
    for example in (ROOT / "examples").glob("**/*.py"):
        if "demo" not in example.parts and not needs_absent_host(example):
            shutil.copy(example, folder / "examples" / example.name)


def needs_absent_host(example: Path) -> bool:
    """Whether it is of a framework that is tried in an environment of its own."""
    absent = r"^from (?:claude_agent_sdk|crewai|dspy|google|llama_index|smolagents|strands)\b"
    return re.search(absent, example.read_text(), re.MULTILINE) is not None


@pytest.fixture(scope="module")
def programs(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("programs")
    write_programs(folder)
    (folder / "strict" / "user.py").write_text(USER)
    (folder / "wrong.py").write_text(WRONG)
    return folder


@pytest.fixture(scope="module")
def errors(programs) -> list[str]:
    """What mypy finds in them all: to read the library takes longer than all the programs do."""
    (programs / "mypy.ini").write_text(CONFIGURATION)
    command = [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "--scripts-are-modules"]
    said = run([*command, "strict", "plain", "examples", "wrong.py"], programs).splitlines()
    assert said[-1].startswith("Found"), said
    return [line for line in said if ": error: " in line]


def run(command: list[str], folder: Path) -> str:
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=900, check=False
    ).stdout


def run_pyright(folder: Path, *parts: str) -> list[str]:
    unknown = ("Member", "Variable", "Argument", "Parameter", "Lambda")
    # What other libraries leave untyped is no fault of ours, nor of the program's.
    config = {"typeCheckingMode": "strict", "include": parts, "reportMissingTypeStubs": False}
    config |= {f"reportUnknown{each}Type": False for each in unknown}
    (folder / "pyrightconfig.json").write_text(json.dumps(config))
    command = [sys.executable, "-m", "pyright", "-p", str(folder), "--outputjson"]
    said = run([*command, "--pythonpath", sys.executable], folder)
    found = json.loads(said)["generalDiagnostics"]
    return [
        f"{Path(each['file']).name}:{each['range']['start']['line'] + 1} {each['message']}"
        for each in found
        if each["severity"] == "error"
    ]


def test_what_the_pages_show_passes_mypy(errors):
    assert [error for error in errors if not error.startswith("wrong.py")] == []


def test_readme_tutorial_and_examples_pass_pyright(programs):
    assert run_pyright(programs, "strict", "examples") == []


def test_a_misspelt_word_and_a_wrong_type_are_seen(errors):
    said = "\n".join(error for error in errors if error.startswith("wrong.py"))

    assert '"undoable"' in said or "call-overload" in said
    assert said.count("[assignment]") == 2
