"""JSON without types. What msgspec refuses, lone surrogates above all, `json` takes.

An integer of more digits than Python will write is spelled in hex, as text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

Simplify = Callable[[Any], object]
"""Says in simpler terms what is no JSON, or raises a `TypeError`."""


def to_builtin(value: object) -> object:
    """A relative of one of JSON's types as that type; a `TypeError` names what is none."""
    for kind in (str, int, float):
        if isinstance(value, kind):
            return kind(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no JSON")


_encode = msgspec.json.Encoder(enc_hook=to_builtin).encode
_encode_sorted = msgspec.json.Encoder(enc_hook=to_builtin, order="sorted").encode
_decode = msgspec.json.Decoder().decode


def encode_json(value: object) -> bytes:
    """JSON in the fewest bytes; a `TypeError` where there is none."""
    try:
        return _encode(value)
    except ValueError:  # a lone surrogate, or an integer of too many digits
        return dump_json(msgspec.to_builtins(value, enc_hook=to_builtin)).encode()


def encode_sorted(value: object) -> bytes:
    """JSON with one spelling for each value: fields and keys in order."""
    try:
        return _encode_sorted(value)
    except (ValueError, TypeError):
        plain = msgspec.to_builtins(value, enc_hook=to_builtin)
        return dump_json(plain, sort_keys=True).encode()


def dump_json(plain: object, **options: Any) -> str:
    """JSON as `json` writes it, with long integers as text."""
    options = {"separators": (",", ":"), **options}
    try:
        return json.dumps(plain, **options)
    except ValueError:
        return json.dumps(_spell_integers(plain), **options)


def _spell_integers(value: object) -> object:
    """The same with each integer that is too long to be written in decimal as its hex digits."""
    if isinstance(value, dict):
        return {_spell_integers(key): _spell_integers(held) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return list(map(_spell_integers, value))
    return hex(value) if isinstance(value, int) and value.bit_length() > LONGEST_BITS else value


LONGEST_BITS = 640 * 3
"""Of an integer that Python writes in decimal, however low its limit on digits is set."""


def split_json_lines(text: str) -> list[str]:
    """The lines of a file of JSON lines, which end at a line feed and nowhere else.

    What other scripts break lines with (U+0085, U+2028) stands in JSON as it is.
    """
    return text.replace("\r\n", "\n").split("\n")


def decode_json(text: str | bytes) -> Any:
    """JSON in Python's own types; a `ValueError` where it is none."""
    try:
        return _decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return json.loads(text)
