"""A recording holds what was written, and as much of the context as there is room for."""

from __future__ import annotations

from mulligan.runtime.payloads import MOST_BYTES, RecordedReply, pack_reply, unpack_reply
from mulligan.types.reply import Reply


def test_a_recording_comes_back_as_it_was():
    asked = Reply(text="", query="Что это?", context=("a", "b\x00\u2028"))

    recording = unpack_reply(pack_reply(asked, ("one", "two 😀")))

    assert recording == RecordedReply(
        query="Что это?", context=("a", "b\x00\u2028"), tries=("one", "two 😀")
    )


def test_a_context_that_is_too_large_is_cut_from_its_end():
    asked = Reply(text="", query="q", context=("first", "x" * MOST_BYTES, "last"))

    recording = unpack_reply(pack_reply(asked, ("reply",)))

    assert recording.context == ("first",)
    assert recording.tries == ("reply",)


def test_text_that_has_no_bytes_costs_a_character():
    recording = unpack_reply(pack_reply(Reply(text="", query="\ud800"), ("\udfff!",)))

    assert (recording.query, recording.tries) == ("?", ("?!",))
