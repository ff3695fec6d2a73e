import pytest

from mulligan_gateway.tool_list import read_cursor, write_cursor
from mulligan_gateway.tools import TOOLS
from tests.gateway.world import connect, run_gateway, scripted


def test_a_cursor_means_something_to_us_alone():
    left = {"a": "8", "b": "x:y"}

    assert read_cursor(write_cursor(left)) == left
    assert read_cursor("") == {}


@pytest.mark.parametrize("written", ["8", "e30=", "bm9uc2Vuc2U=", "WzFd", "eyJhIjogMX0="])
def test_one_that_we_have_not_written_is_refused(written):
    assert read_cursor(written) is None


async def test_a_cursor_that_is_none_of_ours_is_answered_as_an_error():
    async with run_gateway(scripted("a"), scripted("b")) as gateway, connect(gateway) as client:
        answer = await client.ask("tools/list", {"cursor": "8"})

    assert answer["error"]["code"] == -32602


async def test_a_client_that_never_lists_is_served_by_the_schema_all_the_same():
    async with run_gateway() as gateway, connect(gateway) as client:
        await client.call("add", {"a": 1, "b": 2})

        known = client.session.ends.known[TOOLS, "one"]["add"]
        assert known.schema["properties"]["a"] == {"type": "integer"}


async def test_a_list_that_has_changed_is_asked_for_anew():
    async with run_gateway() as gateway, connect(gateway) as client:
        await client.call("shout")

        assert client.session.ends.known == {}
