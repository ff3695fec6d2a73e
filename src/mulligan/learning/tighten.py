"""A schema made stricter by what an error complained of, so that one walk mends both."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from mulligan.learning.closeness import spelling
from mulligan.learning.complaints import About, Complaint
from mulligan.learning.shape.formats import date_form
from mulligan.learning.shape.schema import TYPE_NAMES

PATTERNS = {"%Y-%m-%d": r"^\d{4}-\d{2}-\d{2}$", "%m/%d/%Y": r"^\d{2}/\d{2}/\d{4}$"}
PATTERNS |= {"%d/%m/%Y": r"^\d{2}/\d{2}/\d{4}$", "%Y/%m/%d": r"^\d{4}/\d{2}/\d{2}$"}
DEEPEST = 6


def tightened(
    tree: Mapping[str, Any], complaints: Sequence[Complaint], *, arguments: Mapping[str, object]
) -> dict[str, Any] | None:
    """The schema with each complaint as a rule; `None` when one cannot be placed in it."""
    strict = copy.deepcopy(dict(tree))
    strict.setdefault("type", "object")
    for complaint in complaints:
        places = _places(strict, complaint, arguments)
        if not places:
            return None
        for part in places:
            _demand(part, complaint)
    return strict


def _places(
    tree: dict[str, Any], complaint: Complaint, arguments: Mapping[str, object]
) -> list[dict[str, Any]]:
    """The object schemas that the complaint's field belongs to."""
    steps = [step for step in complaint.field.split(".") if not step.isdigit()]
    if not steps:
        return []
    name = steps[-1]
    if complaint.about is not About.MISSING and not _belongs(name, tree, arguments):
        return []
    if complaint.about is About.UNEXPECTED and not tree.get("properties"):
        return []  # Nobody knows what would be expected instead.
    if complaint.about is About.MISSING and not _belongs(name, tree, arguments):
        return _nested(tree, name, arguments, depth=0)
    return [tree]


def _belongs(name: str, tree: Mapping[str, Any], arguments: Mapping[str, object]) -> bool:
    return name in (tree.get("properties") or {}) or spelling(name, list(arguments)) is not None


def _nested(part: dict[str, Any], name: str, value: object, *, depth: int) -> list[dict[str, Any]]:
    """Objects inside that lack the field and hold something which may be it."""
    found: list[dict[str, Any]] = []
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


def _demand(part: dict[str, Any], complaint: Complaint) -> None:
    name = [step for step in complaint.field.split(".") if not step.isdigit()][-1]
    named: dict[str, Any] = part.setdefault("properties", {})
    if complaint.about is About.UNEXPECTED:
        part["additionalProperties"] = False
        named.pop(name, None)
        return
    rule: dict[str, Any] = named.setdefault(name, {})
    match complaint.about:
        case About.MISSING:
            part["required"] = [*dict.fromkeys([*(part.get("required") or ()), name])]
        case About.DOMAIN:
            rule["enum"] = list(complaint.values)
        case About.MOST:
            rule["maximum"] = _number(complaint.values[0])
        case About.LEAST:
            rule["minimum"] = _number(complaint.values[0])
        case About.TYPE:
            wanted = TYPE_NAMES.get(complaint.values[0], complaint.values[0])
            inside = (
                rule.setdefault("items", {}) if complaint.field.split(".")[-1].isdigit() else rule
            )
            inside["type"] = wanted
        case About.FORM:
            form = date_form(complaint.values[0]) or ""
            rule |= {"pattern": PATTERNS.get(form, ""), "description": complaint.values[0]}
        case unreachable:
            assert_never(unreachable)


def _number(text: str) -> float:
    return float(text) if "." in text else int(text)
