"""Pieces of syntax that a model's writer left inside a value: quotes, keys, braces, tokens."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mulligan.learning.shape.split import rejoin_pieces
from mulligan.learning.values.closeness import fold

LONGEST = 500

_TOKENS = re.compile(r"<\|[^|<>]{0,40}\|>(?:commentary|analysis|final|assistant|json)?")
_OWN_KEY = re.compile(
    r"[\s\"'{]*+(?P<key>[A-Za-z_]\w*+)\s*+[\"']\s*+[:=]\s*+[\"']?(?P<value>[^\"']++)[\"'\s,}\]]*+"
)
_AROUND = re.compile(r"[\s\"'`]*+(?P<value>[^\s\"'`,;{}\[\]]++)[\s\"'`,;]*+")
"""One word with quotes or commas around it. In prose they are at home, and left there."""


def strip_debris(arguments: Mapping[str, object]) -> dict[str, object]:
    """The arguments with every value, and every list that was cut into pieces, as it was meant."""
    return {name: _clean(name, value) for name, value in arguments.items()}


def clean_name(name: str) -> str:
    """A tool's name without the tokens that stuck to it."""
    return _TOKENS.sub("", name).strip()


def _clean(name: str, value: object) -> object:
    if isinstance(value, str):
        return _clean_text(name, value)
    if isinstance(value, list):
        joined = rejoin_pieces(value)
        return value if joined is None else joined
    return value


def _clean_text(name: str, text: str) -> str:
    if not text or len(text) > LONGEST or text.lstrip()[:1] in "{[(":
        return text
    text = _TOKENS.sub("", text)
    own = _OWN_KEY.fullmatch(text)
    if own and fold(own["key"]) == fold(name):
        return own["value"].rstrip(" \t\r\n,}]").strip() or own["value"].strip()
    around = _AROUND.fullmatch(text)
    return around["value"] if around else text
