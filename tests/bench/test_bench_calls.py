"""The suites about failing calls, on data written here: each figure by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.__main__ import main
from tests.bench.running import write_cases

Measure = Callable[[str, Path], dict[str, Any]]

CITY = {"type": "dict", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = {"name": "weather.get", "description": "Weather of a city", "parameters": CITY}
PROMPT = {
    "id": "simple_1",
    "question": "What is the weather in Oslo?",
    "functions": [WEATHER],
    "possible_answer": [{"weather.get": {"city": ["Oslo"]}}],
}
ORDER_SCHEMA = {
    "type": "object",
    "properties": {"order_id": {"type": "string"}},
    "required": ["order_id"],
}
TAU = {
    "bench": "tau-bench",
    "domain": "retail",
    "task_id": "1",
    "trial": 0,
    "model": "m",
    "source": "s",
    "calls_between": 0,
    "user_turns_between": 0,
    "user_messages": ["My order is #W12345."],
    "prior_calls": [],
}

READ = {"write_tool": False}


@pytest.fixture
def measure(capsys: pytest.CaptureFixture[str]) -> Measure:
    def run(suite: str, folder: Path) -> dict[str, Any]:
        assert main([suite, "--data", str(folder), "--json"]) == 0
        result: dict[str, Any] = json.loads(capsys.readouterr().out)
        return result

    return run


@pytest.fixture
def data(tmp_path: Path) -> Path:
    names = ("get_order", "cancel_order")
    tools = {"retail": [{"function": {"name": name, "parameters": ORDER_SCHEMA}} for name in names]}
    (tmp_path / "tau").mkdir()
    (tmp_path / "tau" / "tools_tau1.json").write_text(json.dumps(tools))
    (tmp_path / "tau" / "tools_tau2.json").write_text(json.dumps({}))
    return tmp_path


def test_bfcl_counts_what_is_fixed_and_what_is_broken(tmp_path: Path, measure: Measure) -> None:
    failure = {"test": "simple_1", "category": "simple", "failure_class": "unparseable"}
    write_cases(tmp_path, "bfcl/prompts", PROMPT)
    write_cases(
        tmp_path,
        "bfcl/failures",
        {**failure, "raw": "```\n[weather_get(city='Oslo')]\n```"},
        {**failure, "raw": "Which city?"},
        {**failure, "raw": "weather.get(city='Oslo')", "category": "parallel_function"},
    )
    write_cases(
        tmp_path,
        "bfcl/passes_sample",
        {"test": "simple_1", "category": "simple", "raw": [{"weather_get": '{"city": "oslo"}'}]},
    )

    result = measure("bfcl", tmp_path)

    assert (result["failures"], result["fixed"], result["fixed_parallel"]) == (2, 0.5, 1.0)
    assert (result["passes"], result["broken"]) == (1, 0)
    assert result["by_class"] == {"unparseable": {"n": 2, "fixed": 1}}


def test_bfcl_irrelevant_weighs_flags_against_false_alarms(
    tmp_path: Path, measure: Measure
) -> None:
    odd = {**PROMPT, "id": "odd_1", "question": "How tall is the Eiffel Tower?"}
    write_cases(tmp_path, "bfcl/prompts", PROMPT)
    write_cases(tmp_path, "bfcl/irrelevant_prompts", odd)
    write_cases(
        tmp_path,
        "bfcl/irrelevant_call_failures",
        {"test": "odd_1", "calls": [{"weather.get": {"city": "Rome"}}]},
    )
    write_cases(
        tmp_path,
        "bfcl/passes_sample",
        {"test": "simple_1", "category": "simple", "calls": [{"weather.get": {"city": "Oslo"}}]},
    )

    result = measure("bfcl-irrelevant", tmp_path)

    assert (result["flagged_share"], result["false_alarm_share"]) == (1.0, 0.0)


def test_tau_decide_counts_the_right_decisions(data: Path, measure: Measure) -> None:
    case = {**TAU, "id": "1", "tool": "get_order", "failed_args": {"order_id": "#W12345"}}
    write_cases(
        data,
        "tau/repair_pairs",
        {**case, "error": "503 Service Unavailable", "repair_class": "retry_same", **READ},
        {**case, "error": "Order not found", "repair_class": "needs_user_info"},
        {**case, "error": "Order not found", "repair_class": "needs_lookup"},
    )

    result = measure("tau-decide", data)

    assert (result["n"], result["cold"], result["warm"]) == (3, 0.6667, 0.6667)
    assert result["confusion"]["look_up as ask"] == 1


def test_tau_decide_learns_from_a_history(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = {**TAU, "id": "1", "tool": "get_order", "failed_args": {"order_id": "#W12345"}}
    odd = {**case, "error": "Order not found", "repair_class": "needs_lookup"}
    write_cases(data, "tau/repair_pairs", odd)
    write_cases(tmp_path / "past", "tau/repair_pairs", *([odd] * 12))

    main(["tau-decide", "--data", str(data), "--history", str(tmp_path / "past"), "--json"])

    result = json.loads(capsys.readouterr().out)
    assert (result["cold"], result["warm"]) == (0.0, 1.0)


def test_tau_repair_tells_exact_from_harmful_and_silent(data: Path, measure: Measure) -> None:
    case = {
        **TAU,
        "id": "1",
        "tool": "get_order",
        "error": "Order not found",
        "repair_class": "values_in_prior_context",
        "gold_strict": True,
        "write_tool": True,
    }
    slip = {"failed_args": {"order_id": "#W1345"}}
    write_cases(
        data,
        "tau/repair_pairs",
        {**case, **slip, "fixed_args": {"order_id": "#W12345"}},
        {**case, **slip, "fixed_args": {"order_id": "#W99"}},
        {**case, "failed_args": {"order_id": "#Q"}, "fixed_args": {"order_id": "#W12345"}},
        {**case, **slip, "fixed_args": {}, "gold_strict": False},
    )

    result = measure("tau-repair", data)

    assert [result[key] for key in ("n", "exact", "harmful", "silent")] == [3, 1, 1, 1]


def test_tau_precheck_weighs_recall_against_false_alarms(data: Path, measure: Measure) -> None:
    case = {**TAU, "id": "1", "tool": "get_order"}
    write_cases(
        data,
        "tau/failed_unrepaired",
        {**case, "failed_args": {"order_id": "#W77777"}, "error": "not found"},
        {**case, "failed_args": {"order_id": "#W12345"}, "error": "not found"},
    )
    write_cases(data, "tau/repair_pairs", {**case, "failed_args": {}, "error": "missing"})
    write_cases(data, "tau/ok_calls", {**case, "args": {"order_id": "#W12345"}})

    result = measure("tau-precheck", data)

    assert (result["recall"], result["false_alarm_share"]) == (0.6667, 0.0)
    assert result["by_rule"]["call.shape"] == {"caught": 1, "alarms": 0}


def test_desks_counts_what_the_standard_checks_reject_by_domain(
    data: Path, measure: Measure
) -> None:
    case = {**TAU, "id": "1", "tool": "cancel_order"}
    failed = {**case, "failed_args": {"order_id": "#W77777"}, "error": "not found"}
    write_cases(data, "tau/failed_unrepaired", failed)
    write_cases(data, "tau/repair_pairs", {**failed, "domain": "elsewhere"})
    write_cases(data, "tau/ok_calls", {**case, "args": {"order_id": "#W12345"}})

    result = measure("desks", data)

    assert (result["good_rejected"], result["failing_rejected"], result["n"]) == (0, 1, 3)
    assert result["by_domain"]["elsewhere"]["failing_rejected"] == 0
    assert result["by_rule"]["value.never_seen"] == {"caught": 1, "alarms": 0}


def test_silent_errors_counts_recall_and_precision(tmp_path: Path, measure: Measure) -> None:
    good = {"tool": "a", "args": {}, "ok": True, "result": "fine"}
    odd = {"tool": "b", "args": {}, "ok": True, "result": '{"error": "but fine"}'}
    told = [good, good, odd, {**good, "ok": False}]
    case = {"task_id": "1", "model": "m", "tool": "c", "prior_calls": told}
    write_cases(tmp_path, "livemcpbench/failed_unrepaired", {**case, "error": '{"isError": true}'})
    write_cases(tmp_path, "livemcpbench/repair_pairs", {**case, "error": "nothing to see"})
    write_cases(
        tmp_path,
        "outside/results",
        {"tool": "a", "result": "Failed to open it", "label": "error"},
        {"tool": "a", "result": "it is not well", "label": "error"},
        {"tool": "b", "result": "KeyError\nExit code: 1", "label": "inner"},
        {"tool": "b", "result": "fine", "label": "ok"},
        {"tool": "b", "result": "Error: a label that is wrong", "label": "empty"},
        {"tool": "b", "result": "<left out>", "label": "filtered"},
    )

    result = measure("silent-errors", tmp_path)

    assert (result["errors"], result["results"]) == (2, 2)
    assert (result["recall"], result["precision"]) == (0.5, 0.5)
    outside = [result["outside"][key] for key in ("n", "recall", "inner_recall", "ok")]
    assert outside == [6, 0.5, 1.0, 2]
    assert result["outside"]["false_alarms"] == 1


def test_errors_counts_labels_and_what_is_acceptable_too(tmp_path: Path, measure: Measure) -> None:
    case = {"tool": "a", "args": {}, "also": []}
    write_cases(
        tmp_path,
        "outside/error_classes",
        {**case, "text": "page not found", "label": "missing"},
        {**case, "text": "permission denied", "label": "auth", "also": ["policy"]},
        {**case, "text": "hm", "label": "rule"},
    )

    result = measure("errors", tmp_path)

    assert (result["n"], result["strict"], result["acceptable"]) == (3, 0.3333, 0.6667)
    assert result["by_class"]["auth"] == {"n": 1, "strict": 0.0, "acceptable": 1.0}


@pytest.mark.parametrize(
    ("option", "kept"), [("--tools=a,c", 2), ("--without-tools=a", 1), ("--tools=none", 0)]
)
def test_tools_may_be_held_out_or_measured_alone(
    option: str, kept: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = {"args": {}, "also": [], "text": "page not found", "label": "missing"}
    cases = [{**case, "tool": tool} for tool in ("a", "b", "a")]
    write_cases(tmp_path, "outside/error_classes", *cases)

    main(["errors", "--data", str(tmp_path), "--json", option])

    assert json.loads(capsys.readouterr().out)["n"] == kept


def test_fingerprint_scores_pairs_and_finds_what_was_merged(
    tmp_path: Path, measure: Measure
) -> None:
    case = {"tool": "get", "failed_args": {}}
    first = {**case, "error": "order 17 is gone", "error_group": "get|gone"}
    other = {**case, "error": "order 18 is gone", "error_group": "get|other"}
    write_cases(
        tmp_path,
        "tau/repair_pairs",
        {**first, "repair_class": "retry_same"},
        {**first, "repair_class": "retry_same"},
        {**other, "repair_class": "needs_user_info"},
    )
    for name in ("tau/failed_unrepaired", "bfcl_multiturn/repair_pairs"):
        write_cases(tmp_path, name)
    write_cases(tmp_path, "bfcl_multiturn/failed_unrepaired")
    gone = {"tool": "get", "args": {}, "error": "order 17 is gone"}
    late = {**gone, "error": "order 18 is late"}
    write_cases(
        tmp_path,
        "outside/error_pairs",
        {"same_problem": 1, "a": gone, "b": {**gone, "error": "order 19 is gone"}},
        {"same_problem": 0, "a": gone, "b": late},
        {"same_problem": 1, "a": gone, "b": late},
        {"same_problem": "?", "a": gone, "b": late},
    )

    result = measure("fingerprint", tmp_path)

    assert (result["groups"], result["reference_groups"]) == (1, 2)
    assert (result["accuracy"], result["over_merged"], result["over_split"]) == (0.5, 1, 0)
    assert result["disagreements"][0]["what"] == "merged"
    assert result["pairs"] == {"n": 3, "right": 0.6667, "merged": 0, "split": 1}


@pytest.mark.parametrize(
    "suite",
    [
        "bfcl",
        "bfcl-irrelevant",
        "tau-decide",
        "tau-repair",
        "tau-precheck",
        "desks",
        "silent-errors",
        "errors",
        "fingerprint",
    ],
)
def test_missing_data_is_one_sentence(
    suite: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main([suite, "--data", str(tmp_path)])

    printed = capsys.readouterr()
    assert code == 2
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert "is not there: pass the folder that holds it as --data DIR." in printed.err
