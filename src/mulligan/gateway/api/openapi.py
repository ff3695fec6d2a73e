"""The OpenAPI document, made of the messages themselves: it says only what the code does."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from typing import Any

from mulligan.gateway.api.messages import (
    Logged,
    LogRequest,
    Pitfalls,
    ProblemDocument,
    ReviewAnswer,
    ReviewRequest,
    Suggested,
    SuggestRequest,
    describe_schemas,
)
from mulligan.gateway.api.problems import MEDIA_TYPE, ProblemKind

_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "schema": {"type": "string", "maxLength": 200},
    "description": "The same key and body within a day: done once, answered as the first time.",
}


_POSTS = (
    (
        "executions",
        "logExecutions",
        "Log calls that an agent has made, with what would help those that failed.",
        (LogRequest, Logged),
    ),
    (
        "suggestions",
        "suggest",
        "What to do about a call that failed.",
        (SuggestRequest, Suggested),
    ),
    (
        "reviews",
        "review",
        "Review what was done, and the reply, before anybody sees it.",
        (ReviewRequest, ReviewAnswer),
    ),
)


@cache
def describe_api(prefix: str) -> dict[str, Any]:
    """The whole document."""
    schemas, parts = describe_schemas()
    paths = {
        f"{prefix}/{path}": _describe_post(name, summary, kinds=kinds, schemas=schemas)
        for path, name, summary, kinds in _POSTS
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Mulligan",
            "version": version("mulligan"),
            "description": "Log what agents do, ask what helps, and have it reviewed.",
        },
        "security": [{"bearer": []}],
        "paths": {**paths, f"{prefix}/pitfalls": _describe_pitfalls(schemas)},
        "components": {
            "schemas": parts,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


def _describe_post(
    name: str, summary: str, *, kinds: tuple[type, type], schemas: dict[type, dict[str, Any]]
) -> dict[str, Any]:
    asks, gives = kinds
    status = "201" if gives is Logged else "200"
    return {
        "post": {
            "operationId": name,
            "summary": summary,
            # A question changes nothing, so that asking it twice needs no key.
            "parameters": [] if gives is Suggested else [_KEY],
            "requestBody": {
                "required": True,
                "content": {"application/json": {"schema": schemas[asks]}},
            },
            "responses": {status: _answer(summary, schemas[gives]), **_list_problems(schemas)},
        }
    }


def _describe_pitfalls(schemas: dict[type, dict[str, Any]]) -> dict[str, Any]:
    summary = "What is known to go wrong with a tool, or with what an agent uses."
    taken = [
        {"name": "tool", "in": "query", "schema": {"type": "string"}},
        {"name": "agent", "in": "query", "schema": {"type": "string"}},
        {
            "name": "tokens",
            "in": "query",
            "schema": {"type": "integer", "minimum": 1, "maximum": 4000, "default": 400},
        },
    ]
    answers = {"200": _answer(summary, schemas[Pitfalls]), **_list_problems(schemas)}
    get = {"operationId": "listPitfalls", "summary": summary}
    return {"get": {**get, "parameters": taken, "responses": answers}}


def _answer(summary: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": summary, "content": {"application/json": {"schema": schema}}}


def _list_problems(schemas: dict[type, dict[str, Any]]) -> dict[str, Any]:
    found: dict[str, list[ProblemKind]] = {}
    for kind in ProblemKind:
        found.setdefault(str(kind.status), []).append(kind)
    return {
        status: {
            "description": " ".join(f"`{kind.type}`: {kind.title}" for kind in kinds),
            "content": {MEDIA_TYPE: {"schema": schemas[ProblemDocument]}},
        }
        for status, kinds in found.items()
    }
