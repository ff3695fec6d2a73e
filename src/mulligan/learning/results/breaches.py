"""Results that break what their tool declares to return."""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.learning.written.whole import read_json

ENVELOPE = frozenset({"content", "structuredContent", "isError", "_meta", "meta"})
"""The fields of an MCP result, around what it holds."""


def find_breach(result: object, *, schema: Mapping[str, object], may_be_empty: bool) -> str | None:
    """How a result breaks what its tool declares to return; a schema that is none is refused.

    `may_be_empty`: `False` if an empty result is a failure of this tool.
    """
    answer = _unwrap_answer(result)
    if not may_be_empty and _is_empty(answer):
        return "The result is empty."
    return _describe_breach(answer, schema) if schema else None


def _unwrap_answer(result: object) -> object:
    """What a result holds: of an MCP envelope its structure, else its only text."""
    if not isinstance(result, Mapping) or not ENVELOPE.issuperset(result):
        return result
    structured, content = result.get("structuredContent"), result.get("content")
    if structured is not None or not isinstance(content, list):
        return result if structured is None else structured
    alone = content[0] if len(content) == 1 else None
    return alone["text"] if isinstance(alone, Mapping) and "text" in alone else content


def _is_empty(answer: object) -> bool:
    if isinstance(answer, str):
        return not answer.strip()
    return answer is None or (isinstance(answer, Mapping | list | tuple) and not answer)


def _describe_breach(answer: object, schema: Mapping[str, object]) -> str | None:
    """How a structured result breaks what its tool declares to return."""
    # Here and not above: the validator is a library of its own, and few results have a schema.
    from mulligan.learning.shape.schema import read_schema

    if isinstance(answer, str) and answer[:1] in ("{", "["):
        answer = read_json(answer)[1]
    checked = read_schema(schema)
    if isinstance(answer, Mapping):
        problems = [
            each for each in checked.list_problems(answer) if each.rule not in ("unknown", "json")
        ]
        return f"The result breaks its schema: {problems[0].message}" if problems else None
    return None if checked.accepts(answer) else "The result breaks its schema."
