"""What a parameter holds."""

from __future__ import annotations

import pytest

from mulligan.checks.parameters import ParameterKind, find_kind, find_kind_of_value, parse_kinds
from mulligan.types.errors import ConfigurationError

TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("name", "schema", "kind"),
    [
        ("task_id", TEXT, "id"),
        ("taskId", TEXT, "id"),
        ("id", {"type": "integer"}, "id"),
        ("ref", {"type": "string", "format": "uuid"}, "id"),
        ("reference", {"type": "string", "description": "The ID of the booking."}, "id"),
        ("to", {"type": "string", "format": "email"}, "address"),
        ("payee", {"type": "string", "description": "IBAN of who is paid"}, "address"),
        ("assignee_email", TEXT, "address"),
        ("recipient", TEXT, "person"),
        ("owner", TEXT, "person"),
        ("start_time", TEXT, "start"),
        ("newEnd", TEXT, "end"),
        ("due_date", TEXT, "date"),
        ("when", {"type": "string", "format": "date-time"}, "date"),
        ("total_price", {"type": "number"}, "amount"),
        ("amount", {"anyOf": [{"type": "number"}, {"type": "null"}]}, "amount"),
        ("limit", {"type": "integer"}, "other"),
        ("venue", TEXT, "place"),
        ("website", TEXT, "link"),
        ("page", {"type": "string", "format": "uri"}, "link"),
        ("subject", TEXT, "text"),
        ("filename", TEXT, "text"),
        ("urgent", {"type": "boolean"}, "flag"),
        ("status", {"type": "string", "enum": ["open", "done"]}, "flag"),
        ("guests", {"type": "array", "items": {"type": "string", "format": "email"}}, "address"),
        ("options", {"type": "object"}, "other"),
        ("query", TEXT, "other"),
    ],
)
def test_a_kind_is_told_from_type_format_description_and_name(
    name: str, schema: dict[str, object], kind: str
) -> None:
    assert find_kind(name, schema).kind == kind


def test_a_kind_says_what_it_was_told_from() -> None:
    assert find_kind("task_id", TEXT).why == "it is called task_id"
    assert find_kind("x", {"type": "string", "format": "email"}).why == "its format is email"
    assert "'ID'" in find_kind("x", {"type": "string", "description": "The ID of it"}).why


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("https://shop.example/a", "link"),
        ("ann@example.org", "address"),
        ("NL91ABNA0417164300", "address"),
        ("2026-11-20", "date"),
        ("6f1c0f0e-8d0b-4c39-9b1c-2f6f5c1b7a11", "id"),
    ],
)
def test_a_value_tells_by_its_looks_where_nothing_else_does(value: str, kind: str) -> None:
    found = find_kind_of_value(value)

    assert found is not None
    assert found.kind == kind


@pytest.mark.parametrize("value", ["hello", "see https://shop.example", 7, None, ""])
def test_a_value_that_looks_like_nothing_tells_nothing(value: object) -> None:
    assert find_kind_of_value(value) is None


def test_an_author_says_kinds_by_name() -> None:
    assert parse_kinds({"code": "id"}, of="t") == {"code": ParameterKind.ID}


@pytest.mark.parametrize("given", ["id", {"code": "ident"}])
def test_what_is_no_kind_is_refused_with_those_there_are(given: object) -> None:
    with pytest.raises(ConfigurationError, match="id"):
        parse_kinds(given, of="t")
