"""Arguments that arrive in a wrapping: as the text of their JSON, or one level too deep.

A call is read otherwise only where its schema leaves no doubt: as it stands it cannot be meant, and
as it is read it fits. Nothing is guessed, and no value changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mulligan.learning.shape.schema import Schema
from mulligan.learning.written.whole import read_json

LONGEST = 100_000
"""Characters of a text that is read: an event loop waits for it."""
OPENINGS = ("{", "[")


def unwrap_arguments(arguments: Mapping[str, object], schema: Schema) -> dict[str, object] | None:
    """The arguments as they were meant; `None`: as they are, or nobody can say."""
    candidates = list(_list_readings(arguments, schema))
    if not candidates or schema.fits(arguments):
        return None
    return next((each for each in candidates if schema.fits(each)), None)


def _list_readings(arguments: Mapping[str, object], schema: Schema) -> Iterator[dict[str, object]]:
    """Texts read as JSON where the schema wants no text; and what the only argument holds."""
    read = {name: _read(arguments[name], name, schema) for name in arguments}
    found = {name: value for name, value in read.items() if value is not None}
    if found:
        yield {**arguments, **found}
    if len(arguments) != 1:
        return
    [inner] = arguments.values()
    inner = _parse(inner) if isinstance(inner, str) else inner
    if isinstance(inner, dict) and inner and set(inner) <= set(schema.properties):
        yield inner


def _read(value: object, name: str, schema: Schema) -> object:
    said = schema.properties.get(name)
    if not isinstance(value, str) or not isinstance(said, Mapping) or said.get("type") == "string":
        return None
    return _parse(value)


def _parse(text: str) -> object:
    if len(text) > LONGEST or not text.startswith(OPENINGS):
        return None
    strict, value = read_json(text)
    return value if strict and isinstance(value, dict | list) else None
