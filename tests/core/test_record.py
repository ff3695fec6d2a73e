from __future__ import annotations

from mulligan.core.record import Abilities, Image, Record


def look(record: Record) -> None: ...


def take(record: Record) -> None: ...


def test_a_state_is_read_back_as_declared_or_as_before_the_call() -> None:
    assert Abilities(read=look, before=take).reader is look
    assert Abilities(before=take).reader is take
    assert Abilities().reader is None


def test_what_a_call_was_given_is_in_no_log_by_accident() -> None:
    record = Record(arguments={"a": "s3cret"}, result="s3cret", image=Image("s3cret"), key="k")

    assert "s3cret" not in repr(record)
    assert "'k'" in repr(record)
