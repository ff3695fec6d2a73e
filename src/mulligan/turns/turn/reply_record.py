"""Replies as they were written, kept for a while: what thresholds can be tried on afterwards."""

from __future__ import annotations

from mulligan.codec.json_text import encode_json
from mulligan.codec.records import decode_record
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.text import Reply

NAME = "reply"
"""Of a reply among what is kept for a turn."""
MOST_BYTES = 256 * 1024
"""Of one recording. What a context holds beyond that is left out, from its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedReply:
    """What was asked, what was known, and what was written, try by try."""

    query: str
    context: tuple[str, ...]
    tries: tuple[str, ...]


def pack_reply(asked: Reply, tries: tuple[str, ...]) -> bytes:
    """A recording as the vault keeps it."""
    room = MOST_BYTES - sum(len(text.encode(errors="replace")) for text in (asked.query, *tries))
    context: list[str] = []
    for passage in asked.context:
        room -= len(passage.encode(errors="replace"))
        if room < 0:
            break
        context.append(passage)
    return encode_json(
        RecordedReply(
            query=_replace_surrogates(asked.query),
            context=tuple(map(_replace_surrogates, context)),
            tries=tuple(map(_replace_surrogates, tries)),
        )
    )


def unpack_reply(kept: bytes) -> RecordedReply:
    """The recording as it was."""
    return decode_record(RecordedReply, kept)


def _replace_surrogates(text: str) -> str:
    # A lone surrogate has no bytes of its own.
    return text.encode("utf-8", "replace").decode()
