"""Text as it is compared: one case, one form of every character, nothing invisible."""

from __future__ import annotations

import re
import unicodedata

_INVISIBLE = dict.fromkeys([0xAD, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF])
_ALIKE = {
    **dict.fromkeys([0x2018, 0x2019, 0x02BC], "'"),
    **dict.fromkeys([0x201C, 0x201D, 0x201E, 0x201F, 0xAB, 0xBB], '"'),
    **dict.fromkeys([0x2010, 0x2011, 0x2012], "-"),
    0x037E: "?",
}
"""Quotation marks, hyphens and the Greek question mark, as the keyboard has them."""
_OTHER_DIGIT = re.compile(r"(?![0-9])\d")
"""A digit of any script but the keyboard's own."""
_IN_NUMBERS = {0x066A: "%", 0x066B: ".", 0x066C: ","}
_VISIBLE = re.compile(f"[^\\s{''.join(map(chr, _INVISIBLE))}]")
_FORMS = {**_INVISIBLE, **_ALIKE, **_IN_NUMBERS}


def fold(text: str) -> str:
    """The form in which two texts are the same when a reader takes them for the same."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKC", text.translate(_FORMS)).casefold()
    return _OTHER_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), plain)


def normalize_spaces(text: str) -> str:
    """What a reader sees of it: nothing of no width, and one space for any gap."""
    shown = text if text.isascii() else text.translate(_INVISIBLE)
    return " ".join(shown.split())


def is_blank(text: str) -> bool:
    """Whether a reader sees nothing of it. It takes no longer where there is much."""
    return _VISIBLE.search(text) is None
