"""Names that a reader would take for one another."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

_LOOKS: Mapping[str, str] = {
    "a": "\u0430\u03b1\u0391\u0410",
    "b": "\u0392\u0412",
    "c": "\u0441\u0421",
    "d": "\u0501",
    "e": "\u0435\u03b5\u0450\u0451\u0395\u0415",
    "h": "\u04bb\u0397\u041d",
    "i": "\u0456\u03b9\u0399",
    "j": "\u0458",
    "k": "\u039a\u041a",
    "l": "\u04cf\u06611|",
    "m": "\u039c\u041c",
    "n": "\u039d",
    "o": "\u043e\u03bf\u039f\u041e0",
    "p": "\u0440\u03c1\u03a1\u0420",
    "q": "\u051b",
    "s": "\u0455",
    "t": "\u03c4\u03a4\u0422",
    "u": "\u03c5",
    "v": "\u03bd",
    "w": "\u051d",
    "x": "\u0445\u03c7\u03a7\u0425",
    "y": "\u0443\u03a5\u0423",
    "z": "\u0396",
}
"""Letters of other alphabets, and digits, by the Latin letter that they look like."""
_ALIKE = {ord(other): letter for letter, others in _LOOKS.items() for other in others}


def fold_name(name: str) -> str:
    """A name as the eye has it: one for all that look the same."""
    plain = unicodedata.normalize("NFKD", name)
    kept = (each for each in plain if unicodedata.category(each) not in ("Mn", "Cf", "Cc"))
    return "".join(kept).translate(_ALIKE).casefold().translate(_ALIKE).replace("-", "_")
