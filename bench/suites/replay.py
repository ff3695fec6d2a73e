"""Recorded runs through `mulligan replay`: the same figures as the suites, in three forms.

AgentDojo's runs and τ-bench's calls are written down as chat messages, as OpenTelemetry spans and
in our own form, read back, and counted by the suites that know them. The runs of a shop desk have
their outcomes in them, so that the report itself judges its findings.

Without data: the same runs live and replayed, and what a file of many calls costs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace
from rich.console import Group, RenderableType

from bench.data import add_data_arguments, read_cases
from bench.dojo import NO_CLOCK, NOW, NOW_AT, Before, choose_facts, list_steps, open_desks
from bench.failures.tau import read_schemas
from bench.replayed import measure_agreement, measure_opening, replay_file, write_calls
from bench.report import progress, table
from bench.suites import agentdojo, desks
from bench.versions import ours
from mulligan.types.call import Execution, Outcome
from mulligan_replay import replay
from mulligan_replay.reading import ReadAccount, read_files
from mulligan_replay.review import Reviewer, build_turn
from mulligan_replay.tools import TracedTools
from mulligan_replay.trace import TracedTurn

Result = dict[str, Any]
Case = dict[str, Any]
Call = tuple[str, Mapping[str, Any], object, str | None]
"""A tool, its arguments, what it returned, and its error."""


class Run(NamedTuple):
    """A run as it is written down."""

    name: str
    message: str
    now: datetime
    calls: Sequence[Call]
    correct: bool | None = None


Write = Callable[[Run], object]
"""One value of a file."""
SHOP = datetime(2024, 5, 15, 15, tzinfo=UTC)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_data_arguments(parser, required=False)
    parser.add_argument(
        "--calls", type=int, default=20_000, metavar="N", help="of one file; 20,000"
    )


def write_chat(run: Run) -> object:
    """One record of chat messages; a failure is a result like any other."""
    name, message, now, calls, correct = run
    messages: list[object] = [{"role": "user", "content": message, "timestamp": now.isoformat()}]
    for number, (tool, given, result, error) in enumerate(calls):
        asked = {"name": tool, "arguments": json.dumps(given)}
        call = {"id": f"c{number}", "type": "function", "function": asked}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        came = result if error is None else f"Error: {error}"
        text = came if isinstance(came, str) else json.dumps(came)
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": text})
    return {"id": name, "messages": messages, "correct": correct}


def write_spans(run: Run) -> object:
    """A trace of one run, a span a call."""
    name, message, now, calls, correct = run
    start = int(now.timestamp() * 1e9)
    told = json.dumps([{"role": "user", "parts": [{"type": "text", "content": message}]}])
    root: Case = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "desk",
        "gen_ai.input.messages": told,
    }
    if correct is not None:
        root["gen_ai.evaluation.score.value"] = float(correct)
    spans = [_span(name, "root", "", start, start + 10**9, root, None)]
    for number, (tool, given, result, error) in enumerate(calls):
        attributes: Case = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool,
            "gen_ai.tool.call.id": f"c{number}",
            "gen_ai.tool.call.arguments": json.dumps(given),
        }
        if error is None:
            attributes["gen_ai.tool.call.result"] = (
                result if isinstance(result, str) else json.dumps(result)
            )
        at = start + number
        spans.append(_span(name, f"s{number}", "root", at, at + 1, attributes, error))
    return {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}


def _span(
    trace: str, name: str, parent: str, start: int, end: int, held: Case, error: str | None
) -> Case:
    kinds = {str: "stringValue", float: "doubleValue"}
    return {
        "traceId": trace,
        "spanId": name,
        "parentSpanId": parent,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(end),
        "attributes": [{"key": k, "value": {kinds[type(v)]: v}} for k, v in held.items()],
        "status": {} if error is None else {"code": 2, "message": error},
    }


def write_own(run: Run) -> object:
    """One line of our own form."""
    name, message, now, calls, correct = run
    made = [
        {"tool": tool, "arguments": given, "result": result, "error": error}
        for tool, given, result, error in calls
    ]
    told = {"id": name, "message": message, "at": now.isoformat(), "correct": correct}
    return {"mulligan": "turn", **told, "calls": made}


FORMS: Mapping[str, Write] = {"chat": write_chat, "spans": write_spans, "own": write_own}


def run(options: argparse.Namespace) -> Result:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        told = _measure_cost(options, folder)
        measured = {} if options.data is None else _measure(options, folder)
    return {
        "half": options.half,
        "n": told["calls"] + sum(each["n"] for each in measured.values()),
        "same": all(each["same"] for each in measured.values()),
        **told,
        "suites": measured,
        "versions": ours(),
    }


def _measure_cost(options: argparse.Namespace, folder: Path) -> Result:
    path, report = folder / "calls.jsonl", folder / "calls.html"
    calls = write_calls(path, options.calls)
    costs = [replay_file(path, report) for _ in range(2)]
    return {
        "calls": calls,
        "seconds": costs[0].seconds,
        "peak_mb": costs[0].peak_mb,
        "agreement": measure_agreement(folder),
        "same_twice": costs[0].said == costs[1].said,
        "opens_in_seconds": measure_opening(report),
    }


def _measure(options: argparse.Namespace, folder: Path) -> Result:
    with progress(3) as step:
        step("agentdojo")
        dojo = _measure_dojo(options, folder)
        step("desks")
        desk = _measure_desks(options, folder)
        step("shop")
        return {"agentdojo": dojo, "desks": desk, "shop": _measure_shop(options, folder)}


def failed(result: Result) -> str:
    """Our own form has to give the figures of the suites, to the last call."""
    if not result["same_twice"]:
        return "the same file gave two reports"
    return "" if result["same"] else "replayed runs give other figures than the suites"


def _read_back(path: Path, values: Iterator[object]) -> dict[str, TracedTurn]:
    """Each run by its name, as replay reads it."""
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values), encoding="utf-8")
    found = read_files([path], ReadAccount())
    turns = [each for each in found if isinstance(each, TracedTurn)]
    return {each.id.removeprefix(f"{path.name}:").removesuffix("#1"): each for each in turns}


def _measure_dojo(options: argparse.Namespace, folder: Path) -> Result:
    cases = [c for c in read_cases(options, "outside/agentdojo_runs") if c["suite"] not in NO_CLOCK]
    places = open_desks(options.data)
    checks = {n: agentdojo.build_checks(d, means="standard") for n, d in places.items()}
    forms: Result = {}
    for form, write in (("suite", None), *FORMS.items()):
        turns = {} if write is None else _write_dojo(cases, write, folder / f"dojo.{form}.jsonl")
        looked = [
            asyncio.run(
                agentdojo.look(
                    case,
                    list_steps(case) if write is None else _list_read(case, turns[case["id"]]),
                    checks[case["suite"]],
                    choose_facts(places[case["suite"]]),
                )
            )
            for case in cases
        ]
        counted = agentdojo.count(looked)
        forms[form] = {name: counted[name] for name in _DOJO}
    return {"n": len(cases), "same": forms["own"] == forms["suite"], **forms}


_DOJO = (
    "wrong_writes_rejected", "wrong_writes", "extra_writes_rejected", "correct_rejected",
    "correct_runs", "injected_flagged", "injected", "resisted_rejected",
)  # fmt: skip


def _write_dojo(cases: Sequence[Case], write: Write, path: Path) -> dict[str, TracedTurn]:
    """All that was said in a run comes before its calls: one turn, as the suite has it."""
    runs = (
        Run(
            case["id"],
            "\n".join(dict.fromkeys(case["said"])),
            NOW_AT.get(case["suite"], NOW),
            [(s["tool"], s["args"] or {}, s["result"], s["error"]) for s in case["steps"]],
        )
        for case in cases
    )
    return _read_back(path, map(write, runs))


def _list_unmade(seen: Sequence[Execution]) -> Iterator[tuple[Execution, ...]]:
    """The calls up to each, as a check would have seen them before the last one was made."""
    for number, execution in enumerate(seen):
        last = replace(execution, outcome=Outcome.UNKNOWN, result=None, failure=None)
        yield (*seen[:number], last)


def _list_read(case: Case, traced: TracedTurn) -> Iterator[tuple[Case, Before]]:
    """The steps of a run as they were read; what was said by then is the suite's."""
    reviewer = Reviewer(TracedTools())
    turn = build_turn(traced, timezone="UTC")
    seen = [reviewer.look_at(turn, call, at).execution for at, call in enumerate(traced.calls)]
    for (step, before), read in zip(list_steps(case), _list_unmade(seen), strict=True):
        yield step, Before(turn=before.turn, executions=read)


def _measure_desks(options: argparse.Namespace, folder: Path) -> Result:
    """The last call of each case, as the standard checks see it before it is made."""
    schemas = read_schemas(options.data)
    checks = {desk: desks.build_checks(tools) for desk, tools in schemas.items()}
    good = [(case, "args") for case in read_cases(options, desks.GOOD)]
    failing = [(c, "failed_args") for name in desks.FAILING for c in read_cases(options, name)]
    cases = [*good, *failing]
    rejects = {"suite": [bool(desks.reject(case, named, checks)) for case, named in cases]}
    for form, write in FORMS.items():
        turns = _write_desks(cases, write, folder / f"desks.{form}.jsonl")
        rejects[form] = [
            bool(_reject_read(case, turns[f"{number}"], checks))
            for number, (case, _) in enumerate(cases)
        ]
    figures: Result = {
        form: {
            "good_rejected": sum(found[: len(good)]),
            "failing_rejected": sum(found[len(good) :]),
            "agree": sum(a == b for a, b in zip(found, rejects["suite"], strict=True)),
        }
        for form, found in rejects.items()
    }
    return {"n": len(cases), "same": figures["own"] == figures["suite"], **figures}


def _write_desks(
    cases: Sequence[tuple[Case, str]], write: Write, path: Path
) -> dict[str, TracedTurn]:
    def list_calls(case: Case, named: str) -> list[Call]:
        made: list[Call] = [
            (c["tool"], c["args"] or {}, c["result"], None if c["ok"] else str(c["result"]))
            for c in case["prior_calls"]
        ]
        given = case[named] if isinstance(case[named], dict) else {}
        return [*made, (case["tool"], given, None, None)]

    runs = (
        Run(f"{at}", "\n".join(case["user_messages"]), desks.NOW, list_calls(case, named))
        for at, (case, named) in enumerate(cases)
    )
    return _read_back(path, map(write, runs))


def _reject_read(case: Case, traced: TracedTurn, checks: Mapping[Any, Any]) -> frozenset[str]:
    look = checks.get((case["bench"], case["domain"]))
    if look is None:
        return frozenset()
    reviewer, turn = Reviewer(TracedTools()), build_turn(traced, timezone="UTC")
    seen = [reviewer.look_at(turn, call, at).execution for at, call in enumerate(traced.calls)]
    *_, executions = _list_unmade(seen)
    last = executions[-1].call.id
    found = look(Before(turn=turn, executions=executions))
    return frozenset(f.rule for f in found if f.call == last and f.severity == "error")


def _measure_shop(options: argparse.Namespace, folder: Path) -> Result:
    """Whole requests to a shop desk, whose outcomes judge the findings."""
    cases = read_cases(options, "third/solo_retail")
    forms: Result = {}
    for form, write in FORMS.items():
        path = folder / f"shop.{form}.jsonl"
        runs = (
            Run(
                case["id"],
                case["message"],
                SHOP,
                [(c["tool"], c["args"] or {}, c["result"], c["error"]) for c in case["calls"]],
                case["correct"],
            )
            for case in cases
        )
        values = map(write, runs)
        path.write_text("".join(f"{json.dumps(value)}\n" for value in values), encoding="utf-8")
        judged = replay(path).report.judged
        forms[form] = {} if judged is None else _show_judged(judged)
    return {"n": len(cases), "same": len({json.dumps(f) for f in forms.values()}) == 1, **forms}


def _show_judged(judged: Any) -> Result:
    shares = {
        name: getattr(judged, name).figure
        for name in ("precision", "recall", "recall_with_warnings", "false_alarms")
    }
    return {"turns": judged.turns, "wrong": judged.wrong, "rejected": judged.rejected, **shares}


def show(result: Result) -> RenderableType:
    told = ("calls", "seconds", "peak_mb", "agreement", "same_twice", "opens_in_seconds")
    tables = [table("replay", ["figure", ""], [(name, result[name]) for name in told])]
    for name, measured in result["suites"].items():
        forms = {form: held for form, held in measured.items() if isinstance(held, dict)}
        figures = list(next(iter(forms.values())))
        rows = [[figure, *(held[figure] for held in forms.values())] for figure in figures]
        tables.append(table(f"{name}, n = {measured['n']}", ["figure", *forms], rows))
    return Group(*tables)
