"""What a result repeats of its own call: the caller's words, which say nothing of how it went."""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.learning.errors.field_names import fold_name
from mulligan.learning.values.leaves import list_leaves

MOST_VALUES = 200
LONGEST = 20_000
SHORTEST_CUT = 12
"""Characters that must be left of what was cut short to be known again."""


class Echoes:
    """The values of one call, as a result may repeat them."""

    def __init__(self, arguments: Mapping[str, object]) -> None:
        leaves = [value for _, value in list_leaves(arguments, most=MOST_VALUES)]
        self._texts = {_normalize(text) for text in leaves if isinstance(text, str) and text}
        self._numbers = {each for each in leaves if type(each) is int or type(each) is float}
        self._given = {
            fold_name(str(name)): value
            for name, value in arguments.items()
            if isinstance(value, bool)
        }

    def cover(self, name: str, value: object) -> bool:
        """Whether a field only says again what the call was given."""
        if isinstance(value, bool):
            return self._given.get(name) is value
        if isinstance(value, str):
            return self.cover_text(value)
        return (type(value) is int or type(value) is float) and value in self._numbers

    def cover_text(self, text: str) -> bool:
        """Whether a text is one of the caller's own, whole or cut short."""
        said = _normalize(text)
        if not said or said in self._texts:
            return bool(said)
        cut = said.rstrip(" .…")
        return len(cut) >= SHORTEST_CUT and any(each.startswith(cut) for each in self._texts)


def _normalize(text: str) -> str:
    return " ".join(text[:LONGEST].split()).casefold()
