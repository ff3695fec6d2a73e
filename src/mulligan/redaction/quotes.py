"""Finds in a text what it quotes of other texts: in part, in another case, or encoded."""

from __future__ import annotations

import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator
from html import unescape
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

RUN = 12
"""So many characters in common are a quote, wherever they stand."""
_GRAM = 6
_STRIDE = RUN - _GRAM + 1
"""Each common run holds one gram of the quoted text that begins at a multiple of this."""
_AT_CUT = 8
_MOST_CUTS = 64
_WHOLE = 5
_SURE = 8
"""From here on a quote counts inside a word too."""
_SHORT = 64
_WORK = 400_000
"""Places looked at and characters compared, for all that may be quoted: well below a second."""

_SPACE = re.compile(r"\s+")
_ESCAPED = re.compile(
    r"\s+|(?:\\u[0-9a-fA-F]{4})+|(?:\\x[0-9a-fA-F]{2})+|\\U[0-9a-fA-F]{8}|\\[^uUx]"
    r"|(?:%[0-9a-fA-F]{2})+|&#?[0-9A-Za-z]{1,8};"
)
_ESCAPED_PLUS = re.compile(rf"{_ESCAPED.pattern}|\+")
_CUT = re.compile(r"\.{2,}|…")
_TOKEN = re.compile(r"""[^\s"'`<>(),;:=\[\]{}|\ue000-\uf8ff]{6,}""")
_DIGIT = re.compile(r"\d")


class TooMuchError(Exception):
    """The search would take too long."""


class Span(NamedTuple):
    """A stretch of the text, and the mask of what it quotes."""

    start: int
    end: int
    mask: str


class Quotable(NamedTuple):
    """A text that may be quoted."""

    text: str
    plain: str
    """Folded: without spaces, in lower case."""
    mask: str


class _View(NamedTuple):
    """The text, folded, and for each character where it came from."""

    plain: str
    starts: list[int]
    ends: list[int]

    def make_span(self, start: int, end: int, mask: str) -> Span:
        return Span(self.starts[start], self.ends[end - 1], mask)


def fold(text: str) -> str:
    """Without spaces, in lower case, a character for a character."""
    return _lower("".join(text.split()))


def _lower(text: str) -> str:
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _decode(piece: str) -> str:
    """What an escape stands for, folded."""
    lead = piece[0]
    if lead == "%":
        raw = unquote_to_bytes(piece)
    elif lead == "&":
        return fold(unescape(piece))
    elif lead == "\\":
        kind = piece[1]
        if kind == "u":
            pairs = bytes.fromhex(piece.replace("\\u", ""))
            return fold(pairs.decode("utf-16-be", "surrogatepass" if len(pairs) == 2 else "ignore"))
        if kind == "U":
            return fold(chr(min(int(piece[-8:], 16), 0x10FFFF)))
        if kind != "x":
            return "" if kind in "nrtfv" else fold(kind)
        raw = bytes.fromhex(piece.replace("\\x", ""))
    else:
        return ""
    try:
        return fold(raw.decode())
    except UnicodeDecodeError:
        return fold(raw.decode("latin-1"))


def _build_view(text: str, pattern: re.Pattern[str], decode: Callable[[str], str]) -> _View:
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    done = 0
    for found in pattern.finditer(text):
        start, end = found.span()
        plain = decode(found[0])
        parts += (_lower(text[done:start]), plain)
        starts += [*range(done, start), *[start] * len(plain)]
        ends += [*range(done + 1, start + 1), *[end] * len(plain)]
        done = end
    parts.append(_lower(text[done:]))
    starts += range(done, len(text))
    ends += range(done + 1, len(text) + 1)
    return _View("".join(parts), starts, ends)


def _build_views(text: str) -> Iterator[_View]:
    yield _build_view(text, _SPACE, lambda _: "")
    if "\\" in text or "%" in text or "&" in text:
        yield _build_view(text, _ESCAPED, _decode)
        if "+" in text:
            yield _build_view(text, _ESCAPED_PLUS, _decode)


def find_quotes(text: str, of: Iterable[Quotable]) -> list[Span]:
    """Where a text quotes others; raises `TooMuchError` where that cannot be told in time."""
    known = list(of)
    spans = list(_find_words(text, known))
    work = 0
    for decoded, view in enumerate(_build_views(text)):
        grams: dict[str, list[int]] = {}
        for place in range(len(view.plain) - _GRAM + 1):
            grams.setdefault(view.plain[place : place + _GRAM], []).append(place)
        cuts = [cut.span() for cut in _CUT.finditer(view.plain)][-_MOST_CUTS:]
        for one in known:
            spans += _find_whole(text, view, one, forms=() if decoded else _encode_forms(one.text))
            spans += _find_cut(view, one, cuts)
            work += _add_runs(view, one, grams=grams, spans=spans)
            if work > _WORK:
                raise TooMuchError
    return spans


def _find_whole(text: str, view: _View, one: Quotable, *, forms: Iterable[str]) -> Iterator[Span]:
    for form in (one.plain, *forms):
        size = len(form)
        start = view.plain.find(form) if size >= _WHOLE else -1
        while start >= 0:
            span = view.make_span(start, start + size, one.mask)
            if size >= _SURE or not _is_inside_word(text, span):
                yield span
            start = view.plain.find(form, start + size)


def _is_inside_word(text: str, span: Span) -> bool:
    before, after = text[span.start - 1 : span.start], text[span.end : span.end + 1]
    return before.isalnum() or after.isalnum()


def _encode_forms(text: str) -> Iterator[str]:
    """Short texts in hex and base64, at every place among other bytes; long ones are tokens."""
    if len(text) > _SHORT:
        return
    raw = text.encode("utf-8", "surrogatepass")
    yield raw.hex()
    for before in range(3):
        start, end = (0, 2, 3)[before], (len(raw) + before) * 8 // 6
        for encode in (b64encode, urlsafe_b64encode):
            form = encode(bytes(before) + raw).decode()[start:end].lower()
            if len(form) >= _GRAM:
                yield form


def _find_cut(view: _View, one: Quotable, cuts: list[tuple[int, int]]) -> Iterator[Span]:
    """What stands before and after a cut, if it is long enough."""
    plain = view.plain
    for start, end in cuts:
        if start >= _AT_CUT:
            place = one.plain.find(plain[start - _AT_CUT : start])
            if place >= 0:
                more = count_shared_before(plain, one.plain, at=start - _AT_CUT, start=place)
                begin = view.starts[start - _AT_CUT - more]
                yield Span(begin, view.starts[start], one.mask)
        if len(plain) - end >= _AT_CUT:
            place = one.plain.find(plain[end : end + _AT_CUT])
            if place >= 0:
                more = count_shared_after(plain, one.plain, at=end, start=place)
                yield view.make_span(end, end + more, one.mask)


def _add_runs(view: _View, one: Quotable, *, grams: dict[str, list[int]], spans: list[Span]) -> int:
    """Add the long runs that both have in common; returns how much work it was."""
    plain, quoted = view.plain, one.plain
    done: dict[int, int] = {}
    work = 0
    for at in range(0, len(quoted) - _GRAM + 1, _STRIDE):
        places = grams.get(quoted[at : at + _GRAM])
        if places is None:
            continue
        for place in places:
            work += 1
            if place < done.get(place - at, 0):
                continue
            back = count_shared_before(plain, quoted, at=place, start=at)
            end = place + count_shared_after(plain, quoted, at=place, start=at)
            done[place - at] = end
            work += end - place + back
            if work > _WORK:
                raise TooMuchError
            if end - place + back >= RUN:
                spans.append(view.make_span(place - back, end, one.mask))
    return work


def _find_words(text: str, known: list[Quotable]) -> Iterator[Span]:
    """Single words of another text, where they are no words of a language: names, numbers, ids."""
    for found in _TOKEN.finditer(text):
        word = found[0].rstrip(".!?")
        exact = word.isascii() and not _DIGIT.search(word)
        if len(word) < _GRAM or (exact and word.islower()):
            continue
        plain = word if exact else _lower(word)
        for one in known:
            if plain in (one.text if exact else one.plain):
                yield Span(found.start(), found.start() + len(word), one.mask)
                break


def count_shared_after(one: str, other: str, *, at: int, start: int) -> int:
    """How many characters two texts share from these places on; it costs as many as it counts."""
    size = min(len(one) - at, len(other) - start)
    shared, step = 0, _GRAM
    while shared < size:
        step = min(step, size - shared)
        here, there = at + shared, start + shared
        if one[here : here + step] == other[there : there + step]:
            shared, step = shared + step, step * 2
        elif step == 1:
            break
        else:
            step = (step + 1) // 2
    return shared


def count_shared_before(one: str, other: str, *, at: int, start: int) -> int:
    """How many characters two texts share up to these places; it costs as many as it counts."""
    size = min(at, start)
    shared, step = 0, _GRAM
    while shared < size:
        step = min(step, size - shared)
        here, there = at - shared, start - shared
        if one[here - step : here] == other[there - step : there]:
            shared, step = shared + step, step * 2
        elif step == 1:
            break
        else:
            step = (step + 1) // 2
    return shared


def replace(text: str, spans: list[Span]) -> str:
    """The text with a mask for each span; where they overlap, the first one stands for both."""
    shown: list[str] = []
    done, last = 0, ""
    for start, end, mask in sorted(spans, key=lambda span: (span.start, -span.end)):
        if end <= done:
            continue
        if start >= done and not (start == done and mask == last):
            shown += (text[done:start], mask)
        done, last = end, mask
    return "".join([*shown, text[done:]])
