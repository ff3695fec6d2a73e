"""Seed phrases: twelve or more words in a row that no sentence would put there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mulligan.redaction.secrets.edits import Edit

WORDS = 12
_LENGTHS = frozenset(range(3, 9))

# Common words that are not in BIP-39: where they stand, it is prose.
_COMMON = """
after against and are been being both but cannot could did does doing each expected failed for
from further get got had has her here him his how invalid its last let line made may might missing
most new nor not our out required said see set shall she should some string than the their them
these those through too using value was were which while who whom whose why with would yet your
"""
PROSE = frozenset(_COMMON.split())

_LETTERS = b"abcdefghijklmnopqrstuvwxyz"
_GAPS = b" \t\n"
_CLASSES = bytes(
    ord("a") if byte in _LETTERS else ord("s") if byte in _GAPS else ord(".") for byte in range(256)
)
_ENOUGH = "s" * (WORDS - 1)
_SHORTEST_REGION = WORDS * min(_LENGTHS) + WORDS - 1
_GAP = re.compile(r"([ \t\n]+)")
_WORD = re.compile(r"[A-Za-z0-9_]{2}")


def may_hold_phrase(raw: bytes) -> bool:
    """Whether twelve words in a row are all lower case. Never false where a phrase is."""
    return _ENOUGH in raw.translate(_CLASSES, _LETTERS).decode()


def find_phrases(text: str) -> Iterator[Edit]:
    """What reads like the words of a wallet."""
    start = 0
    # One byte for each character, so that places in the one are places in the other.
    for region in text.encode("ascii", "replace").translate(_CLASSES).split(b"."):
        end = start + len(region)
        enough = end - start >= _SHORTEST_REGION and region.count(b"s") >= WORDS - 1
        if enough and _reads_like_phrase(text[start:end].split()):
            yield from _find_runs(text, start, end)
        start = end + 1


def _reads_like_phrase(words: list[str]) -> bool:
    first, place = 0, WORDS - 1
    # From the last word of a run backwards: one that no phrase holds rules out all before it.
    while place < len(words):
        word = words[place]
        if len(word) not in _LENGTHS or word in PROSE:
            first, place = place + 1, place + WORDS
        elif place == first:
            return True
        else:
            place -= 1
    return False


def _find_runs(text: str, start: int, end: int) -> Iterator[Edit]:
    place = first = last = start
    words = 0
    pieces = _split_pieces(text[start:end])
    for number in range(0, len(pieces), 2):
        word = pieces[number]
        whole = (number or not _is_inside_word(text, start)) and (
            number < len(pieces) - 1 or not _is_inside_word(text, end)
        )
        if whole and len(word) in _LENGTHS and word not in PROSE:
            first = first if words else place
            last = place + len(word)
            words += 1
        else:
            if words >= WORDS:
                yield Edit(first, last, "<seed phrase>")
            words = 0
        place += sum(map(len, pieces[number : number + 2]))
    if words >= WORDS:
        yield Edit(first, last, "<seed phrase>")


def _split_pieces(region: str) -> list[str]:
    """Words, and the gaps between them."""
    if "  " in region or "\n" in region or "\t" in region:
        return _GAP.split(region)
    words = region.split(" ")
    pieces = [" "] * (2 * len(words) - 1)
    pieces[::2] = words
    return pieces


def _is_inside_word(text: str, place: int) -> bool:
    return place > 0 and _WORD.match(text, place - 1) is not None
