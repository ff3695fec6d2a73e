"""Predicts calls that will fail or were not requested, before they are made.

Words are weak evidence. The result is a warning for the agent, never a reason to stop a call.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

from msgspec.structs import replace

from mulligan.learning.closeness import compile_phrases
from mulligan.learning.schema import Problem, Schema, read_schema
from mulligan.learning.suggest import Knowledge, find_records, parse_result, points
from mulligan.learning.values import find_key, is_small, replace_value
from mulligan.types.finding import Finding, Severity
from mulligan.types.lesson import Planned
from mulligan_dates.text import (
    Path,
    fold_name,
    is_number,
    list_leaves,
    list_words,
    split_name,
    stem,
)

MOST_ARGUMENTS = 200
MOST_CHOICES = 20
_BETWEEN = re.compile(r"[,;/|]|\s(?:and|or|&)\s")
_FOREIGN_LETTER = re.compile(r"(?![A-Za-z])[^\W\d_]")
SHORTEST_ID = 4
AVAILABLE = list_words("available in_stock instock enabled active exists valid")
STATE = list_words("status state")
IDENTITY = list_words("id ids uuid number key")
BALANCE = list_words("amount balance remaining available")
PEOPLE = list_words("first last full given family sur person customer user")
NEW = list_words("new next replacement target")
PLACEHOLDERS = list_words("""
    unknown none null na tbd todo placeholder example test missing notprovided notspecified
    undefined xxx xxxx johndoe janedoe foo bar
""")
_PLACEHOLDER = compile_phrases(
    r"<[^<>]+> | \{[^{}]+\} | your[_ -]\w+ | (?:some|any)[_ -]\w+ | 0{4,}"
)


class _Case:
    """A call, with cached lookups."""

    def __init__(self, planned: Planned) -> None:
        self.planned = planned
        self.tool = planned.call.tool
        self.arguments = planned.call.arguments
        self.known = Knowledge(planned.said, planned.earlier)
        self.values = list(list_leaves(self.arguments, most=MOST_ARGUMENTS))

    def list_records(self, name: str) -> Iterator[Mapping[str, object]]:
        """The values under a name in this turn's results, newest first."""
        for made in reversed(self.planned.earlier):
            if not made.failed:
                yield from find_records(parse_result(made.result), name)


def precheck(planned: Planned) -> list[Finding]:
    """Why a call will fail, one finding for each reason; empty when no reason is found."""
    if not is_small(planned.call.arguments, parts=50_000, text=10**8):
        return []
    case = _Case(planned)
    return [finding for reason in REASONS for finding in reason(case)]


def _build_finding(rule: str, issue: str, correction: str) -> Finding:
    return Finding(rule=rule, severity=Severity.ERROR, issue=issue, correction=correction)


def _check_tool(case: _Case) -> Iterator[Finding]:
    if case.planned.tools and case.tool not in case.planned.tools:
        issue = f"There is no tool {case.tool!r}."
        yield _build_finding("call.unknown_tool", issue, "Call one of the tools there are.")


def _check_shape(case: _Case) -> Iterator[Finding]:
    if not case.planned.schema:
        return
    schema = read_schema(case.planned.schema, tool=case.tool)
    for problem in schema.list_problems(case.arguments)[:5]:
        where = ".".join(map(str, problem.path)) or "arguments"
        found = _build_finding(
            "call.shape", f"{where}: {problem.message}", "Make it fit the schema."
        )
        advised = _is_advice(problem, schema, case.arguments)
        yield replace(found, severity=Severity.WARNING) if advised else found


def _is_advice(problem: Problem, schema: Schema, arguments: Mapping[str, object]) -> bool:
    """Whether the schema says only how its author pictured a value that may be right.

    In JSON Schema a format is an annotation: authors who insist on one declare a pattern, and those
    who take no other arguments say so. A pattern of letters means those of any alphabet, and
    several choices may be given as one text.
    """
    value = next((held for path, held in list_leaves(arguments) if path == problem.path), None)
    if problem.rule in ("format", "unknown") or not isinstance(value, str):
        return problem.rule in ("format", "unknown")
    if problem.rule == "pattern":
        meant = [_FOREIGN_LETTER.sub("a", value)] if not value.isascii() else []
    else:
        split = _BETWEEN.split(value) if problem.rule == "enum" else []
        pieces = [piece.strip() for piece in split]
        meant = pieces if len(pieces) > 1 else []
    made = [replace_value(arguments, at=problem.path, value=each) for each in meant[:MOST_CHOICES]]
    return bool(made) and not any(
        left.path == problem.path for each in made for left in schema.list_problems(each)
    )


def _check_failed_before(case: _Case) -> Iterator[Finding]:
    """The identical call failed the last time it was made."""
    latest = reversed(case.planned.earlier)
    last = next((made for made in latest if made.repeats(case.tool, case.arguments)), None)
    if last is not None and last.failed:
        issue = f"The same call of {case.tool} failed earlier in this turn."
        yield _build_finding("call.failed_before", issue, "Change something before trying again.")


def _check_never_seen(case: _Case) -> Iterator[Finding]:
    """An identifier that is neither in the request nor in a result: it is invented.

    A truncated result may have held it, and then nothing is reported.
    """
    for path, value in [] if case.known.incomplete else case.values:
        if _is_identifier(path, value) and not _was_seen(str(value), case.known):
            issue = f"{find_key(path)} {str(value)[:60]!r} was never mentioned in this turn."
            yield _build_finding("call.id_never_seen", issue, "Look it up or ask for it.")


def _is_identifier(path: Path, value: object) -> bool:
    key = find_key(path)
    if not isinstance(value, str) or not points(key) or len(fold_name(value)) < SHORTEST_ID:
        return False
    of_a_person = "name" in split_name(key) and not PEOPLE.isdisjoint(split_name(key))
    coded = " " not in value.strip() and any(sign.isdigit() or sign == "@" for sign in value)
    return coded or of_a_person


def _was_seen(value: str, known: Knowledge) -> bool:
    """Whether all parts were mentioned: a text may hold several identifiers."""
    pieces = [piece for piece in re.split(r"[\s,;\[\]\"']+", value) if fold_name(piece)]
    return known.was_seen(value) or all(known.was_seen(piece) for piece in pieces)


def _check_placeholder(case: _Case) -> Iterator[Finding]:
    """A placeholder instead of a value."""
    for path, value in case.values:
        key = find_key(path)
        if not isinstance(value, str) or not points(key) or case.known.was_said(value):
            continue
        plain = fold_name(value)
        if not plain or plain in PLACEHOLDERS or _PLACEHOLDER.fullmatch(value.strip()):
            issue = f"{key} is {value[:60]!r}, which is a placeholder, not a value."
            yield _build_finding("call.placeholder", issue, "Look the value up or ask for it.")


def _check_state(case: _Case) -> Iterator[Finding]:
    """The tool's name implies a state (`cancel_pending_order`) that the object is not in."""
    for path, value in case.values:
        wanted = _find_named_state(case.tool, find_key(path))
        state = _find_last_state(case, find_key(path), value) if wanted else None
        if wanted and state and not _is_in(state, wanted, case.known):
            issue = f"{str(value)[:60]!r} is {state}; {case.tool} is for {wanted} ones."
            correction = "Use the tool for that state, or tell the person."
            yield _build_finding("call.wrong_state", issue, correction)


def _is_in(state: str, wanted: str, known: Knowledge) -> bool:
    """Whether a state is the wanted one: `pending (changed)` is not, where others are `pending`."""
    words = tuple(split_name(state))
    if wanted not in words or words == (wanted,):
        return words == (wanted,)
    named = (each for each in known.values if each.key.casefold() in STATE)
    return all(tuple(split_name(each.text)) != (wanted,) for each in named)


def _find_named_state(tool: str, key: str) -> str | None:
    """The participle before a thing in a tool's name: `pending` for `order_id` in the above."""
    words = set(split_name(key))
    things = words - IDENTITY if words & IDENTITY else set()
    for word, thing in pairwise(split_name(tool)[1:]):
        if thing in things and len(word) > 5 and word.endswith(("ed", "ing")):
            return word
    return None


def _find_last_state(case: _Case, key: str, value: object) -> str | None:
    """The state in the newest record of this object."""
    for record in case.list_records(value) if isinstance(value, str) else ():
        state = next((held for name, held in record.items() if name.casefold() in STATE), None)
        if value in (record.get(key), record.get("id")) and isinstance(state, str):
            return state
    return None


def _check_available(case: _Case) -> Iterator[Finding]:
    """A requested item that its newest record calls unavailable."""
    for path, value in case.values:
        if not isinstance(value, str) or NEW.isdisjoint(split_name(find_key(path))):
            continue
        record = next(case.list_records(value), {})
        if any(name.casefold() in AVAILABLE and held is False for name, held in record.items()):
            issue = f"{find_key(path)} {value[:60]!r} is not available."
            yield _build_finding("call.unavailable", issue, "Choose one that is.")


def _check_lists(case: _Case) -> Iterator[Finding]:
    """`things` and `new_things` must have the same length."""
    for name, value in case.arguments.items():
        other = case.arguments.get(f"new_{name}")
        if isinstance(value, list) and isinstance(other, list) and len(value) != len(other):
            issue = f"{name} has {len(value)} items, new_{name} {len(other)}."
            yield _build_finding("call.lists_differ", issue, "Give one new item for each old one.")


def _check_amount(case: _Case) -> Iterator[Finding]:
    """An amount above the balance in the newest record."""
    for path, amount in case.values:
        if not is_number(amount) or "amount" not in split_name(find_key(path)):
            continue
        beside = [value for place, value in case.values if place[:-1] == path[:-1]]
        for name in (each for each in beside if isinstance(each, str)):
            held = _find_last_balance(case, name)
            if held is not None and float(str(amount)) > held:
                issue = f"{amount} is more than {name[:60]!r} holds: {held}."
                yield _build_finding(
                    "call.exceeds", issue, "Take less from it, and the rest from another source."
                )


def _find_last_balance(case: _Case, name: str) -> float | None:
    for record in case.list_records(name):
        if name not in (record.get("id"), record.get("number")):
            continue
        for key, held in record.items():
            if is_number(held) and not BALANCE.isdisjoint(split_name(key)):
                return float(str(held))
    return None


Reason = Callable[[_Case], Iterator[Finding]]
REASONS: tuple[Reason, ...] = (
    _check_tool,
    _check_shape,
    _check_failed_before,
    _check_never_seen,
    _check_placeholder,
    _check_state,
    _check_available,
    _check_lists,
    _check_amount,
)


MOST_WORDS = 2_000
STOP_WORDS = list_words("""
    a an the of to in on at for from by with and or not no is are was were be been do does did can
    could will would should may might must have has had i me my you your we our they their he she it
    its this that these those what which who whom whose when where why how many much long far some
    any all each every more most other such only own same so than too very just about into over
    after before between during out up down off then once here there please tell give show find get
    want need know like make let help using use used based given specific certain particular value
    values number list name type data information details result results function calculate retrieve
    return returns default optional integer string boolean float array
""")
"""Stop words."""


def check_relevance(
    schema: Schema,
    *,
    tool: str,
    description: str,
    arguments: Mapping[str, object],
    said: Sequence[str],
) -> Finding | None:
    """A warning if neither the tool's words nor the call's values come from the request."""
    question = " ".join(said)
    asked = _list_content(question)
    if not asked:
        return None
    offered = _list_content(" ".join((tool, description, *schema.properties)))
    shared = asked & offered
    # The share of required arguments without a word in the question.
    needed = [name for name in schema.required if name in arguments] or list(arguments)
    invented = sum(not _is_grounded(arguments[name], fold_name(question)) for name in needed)
    made_up = invented / len(needed) if needed else 1.0
    if (shared or not made_up) and not (made_up > 0.5 and len(shared) < 2):
        return None
    return Finding(
        rule="call.irrelevant",
        severity=Severity.WARNING,
        issue=f"{tool} shares {len(shared)} words with the question, and {made_up:.0%} of what it "
        "needs is not in it.",
        correction="Call a tool that answers the question, or say that none does.",
    )


def _list_content(text: str) -> set[str]:
    words = {stem(word) for word in split_name(text)[:MOST_WORDS] if word not in STOP_WORDS}
    return {word for word in words if len(word) > 2}


def _is_grounded(value: object, question: str) -> bool:
    held = [each for _, each in list_leaves(value, most=100) if each is not None]
    if all(isinstance(each, bool) for each in held):
        return True
    for each in held:
        text = str(int(each) if isinstance(each, float) and each.is_integer() else each)
        words = (word for word in split_name(text) if len(word) > 2)
        if fold_name(text) in question or any(stem(fold_name(word)) in question for word in words):
            return True
    return False
