import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan_gateway.protocol import (
    VERSION_META,
    Limits,
    decode_header,
    encode_header,
    find_argument_mismatch,
    find_mismatch,
    is_modern,
    list_repeated,
    read_frame,
    write_headers,
)

SCHEMA = {
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "where": {"properties": {"count": {"type": "integer", "x-mcp-header": "Count"}}},
        "price": {"type": "number", "x-mcp-header": "Price"},
        "odd": {"type": "string", "x-mcp-header": "no token"},
    }
}


def call(name: str = "book", **arguments: object):
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
    frame = call("búch", region=" x", where={"count": 3}, price=1.5, odd="y")

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
    right = write_headers(call(), schema={})
    missing = {name: value for name, value in right.items() if name != header}

    assert header in find_mismatch(call(), missing)
    assert header in find_mismatch(call(), {**right, header: "other"})


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


def test_revisions_are_told_apart_by_their_dates():
    assert is_modern("2026-07-28")
    assert not is_modern("2025-11-25")
    assert not is_modern("")
