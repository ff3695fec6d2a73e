from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from mulligan.runtime.payloads import (
    MOST_BYTES,
    decode_executions,
    decode_history,
    decode_turn,
    pack_evidence,
)
from mulligan.types.call import Call, Execution, Outcome
from mulligan.types.turn import History, Speaker, Turn, Utterance

NOW = datetime(2026, 11, 15, 9, tzinfo=UTC)
TURN = Turn(id="t1", message="Move dinner", now=NOW, agent="desk", tenant="acme")


def made(number: int, result: object) -> Execution:
    call = Call(id=f"c{number}", tool="find", arguments={"n": number}, agent="desk", tenant="acme",
                turn="t1")  # fmt: skip
    return Execution(
        call=call, outcome=Outcome.SUCCESS, at=NOW, duration=timedelta(), result=result
    )


def test_a_late_review_gets_the_turn_and_its_calls_as_they_were() -> None:
    packed = pack_evidence(TURN, [made(1, {"day": "Friday"})], earlier=[made(2, [3])])

    assert decode_turn(packed) == TURN
    assert list(decode_executions(packed)) == [made(1, {"day": "Friday"})]
    assert list(decode_executions(packed, part="earlier")) == [made(2, [3])]


def test_what_does_not_fit_is_left_out_from_the_beginning() -> None:
    packed = pack_evidence(TURN, [made(n, "x" * 100_000) for n in range(5)])

    assert len(packed) < MOST_BYTES + 1_000
    assert [each.call.id for each in decode_executions(packed)] == ["c3", "c4"]


def test_what_is_no_json_becomes_text_and_the_rest_stays_exact() -> None:
    packed = pack_evidence(TURN, [made(1, object), made(2, "\ud800"), made(3, 2**80)])

    first, second, third = decode_executions(packed)
    assert "object" in str(first.result)
    # Compared as bytes: a lone surrogate cannot even be reported.
    assert str(second.result).encode("utf-8", "surrogatepass") == b"\xed\xa0\x80"
    assert third.result == 2**80


class Refusing:
    """A result of somebody's own that can be neither printed nor gone through."""

    def __repr__(self) -> str:
        raise ZeroDivisionError("no repr")

    def model_dump(self, **_: object) -> object:
        raise LookupError("no dump")


class RefusingMapping(dict[str, object]):
    def items(self) -> object:  # type: ignore[override]
        raise OSError("no items")


@pytest.mark.parametrize(
    "result", [Refusing(), [Refusing()], {Refusing(): 1}, {"a": {"b": Refusing()}}]
)
def test_a_result_that_cannot_even_be_printed_is_named_and_the_rest_is_kept(result: object) -> None:
    packed = pack_evidence(TURN, [made(1, "kept"), made(2, result)])

    first, second = decode_executions(packed)

    assert first.result == "kept"
    assert "cannot be shown" in str(second.result)


def test_a_mapping_that_cannot_be_gone_through_stops_nothing() -> None:
    packed = pack_evidence(TURN, [made(1, RefusingMapping(a=1))])

    assert [each.call.id for each in decode_executions(packed)] == ["c1"]


def test_a_late_review_knows_the_conversation_its_instructions_and_what_is_missing() -> None:
    said = Utterance(by=Speaker.PERSON, text="Find dinner")
    history = History([said, made(1, {"id": "evt_1"})], whole=False)
    history.add_instructions("The calendar is cal_7.")

    back = decode_history(pack_evidence(TURN, [], history=history), TURN)

    assert (back.said, back.instructions) == (("Find dinner",), ("The calendar is cal_7.",))
    assert back.executions == (made(1, {"id": "evt_1"}),)
    assert back.is_partial


def test_of_a_long_conversation_the_newest_is_kept_and_the_rest_counted() -> None:
    long = [Utterance(by=Speaker.PERSON, text=f"{n} " * 10_000) for n in range(9)]

    back = decode_history(pack_evidence(TURN, [], history=History(long)), TURN)

    assert back.said[-1].startswith("8 ")
    assert back.left_out == 9 - len(back.said) > 0
