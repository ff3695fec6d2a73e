"""Secrets that text gives away by name: `password=…`, `"token": "…"`, `Authorization: …`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import combining

from mulligan.redaction.secrets.edits import Edit
from mulligan.redaction.secrets.names import Secrecy, classify_in_prose

HIDDEN = "<hidden>"
QUERY_SHOWN = "?<query>"

_CLOSERS = " \t\r\n\f\v\"'\\)]`*"
_NAME = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-$"
_SEPARATOR = re.compile(r"[:=](?!//)")
_ANY_SEPARATOR = re.compile(r"[:=](?!//)|%3[ADad]")
_WINDOW = 96
_FEW = 12
"""Beyond so many separators the search itself is no dearer than to look whether it pays."""
_TIME = re.compile(r"[-0-9:.+TZ ]*")
_SECOND_WORDS = frozenset(
    word
    for plain in ("code", "header", "id", "key", "keys", "no", "number", "phrase", "value", "words")
    for word in (plain, plain.capitalize(), plain.upper())
)
"""`API key`, `card number`: words that only say with the one before whether they are secret."""

_TO_END_OF_LINE = re.compile(r"auth|cookie|phrase|mnemonic|words", re.IGNORECASE | re.ASCII)
_LEAD = r"[\s=>:]{0,8}"
_QUOTED = (
    r"""<hidden>|<seed phrase>|\\++(?P<q>["'])(?:[^\\]++|\\++(?!(?P=q)))*+(?:\\++(?P=q)|\Z)"""
    r"""|[bBrRuUfF]{0,2}(?:\"{3}.*?(?:\"{3}|\Z)|'{3}.*?(?:'{3}|\Z)"""
    r"""|"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|'(?:[^'\\]|\\.)*+(?:'|\\?\Z))"""
)
_VALUE = re.compile(
    rf"(?P<lead>{_LEAD})(?P<value>{_QUOTED}|(?P<open>[\[({{])|[|>][-+]?\s{{1,40}}\S+"
    r"""|(?P<word>[^\s,;&"'][^\s,;&]*+(?:[,;&][^\s,;&"'][^\s,;&]*+)*+)|\S+)""",
    re.DOTALL,
)
_LINE = re.compile(rf"(?P<lead>{_LEAD})(?P<value>{_QUOTED}(?=[\s,;)}}\]]|\Z)|[^\r\n]+)", re.DOTALL)
_IN_WORDS = re.compile(
    r"pass(?:w|code)|pwd|\Apw\Z|secret|kennwort|passwort|contrase|senha|motdepasse|wachtwoord|answer"
    r"|pa[rp]ol|парол",
    re.IGNORECASE,
)
"""Names of what people make up, often of several words."""
_NEXT_WORD = re.compile(
    r"""[ \t]{1,3}(?!-)([^\s,;&|"'<>(){}\[\]=:]{1,64}+)(?![^\s,;&|"'<>(){}\[\]])"""
)
_MOST_WORDS = 12
_SENTENCE = (
    "a an and are at because but by cannot did does expired failed for from has have in incorrect"
    " invalid is it may missing must no not of on or please rejected required should than that the"
    " then to too until user was were when which will with wrong"
)
_TALK = frozenset(_SENTENCE.split())
"""Where `password: hunter2 was rejected` goes on as a sentence."""
ALSO_OPEN = frozenset({"card", "cards", "session", "sessions"})
"""`session: morning`, `card: birthday`: with a plain word behind it, it is no secret in prose."""
_BRACKET = re.compile(r"[\[({]|[\])}]")
_SMALL_NUMBER = re.compile(r"-?[0-9]{1,8}(?:\.[0-9]{1,4})?[,;.)}\]]{0,4}\Z")

_known: dict[str, Secrecy] = {}
_MOST_KNOWN = 4096


def names_words(name: str) -> bool:
    """Whether it names what people make up, of one word or of several."""
    return _IN_WORDS.search(name) is not None


def _find_last_name(text: str) -> str:
    """The name at the end of a text, its quotes and brackets left out."""
    text = text.rstrip(_CLOSERS)
    before = text.rstrip(_NAME)
    if before and before[-1] > "\x7f":
        before = _strip_letters(before)
    name = text[len(before) :]
    if name in _SECOND_WORDS and before.endswith(" "):
        word = before[:-1]
        return f"{word[len(word.rstrip(_NAME)) :]}_{name}"
    return name


def _strip_letters(text: str) -> str:
    """The text without the letters of any script at its end: `contraseña`."""
    end = len(text)
    while end and (text[end - 1] in _NAME or text[end - 1].isalpha() or combining(text[end - 1])):
        end -= 1
    return text[:end]


def _classify_cached(name: str) -> Secrecy:
    known = _known.get(name)
    if known is None:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        known = _known[name] = classify_in_prose(name)
    return known


def _ends_in_secret_name(part: str) -> bool:
    return bool(_classify_cached(_find_last_name(part[-_WINDOW:])))


def may_hold_pairs(text: str) -> bool:
    """Whether a secret name stands before `:` or `=`; `%3A` and `%3D` are not looked for."""
    if text[0].isdigit() and _TIME.fullmatch(text):
        return False
    parts = text.replace("://", " ").replace("=", ":").split(":")
    if len(parts) > _FEW:
        return True
    parts.pop()
    return any(map(_ends_in_secret_name, parts))


def _find_closing(text: str, start: int) -> int:
    """Where the bracket that was opened before `start` is closed, or the end of the text."""
    depth = 1
    for bracket in _BRACKET.finditer(text, start):
        depth += 1 if bracket[0] in "[({" else -1
        if not depth:
            return bracket.end()
    return len(text)


def find_pairs(text: str) -> Iterator[Edit]:
    """What follows a secret name and a separator."""
    done = 0
    separators = _ANY_SEPARATOR if "%3" in text else _SEPARATOR
    for separator in separators.finditer(text):
        start, end = separator.span()
        if start < done:
            continue
        name = _find_last_name(text[start - _WINDOW if start > _WINDOW else 0 : start])
        secrecy = _classify_cached(name)
        if not secrecy:
            continue
        pattern = _LINE if _TO_END_OF_LINE.search(name) else _VALUE
        found = pattern.match(text, end)
        if found is None:
            continue
        if secrecy is Secrecy.COUNT and _SMALL_NUMBER.match(found["value"]):
            continue
        if found["value"].isalpha() and name.lower() in ALSO_OPEN and text[end : end + 1] == " ":
            continue
        done = found.end()
        if pattern is _VALUE:
            if found["open"]:
                done = _find_closing(text, done)
            elif found["word"] and names_words(name):
                done = _find_last_word(text, done, told=text[start:end] != ":")
        yield Edit(found.start("value"), done, HIDDEN)


def _find_last_word(text: str, end: int, *, told: bool) -> int:
    """Where a value of several words ends; unless it is told, so does the first plain word."""
    for _ in range(_MOST_WORDS):
        word = _NEXT_WORD.match(text, end)
        if word is None or (not told and word[1].lower().rstrip(".!?") in _TALK):
            return end
        end = word.end()
    return end
