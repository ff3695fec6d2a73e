"""A tool's schema as others may read it: without the secrets that its author wrote into it."""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.core.display.escape import format_value
from mulligan.redaction.scrub import scrub
from mulligan.redaction.secrets.hide import Hide
from mulligan.redaction.secrets.names import classify_name

_GIVEN = ("default", "examples", "example", "const")
_SAID = ("description", "title", "$comment")
_DEEPEST = 64


def scrub_schema(schema: Mapping[str, object]) -> dict[str, object]:
    """The schema without values that are secrets, and with secrets taken out of what it says."""
    return _scrub_part(schema, name="", depth=0)


def _scrub_part(part: Mapping[str, object], *, name: str, depth: int) -> dict[str, object]:
    """One part of a schema, with the name of the property that it describes."""
    shown: dict[str, object] = {}
    for key, value in part.items():
        if key in _GIVEN and not isinstance(value, Mapping):
            if not _is_secret(value, name=name):
                shown[key] = value
        elif key in _SAID and isinstance(value, str):
            shown[key] = scrub(value, hide=Hide.SECRETS)
        else:
            shown[key] = _scrub_value(value, name=name, key=key, depth=depth + 1)
    return shown


def _scrub_value(value: object, *, name: str, key: str, depth: int) -> object:
    if depth > _DEEPEST:
        return {}
    if key == "properties" and isinstance(value, Mapping):
        return {
            each: _scrub_part(part, name=str(each), depth=depth)
            if isinstance(part, Mapping)
            else part
            for each, part in value.items()
        }
    if isinstance(value, Mapping):
        return _scrub_part(value, name=name, depth=depth)
    if isinstance(value, list) and key != "enum":
        return [_scrub_value(item, name=name, key="", depth=depth + 1) for item in value]
    return value


def _is_secret(value: object, *, name: str) -> bool:
    if value is None or isinstance(value, bool):
        return False
    if isinstance(value, (list, tuple)):
        return any(_is_secret(item, name=name) for item in value)
    text = format_value(value)
    named = isinstance(value, str) and bool(text) and bool(classify_name(name))
    return named or scrub(text, hide=Hide.SECRETS) != text
