"""Complaints as the validators of JavaScript list them: zod and ajv."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mulligan.learning.complaints.complaint import Complaint, ComplaintKind

ErrorEntry = Mapping[str, object]


def parse_zod(entry: ErrorEntry) -> Iterator[Complaint]:
    """From one issue, with its `path` and `code`."""
    where, code = entry.get("path"), entry.get("code")
    if not isinstance(where, list) or not isinstance(code, str):
        return
    field = ".".join(map(str, where))
    match code:
        case "invalid_type" if entry.get("received") in ("undefined", None):
            yield Complaint(ComplaintKind.MISSING, field)
        case "invalid_type":
            yield Complaint(ComplaintKind.TYPE, field, (str(entry.get("expected")),))
        case "too_big" | "too_small" if entry.get("type", entry.get("origin")) == "number":
            about, bound = (
                (ComplaintKind.MOST, "maximum")
                if code == "too_big"
                else (ComplaintKind.LEAST, "minimum")
            )
            yield Complaint(about, field, (str(entry.get(bound)),))
        case "invalid_enum_value" | "invalid_value":
            yield Complaint(
                ComplaintKind.DOMAIN, field, _list_texts(entry.get("options", entry.get("values")))
            )
        case "unrecognized_keys":
            yield from (
                Complaint(ComplaintKind.UNEXPECTED, key) for key in _list_texts(entry.get("keys"))
            )
        case _:
            return


def parse_ajv(entry: ErrorEntry) -> Iterator[Complaint]:
    """From one error, with its `keyword`, `params` and path."""
    keyword, held = entry.get("keyword"), entry.get("params")
    where = entry.get("instancePath", entry.get("dataPath", ""))
    if not isinstance(keyword, str) or not isinstance(held, dict) or not isinstance(where, str):
        return
    field = where.strip("./").replace("/", ".")
    match keyword:
        case "required":
            yield Complaint(ComplaintKind.MISSING, _join_path(field, held.get("missingProperty")))
        case "additionalProperties":
            yield Complaint(
                ComplaintKind.UNEXPECTED, _join_path(field, held.get("additionalProperty"))
            )
        case "type":
            yield Complaint(ComplaintKind.TYPE, field, (str(held.get("type")),))
        case "enum":
            yield Complaint(ComplaintKind.DOMAIN, field, _list_texts(held.get("allowedValues")))
        case "maximum" | "minimum":
            about = ComplaintKind.MOST if keyword == "maximum" else ComplaintKind.LEAST
            yield Complaint(about, field, (str(held.get("limit")),))
        case _:
            return


def _join_path(field: str, name: object) -> str:
    return f"{field}.{name}" if field else str(name)


def _list_texts(values: object) -> tuple[str, ...]:
    return tuple(map(str, values)) if isinstance(values, list) else ()
