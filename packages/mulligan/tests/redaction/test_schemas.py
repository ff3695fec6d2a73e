from __future__ import annotations

from mulligan.redaction.scrub import scrub_schema


def test_a_value_that_is_a_secret_is_left_out_and_the_others_stay() -> None:
    schema = {
        "type": "object",
        "properties": {
            "api_key": {"type": "string", "default": "abc"},
            "url": {"type": "string", "examples": ["https://bob:pw@example.org"]},
            "limit": {"type": "integer", "default": 10},
            "token_count": {"type": "integer", "default": 3},
            "mode": {"enum": ["fast", "slow"], "default": "fast"},
            "note": {"type": "string", "description": "such as sk-abcdefghijklmnopqrst"},
            "inner": {"properties": {"password": {"default": "hunter2"}}},
        },
        "required": ["limit"],
    }

    shown = scrub_schema(schema)

    assert shown == {
        "type": "object",
        "properties": {
            "api_key": {"type": "string"},
            "url": {"type": "string"},
            "limit": {"type": "integer", "default": 10},
            "token_count": {"type": "integer", "default": 3},
            "mode": {"enum": ["fast", "slow"], "default": "fast"},
            "note": {"type": "string", "description": "such as <key>"},
            "inner": {"properties": {"password": {}}},
        },
        "required": ["limit"],
    }


def test_a_property_that_is_called_default_is_a_property() -> None:
    schema = {"properties": {"default": {"type": "string"}, "const": {"default": 1}}}

    assert scrub_schema(schema) == schema
