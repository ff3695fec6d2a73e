"""Records as systems return them: which field is the id, which is the name."""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.checks.language.lexicon import list_words
from mulligan.checks.subject.values import list_texts

Found = Mapping[str, object]

_IDS = ("id", "id_", "_id", "uid", "uuid", "key")


def get_id_of(record: Found, *, name: str) -> str | None:
    """The id of a record, by the name of the parameter that it would be given as."""
    for key in (name, *_IDS):
        held = record.get(key)
        if isinstance(held, str | int) and not isinstance(held, bool) and held != "":
            return str(held)
    return None


def get_title_of(record: Found) -> str:
    """What a record is called; empty where it has no name."""
    for wanted in list_words("fields", "title"):
        for key, held in record.items():
            if str(key).casefold().endswith(wanted) and isinstance(held, str) and held.strip():
                return held.strip()
    return ""


def join_texts(record: Found) -> str:
    """All that the fields of a record say, without their names."""
    return " ".join(text for held in record.values() for text in list_texts(held))
