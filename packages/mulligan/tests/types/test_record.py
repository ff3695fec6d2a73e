from __future__ import annotations

from mulligan.types.call import Image, Record, ToolCallbacks


def look(record: Record) -> None: ...


def take(record: Record) -> None: ...


def test_a_state_is_read_back_as_declared_or_as_before_the_call() -> None:
    assert ToolCallbacks(read=look, before=take).reader is look
    assert ToolCallbacks(before=take).reader is take
    assert ToolCallbacks().reader is None


def test_what_a_call_was_given_is_in_no_log_by_accident() -> None:
    record = Record(arguments={"a": "s3cret"}, result="s3cret", image=Image("s3cret"), key="k")

    assert "s3cret" not in repr(record)
    assert "'k'" in repr(record)
