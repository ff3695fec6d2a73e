"""How German bends its words and joins them, so that the tables can name each word once."""

from __future__ import annotations

from collections.abc import Iterator

_ENDINGS = ("e", "en", "er", "es", "em")
_ONES = "ein zwei drei vier fünf sechs sieben acht neun"
_SMALL = (
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn "
    "fünfzehn sechzehn siebzehn achtzehn neunzehn"
)
_TENS = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig"
_IRREGULAR = {1: "erst", 3: "dritt", 7: "siebt", 8: "acht"}
_LAST_WITH_T = 19
_WRITTEN_OUT = (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss"))

WEEKDAYS = "montag dienstag mittwoch donnerstag freitag samstag sonntag sonnabend"
PARTS = {
    "morgen": "vormittag",
    "früh": "früh",
    "vormittag": "vormittag",
    "mittag": "mittag",
    "nachmittag": "nachmittag",
    "abend": "abend",
    "nacht": "nacht",
}
"""What can stand behind a day in one word, and as which part of it that is read."""
_BEFORE_MORNING = "am den der zum heute gestern vorgestern nächsten jeden jedem guten diesen dieser"


def inflect(*stems: str) -> str:
    """Every form of these words, as a table takes them: nächste, nächsten, …"""
    return " | ".join(stem + ending for stem in stems for ending in _ENDINGS)


def list_cardinals() -> dict[str, int]:
    """Null to neunundneunzig, each in one word."""
    found = {word: number for number, word in enumerate(_SMALL.split())}
    for tens, word in enumerate(_TENS.split(), start=2):
        found[word] = 10 * tens
        for one, unit in enumerate(_ONES.split(), start=1):
            found[f"{unit}und{word}"] = 10 * tens + one
    return found


def list_ordinals() -> dict[str, int]:
    """Erste to neunundneunzigste, in every form."""
    found: dict[str, int] = {}
    for word, number in list_cardinals().items():
        stem = _IRREGULAR.get(number, word + ("t" if number <= _LAST_WITH_T else "st"))
        if number:
            found |= {stem + ending: number for ending in _ENDINGS}
    return found


def list_rewrites(*spelt: str) -> dict[str, tuple[str, ...]]:
    """Words in one that are read as several, and words that are read as others."""
    found: dict[str, tuple[str, ...]] = {}
    for day in WEEKDAYS.split():
        found |= {day + part: (day, read) for part, read in PARTS.items()}
        found[f"{day} morgen"] = (day, PARTS["morgen"])
    for word in _BEFORE_MORNING.split():
        # Morgen is tomorrow, and behind these it is the morning.
        found[f"{word} morgen"] = (word, PARTS["morgen"])
    found |= {
        "viertelstunde": ("viertel", "stunde"),
        "dreiviertelstunde": ("dreiviertel", "stunde"),
        "halbstunde": ("halbe", "stunde"),
        "ein uhr": ("eins", "uhr"),
        "drei viertel": ("dreiviertel",),
    }
    for day in ("weihnachtstag", "weihnachtsfeiertag"):
        found |= {f"{first} {day}": ("christtag",) for first in ("erster", "ersten", "erste")}
        found |= {
            f"{second} {day}": ("stephanstag",) for second in ("zweiter", "zweiten", "zweite")
        }
    found |= {plain: (word,) for word in spelt for plain in _write_out(word)}
    return found


def _write_out(word: str) -> Iterator[str]:
    """As it is typed where the keyboard has no such letters: naechsten."""
    plain = word
    for letter, written in _WRITTEN_OUT:
        plain = plain.replace(letter, written)
    if plain != word:
        yield plain
