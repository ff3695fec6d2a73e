"""A list of objects that a parser cut at every comma inside them, put together again."""

from __future__ import annotations

from itertools import pairwise

from mulligan.learning.shape.coerce import from_text

MOST_CHARACTERS = 20_000


def rejoin_pieces(pieces: list[object]) -> list[object] | None:
    """The objects the pieces were before, or `None` when they do not make any.

    A parser that split `[{"a": "x", "b": 1}]` at `", "` leaves `'{"a": "x'` and `'b": 1}]'`.
    """
    texts = [piece.strip() for piece in pieces if isinstance(piece, str)]
    if len(texts) != len(pieces) or not texts or not texts[0].startswith(("{", "[")):
        return None
    whole = texts[0]
    for before, after in pairwise(texts):
        whole += (", " if before.endswith("}") and after.startswith("{") else '", "') + after
    if len(whole) > MOST_CHARACTERS:
        return None
    # A writer that loses track of its brackets opens the list inside the first object.
    whole = whole.removeprefix("[").removesuffix("]").strip().replace("{[", "{", 1)
    found = from_text(f"[{whole}]")
    objects = isinstance(found, list) and bool(found) and all(isinstance(o, dict) for o in found)
    return found if objects and isinstance(found, list) else None
