"""The JSON interface, described by the types that are sent: OpenAPI 3.1."""

from __future__ import annotations

from typing import Any

from mulligan.codec import describe_types
from mulligan.insights.filters import MOST_PAGES, Window
from mulligan_dashboard.sections import (
    ACTS,
    LONGEST,
    SECTIONS,
    SINGLE,
    ActRoute,
    Section,
    find_longest,
)

_AT = "#/components/schemas/"
_WORD = {"type": "string", "maxLength": LONGEST}
_ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
_REFUSALS = {
    "400": "The request is invalid.",
    "401": "No token, or one that is invalid or expired.",
    "403": "The token's role is too low, or the request comes from another site.",
    "421": "The Host header is not a name of this server.",
    "503": "The store could not be used.",
}


def build_openapi(version: str) -> dict[str, Any]:
    """The whole interface."""
    shown = (*SECTIONS, *SINGLE)
    kinds = [section.answer for section in shown] + [act.answer for act in ACTS]
    schemas, parts = describe_types(kinds, at=_AT)
    paths: dict[str, Any] = {}
    for section, schema in zip(shown, schemas, strict=False):
        described = {
            "summary": section.about,
            "operationId": f"read_{section.name}" + ("_one" if section.one else ""),
            "parameters": _list_parameters(section),
            "responses": _describe_answers(schema, missing=section.one),
        }
        paths[section.json_path] = {"get": described}
    for act, schema in zip(ACTS, schemas[len(shown) :], strict=True):
        paths[act.path] = {"post": _describe_act(act, schema)}
    error = {
        "type": "object",
        "properties": {"error": {"type": "string"}},
        "required": ["error"],
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Mulligan", "version": version},
        "paths": paths,
        "security": [{"link": []}],
        "components": {
            "schemas": {**parts, "Error": error},
            "securitySchemes": {"link": {"type": "http", "scheme": "bearer"}},
        },
    }


def _describe_act(act: ActRoute, schema: dict[str, Any]) -> dict[str, Any]:
    body = {
        "type": "object",
        "properties": {name: _WORD | {"maxLength": find_longest(name)} for name in act.words},
        "additionalProperties": False,
    }
    answers = _describe_answers(schema, missing=True)
    for status, why in (("409", "It cannot be done now."), ("413", "Too long."), ("415", "JSON.")):
        answers[status] = _describe_refusal(why)
    return {
        "summary": act.about,
        "operationId": f"{act.name}_{act.subject}",
        "parameters": [_ID],
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
        "responses": answers,
    }


def _list_parameters(section: Section) -> list[dict[str, Any]]:
    number = {"type": "integer", "minimum": 1, "maximum": MOST_PAGES}
    paging = [_describe_parameter("page", number)] if section.paged else []
    if section.one:
        return [_ID, *(_describe_parameter(name, _WORD) for name in section.words), *paging]
    found = [_describe_parameter("window", {"type": "string", "enum": list(Window)})]
    words = ("tool", "agent", "tenant", *section.words)
    found += [_describe_parameter(name, _WORD) for name in words]
    found += paging
    if section.rows:
        found.append(_describe_parameter("format", {"type": "string", "enum": ["json", "csv"]}))
    return found


def _describe_parameter(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": False, "schema": schema}


def _describe_answers(schema: dict[str, Any], *, missing: bool) -> dict[str, Any]:
    content = {"application/json": {"schema": schema}, "text/csv": {"schema": {"type": "string"}}}
    answers: dict[str, Any] = {"200": {"description": "The answer.", "content": content}}
    if missing:
        answers["404"] = _describe_refusal("There is none.")
    return answers | {status: _describe_refusal(why) for status, why in _REFUSALS.items()}


def _describe_refusal(why: str) -> dict[str, Any]:
    schema = {"$ref": f"{_AT}Error"}
    return {"description": why, "content": {"application/json": {"schema": schema}}}
