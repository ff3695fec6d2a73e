"""Whole requests to a shop desk: wrong runs rejected, right ones left, planted mistakes caught."""

from __future__ import annotations

import argparse
import asyncio
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from bench.data import add_data_arguments, read_cases
from bench.failures.tau import read_schemas
from bench.report import progress
from bench.suites.dialogs import build_reviewers, review_calls, scramble
from mulligan.loops.actions import Reviewers
from mulligan.types.turn import Turn

Result = dict[str, Any]
Case = Mapping[str, Any]
Arguments = dict[str, Any]

NOW = datetime(2024, 5, 15, 15, tzinfo=UTC)
DESK = ("tau-bench", "retail")
"""Whose schemas the tools have."""
WRITES = frozenset(
    {
        "cancel_pending_order", "exchange_delivered_order_items", "modify_pending_order_address",
        "modify_pending_order_items", "modify_pending_order_payment", "modify_user_address",
        "return_delivered_order_items",
    }
)  # fmt: skip
KINDS = (
    "unseen", "other_order", "other_item", "other_payment", "other_owner", "address", "repeated",
)  # fmt: skip
_ORDER, _PAYMENT = re.compile(r"#W\d+"), re.compile(r"(?:credit_card|gift_card|paypal)_\d+")
_ITEM = re.compile(r"\d{10}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_data_arguments(parser)
    parser.add_argument("--list", action="store_true", help="also what was said of each run")


def run(options: argparse.Namespace) -> Result:
    cases = read_cases(options, "third/solo_retail")
    reviewers = build_reviewers(read_schemas(options.data)[DESK], writes=WRITES)
    looked = asyncio.run(_look_at_all(cases, reviewers, _list_orders(cases)))
    told: dict[bool, list[tuple[str, list[str], list[str]]]] = defaultdict(list)
    planted = {kind: Counter(n=0, caught=0, warned=0) for kind in KINDS}
    for case, errors, warnings, caught in looked:
        told[case["correct"]].append((case["id"], errors, warnings))
        for kind, rejected, warned in caught:
            planted[kind].update(n=1, caught=int(rejected), warned=int(warned and not rejected))
    wrong, right = told[False], told[True]
    result: Result = {
        "n": len(cases),
        "wrong": len(wrong),
        "wrong_rejected": sum(bool(errors) for _, errors, _ in wrong),
        "wrong_warned": sum(bool(warned and not errors) for _, errors, warned in wrong),
        "right": len(right),
        "right_rejected": sum(bool(errors) for _, errors, _ in right),
        "right_warned": sum(bool(warned and not errors) for _, errors, warned in right),
    }
    result |= {"planted": {kind: dict(each) for kind, each in planted.items()}}
    rules = {"right_rules": told[True], "wrong_rules": told[False]}
    return result | (
        {name: {i: [e, w] for i, e, w in held if e or w} for name, held in rules.items()}
        if options.list
        else {}
    )


Looked = tuple[Case, list[str], list[str], list[tuple[str, bool, bool]]]
"""A case, the rules that reject it and those that warn, and the same of each planted mistake."""


async def _look_at_all(
    cases: Sequence[Case], by: Reviewers, orders: Mapping[str, Case]
) -> list[Looked]:
    looked: list[Looked] = []
    with progress(len(cases)) as step:
        for case in cases:
            step(case["id"])
            turn = Turn(id="t", message=case["message"], now=NOW, timezone="UTC")
            errors, warnings = await review_calls(turn, case["calls"], writes=WRITES, by=by)
            caught: list[tuple[str, bool, bool]] = []
            for kind, calls in _plant(case, orders) if case["correct"] else ():
                found = await review_calls(turn, calls, writes=WRITES, by=by)
                new = [set(now) - {*errors, *warnings} for now in found]
                caught.append((kind, bool(new[0]), bool(new[1])))
            looked.append((case, errors, warnings, caught))
    return looked


def _list_orders(cases: Sequence[Case]) -> dict[str, Case]:
    """How runs have read orders, by their ids."""
    return {
        call["result"]["order_id"]: call
        for case in cases
        for call in case["calls"]
        if call["tool"] == "get_order_details" and not call["error"]
    }


def _plant(case: Case, orders: Mapping[str, Case]) -> Iterator[tuple[str, list[Case]]]:
    """The run with one mistake in one of its writes, for each kind that fits one of them."""
    chance = random.Random(case["id"])
    calls = list(case["calls"])
    for kind in KINDS:
        for number, call in enumerate(calls):
            if call["tool"] not in WRITES or call["error"]:
                continue
            if kind == "repeated":
                yield kind, [*calls[: number + 1], call, *calls[number + 1 :]]
                break
            changed = _change(kind, call["args"], chance, calls[:number], orders)
            if changed is not None:
                # An order of somebody else was read before: it is no invented one.
                read = [orders[changed["order_id"]]] if kind == "other_owner" else []
                bent = {**call, "args": changed}
                yield kind, [*calls[:number], *read, bent, *calls[number + 1 :]]
                break


def _change(
    kind: str,
    given: Mapping[str, Any],
    chance: random.Random,
    before: Sequence[Case],
    orders: Mapping[str, Case],
) -> Arguments | None:
    seen = str([call["result"] for call in before])
    order = given.get("order_id", "")
    match kind:
        case "unseen" if order:
            return {**given, "order_id": f"#W{scramble(order[2:], chance)}"}
        case "other_order" if order:
            return _swap(given, "order_id", _ORDER.findall(seen), chance)
        case "other_owner" if order:
            owner = orders[order]["result"]["user_id"] if order in orders else ""
            return _swap(
                given,
                "order_id",
                [each for each, read in orders.items() if read["result"]["user_id"] != owner],
                chance,
            )
        case "other_payment" if "payment_method_id" in given:
            return _swap(given, "payment_method_id", _PAYMENT.findall(seen), chance)
        case "other_item" if given.get("item_ids"):
            name = "new_item_ids" if "new_item_ids" in given else "item_ids"
            first, *rest = given[name]
            found = _swap({"one": first}, "one", _ITEM.findall(seen), chance)
            return {**given, name: [found["one"], *rest]} if found else None
        case "address" if "zip" in given:
            name = chance.choice(("zip", "address1"))
            number, _, street = given["address1"].partition(" ")
            moved = f"{int(number) + 11 if number.isdigit() else number} {street}"
            return {**given, name: scramble(given["zip"], chance) if name == "zip" else moved}
    return None


def _swap(
    given: Mapping[str, Any], name: str, others: Sequence[str], chance: random.Random
) -> Arguments | None:
    left = sorted(set(others) - {given[name]})
    return {**given, name: chance.choice(left)} if left else None
