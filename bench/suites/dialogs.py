"""Turns in the middle of real conversations: right ones rejected, and planted mistakes caught."""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from bench.data import add_data_arguments, read_cases, read_json
from bench.report import progress
from mulligan.checks.parameters import ToolShape
from mulligan.checks.standard import StandardChecks
from mulligan.loops.actions import Attempted, Reviewers, review_attempt
from mulligan.types.call import Call, Execution, Outcome
from mulligan.types.effect import Effect
from mulligan.types.finding import Severity
from mulligan.types.turn import History, Turn

Result = dict[str, Any]
Case = Mapping[str, Any]
Arguments = dict[str, Any]

KINDS = (
    "unseen_id", "seen_id", "receiver", "day", "hour", "phone_or_name", "password", "repeated",
)  # fmt: skip
_ID = re.compile(r"(?=\w*\d)[\w-]{4,}")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_HOUR = re.compile(r"(?<=[T ])([01]\d|2[0-3])(?=:\d\d)|^([01]\d|2[0-3])(?=:\d\d:\d\d$)")
_PHONE = re.compile(r"\+?\d[\d() -]{6,}\d")
_RECEIVES = re.compile(r"(^|_)(to|receiver|recipient)$|e?mail", re.IGNORECASE)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_data_arguments(parser)
    parser.add_argument("--list", action="store_true", help="also the right turns rejected")


def run(options: argparse.Namespace) -> Result:
    cases = read_cases(options, "third/dialogs")
    about = read_tools(options)
    result = asyncio.run(_look_at_all(cases, about, listing=options.list))
    return {
        "n": len(cases),
        **result,
    }


def read_tools(options: argparse.Namespace) -> Mapping[str, Any]:
    return read_json(options.data / "third" / "dialogs_tools.json")


async def _look_at_all(cases: Sequence[Case], about: Mapping[str, Any], *, listing: bool) -> Result:
    reviewers = {name: _build_reviewers(name, about) for name in about["schemas"]}
    rejected: dict[str, list[str]] = {}
    warned = 0
    planted = {kind: Counter(n=0, caught=0) for kind in KINDS}
    with progress(len(cases)) as step:
        for case in cases:
            step(case["set"])
            writes, by = about["writes"][case["set"]], reviewers[case["set"]]
            errors, warnings = await _review(case, case["calls"], writes=writes, by=by)
            warned += bool(warnings)
            if errors:
                rejected[case["id"]] = errors
            for kind, calls in plant(case, writes):
                found, _ = await _review(case, calls, writes=writes, by=by)
                planted[kind].update(n=1, caught=int(bool(set(found) - set(errors))))
    result: Result = {
        "right": len(cases),
        "right_rejected": len(rejected),
        "right_rejected_share": round(len(rejected) / max(1, len(cases)), 4),
        "right_warned": warned,
        "by_rule": dict(Counter(rule for rules in rejected.values() for rule in set(rules))),
        "planted": {kind: dict(each) for kind, each in planted.items()},
    }
    return result | ({"rejected": rejected} if listing else {})


def _build_reviewers(name: str, about: Mapping[str, Any]) -> Reviewers:
    return build_reviewers(about["schemas"][name], writes=about["writes"][name])


def build_reviewers(schemas: Mapping[str, Any], *, writes: Iterable[str]) -> Reviewers:
    """The standard checks over tools with these schemas."""
    shapes = {
        tool: ToolShape(
            tool=tool,
            schema=schema,
            effect=Effect.REVERSIBLE if tool in writes else Effect.READ,
        )
        for tool, schema in schemas.items()
    }
    return Reviewers(checks=[StandardChecks(lambda call: shapes.get(call.tool))])


async def _review(
    case: Case, calls: Sequence[Case], *, writes: Sequence[str], by: Reviewers
) -> tuple[list[str], list[str]]:
    """The rules that reject a turn, and those that warn of it."""
    return await review_calls(build_turn(case), calls, writes=writes, by=by)


def build_turn(case: Case) -> Turn:
    """What was said, by whom, and the conversation before."""
    return Turn(
        id=case["id"],
        message=case["message"],
        now=datetime.fromisoformat(case["now"]).replace(tzinfo=UTC),
        timezone="UTC",
        known=case["who"],
        history=History(_list_messages(case)),
    )


async def review_calls(
    turn: Turn, calls: Sequence[Case], *, writes: Iterable[str], by: Reviewers
) -> tuple[list[str], list[str]]:
    """The rules that reject a turn with these calls, and those that warn of it."""
    made = [build_execution(call, f"c{number:03}") for number, call in enumerate(calls)]
    attempted = Attempted(
        turn=turn,
        executions=tuple(made),
        earlier=turn.history.executions,
        acted=frozenset(each.call.id for each in made if each.call.tool in writes),
    )
    verdict = await review_attempt(attempted, by=by, attempt=1, judged=False)
    errors = [each.rule for each in verdict.findings if each.severity is Severity.ERROR]
    return errors, [each.rule for each in verdict.findings if each.severity is Severity.WARNING]


def _list_messages(case: Case) -> Iterator[object]:
    """The conversation: calls that were made before, then what was said."""
    for number, call in enumerate(case["earlier"]):
        yield build_execution(call, f"b{number:03}")
    for line in case["said"]:
        speaker, _, text = line.partition(": ")
        yield {"role": "user" if speaker == "User" else "assistant", "content": text}


def build_execution(call: Case, name: str) -> Execution:
    failed = bool(call.get("error") or call.get("exc"))
    return Execution(
        call=Call(id=name, tool=call["tool"], arguments=call["args"]),
        outcome=Outcome.FAILURE if failed else Outcome.SUCCESS,
        at=datetime(2026, 1, 1, tzinfo=UTC),
        duration=timedelta(),
        result=call["error"] if failed and call.get("error") else call["result"],
    )


def plant(case: Case, writes: Sequence[str]) -> Iterator[tuple[str, list[Case]]]:
    """The turn with one mistake in one of its writes, for each kind that fits one of them."""
    chance = random.Random(case["id"])
    seen = _find_ids(case)
    calls = list(case["calls"])
    for kind in KINDS:
        for number, call in enumerate(calls):
            if call["tool"] not in writes or call.get("error") or call.get("exc"):
                continue
            if kind == "repeated":
                yield kind, [*calls[: number + 1], call, *calls[number + 1 :]]
                break
            changed = _change(kind, call["args"], chance, seen)
            if changed is not None:
                bent = {**call, "args": changed, "result": _echo(call["result"], changed)}
                yield kind, [*calls[:number], bent, *calls[number + 1 :]]
                break


def _echo(result: Any, arguments: Arguments) -> Any:
    """What a tool would have returned: API-Bank's repeat what they were given."""
    return (
        {**result, "input": arguments} if isinstance(result, dict) and "input" in result else result
    )


def _find_ids(case: Case) -> list[str]:
    """Ids that calls before the turn, and the turn's own reads, have returned."""
    results = [call["result"] for call in (*case["earlier"], *case["calls"])]
    found = re.findall(r'"\w*id"\s*:\s*"?([\w-]{4,})"?', json.dumps(results), re.IGNORECASE)
    return sorted(set(found))


def _change(
    kind: str, given: Mapping[str, Any], chance: random.Random, seen: Sequence[str]
) -> Arguments | None:
    for name, value in given.items():
        if not isinstance(value, str) or "token" in name:
            continue
        other = _BENDERS[kind](name, value, chance, seen)
        if other is not None and other != value:
            return {**given, name: other}
    return None


def _bend_unseen(name: str, value: str, chance: random.Random, _: Sequence[str]) -> str | None:
    return scramble(value, chance) if _is_id(name, value) else None


def _bend_seen(name: str, value: str, chance: random.Random, seen: Sequence[str]) -> str | None:
    others = [each for each in seen if each != value and len(each) == len(value)]
    return chance.choice(others) if _is_id(name, value) and others else None


def _bend_receiver(name: str, value: str, chance: random.Random, _: Sequence[str]) -> str | None:
    if not _RECEIVES.search(name) or "@" not in value:
        return None
    local, _, host = value.partition("@")
    return f"{scramble(local, chance)}@{host}"


def _bend_day(_n: str, value: str, chance: random.Random, _: Sequence[str]) -> str | None:
    found = _DAY.search(value)
    if not found:
        return None
    day = datetime.fromisoformat(found[0]) + timedelta(days=chance.choice((-7, -1, 1, 7)))
    return value[: found.start()] + f"{day:%Y-%m-%d}" + value[found.end() :]


def _bend_hour(_n: str, value: str, chance: random.Random, _: Sequence[str]) -> str | None:
    found = _HOUR.search(value)
    if not found:
        return None
    hour = (int(found[0]) + chance.choice((1, 2, 12))) % 24
    return value[: found.start()] + f"{hour:02}" + value[found.end() :]


def _bend_contact(name: str, value: str, chance: random.Random, _: Sequence[str]) -> str | None:
    if "phone" in name and _PHONE.fullmatch(value):
        return scramble(value, chance)
    if name in ("name", "patient_name", "account") and value.replace(" ", "").isalpha():
        return chance.choice(("Marlene Osgood", "Tobias Quill", "Ines Harrow"))
    return None


def _bend_password(name: str, value: str, chance: random.Random, _: Sequence[str]) -> str | None:
    return scramble(value, chance) if "password" in name else None


_BENDERS: Mapping[str, Callable[[str, str, random.Random, Sequence[str]], str | None]] = {
    "unseen_id": _bend_unseen,
    "seen_id": _bend_seen,
    "receiver": _bend_receiver,
    "day": _bend_day,
    "hour": _bend_hour,
    "phone_or_name": _bend_contact,
    "password": _bend_password,
}


def _is_id(name: str, value: str) -> bool:
    return name.lower().endswith("id") and bool(_ID.fullmatch(value))


def scramble(value: str, chance: random.Random) -> str:
    """Something that looks alike, with other letters and digits."""
    letters, digits = "abcdefghkmnpqrstuvwxyz", "0123456789"
    return "".join(
        chance.choice(digits)
        if sign.isdigit()
        else (chance.choice(letters) if sign.isalpha() else sign)
        for sign in value
    )
