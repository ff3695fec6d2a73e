"""Text decoded, whatever it is wrapped in, and what a rule hides in it."""

from __future__ import annotations

import re
import unicodedata
from base64 import b64decode
from binascii import Error as NoBase64
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote_to_bytes


class Hide(StrEnum):
    """What is taken out of text that stays readable; each hides what those before it hide."""

    SECRETS = "secrets"
    """What opens something or pays: passwords, keys, tokens, cards, queries of links."""
    PERSONAL = "personal"
    """People too: e-mail addresses, phone numbers, bank accounts, national ids."""
    ALL = "all"
    """Whatever might be either: UUIDs, ids, digests, network addresses, every long number."""

    def covers(self, other: Hide) -> bool:
        """Whether all that `other` hides is hidden."""
        return _ORDER[self] >= _ORDER[other]


_ORDER = {each: place for place, each in enumerate(Hide)}

# The rules, a bit each. They stand apart from their patterns, which are loaded for the first text
# that one of them may apply to: most applications never meet one.
(
    XML,
    PEM,
    URL,
    QUERY,
    PAIRS,
    FLAG,
    SCHEME,
    VENDOR,
    EMAIL,
    ENCODED_EMAIL,
    IBAN,
    TOKEN,
    NUMBER,
    SEED,
    SPOKEN,
    COMMAND,
    TUPLE,
    BESIDE,
    AZURE,
    HEX,
    PERSON,
) = (1 << n for n in range(21))


class Edit(NamedTuple):
    """A stretch that is not shown."""

    start: int
    end: int
    shown: str


Find = Callable[[str], Iterable[Edit]]
"""A rule: what it hides in a text, from left to right, no two of them overlapping."""

Found = re.Match[str]


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text as it may be shown."""
    parts: list[str] = []
    done = 0
    for start, end, shown in edits:
        parts += (text[done:start], shown)
        done = end
    if not parts:
        return text
    parts.append(text[done:])
    return "".join(parts)


def hide_matches(pattern: re.Pattern[str], shown: str, *, after: int = 0) -> Find:
    """A rule that hides what a pattern matches, or what is left of it after one of its groups."""

    def find(text: str) -> Iterator[Edit]:
        for found in pattern.finditer(text):
            yield Edit(found.end(after) if after else found.start(), found.end(), shown)

    return find


def hide_where(pattern: re.Pattern[str], judge: Callable[[Found], str | None]) -> Find:
    """A rule that asks of each match what is shown instead; `None` leaves it alone."""

    def find(text: str) -> Iterator[Edit]:
        for found in pattern.finditer(text):
            shown = judge(found)
            if shown is not None:
                yield Edit(found.start(), found.end(), shown)

    return find


_UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
"""Characters without a width, which a reader passes over."""
_DASHES = "\u2010-\u2015\u2212"
# Blocks in which letters, digits, signs and spaces stand for plain ones.
_PLAINER = (
    "\u00a0\u00aa\u00b2\u00b3\u00b9\u00ba\u0132\u0133\u017f\u01c4-\u01cc\u01f1-\u01f3\u02b0-\u02b8\u02e0-\u02e4"
    "\u037e\u1d2c-\u1d6a\u1d78\u1d9b-\u1dbf\u1fef\u2000-\u200a\u2024-\u2026\u202f\u203c\u2047-\u2049"
    "\u205f\u2070-\u209c\u20a8\u2100-\u218b\u2260\u226e\u226f\u2460-\u24ff\u2a74-\u2a76\u2c7c\u2c7d"
    "\u3000\u3250-\u325f\u32b1-\u32bf\u32cc-\u32cf\u3371-\u33ff\ua7f1-\ua7f4\ufb00-\ufb06\ufb29\ufe10-\ufe19\ufe30-\ufe6f"
    "\uff01-\uff5e\U0001d400-\U0001d7ff\U0001f100-\U0001f1ad\U0001fbf0-\U0001fbf9\U000107a5"
    "\U0001ccd6-\U0001ccf9"
)
ODD = re.compile(f"[{_UNSEEN}{_DASHES}{_PLAINER}]|(?![0-9])\\d")
"""A character that folds to another one, or to none."""

# One for each sign that begins an escape, which makes the search for it fast.
_BEGUN: Mapping[str, str] = {
    "%": r"(?:%(?:25)*[0-9a-fA-F]{2})+",
    "&": r"&(?:amp;)*#?[0-9A-Za-z]{1,8};",
    "\\": r"(?:\\{1,2}u(?:[0-9a-fA-F]{4}|\{[0-9a-fA-F]{1,6}\}))+|(?:\\{1,2}x[0-9a-fA-F]{2})+"
    r"|\\{1,2}U[0-9a-fA-F]{8}|(?:\\{1,2}0000[2-7][0-9a-fA-F] ?)+|(?:\\{1,2}[01][0-7]{2})+"
    r"|(?:\\{1,2}[2-7][0-9a-fA-F](?![0-9a-fA-F]) ?)+",
    "=": r"(?:=[0-9A-F]{2}){4,}",
}
_ESCAPED = "|".join(_BEGUN.values())
_ESCAPES = tuple((sign, re.compile(pattern)) for sign, pattern in _BEGUN.items())
_RUN = r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{12,}+={0,2}"
_WRAPPED = re.compile(f"{_ESCAPED}|{_RUN}|[{_UNSEEN}]+|[{_DASHES}{_PLAINER}]|(?![0-9])\\d")
_RUNS = re.compile(_RUN)
_HEX = re.compile(r"(?:0x)?((?:[2-7][0-9a-fA-F]){8,})")
_URL_SAFE = str.maketrans("-_", "+/")
_TWICE_ESCAPED = re.compile(r"%(?:25)+(?=[0-9a-fA-F]{2})")
_CODE = re.compile(r"[0-9a-fA-F]{1,8}")
_LARGEST = 0x10FFFF
_OCTAL = 3
MOST_LAYERS = 3
"""That are looked under."""


class View(NamedTuple):
    """A folded text, and for each of its characters where it came from."""

    plain: str
    starts: list[int]
    ends: list[int]


def is_escaped(text: str) -> bool:
    """Whether there is an escape in it, of whatever kind."""
    return any(sign in text and pattern.search(text) for sign, pattern in _ESCAPES)


def is_coded(text: str) -> bool:
    """Whether a run in it is text in base64 or hex."""
    return any(_decode_run(found[0]) is not None for found in _RUNS.finditer(text))


def fold_text(text: str) -> View | None:
    """The text without the outermost wrapping of each part; `None` where there is none."""
    view = fold_pieces(text, _WRAPPED, _unwrap)
    return None if view.plain == text else view


def fold_pieces(text: str, pattern: re.Pattern[str], read: Callable[[str], str | None]) -> View:
    """The text with each piece as what is read of it; `None`: that is itself."""
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    done = 0
    for found in pattern.finditer(text):
        plain = read(found[0])
        if plain is None:
            continue
        start, end = found.span()
        parts += (text[done:start], plain)
        starts += [*range(done, start), *[start] * len(plain)]
        ends += [*range(done + 1, start + 1), *[end] * len(plain)]
        done = end
    parts.append(text[done:])
    starts += range(done, len(text))
    ends += range(done + 1, len(text) + 1)
    return View("".join(parts), starts, ends)


def fold_view(view: View) -> View | None:
    """A view without one more layer."""
    inner = fold_text(view.plain)
    if inner is None:
        return None
    return View(
        inner.plain,
        [view.starts[place] for place in inner.starts],
        [view.ends[place - 1] for place in inner.ends],
    )


def _unwrap(piece: str) -> str | None:
    """What a piece stands for; `None` where that is itself."""
    if piece[0] > "\x7f":
        return _fold_character(piece) if len(piece) == 1 else ""
    match piece[0]:
        case "%" | "&" | "\\":
            return decode_escape(piece)
        case "=":
            return _decode_text(bytes.fromhex(piece.replace("=", "")))
        case _:
            return _decode_run(piece)


@lru_cache(maxsize=4096)
def _fold_character(character: str) -> str | None:
    code = ord(character)
    if 0x2010 <= code <= 0x2015 or code == 0x2212:
        return "-"
    digit = unicodedata.digit(character, None)
    if character.isdecimal():
        return str(digit)
    if _NOTHING.match(character):
        return ""
    plain = unicodedata.normalize("NFKC", character)
    return None if plain == character else plain


_NOTHING = re.compile(f"[{_UNSEEN}]")


def decode_escape(piece: str) -> str:
    """What an escape of a link, of HTML, of JSON or of code stands for."""
    if piece[0] == "%":
        return _decode_text(unquote_to_bytes(_TWICE_ESCAPED.sub("%", piece)))
    if piece[0] == "&":
        # Two thousand names of characters, for a text that has one of them.
        from html import unescape

        return unescape("&" + piece[1:].replace("amp;", "") if "amp;" in piece[:-4] else piece)
    kind = piece.lstrip("\\")[0]
    if kind.isdigit():
        # Three figures are octal, as a shell has them; two, or six, are a style sheet's.
        figures = _CODE.findall(piece)
        octal = all(len(each) == _OCTAL for each in figures)
        return "".join(chr(int(each, 8 if octal else 16)) for each in figures)
    if kind == "x":
        return _decode_text(bytes.fromhex("".join(_CODE.findall(piece))))
    codes = [min(int(code, 16), _LARGEST) for code in _CODE.findall(piece)]
    text = "".join(map(chr, codes))
    # Two of them may be halves of one character.
    return text.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")


def _decode_text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _decode_run(run: str) -> str | None:
    """What a run says in base64 or hex, if that is text."""
    as_hex = _HEX.fullmatch(run)
    if as_hex:
        raw = bytes.fromhex(as_hex[1])
    else:
        body = run.rstrip("=").translate(_URL_SAFE)
        if len(body) % 4 == 1:
            return None
        try:
            raw = b64decode(body + "=" * (-len(body) % 4), validate=True)
        except NoBase64:
            return None
    try:
        text = raw.decode("ascii")
    except UnicodeDecodeError:
        return None
    return text if text.replace("\n", " ").replace("\t", " ").isprintable() else None


def edit_view(view: View, edits: Iterable[Edit], *, hidden: list[Edit]) -> View:
    """A view after a rule; what it hides is added to `hidden` by its place in the first text."""
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    done = 0
    for start, end, shown in edits:
        first, last = view.starts[start], view.ends[end - 1]
        hidden.append(Edit(first, last, shown))
        parts += (view.plain[done:start], shown)
        starts += view.starts[done:start]
        starts += [first] * len(shown)
        ends += view.ends[done:start]
        ends += [last] * len(shown)
        done = end
    if not parts:
        return view
    parts.append(view.plain[done:])
    return View("".join(parts), starts + view.starts[done:], ends + view.ends[done:])


def join_edits(hidden: list[Edit]) -> list[Edit]:
    """Edits from left to right, without those that lie in others."""
    joined: list[Edit] = []
    for edit in sorted(hidden, key=lambda each: (each.start, -each.end)):
        if joined and edit.start < joined[-1].end:
            if edit.end > joined[-1].end:
                joined[-1] = joined[-1]._replace(end=edit.end)
            continue
        joined.append(edit)
    return joined
