import pytest

from mulligan_gateway.tools import RESOURCES, TOOLS, read_greeting, read_item

RAW = b'{"name":"add","description":"Adds.","inputSchema":{"type":"object"},"_meta":{"x":1}}'
GREETING = b'{"instructions":"Hi.","serverInfo":{"name":"s","version":"1"},"capabilities":{}}'


def test_a_tool_is_read_with_what_a_call_of_it_needs():
    tool = read_item(TOOLS, "s", RAW)

    assert (tool.server, tool.name, tool.schema) == ("s", "add", {"type": "object"})


def test_its_digest_is_of_all_that_is_said_and_not_of_how_it_is_written():
    digest = read_item(TOOLS, "s", RAW).digest

    assert read_item(TOOLS, "s", RAW.replace(b"Adds.", b"Adds!")).digest != digest
    assert read_item(TOOLS, "s", RAW.replace(b'"x":1', b'"x":1.0')).digest != digest
    assert read_item(TOOLS, "s", RAW.replace(b'"x":1', b'"x":"1"')).digest != digest
    assert read_item(TOOLS, "s", RAW.replace(b"Adds.", b"\\u0041dds.")).digest == digest
    turned = b'{"_meta": {"x": 1}, ' + RAW.removesuffix(b',"_meta":{"x":1}}')[1:] + b"}"
    assert read_item(TOOLS, "s", turned).digest == digest


@pytest.mark.parametrize(
    "raw",
    [
        b"1",
        b'"x"',
        b"[]",
        b'{"name":"add","name":"add"}',
        b'{"name":"add","_meta":{"x":1,"x":2}}',
        b'{"name":"add","x":' + b"9" * 5_000 + b"}",
    ],
)
def test_what_cannot_be_read_one_way_has_no_digest(raw):
    assert read_item(TOOLS, "s", raw).digest == ""


def test_a_resource_is_the_same_when_it_grows():
    small, big = (
        read_item(RESOURCES, "s", b'{"uri":"a:b","name":"n","size":%d}' % size) for size in (1, 22)
    )

    assert (small.name, small.digest) == ("a:b", big.digest)


def test_of_a_greeting_the_instructions_count():
    digest = read_greeting("s", GREETING).digest

    assert digest
    assert read_greeting("s", GREETING.replace(b'"1"', b'"2"')).digest == digest
    assert read_greeting("s", GREETING.replace(b"Hi.", b"Ho.")).digest != digest
    assert read_greeting("s", GREETING.replace(b"{", b'{"instructions":"Ho.",', 1)).digest == ""
