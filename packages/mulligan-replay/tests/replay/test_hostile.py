"""Broken, truncated, mixed and hostile files: no crash, right counts, no script, no secret."""

from __future__ import annotations

import gzip
import json
import random
import tracemalloc
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import pytest

from mulligan_replay import files as reading
from mulligan_replay import replay
from mulligan_replay.command import EXAMPLE
from mulligan_replay.figures import ReplayReport
from mulligan_replay.page import render_report
from mulligan_replay.reading import ReadAccount, read_files

FILES = 120
SECRET = "sk-proj-Zq7Lw2Xc9VbN4mK8pJ3hG6fD1sA5tY0uR"
SCRIPT = "</td><script>alert(1)</script><img src=x onerror=alert(2)>"
EVIL = [
    SCRIPT,
    SECRET,
    "\x00\x1b[2J\u202e\ud800",
    {"a": {"b": [None, True, 1e308, -0.0, 10**400]}},
    [],
    {},
    None,
    "x" * 5_000,
    {"__proto__": {"constructor": "x"}, "": ""},
]

CHAT = [
    {"role": "system", "content": "You are a desk."},
    {"role": "user", "content": f"My key is {SECRET}. {SCRIPT}"},
    {
        "role": "assistant",
        "tool_calls": [
            {
                "id": "c1",
                "function": {
                    "name": f"send_{SCRIPT}",
                    "arguments": json.dumps({"api_key": SECRET, "to": f"a@b.example{SCRIPT}"}),
                },
            }
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": f"Error: bad key {SECRET} {SCRIPT}"},
    {"role": "assistant", "content": SCRIPT},
]
RPC = [
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": SCRIPT}},
    {"jsonrpc": "2.0", "id": 1, "result": {"isError": True, "content": [{"text": SECRET}]}},
]
OWN = [
    {"mulligan": "turn", "id": SCRIPT, "where": SCRIPT, "message": SECRET, "calls": [{"tool": "t"}]}
]


def seeds() -> list[list[object]]:
    example = (files("mulligan_replay") / EXAMPLE).read_text()
    return [
        [{"messages": CHAT, "tools": [{"function": {"name": SCRIPT, "parameters": 3}}]}],
        [CHAT],
        RPC,
        OWN,
        [json.loads(line) for line in example.splitlines()[:2]],
    ]


def bend(value: object, chance: random.Random, *, depth: int = 0) -> object:
    """The value with a few of its parts replaced by what nobody expects."""
    if chance.random() < 0.04:
        return chance.choice(EVIL)
    if isinstance(value, dict):
        return {
            name: bend(held, chance, depth=depth + 1)
            for name, held in value.items()
            if chance.random() > 0.03
        }
    if isinstance(value, list):
        return [bend(held, chance, depth=depth + 1) for held in value if chance.random() > 0.03]
    return value


def make(number: int) -> bytes:
    """A file of one of the known forms, bent, cut, mixed, packed or wrapped, by its number."""
    chance = random.Random(number)
    chosen = chance.choice(seeds()) + (chance.choice(seeds()) if chance.random() < 0.3 else [])
    values = [bend(value, chance) for value in chosen]
    if chance.random() < 0.4:
        text = json.dumps(values, indent=chance.choice([None, 2]))
    else:
        text = "\n".join(map(json.dumps, values))
    data = text.encode("utf-8", "replace")
    match chance.randrange(6):
        case 0:
            data = data[: chance.randrange(1, len(data) + 1)]
        case 1:
            at = chance.randrange(len(data))
            data = data[:at] + chance.randbytes(chance.randrange(1, 60)) + data[at:]
        case 2:
            data = gzip.compress(data)[: chance.randrange(20, 2_000)]
        case 3 if chance.random() < 0.3:
            data = chance.randbytes(500)
    return data


class Tags(HTMLParser):
    """What a browser would take for elements, and what they would run."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag, attrs):
        self.found.add(tag)
        self.attributes |= {name for name, _ in attrs}


def check_page(report: ReplayReport) -> None:
    page = render_report(report)
    tags = Tags()
    tags.feed(page)
    assert not tags.found & {"script", "img", "iframe", "object", "a", "link", "form"}
    assert not [
        name for name in tags.attributes if name.startswith("on") or name in ("src", "href")
    ]
    assert SECRET not in page
    assert SECRET[8:30] not in page
    assert "\x1b" not in page


def check_counts(report: ReplayReport) -> None:
    assert sum(report.read.values()) + sum(report.unread.values()) == report.values
    assert sum(tool.calls for tool in report.tools) == report.calls


@pytest.mark.full
def test_no_broken_or_hostile_file_crashes_runs_a_script_or_shows_a_secret(tmp_path):
    for number in range(FILES):
        path = tmp_path / f"{number}.json"
        path.write_bytes(make(number))

        report = replay(path, show_values=number % 2 == 0).report

        check_counts(report)
        check_page(report)
        path.unlink()


def test_a_few_hostile_files_together(tmp_path):
    paths = []
    for number in range(12):
        path = tmp_path / f"{number}.json"
        path.write_bytes(make(number))
        paths.append(path)

    report = replay(*paths, show_values=True).report

    check_counts(report)
    check_page(report)


def test_a_broken_line_costs_no_other(tmp_path):
    path = tmp_path / "log.jsonl"
    line = json.dumps({"messages": CHAT})
    path.write_text(f'{line}\n{{"messages": [\n\n{line[:80]}\n{line}\n')

    report = replay(path).report

    assert report.values == 4
    assert report.unread == {"not JSON": 2}
    assert report.turns == 2


def test_a_value_that_is_too_large_is_counted_and_not_held(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "LARGEST", 2_000_000)
    path = tmp_path / "large.json"
    turn = {"mulligan": "turn", "id": "1", "calls": [{"tool": "find"}]}
    path.write_text(json.dumps([turn, {**turn, "message": "x" * 5_000_000}, turn]))

    report = replay(path).report

    assert report.turns == 2
    assert [*report.unread.values()] == [1]


def test_a_value_that_is_nested_too_deeply_is_counted(tmp_path):
    path = tmp_path / "deep.jsonl"
    path.write_text(
        '{"messages": ' + "[" * 5_000 + "]" * 5_000 + '}\n{"mulligan": "turn", "id": "1"}'
    )

    report = replay(path).report

    assert report.turns == 1
    assert report.unread == {"a value is nested too deeply": 1}


@pytest.mark.parametrize("text", ["", "\n\n", "null", "[]", "[[]]", "{}", "[1, 2]", "3", '"x"'])
def test_a_file_without_runs_is_an_empty_report(tmp_path, text):
    path = tmp_path / "empty.json"
    path.write_text(text)

    report = replay(path).report

    assert report.turns == 0
    check_counts(report)
    check_page(report)


def test_values_are_found_wherever_chunks_end(tmp_path, monkeypatch):
    turns = [
        {"mulligan": "turn", "id": f"{n}", "message": 'a "]}\\" b' * (n % 7), "calls": []}
        for n in range(50)
    ]
    path = tmp_path / "runs.json"
    for size in (1, 2, 3, 7, 64):
        monkeypatch.setattr(reading, "CHUNK", size)
        for text in (
            json.dumps(turns),
            json.dumps(turns, indent=1),
            "\n".join(map(json.dumps, turns)),
        ):
            path.write_text(text)
            account = ReadAccount()

            found = list(read_files([path], account))

            assert [each.id for each in found] == [each["id"] for each in turns]
            assert not account.unread


def test_a_file_is_read_in_bounded_memory(tmp_path, monkeypatch):
    """Not whole: what is kept does not grow with the number of turns."""
    monkeypatch.setattr(reading, "CHUNK", 16_384)

    def write(count: int) -> Path:
        path = tmp_path / f"{count}.json"
        turn = json.dumps({"mulligan": "turn", "id": "1", "message": "x" * 2_000})
        path.write_text("[" + ",\n".join([turn] * count) + "]")
        return path

    def measure(path: Path) -> int:
        tracemalloc.start()
        for _ in read_files([path], ReadAccount()):
            pass
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    few, many = measure(write(100)), measure(write(1_000))

    assert many < few * 1.2


SPAN = {"traceId": "t1", "spanId": "s1", "attributes": {"gen_ai.tool.name": "find_order"}}


@pytest.mark.parametrize(
    "value",
    [
        {**SPAN, "events": 7},
        {"resourceSpans": [{"scopeSpans": [{"spans": 0.5}]}]},
        {**SPAN, "attributes": [{"key": "a", "value": {"arrayValue": 7}}]},
        {**SPAN, "attributes": [{"key": "a", "value": {"kvlistValue": {"values": 7}}}]},
        {"type": [], "content": "x"},
        {"role": "assistant", "content": [{"type": {}}]},
        {"messages": [{"role": "user", "content": "x"}, {"type": {}, "data": {}}]},
        {"role": "assistant", "tool_calls": [{"id": {}, "function": {"name": 7}}]},
        {"role": "assistant", "tool_calls": 7},
        {"jsonrpc": "2.0", "method": [], "id": {}, "params": 7},
    ],
)
def test_a_value_of_another_kind_than_its_form_has_breaks_nothing(value, tmp_path):
    path = tmp_path / "broken.jsonl"
    path.write_text(f"{json.dumps(value)}\n{json.dumps({'messages': CHAT})}\n")

    report = replay(path).report

    assert report.calls >= 1
    assert sum(report.read.values()) + sum(report.unread.values()) == report.values == 2


def test_a_tool_with_a_secret_in_its_name_is_not_learned(tmp_path):
    call = {"tool": f"find_order {SECRET}", "arguments": {"id": 1}, "error": "not found"}
    plain = {"tool": "find_order", "arguments": {"id": "order"}, "error": "not found"}
    seen = {"tool": f"list {SECRET}", "arguments": {}, "result": [{"id": "#12-order"}]}
    mended = {"tool": "find_order", "arguments": {"id": "#12-order"}, "result": {"ok": True}}
    other = {**plain, "tool": "find_bill"}
    path = tmp_path / "own.jsonl"
    turn = {"mulligan": "turn", "message": "x", "calls": [call, other, seen, plain, mended]}
    path.write_text(json.dumps(turn))

    replay(path, learn=f"sqlite:///{tmp_path / 'app.db'}")

    kept = b"".join(each.read_bytes() for each in tmp_path.glob("app.db*"))
    assert b"find_bill" in kept
    assert SECRET.encode() not in kept
