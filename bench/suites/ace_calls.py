"""Right calls of tools in two languages: none may be refused, and bent ones are mended or left."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from bench.data import add_data_arguments, read_cases
from bench.report import progress
from mulligan import Mulligan
from mulligan.learning.precheck import precheck
from mulligan.learning.schema import read_schema
from mulligan.types.call import Call
from mulligan.types.finding import Severity
from mulligan.types.lesson import Planned
from mulligan_dates.text import split_name

Result = dict[str, Any]
Case = Mapping[str, Any]
Arguments = dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_data_arguments(parser)
    parser.add_argument("--list", action="store_true", help="also the right calls refused")


def run(options: argparse.Namespace) -> Result:
    cases = read_cases(options, "third/ace_calls")
    refused: dict[str, list[str]] = {}
    breaking = 0
    bent = {kind: Counter(n=0, mended=0) for kind in BENDERS}
    others = 0
    with progress(len(cases)) as step, Mulligan("memory:", recover=False) as m:
        for case in cases:
            step(case["lang"])
            if found := _list_refusals(case):
                refused[case["id"]] = found
                breaking += not read_schema(case["schema"]).accepts(case["args"])
            for kind, bend in BENDERS.items():
                wrong = bend(case["args"], case["schema"].get("properties", {}))
                if wrong is None or wrong == case["args"]:
                    continue
                read = _read(m, case, wrong)
                bent[kind].update(n=1, mended=int(read == case["args"]))
                others += read is not None and read not in (case["args"], wrong)
    result = {
        "n": len(cases),
        "right": len(cases),
        "right_refused": len(refused),
        "right_but_against_their_schema": breaking,
        "bent": {kind: dict(each) for kind, each in bent.items()},
        "other_calls": others,
    }
    return result | ({"refused": refused} if options.list else {})


def _list_refusals(case: Case) -> list[str]:
    """Why a right call would be refused by `precheck="refuse"`."""
    said = tuple(filter(None, (case["question"], json.dumps(case["profile"], ensure_ascii=False))))
    call = Call(id="c", tool=case["tool"], arguments=case["args"])
    planned = Planned(call=call, schema=case["schema"], tools=(case["tool"],), said=said)
    return [f"{f.rule}: {f.issue}" for f in precheck(planned) if f.severity is Severity.ERROR]


def _read(m: Mulligan, case: Case, wrong: Arguments) -> Arguments | None:
    """The arguments that a call comes out with; `None`: no call, or several."""
    tool = {"name": case["tool"], "parameters": case["schema"]}
    read = m.read_calls(json.dumps({"name": case["tool"], "arguments": wrong}), [tool])
    return dict(read[0].arguments) if len(read) == 1 else None


def _bend(
    wants: Callable[[Any, Mapping[str, Any]], bool], change: Callable[[Any], Any]
) -> Callable[[Mapping[str, Any], Mapping[str, Any]], Arguments | None]:
    """The first argument that fits, changed."""

    def bend(given: Mapping[str, Any], named: Mapping[str, Any]) -> Arguments | None:
        for name, value in given.items():
            if wants(value, named.get(name, {})):
                return {**given, name: change(value)}
        return None

    return bend


def _rename(given: Mapping[str, Any], _: Mapping[str, Any]) -> Arguments | None:
    """The first name of several words, in another spelling."""
    for name in given:
        words = split_name(name)
        if len(words) > 1:
            camel = words[0] + "".join(word.title() for word in words[1:])
            other = "_".join(words) if name == camel else camel
            return {(other if each == name else each): held for each, held in given.items()}
    return None


def _add_null(given: Mapping[str, Any], named: Mapping[str, Any]) -> Arguments | None:
    left = [name for name in named if name not in given]
    return {**given, left[0]: None} if left else None


BENDERS: Mapping[str, Callable[[Mapping[str, Any], Mapping[str, Any]], Arguments | None]] = {
    "number_as_text": _bend(
        lambda value, part: type(value) in (int, float) and part.get("type") != "string", str
    ),
    "bool_as_text": _bend(lambda value, _: type(value) is bool, str),
    "list_as_text": _bend(
        lambda value, _: isinstance(value, list), lambda v: json.dumps(v, ensure_ascii=False)
    ),
    "object_as_text": _bend(
        lambda value, _: isinstance(value, dict), lambda v: json.dumps(v, ensure_ascii=False)
    ),
    "enum_in_capitals": _bend(
        lambda value, part: isinstance(value, str) and "enum" in part and value != value.upper(),
        str.upper,
    ),
    "renamed": _rename,
    "null_added": _add_null,
}
