"""The environments of BFCL's multi-turn scenarios: opened fresh, called by name."""

from __future__ import annotations

import itertools
import json
from functools import cache
from pathlib import Path
from typing import Any

import bfcl_eval
from bfcl_eval.constants.executable_backend_config import MULTI_TURN_FUNC_DOC_FILE_MAPPING
from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_utils import execute_multi_turn_func_call

from bench.workers.protocol import serve

DATA = Path(bfcl_eval.__file__).parent / "data"
_sessions = itertools.count()


@cache
def _scenarios(category: str) -> dict[str, Any]:
    lines = (DATA / f"BFCL_v4_{category}.json").read_text(encoding="utf-8").splitlines()
    return {each["id"]: each for each in map(json.loads, lines)}


@cache
def _documents(name: str) -> list[dict[str, Any]]:
    path = DATA / "multi_turn_func_doc" / MULTI_TURN_FUNC_DOC_FILE_MAPPING[name]
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _scenario(test: str) -> dict[str, Any]:
    found: dict[str, Any] = _scenarios(test.rsplit("_", 1)[0])[test]
    return found


def tools(*, test: str) -> dict[str, Any]:
    """The tools of a scenario and their schemas."""
    classes = _scenario(test)["involved_classes"]
    return {
        "tools": {each["name"]: each["parameters"] for name in classes for each in _documents(name)}
    }


def play(*, test: str, calls: list[list[Any]]) -> dict[str, Any]:
    """Make calls one after the other in a fresh environment: what each of them answered."""
    scenario = _scenario(test)
    answers, _ = execute_multi_turn_func_call(
        [_written(tool, arguments) for tool, arguments in calls],
        scenario.get("initial_config", {}),
        scenario["involved_classes"],
        f"session{next(_sessions)}",
        test,
        long_context="long_context" in test,
    )
    return {"answers": answers}


def _written(tool: str, arguments: dict[str, Any]) -> str:
    given = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    return f"{tool}({given})"


serve({"tools": tools, "play": play}, packages=["bfcl_eval"])
