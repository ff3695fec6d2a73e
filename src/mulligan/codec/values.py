"""Values of a tool as people read them, in plain JSON: what JSON cannot say is kept beside it.

By its annotation a value gets its type back; one that cannot be given it comes as it was kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

import msgspec

from mulligan.codec.exact import LostValue, is_known
from mulligan.codec.json_text import Simplify, decode_json, dump_json, encode_json, to_builtin
from mulligan.core.display.escape import format_value
from mulligan.core.display.size import is_tangled

_SPELLED_BY_US = (datetime, timedelta, bytes, bytearray, memoryview)
"""What msgspec would spell in its own way."""
_LONGEST_TEXT = 1_000
"""Of a value that only says of itself what it is."""
_DEEPEST = 12
"""Of what is written part by part."""


def encode_value(value: object) -> bytes:
    """A value as JSON for a person to read. What JSON has no word for is text: nothing fails."""
    try:
        return encode_plain(value, simplify=_make_printable)
    except Exception:  # noqa: BLE001 - keys of any kind, depth without end, code of somebody's own
        return encode_json(_print_parts(value))


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
    match value:
        case LostValue():
            return value.shown
        case datetime():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case bytes() | bytearray() | memoryview():
            return _describe_bytes(bytes(value))
        case deque() | range():
            return list(value)
        case Mapping():
            return dict(value)
        case _ if is_known(value):
            return format_value(value)
        case _ if not isinstance(value, type) and hasattr(value, "model_dump"):
            plain: object = value.model_dump(mode="json")
            return plain
        case _:
            return to_builtin(value)


def _describe_bytes(value: bytes) -> str:
    """Text as the text it is, so that what is secret in it is seen; of others, which they are."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return f"<{len(value)} bytes, sha256 {sha256(value).hexdigest()}>"


def _make_printable(value: object) -> object:
    try:
        return simplify_value(value)
    except Exception:  # noqa: BLE001 - a model's own dump may raise anything
        return print_value(value)


def print_value(value: object) -> str:
    """What a value prints as, cut, and without what no store takes."""
    return format_value(value)[:_LONGEST_TEXT].encode("utf-8", "replace").decode()


def _print_parts(value: object, *, depth: int = 0) -> object:
    """The same part by part, for a value that cannot be written in one go."""
    if depth > _DEEPEST:
        return "<… deeper>"
    if depth and is_tangled(value):
        return print_value(value)
    if value is None or type(value) in (str, int, float, bool):
        return value
    if type(value) is dict:  # one of a kind of its own may refuse to be gone through
        return {
            name if type(name) is str else print_value(name): _print_parts(part, depth=depth + 1)
            for name, part in value.items()
        }
    if type(value) in (list, tuple, set, frozenset):
        parts: Any = value
        return [_print_parts(part, depth=depth + 1) for part in parts]
    simple = _make_printable(value)
    return simple if isinstance(simple, str) else _print_parts(simple, depth=depth + 1)


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
    """Of a type that msgspec does not know: a model, or a relative of a built-in."""
    validate = getattr(kind, "model_validate", None)
    if validate is not None:
        return validate(value)
    return kind(value) if type(value) in kind.__mro__[1:-1] else value
