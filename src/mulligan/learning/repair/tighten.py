"""A schema made stricter by what an error complained of, so that one walk mends both."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from mulligan.learning.complaints.complaint import About, Complaint
from mulligan.learning.shape.formats import date_form, read_date
from mulligan.learning.shape.schema import TYPE_NAMES
from mulligan.learning.values.closeness import only, spelling

PATTERNS = {
    "%Y-%m-%d": r"^\d{4}-\d{2}-\d{2}$",
    "%Y/%m/%d": r"^\d{4}/\d{2}/\d{2}$",
    "%m/%d/%Y": r"^\d{2}/\d{2}/\d{4}$",
    "%d/%m/%Y": r"^\d{2}/\d{2}/\d{4}$",
}
DEEPEST = 6

Part = dict[str, Any]
"""A part of a schema, which is about to get another rule."""


def tightened(
    tree: Mapping[str, Any], complaints: Sequence[Complaint], *, arguments: Mapping[str, object]
) -> Part | None:
    """The schema with each complaint as a rule; `None` when one cannot be placed in it."""
    strict = copy.deepcopy(dict(tree))
    strict.setdefault("type", "object")
    if strict.get("properties") is None:
        # Nobody said what arguments there are, so those that are not complained of may stay.
        strict["additionalProperties"] = True
    for complaint in complaints:
        name = _argument(complaint, strict, arguments)
        places = _places(strict, name, about=complaint.about, arguments=arguments) if name else []
        if not places:
            return None
        for part in places:
            _demand(part, name, complaint)
    return strict


def _argument(complaint: Complaint, tree: Part, arguments: Mapping[str, object]) -> str:
    """The argument a complaint is about: by its name, else by its value; empty if nobody knows."""
    steps = [step for step in complaint.subject.split(".") if not step.isdigit()]
    name = steps[-1] if steps else ""
    if complaint.about is About.MISSING or _is_known(name, tree, arguments):
        return name
    refused = only(key for key, value in arguments.items() if str(value) == complaint.subject)
    if refused is None and complaint.about is About.FORM:
        refused = only(
            key for key, value in arguments.items() if isinstance(value, str) and read_date(value)
        )
    return refused or ""


def _is_known(name: str, tree: Part, arguments: Mapping[str, object]) -> bool:
    return name in (tree.get("properties") or {}) or spelling(name, list(arguments)) is not None


def _places(tree: Part, name: str, *, about: About, arguments: Mapping[str, object]) -> list[Part]:
    """The object schemas that an argument belongs to."""
    if about is About.UNEXPECTED and tree.get("properties") is None:
        return []  # Nobody knows what would be expected instead.
    if about is About.MISSING and not _is_known(name, tree, arguments):
        return _nested(tree, name, arguments, depth=0)
    return [tree]


def _nested(part: Part, name: str, value: object, *, depth: int) -> list[Part]:
    """Objects inside that lack the field and hold something which may be it."""
    found: list[Part] = []
    if depth > DEEPEST or not isinstance(value, Mapping):
        return found
    for key, held in value.items():
        items = held if isinstance(held, list) else [held]
        objects = [each for each in items if isinstance(each, Mapping)]
        if not objects:
            continue
        inner = part.setdefault("properties", {}).setdefault(key, {})
        place = inner.setdefault("items", {}) if isinstance(held, list) else inner
        if any(name not in each and spelling(name, list(each)) for each in objects):
            found.append(place)
        for each in objects:
            found += _nested(place, name, each, depth=depth + 1)
    return found


def _demand(part: Part, name: str, complaint: Complaint) -> None:
    """Write the complaint into the schema of the object that has the argument."""
    named: Part = part.setdefault("properties", {})
    if complaint.about is About.UNEXPECTED:
        part["additionalProperties"] = False
        named.pop(name, None)
        return
    rule: Part = named.setdefault(name, {})
    match complaint.about:
        case About.MISSING:
            part["required"] = [*dict.fromkeys([*(part.get("required") or ()), name])]
        case About.DOMAIN:
            rule["enum"] = list(complaint.wanted)
        case About.MOST:
            rule["maximum"] = _number(complaint.wanted[0])
        case About.LEAST:
            rule["minimum"] = _number(complaint.wanted[0])
        case About.TYPE:
            inside = rule.setdefault("items", {}) if _of_an_item(complaint) else rule
            inside["type"] = TYPE_NAMES.get(complaint.wanted[0], complaint.wanted[0])
        case About.FORM:
            form = date_form(complaint.wanted[0]) or ""
            rule |= {"pattern": PATTERNS.get(form, ""), "description": complaint.wanted[0]}
        case unreachable:
            assert_never(unreachable)


def _of_an_item(complaint: Complaint) -> bool:
    return complaint.subject.split(".")[-1].isdigit()


def _number(text: str) -> float:
    return float(text) if "." in text else int(text)
