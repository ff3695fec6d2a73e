"""The sentence inside an error that came as a structure."""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.learning.written.whole import read_json

MESSAGE_KEYS = ("error", "message", "detail", "error_message", "msg", "reason", "description")
LONGEST = 20_000


def extract_message(error: str) -> str:
    """What an error says, without a JSON envelope around it."""
    text = error[:LONGEST].strip()
    for _ in range(3):
        inner = _unwrap_message(text)
        if inner is None:
            return text
        text = inner
    return text


def _unwrap_message(text: str) -> str | None:
    if not text.startswith("{") or not text.endswith("}"):
        return None
    found = read_json(text)[1]
    return _find_message(found) if isinstance(found, dict) else None


def _find_message(found: Mapping[str, object]) -> str | None:
    for key in MESSAGE_KEYS:
        held = found.get(key)
        if isinstance(held, str) and held:
            return held
        if isinstance(held, dict) and (inner := _find_message(held)):
            return inner
    return None
