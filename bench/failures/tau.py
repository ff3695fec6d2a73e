"""The desks of τ-bench as failed calls: schemas, messages and earlier results in our words."""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.data import read_cases, read_json
from bench.failures.past import past_episode
from mulligan.learning.mining import find_remedies
from mulligan.types.call import Call, Failure
from mulligan.types.effect import Effect
from mulligan.types.failure import Decision, ErrorClass
from mulligan.types.lesson import Earlier, Episode, FailedCall

FOLDS = 5

Case = dict[str, Any]
Schemas = Mapping[tuple[str, str], Mapping[str, Any]]

RIGHT_DECISION: Mapping[str, Decision] = {
    "retry_same": Decision.RETRY,
    "state_changed_same_args": Decision.RETRY,
    "values_in_prior_context": Decision.REPAIR,
    "computed_or_guessed": Decision.REPAIR,
    "needs_user_info": Decision.ASK,
    "values_in_prior_context_user_turn_between": Decision.ASK,
    "other_after_user_turn": Decision.ASK,
    "needs_lookup": Decision.LOOK_UP,
}
"""What was right, by how the call was repaired in the end."""


def add_history_argument(parser: argparse.ArgumentParser) -> None:
    """Where a warm run learns from."""
    parser.add_argument("--history", type=Path, metavar="DIR", help="folder of data to learn from")


def read_history(options: argparse.Namespace, name: str) -> list[Case]:
    """What a warm run learns from: the public half of the folder given, else the cases."""
    if options.history is None:
        return read_cases(options, name)
    past = argparse.Namespace(data=options.history, half="public", limit=None)
    return read_cases(past, name)


def elsewhere(case: Case, history: Sequence[Case]) -> list[Case]:
    """The history without the cases of the same fifth of the tasks, this one's own among them."""
    return [each for each in history if fold_of(each) != fold_of(case)]


def fold_of(case: Case) -> int:
    """Which fifth of the tasks a case belongs to."""
    task = f"{case['bench']}|{case['domain']}|{case['task_id']}"
    return zlib.crc32(task.encode()) % FOLDS


def read_schemas(data: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """The schema of every tool, by bench and domain, then by name."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for domain, tools in read_json(data / "tau" / "tools_tau1.json").items():
        found["tau-bench", domain] = {
            each["function"]["name"]: each["function"]["parameters"] for each in tools
        }
    for domain, held in read_json(data / "tau" / "tools_tau2.json").items():
        listed = {each["name"]: _as_schema(each) for each in held["tools"]}
        # The second desk kept the first one's tools; its own list leaves out what stands inside.
        found["tau2-bench", domain] = {**listed, **found.get(("tau-bench", domain), {})}
    return found


def failed_call(case: Case, schemas: Schemas, *, arguments: str = "failed_args") -> FailedCall:
    """A case as the layer would see it at the failure.

    Some runs had tools that the lists leave out, so that a name says nothing about what exists.
    """
    tools = schemas.get((case["bench"], case["domain"]), {})
    error = case.get("error", "")
    return FailedCall(
        call=Call(id=case["id"], tool=case["tool"], arguments=case[arguments]),
        failure=Failure(error_class=ErrorClass.UNKNOWN),
        error=error,
        schema=tools.get(case["tool"], {}),
        effect=Effect.READ if case.get("write_tool") is False else Effect.UNDECLARED,
        said=tuple(case["user_messages"]),
        earlier=tuple(map(_earlier, case["prior_calls"])),
    )


def _earlier(made: Case) -> Earlier:
    return Earlier(
        tool=made["tool"], arguments=made["args"], result=made["result"], failed=not made["ok"]
    )


def _as_schema(tool: Case) -> dict[str, Any]:
    """τ² lists parameters; a type such as `string[]` or `string | null` is left open."""
    known = {"string", "integer", "number", "boolean", "array", "object"}
    properties = {
        each["name"]: {
            **({"type": each["type"]} if each["type"] in known else {}),
            "description": each.get("description", ""),
        }
        for each in tool["parameters"]
    }
    required = [each["name"] for each in tool["parameters"] if each.get("required")]
    return {"type": "object", "properties": properties, "required": required}


def episode_of(case: Case, failed: FailedCall, number: int) -> Episode:
    """A case as the failure store would keep it. What was called in between is not in the data."""
    apart = "fixed_args" not in case or case["calls_between"] or case["user_turns_between"]
    return past_episode(
        case,
        failed,
        number=number,
        turn=f"{case['source']}|{case['task_id']}|{case['trial']}",
        decision=RIGHT_DECISION.get(case.get("repair_class", "")),
        remedies=() if apart else find_remedies(failed, case["fixed_args"]),
    )
