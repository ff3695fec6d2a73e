from __future__ import annotations

import jsonschema_rs

from mulligan_gateway.api_messages import ProblemKind, describe_api


def build_validator(document, path: str):
    schema = document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
    return jsonschema_rs.validator_for({**schema, "components": document["components"]})


def test_the_document_describes_every_route_and_every_problem():
    document = describe_api("/v1")

    assert document["openapi"] == "3.1.0"
    assert set(document["paths"]) == {
        "/v1/executions",
        "/v1/suggestions",
        "/v1/reviews",
        "/v1/pitfalls",
    }
    statuses = set(document["paths"]["/v1/reviews"]["post"]["responses"])
    assert {str(kind.status) for kind in ProblemKind} <= statuses


def test_its_schemas_say_what_is_taken_and_what_is_not():
    validator = build_validator(describe_api("/v1"), "/v1/executions")

    assert validator.is_valid({"executions": [{"tool": "x", "arguments": {"a": 1}}]})
    assert not validator.is_valid({"executions": []})
    assert not validator.is_valid({"executions": [{"tool": "x", "unknown": 1}]})


def test_writes_take_a_key_and_questions_need_none():
    paths = describe_api("/v1")["paths"]

    named = {path: [p["name"] for p in each.get("post", {}).get("parameters", [])]
             for path, each in paths.items()}  # fmt: skip

    assert named["/v1/executions"] == named["/v1/reviews"] == ["Idempotency-Key"]
    assert named["/v1/suggestions"] == []
