"""What earlier versions have stored: it is read, and written again as the same JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from mulligan.codec import decode_record, decode_value, encode_record, encode_value
from mulligan.learning.lesson_file import decode_lessons, encode_lessons
from mulligan.runtime.payloads import (
    decode_executions,
    decode_turn,
    pack_evidence,
    pack_reply,
    unpack_reply,
)
from mulligan.stores.crypto import GENESIS, ChainEntry, hash_entry
from mulligan.stores.encoding import (
    decode_entry,
    decode_tool,
    dump_counts,
    encode_entry,
    encode_tool,
    load_counts,
)
from mulligan.stores.relational.task_versions import _decode_notes, _encode_notes
from mulligan.types.action import Entry, Opening, State
from mulligan.types.effect import Effect
from mulligan.types.lesson import Episode, Lesson, Use
from mulligan.types.notes import Notes, Refinement
from mulligan.types.reply import Reply
from mulligan_testing.store_contract.contract import TEXT, make_episode, make_lesson, make_use

AT = datetime(2026, 11, 15, 18, 30, 0, 250, tzinfo=UTC)


def stored(name: str) -> str:
    """A text as the version before the codec wrote it."""
    return (Path(__file__).parent / "stored" / f"{name}.json").read_text().rstrip("\n")


def same(text: str | bytes, other: str | bytes) -> bool:
    # As text: NaN is in there, which no comparison finds equal.
    return repr(json.loads(text)) == repr(json.loads(other))


def without_later(written: str) -> str:
    """A record as it was stored before it had these fields."""
    for field in ('"met": 0, ', '"shared": false, ', '"later": false, '):
        written = written.replace(field, "")
    return written


@pytest.mark.parametrize(
    ("name", "record"),
    [
        ("episode", make_episode(template=TEXT)),
        ("lesson", make_lesson(when=TEXT)),
        ("use", make_use(note=TEXT)),
    ],
    ids=["episode", "lesson", "use"],
)
def test_words_of_the_failure_store(name: str, record: Episode | Lesson | Use) -> None:
    text = stored(name)

    assert decode_record(type(record), text) == record
    # Fields of later versions have their defaults, and are written from then on.
    written = encode_record(record)
    assert without_later(written) == text


@pytest.mark.parametrize("name", ["body", "hard_body"])
def test_an_entry_of_the_journal(name: str) -> None:
    body = stored(name)

    entry = decode_entry(("a1", 1, "intent", 1_794_767_400_000_250, body))

    assert entry.opening == Opening(
        tool="move",
        server="cal",
        effect=Effect.REVERSIBLE,
        agent="desk",
        tenant="home",
        turn="t1",
        call="c1",
        key="k1",
    )
    assert (entry.state, entry.at) == (State.INTENT, AT)
    # Fields of later versions have their defaults, and are written from then on.
    written = encode_entry(entry)
    assert _drop_later(written.opening) in body
    assert name != "body" or _drop_later(written.body) == body


def test_what_only_the_standard_library_writes_stays_exact() -> None:
    entry = decode_entry(("a1", 1, "intent", 0, stored("hard_body")))
    kept = {name: entry.detail[name] for name in ("n", "text")}

    again = encode_entry(Entry(action="a1", state=State.INTENT, at=AT, version=1, detail=kept))

    assert kept == {"n": 2**70, "text": "\ud800"}
    assert again.detail == '{"n":1180591620717411303424,"text":"\\ud800"}'


def test_a_declared_tool() -> None:
    tool = decode_tool(stored("tool"))

    assert (tool.tool, tool.callbacks, tool.error_rules[0].says) == ("move", ("undo",), "sold out")
    assert decode_tool(encode_tool(tool)) == tool


def test_notes() -> None:
    notes = _decode_notes(("home", "t", 1, None, 0, "m", 3, stored("notes")))

    assert notes == Notes(
        task="t",
        tenant="home",
        version=1,
        at=datetime(1970, 1, 1, tzinfo=UTC),
        model="m",
        runs=3,
        changes=("a",),
        refinement=Refinement(description="\ud800", observations=("o",), suggestions=("s", "u")),
    )
    assert _encode_notes(notes)["body"] == stored("notes")


def test_a_file_of_lessons() -> None:
    line = stored("lesson_line")

    [lesson] = decode_lessons(['{"lessons": 1}', line], at=AT)
    [_, again] = encode_lessons([make_lesson(when="«x»")])

    assert lesson.remedy == make_lesson().remedy
    assert again == line


def test_evidence() -> None:
    kept = stored("evidence").encode()

    turn, [execution], [earlier] = (
        decode_turn(kept),
        [*decode_executions(kept)],
        [*decode_executions(kept, part="earlier")],
    )

    assert turn.now == AT
    assert execution.result == {"id": "7", "took": 90.0, "price": "1.50", "set": [1], "raw": "b'x'"}
    packed = pack_evidence(turn, [execution], earlier=[earlier]).decode()
    assert same(_drop_later(packed).encode(), kept)


def test_a_recorded_reply() -> None:
    kept = stored("recording").encode()

    told = unpack_reply(kept)

    assert (told.query, told.context, told.tries) == ("Что?", ("a", "b\x00"), ("one", "two ?"))
    asked = Reply(text="", query=told.query, context=told.context)
    assert pack_reply(asked, told.tries) == kept


@dataclass
class Given:
    at: datetime
    day: date
    clock: time
    took: timedelta
    price: Decimal
    id: UUID
    effect: Effect
    opening: Opening
    names: set[str]
    pair: tuple[str, int]
    by: dict[Any, Any]
    none: None


def test_what_a_tool_was_given() -> None:
    kept = stored("values").encode()

    given = decode_value(kept, Given)

    assert isinstance(given, Given)
    assert (given.at, given.took, given.pair) == (AT, timedelta(seconds=90.5), ("a", 1))
    assert same(_drop_later(encode_value(given).decode()).encode(), kept)
    assert decode_value(kept) == json.loads(kept)


def test_the_hash_of_an_entry() -> None:
    line = ChainEntry("w", 1, "a1", 1, "intent", 1, '{"ü":"\\u0000\x7f\u2028"}', b"")

    known = "2817098b79f4030a15d6e4e05c46bade03608e359d546d208ddb1e021434bb8f"

    assert hash_entry(GENESIS, line).hex() == known


def test_counts_by_bucket() -> None:
    assert load_counts('{"3":2.5,"10":1}') == {3: 2.5, 10: 1}
    assert dump_counts({3: 2.5, 10: 1}) == '{"3":2.5,"10":1}'


def _drop_later(text: str) -> str:
    """Without the fields that openings and turns have got since."""
    later = ('"outer":null', '"binding":""', '"durable":false', '"session":""')
    for field in (*(f"{each}," for each in later), *(f",{each}" for each in later)):
        text = text.replace(field, "")
    return text
