from mulligan.gateway.tools.shown_list import ToolReader

RAW = b'{"name":"add","description":"Adds.","inputSchema":{"type":"object"},"_meta":{"x":1}}'


def test_a_tool_is_read_once_however_often_it_is_listed():
    reader = ToolReader()

    first = reader.read("s", RAW)

    assert first is reader.read("s", bytes(RAW))
    assert (first.server, first.name, first.schema) == ("s", "add", {"type": "object"})


def test_its_digest_is_of_all_that_an_agent_is_told():
    reader = ToolReader()
    one = reader.read("s", RAW)

    assert reader.read("s", RAW.replace(b'"x":1', b'"x":2')).digest == one.digest
    assert reader.read("s", RAW.replace(b"Adds.", b"Adds!")).digest != one.digest


def test_what_is_no_tool_is_none():
    for raw in (b"1", b"{}", b'{"name":7}', b'{"name":""}'):
        assert ToolReader().read("s", raw) is None
