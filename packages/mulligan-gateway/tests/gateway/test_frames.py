import json

import pytest

from mulligan_gateway.protocol import (
    Frame,
    Limits,
    UnreadableFrameError,
    as_line,
    is_deep,
    read_elements,
    read_fields,
    read_frame,
    write_answer,
    write_request,
)

LIMITS = Limits(frame=1_000, depth=5)


def test_a_message_is_handed_on_as_it_was_written():
    frame = read_frame(b'{"result": {"b": 1.0, "a": "\\u00e9"} ,"id" : "x"}', LIMITS)

    assert write_answer(b"7", frame) == (
        b'{"jsonrpc":"2.0","id":7,"result":{"b": 1.0, "a": "\\u00e9"}}'
    )


@pytest.mark.parametrize(
    ("line", "key"),
    [
        (b"", b""),
        (b"nonsense", b""),
        (b'{"id":1,"method":"x"', b""),
        (b'{"id":1,"method":"x","params":NaN}', b""),
        (b'{"id":1}', b"1"),
        (b'{"id":"a","method":4}', b'"a"'),
        (b'{"id":1,"method":"x","params":"y"}', b"1"),
        (b'{"id":null,"method":"x"}', b""),
        (b'{"id":true,"method":"x"}', b""),
        (b'{"id":1.5,"method":"x"}', b""),
        (b'[{"id":1,"method":"x"}]', b""),
        (b'{"id":3,"method":"x","params":[[[[[[1]]]]]]}', b"3"),
        (b'{"id":4,"method":"x","params":{"a":"\xff"}}', b""),
        (b'{"id":5,"method":"' + b"x" * 1_000 + b'"}', b""),
    ],
)
def test_what_cannot_be_read_says_under_which_id(line, key):
    with pytest.raises(UnreadableFrameError) as refused:
        read_frame(line, LIMITS)

    assert refused.value.key == key


def test_half_a_surrogate_pair_is_no_reason_to_drop_a_message():
    frame = read_frame(b'{"id":1,"method":"x","params":{"a":"\\ud800"}}', LIMITS)

    assert json.loads(bytes(frame.params)) == {"a": "\ud800"}


def test_brackets_in_texts_are_not_deep():
    assert not is_deep(b'{"a":"[[[[[[[[\\"[["}', 3)
    assert is_deep(b'{"a":[[[1]]]}', 3)


def test_a_message_is_one_line_whatever_is_between_its_parts():
    line = as_line(b'{"id":1,\r\n"method":"x"}')

    assert line.count(b"\n") == 1
    assert json.loads(line) == {"id": 1, "method": "x"}


def test_fields_and_elements_are_read_without_being_understood():
    assert {k: bytes(v) for k, v in read_fields(b'{"a": 1.50, "b":[ ]}').items()} == {
        "a": b"1.50",
        "b": b"[ ]",
    }
    assert [bytes(each) for each in read_elements(b'[1.0, {"b":1}]')] == [b"1.0", b'{"b":1}']
    assert read_fields(b"[]") == {}
    assert read_elements(b"{}") == []


def test_a_notification_has_no_id_and_an_answer_no_method():
    assert json.loads(write_request(b"", "x")) == {"jsonrpc": "2.0", "method": "x"}
    assert Frame().key == b""


def test_a_deep_message_with_broken_text_in_it_is_only_unreadable():
    with pytest.raises(UnreadableFrameError):
        read_frame(b'{"id":1,"method":"pr\xe4o","params":' + b"[" * 300, LIMITS)
