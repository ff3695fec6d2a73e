"""A schema made stricter by what an error complained of, so that one walk mends both."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from mulligan.learning.complaints.complaint import Complaint, ComplaintKind
from mulligan.learning.shape.moment_forms import (
    build_pattern,
    find_form,
    find_form_of,
    read_moment,
)
from mulligan.learning.shape.schema import TYPE_NAMES
from mulligan.learning.shape.units import UNIT_KEY
from mulligan.learning.values.closeness import match_spelling, pick_only

DEEPEST = 6

Part = dict[str, Any]
"""A part of a schema, which is about to get another rule."""


def tighten_schema(
    tree: Mapping[str, Any], complaints: Sequence[Complaint], *, arguments: Mapping[str, object]
) -> Part | None:
    """The schema with each complaint as a rule; `None` when one cannot be placed in it."""
    strict = copy.deepcopy(dict(tree))
    strict.setdefault("type", "object")
    if strict.get("properties") is None:
        # Nobody said what arguments there are, so those that are not complained of may stay.
        strict["additionalProperties"] = True
    for said in complaints:
        complaint = _find_rest(said, arguments) if said.about is ComplaintKind.REST else said
        name = _find_argument(complaint, strict, arguments)
        places = (
            _find_places(strict, name, about=complaint.about, arguments=arguments) if name else []
        )
        if not places:
            return None
        for part in places:
            _demand(part, name, complaint)
    return strict


def _find_rest(complaint: Complaint, arguments: Mapping[str, object]) -> Complaint:
    """The form that was read of the one value which ends in what is left over."""
    rest = complaint.wanted[0]
    ends = {
        key: value[: -len(rest)]
        for key, value in arguments.items()
        if isinstance(value, str) and value.endswith(rest)
    }
    name = pick_only(key for key, value in ends.items() if find_form_of(value))
    form = find_form_of(ends[name]) if name is not None else None
    return complaint if not (name and form) else Complaint(ComplaintKind.FORM, name, (form,))


def _find_argument(complaint: Complaint, tree: Part, arguments: Mapping[str, object]) -> str:
    """The argument a complaint is about: by its name, else by its value; empty if nobody knows."""
    steps = [step for step in complaint.subject.split(".") if not step.isdigit()]
    name = steps[-1] if steps else ""
    if complaint.about is ComplaintKind.MISSING or _is_known(name, tree, arguments):
        return name
    refused = pick_only(key for key, value in arguments.items() if str(value) == complaint.subject)
    if refused is None and complaint.about is ComplaintKind.FORM:
        refused = pick_only(
            key for key, value in arguments.items() if isinstance(value, str) and read_moment(value)
        )
    return refused or ""


def _is_known(name: str, tree: Part, arguments: Mapping[str, object]) -> bool:
    return (
        name in (tree.get("properties") or {}) or match_spelling(name, list(arguments)) is not None
    )


def _find_places(
    tree: Part, name: str, *, about: ComplaintKind, arguments: Mapping[str, object]
) -> list[Part]:
    """The object schemas that an argument belongs to."""
    if about is ComplaintKind.UNEXPECTED and tree.get("properties") is None:
        return []  # Nobody knows what would be expected instead.
    if about is ComplaintKind.MISSING and not _is_known(name, tree, arguments):
        return _find_nested(tree, name, arguments, depth=0)
    return [tree]


def _find_nested(part: Part, name: str, value: object, *, depth: int) -> list[Part]:
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
        if any(name not in each and match_spelling(name, list(each)) for each in objects):
            found.append(place)
        for each in objects:
            found += _find_nested(place, name, each, depth=depth + 1)
    return found


def _demand(part: Part, name: str, complaint: Complaint) -> None:
    """Write the complaint into the schema of the object that has the argument."""
    named: Part = part.setdefault("properties", {})
    if complaint.about is ComplaintKind.UNEXPECTED:
        part["additionalProperties"] = False
        named.pop(name, None)
        return
    rule: Part = named.setdefault(name, {})
    match complaint.about:
        case ComplaintKind.MISSING:
            part["required"] = [*dict.fromkeys([*(part.get("required") or ()), name])]
        case ComplaintKind.DOMAIN:
            rule["enum"] = list(complaint.wanted)
        case ComplaintKind.MOST:
            rule["maximum"] = _parse_number(complaint.wanted[0])
        case ComplaintKind.LEAST:
            rule["minimum"] = _parse_number(complaint.wanted[0])
        case ComplaintKind.TYPE:
            inside = rule.setdefault("items", {}) if _is_of_item(complaint) else rule
            inside["type"] = TYPE_NAMES.get(complaint.wanted[0], complaint.wanted[0])
        case ComplaintKind.FORM:
            form = find_form(complaint.wanted[0]) or ""
            rule |= {"pattern": build_pattern(form), "description": complaint.wanted[0]}
        case ComplaintKind.UNIT:
            rule.setdefault("type", "number")
            rule[UNIT_KEY] = complaint.wanted[0]
        case ComplaintKind.REST:
            pass  # Nobody knows what of.
        case unreachable:
            assert_never(unreachable)


def _is_of_item(complaint: Complaint) -> bool:
    return complaint.subject.split(".")[-1].isdigit()


def _parse_number(text: str) -> float:
    return float(text) if "." in text else int(text)
