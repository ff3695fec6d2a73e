"""Removes a call's own arguments from its error, also in part, in another case, or encoded."""

from __future__ import annotations

import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple
from urllib.parse import quote, quote_plus

from mulligan.redaction.scrub import scrub_value
from mulligan.redaction.text import View, decode_escape, fold_pieces
from mulligan.redaction.values import Keys, ValueReading
from mulligan.redaction.walk import NO_ENUM

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


def fold_unspaced(text: str) -> str:
    """Without spaces, in lower case, a character for a character."""
    return _lower("".join(text.split()))


def _lower(text: str) -> str:
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _decode(piece: str) -> str:
    """What an escape stands for, folded."""
    if piece[0] == "\\" and piece[1] not in "uUx":
        return "" if piece[1] in "nrtfv" else fold_unspaced(piece[1])
    return fold_unspaced(decode_escape(piece)) if piece[0] in "%&\\" else ""


def _build_view(text: str, pattern: re.Pattern[str]) -> View:
    view = fold_pieces(text, pattern, _decode)
    return view._replace(plain=_lower(view.plain))


def _build_views(text: str) -> Iterator[View]:
    yield _build_view(text, _SPACE)
    if "\\" in text or "%" in text or "&" in text:
        yield _build_view(text, _ESCAPED)
        if "+" in text:
            yield _build_view(text, _ESCAPED_PLUS)


def _make_span(view: View, start: int, end: int, mask: str) -> Span:
    return Span(view.starts[start], view.ends[end - 1], mask)


def find_quotes(text: str, of: Iterable[Quotable]) -> list[Span]:
    """Where a text quotes others; raises `TooMuchError` where the search takes too long."""
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


def _find_whole(text: str, view: View, one: Quotable, *, forms: Iterable[str]) -> Iterator[Span]:
    for form in (one.plain, *forms):
        size = len(form)
        start = view.plain.find(form) if size >= _WHOLE else -1
        while start >= 0:
            span = _make_span(view, start, start + size, one.mask)
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


def _find_cut(view: View, one: Quotable, cuts: list[tuple[int, int]]) -> Iterator[Span]:
    """What stands before and after a cut, if it is long enough."""
    plain = view.plain
    for start, end in cuts:
        if start >= _AT_CUT:
            place = one.plain.find(plain[start - _AT_CUT : start])
            if place >= 0:
                more = count_shared(plain, one.plain, at=start - _AT_CUT, start=place, before=True)
                begin = view.starts[start - _AT_CUT - more]
                yield Span(begin, view.starts[start], one.mask)
        if len(plain) - end >= _AT_CUT:
            place = one.plain.find(plain[end : end + _AT_CUT])
            if place >= 0:
                more = count_shared(plain, one.plain, at=end, start=place)
                yield _make_span(view, end, end + more, one.mask)


def _add_runs(view: View, one: Quotable, *, grams: dict[str, list[int]], spans: list[Span]) -> int:
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
            back = count_shared(plain, quoted, at=place, start=at, before=True)
            end = place + count_shared(plain, quoted, at=place, start=at)
            done[place - at] = end
            work += end - place + back
            if work > _WORK:
                raise TooMuchError
            if end - place + back >= RUN:
                spans.append(_make_span(view, place - back, end, one.mask))
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


def count_shared(one: str, other: str, *, at: int, start: int, before: bool = False) -> int:
    """How many characters two texts share from these places on, or up to them where it is
    `before`; it costs as many as it counts."""
    size = min(at, start) if before else min(len(one) - at, len(other) - start)
    shared, step = 0, _GRAM
    while shared < size:
        step = min(step, size - shared)
        moved = -shared - step if before else shared
        here, there = at + moved, start + moved
        if one[here : here + step] == other[there : there + step]:
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


_SHORTEST = 3
_WORD = 4
"""A word no longer than this is masked only as a whole word: `day` not in `Monday`."""
_ENCODED = 2_000
_LETTERS = 1_000_000
WITHHELD = "<message withheld: too many arguments to mask>"
_FIRST_MASK = 0xE000
_MOST_MASKS = 6_000
_PRIVATE = re.compile("[\ue000-\uf8ff]")


class Open(NamedTuple):
    """What of a call's arguments may be shown."""

    allow: frozenset[str]
    enums: Mapping[str, frozenset[str]]
    full: bool
    """Everything but secrets."""


_LOOKED_AT = 65_536
"""Characters of the arguments that are shown, which are read for what they call a secret."""


def _find_known(text: str) -> set[str]:
    """What an argument that is shown calls a secret."""
    known: set[str] = set()
    scrub_value(text, prose=True, known=known)
    return known


class Masks:
    """Stand-ins in a text for the arguments it quotes."""

    def __init__(self, arguments: Mapping[str, object], *, keys: Keys, opened: Open) -> None:
        self._names: dict[str, str] = {}
        found: dict[str, str] = {}
        reading, left, letters = ValueReading(keys), _LOOKED_AT, _LETTERS
        for number, (name, value) in enumerate(islice(arguments.items(), _MOST_MASKS)):
            key = keys.classify(name)
            mask = chr(_FIRST_MASK + number)
            self._names[mask] = f"<{key.shown}>" if key.plain else "<argument>"
            enum = opened.enums.get(name, NO_ENUM) if opened.enums else NO_ENUM
            secrets_only = opened.full or name in opened.allow
            above = name if key.hides(value) else ""
            for text, secret in reading.find_strings(value, name=above):
                letters -= len(text)
                if letters < 0:
                    break
                if len(text) >= _SHORTEST and (secret or not (secrets_only or text in enum)):
                    found.setdefault(text, mask)
                    if len(bare := text.strip()) >= _SHORTEST:
                        found.setdefault(bare, mask)
                elif secrets_only and left > 0:
                    found |= dict.fromkeys(_find_known(text[:left]) - found.keys(), mask)
                    left -= len(text)
        self._found = sorted(found.items(), key=lambda pair: -len(pair[0]))
        self._whole = reading.whole and letters >= 0 and len(arguments) <= _MOST_MASKS
        self._quotable = [Quotable(text, fold_unspaced(text), mask) for text, mask in self._found]

    def put(self, text: str) -> str:
        """Replace the arguments that the text quotes, longest first."""
        if not text.isascii():
            text = _PRIVATE.sub("?", text)
        if len(text) < _SHORTEST:
            return text
        if not self._whole:
            return WITHHELD
        for argument, mask in self._found:
            text = _replace(text, argument, mask)
            for form in _escape_forms(argument, text):
                text = text.replace(form, mask)
        if not self._found:
            return text
        try:
            return replace(text, find_quotes(text, self._quotable))
        except TooMuchError:
            return WITHHELD

    def hold(self, code: str) -> bool:
        """Whether an argument holds a code, or may hold it."""
        plain = fold_unspaced(code)
        return not self._whole or any(
            plain == one.plain or (len(plain) >= _SHORTEST and plain in one.plain)
            for one in self._quotable
        )

    def insert_names(self, text: str) -> str:
        """Put the parameters' names where the stand-ins are."""
        if text.isascii():
            return text
        return _PRIVATE.sub(lambda found: self._names.get(found[0], "?"), text)


def _replace(text: str, argument: str, mask: str) -> str:
    if argument in text:
        if len(argument) <= _WORD and argument.isalpha():
            return re.sub(rf"(?<!\w){argument}(?!\w)", mask, text)
        return text.replace(argument, mask)
    return text


def _escape_forms(argument: str, text: str) -> Iterator[str]:
    """The argument as code, JSON and URLs quote it, where the text could hold such a form."""
    if len(argument) > _ENCODED or (argument.isalnum() and argument.isascii()):
        return
    forms = set()
    if "\\" in text:
        for escaped in (repr(argument)[1:-1], argument.encode("unicode_escape").decode()):
            forms |= {escaped, escaped.replace("'", "\\'"), escaped.replace('"', '\\"')}
    if "%" in text or "+" in text:
        raw = argument.encode("utf-8", "surrogatepass")
        forms |= {quote(raw), quote(raw, safe=""), quote_plus(raw)}
    yield from sorted(forms - {argument}, key=len, reverse=True)
