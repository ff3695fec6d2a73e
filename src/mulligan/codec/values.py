"""Values of a tool, as the vault keeps them: plain JSON in, their declared types out.

A value that cannot be given its type back comes as it was kept.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

import msgspec

from mulligan.codec.json_text import Simplify, decode_json, dump_json, encode_json, to_builtin
from mulligan.core.display.escape import format_value
from mulligan.core.errors import ConfigurationError

_SPELLED_BY_US = (datetime, timedelta, bytes, bytearray, memoryview)
"""What msgspec would spell in its own way."""


def encode_value(value: object) -> bytes:
    """A value as JSON, or a `ConfigurationError` that names what cannot be kept."""
    try:
        return encode_plain(value)
    except Exception as error:
        # Not only what JSON has no word for: a value's own code may raise anything.
        raise ConfigurationError(
            f"A value cannot be kept for an undo: {format_value(error)}. "
            "Pass and return JSON-able values, dataclasses or pydantic models."
        ) from error


def decode_value(text: bytes, hint: object = None) -> object:
    """A kept value, given back its declared type where it has one we know."""
    return from_plain(decode_json(text), hint)


def encode_plain(value: object, *, simplify: Simplify | None = None) -> bytes:
    """A value as JSON; what is none is as `simplify` says, or a `TypeError` that names it."""
    with suppress(TypeError):  # then it takes a simpler word for something in there
        # What msgspec leaves as it is, is JSON: it had no time, set or bytes to spell.
        if msgspec.to_builtins(value) == value:
            return encode_json(value)
    return _encode_with(value, simplify or simplify_value)


def _encode_with(value: object, simplify: Simplify) -> bytes:
    """Times, bytes and what nobody knows are as `simplify` says."""
    try:
        plain = msgspec.to_builtins(value, builtin_types=_SPELLED_BY_US, enc_hook=simplify)
        text = dump_json(plain, default=simplify)
    except TypeError:
        # As a key, a time has no other spelling than msgspec's.
        plain = msgspec.to_builtins(value, builtin_types=_SPELLED_BY_US[1:], enc_hook=simplify)
        text = dump_json(plain, default=simplify)
    return text.encode()


def to_plain(value: object) -> object:
    """A value in JSON's own types: a model or a dataclass as the object it stands for."""
    return decode_json(encode_plain(value))


def simplify_value(value: Any) -> object:
    """What JSON has no word for, in the next simpler terms; a `TypeError` if there are none."""
    dump = getattr(value, "model_dump", None)
    match value:
        case datetime():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case _ if dump is not None and not isinstance(value, type):
            plain: object = dump(mode="json")
            return plain
        case _:
            # Bytes are refused: as text they would be wrong to a function without annotations.
            return to_builtin(value)


def from_plain(value: object, hint: object) -> object:
    """Turn plain JSON back into what the annotation says; what does not fit stays as it is."""
    if hint is None or value is None:
        return value
    kind: Any = hint
    for strict in (True, False):
        try:
            return msgspec.convert(value, kind, strict=strict, dec_hook=_from_json)
        except Exception as error:  # noqa: BLE001 - msgspec has no such type, or a model refuses
            # A length of time is kept as seconds, which only a lenient reading takes.
            if "`duration`" not in str(error):
                break
    return value


def _from_json(kind: Any, value: object) -> object:
    validate = getattr(kind, "model_validate", None)
    return value if validate is None else validate(value)
