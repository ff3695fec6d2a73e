"""The e-mail addresses that a value sends something to, in whatever form they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html import unescape
from unicodedata import category, normalize
from urllib.parse import unquote

from mulligan.checks.language.lexicon import join_words
from mulligan.checks.subject.subject import LOCAL
from mulligan.checks.subject.values import list_texts
from mulligan.core.runtime.late_pattern import compile_late

# What stands before an address is none of its signs, so that each run of them is read once.
_ADDRESS = compile_late(
    rf"(?<![{LOCAL}])(?<![{LOCAL}]')[{LOCAL}]++(?:'[{LOCAL}]++)*+"
    r"@(?:[\w-]++(?:\.[\w-]++)*+|\[[\w.:]++\])"
)
_REMARK = compile_late(r"\([^()]*+\)")
_WORD = compile_late(r"[^\W\d_]++")
_CAMEL = compile_late(r"(?<=[a-z0-9])(?=[A-Z])")


def find_addresses(value: object, *, name: str) -> Iterator[str]:
    """Each address that a value of this name is a list of, once, at any depth.

    An address in running text is a mention; where the name says that it holds receivers, every
    address is one, and so is what has an @ and cannot be read.
    """
    receives = _compile_receivers().search(_CAMEL.sub("_", name).lower()) is not None
    found: dict[str, None] = {}
    for text in list_texts(value):
        if "@" in text or "%40" in text or "&" in text or not text.isascii():
            found |= dict.fromkeys(_read_text(_fold_text(text), receives=receives))
    yield from found


def _fold_text(text: str) -> str:
    """A text as a mail program reads it: no encoding, no look-alikes, no hidden signs."""
    plain = normalize("NFKC", unescape(unquote(text) if "%40" in text else text))
    if plain.isascii():
        return plain
    return "".join(sign for sign in plain if category(sign) != "Cf")


def _read_text(text: str, *, receives: bool) -> list[str]:
    addresses = [found.group() for found in _ADDRESS.finditer(text)]
    if receives and "@" in text:
        return addresses or [text.strip()]
    if not addresses:
        return []
    if f"<{addresses[0]}>" in text or text.strip("<>\"' \t\r\n;,") in addresses:
        return addresses
    around = _compile_scheme().sub(" ", _REMARK.sub(" ", _ADDRESS.sub(" ", text)))
    # A name beside each makes a list of people; more words than that make a sentence.
    words = len(_WORD.findall(around))
    whole = all("." in each.partition("@")[2] for each in addresses)
    return addresses if words <= len(addresses) and (whole or not words) else []


@cache
def _compile_scheme() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{join_words('fields', 'before_address')})\s?[:=]\s?", re.IGNORECASE)


@cache
def _compile_receivers() -> re.Pattern[str]:
    return re.compile(rf"(?:^|_)(?:{join_words('fields', 'receiver')})(?:$|_)".replace("\\ ", "_"))
