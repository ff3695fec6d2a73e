"""Messages, headers, lines and events are read however they are cut, and refused by name."""

import json
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan_gateway.protocol import (
    VERSION_META,
    Frame,
    Limits,
    LineCutter,
    Outline,
    UnreadableFrameError,
    as_line,
    decode_header,
    encode_header,
    find_argument_mismatch,
    find_mismatch,
    is_deep,
    list_repeated,
    read_frame,
    read_outline,
    write_answer,
    write_headers,
)
from mulligan_gateway.upstream import LONGEST_RETRY, RETRY, EventReader

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
        (b'{"id":1,"method":"pr\xe4o","params":' + b"[" * 300, b""),
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


SCHEMA = {
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "where": {"properties": {"count": {"type": "integer", "x-mcp-header": "Count"}}},
        "price": {"type": "number", "x-mcp-header": "Price"},
        "odd": {"type": "string", "x-mcp-header": "no token"},
    }
}


def tool_call(name: str = "book", **arguments: object):
    meta = {VERSION_META: "2026-07-28"}
    params = {"name": name, "arguments": arguments, "_meta": meta}
    said = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return read_frame(json.dumps(said).encode(), Limits())


@given(st.text())
def test_any_text_comes_back_from_a_header_as_it_went_in(text):
    written = encode_header(text)

    assert written.isascii()
    assert written.isprintable()
    assert decode_header(written) == text


@pytest.mark.parametrize(
    "written", ["=?base64?SGVsbG8?=", "=?base64?SGVs!!bG8=?=", "=?base64?/w==?="]
)
def test_a_header_that_nobody_would_write_so_is_no_text(written):
    assert decode_header(written) is None


def test_a_call_repeats_its_name_and_what_its_schema_wants_repeated():
    frame = tool_call("búch", region=" x", where={"count": 3}, price=1.5, odd="y")

    headers = write_headers(frame, schema=SCHEMA)

    assert headers == {
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": encode_header("búch"),
        "mcp-param-region": encode_header(" x"),
        "mcp-param-count": "3",
    }
    assert find_mismatch(frame, headers) == ""
    given = {"region": " x", "where": {"count": 3}}
    assert find_argument_mismatch(SCHEMA, arguments=given, headers=headers) == ""


@pytest.mark.parametrize("header", ["mcp-protocol-version", "mcp-method", "mcp-name"])
def test_a_header_that_is_missing_or_says_something_else_is_named(header):
    right = write_headers(tool_call(), schema={})
    missing = {name: value for name, value in right.items() if name != header}

    assert header in find_mismatch(tool_call(), missing)
    assert header in find_mismatch(tool_call(), {**right, header: "other"})


@pytest.mark.parametrize(
    ("arguments", "headers", "fits"),
    [
        ({"region": "eu"}, {"mcp-param-region": "eu"}, True),
        ({"region": "eu"}, {"mcp-param-region": "us"}, False),
        ({"region": "eu"}, {}, False),
        ({}, {"mcp-param-region": "eu"}, False),
        ({"region": None}, {}, True),
        ({"where": {"count": 42}}, {"mcp-param-count": "42.0"}, True),
        ({"where": {"count": 42}}, {"mcp-param-count": "42.5"}, False),
        ({"where": {"count": True}}, {"mcp-param-count": "true"}, True),
    ],
)
def test_an_argument_and_the_header_that_repeats_it_agree_or_the_call_is_wrong(
    arguments, headers, fits
):
    assert (find_argument_mismatch(SCHEMA, arguments=arguments, headers=headers) == "") is fits


def test_two_arguments_that_want_one_header_get_none():
    both = {"type": "string", "x-mcp-header": "A"}

    assert list_repeated({"properties": {"a": both, "b": {**both, "x-mcp-header": "a"}}}) == ()


def cut_lines(*parts: bytes, longest: int = 10, blank: bool = False):
    lines: list[bytes] = []
    long: list[bytes] = []
    cutter = LineCutter(lines.append, longest=longest, on_too_long=long.append, blank=blank)
    for part in parts:
        cutter.take(part)
    cutter.finish()
    return lines, long


def test_lines_are_found_wherever_the_stream_is_cut():
    assert cut_lines(b"ab", b"c\nd", b"", b"ef\n", b"\n \n", b"g")[0] == [b"abc", b"def", b"g"]


def test_a_line_that_is_too_long_is_passed_over_and_the_next_is_read():
    lines, long = cut_lines(b"x" * 8, b"x" * 8, b"x\nok\n")

    assert lines == [b"ok"]
    assert long == [Frame()]


NESTED = b'{"content":[{"id":1,"method":"no","text":"%b \\"id\\":2,\\\\"}],"]":"}"}' % (
    b"x" * 3_000
)


@pytest.mark.parametrize(
    ("message", "key", "method"),
    [
        (b'{"jsonrpc":"2.0","id":7,"result":%b}' % NESTED, b"7", ""),
        (b'{"result":%b,"jsonrpc":"2.0","id":7}' % NESTED, b"7", ""),
        (b' {"result": %b , "id" : "seven" , "jsonrpc": "2.0"}' % NESTED, b'"seven"', ""),
        (b'data: {"result":%b,"id":7,"error":%b}' % (NESTED, NESTED), b"7", ""),
        (b'{"method":"a/b","params":%b,"id":7}' % NESTED, b"7", "a/b"),
        (b'{"method":"%b","id":7}' % (b'x\\"' * 2_000), b"7", ""),
        (b'{"result":%b,"id":7' % NESTED, b"7", ""),
        (b'{"id":7,"result":%b' % NESTED[:-20], b"7", ""),
        (b'{"id":7,"result":{"content":[}}' + b" " * 3_000, b"7", ""),
        (b'{"result":{"content":[}},"id":7}' + b" " * 3_000, b"", ""),
        (b'{"result":%b,"jsonrpc":"2.0"}' % NESTED, b"", ""),
        (b'loaded {"id":7,"result":%b}' % NESTED, b"", ""),
        (b'[{"id":7,"result":%b}]' % NESTED, b"", ""),
        (b'{"id":7,"result":' + b"[" * 9_000, b"7", ""),
        (b'{%b"id":7}' % (b'"a":1,' * 2_000), b"", ""),
    ],
)
def test_whose_a_message_is_that_is_too_long_is_known_wherever_its_id_stands(message, key, method):
    for size in (1, 2, 7, 100, 4_096, 100_000):
        parts = [message[at : at + size] for at in range(0, len(message), size)]
        lines, (outline,) = cut_lines(*parts, b"\nok", longest=1_000)

        assert lines == [b"ok"]
        assert (outline.key, outline.method) == (key, method)
    assert read_outline(message).key == key


@given(st.binary())
def test_whatever_comes_has_an_outline_and_is_cut_the_same(data):
    whole, parts = Outline(), Outline()
    whole.take(data)
    for at in range(len(data)):
        parts.take(data[at : at + 1])

    assert whole.read() == parts.read()


def test_of_a_message_without_an_end_no_more_than_an_outline_is_kept():
    outline = Outline()
    for _ in range(10_000):
        outline.take(b'{"a":[],"' + b"b" * 200)

    assert len(outline._kept) + len(outline._open) + len(outline._rest) < 20_000


async def cut_stream(text: bytes, size: int) -> AsyncIterator[bytes]:
    for at in range(0, len(text), size):
        yield text[at : at + size]


async def test_events_are_read_however_they_are_cut():
    said = (
        b': hi\r\n\r\nevent: message\r\nid: 7\r\ndata: {"a":\r\ndata: 1}\r\n\r\n'
        b"id: 8\r\ndata: \r\n\r\ndata:x\n\n"
    )

    for size in (1, 3, 1000):
        reader = EventReader(1000)
        events = [each async for each in reader.read(cut_stream(said, size))]

        assert events == [b'{"a":\n1}', b"x"]
        assert reader.last_id == "8"


async def test_a_server_says_when_it_wants_to_be_asked_again_within_reason():
    plain, soon, late = EventReader(100), EventReader(100), EventReader(100)
    for reader, said in (
        (plain, b"retry: x\n\n"),
        (soon, b"retry: 250\n\n"),
        (late, b"retry: 9999999999\n\n"),
    ):
        assert [each async for each in reader.read(cut_stream(said, 100))] == []

    assert (plain.retry, soon.retry, late.retry) == (RETRY, 0.25, LONGEST_RETRY)


async def test_an_event_that_is_cut_off_is_none():
    reader = EventReader(100)

    assert [each async for each in reader.read(cut_stream(b'id: 1\ndata: {"half"', 100))] == []
