import asyncio
import sys

import pytest

from mulligan.types.errors import ConfigurationError
from mulligan_gateway.servers_file import Server
from mulligan_gateway.tools import ToolFailedError
from tests.gateway.world import run_gateway


async def test_the_gateway_reaches_a_server_with_no_client_there():
    async with run_gateway() as gateway:
        listed = await gateway.own.list_tools("one")
        added = await gateway.own.call("one", "add", {"a": 1, "b": 2})
        with pytest.raises(ToolFailedError, match="no such event"):
            await gateway.own.call("one", "fail", {"why": "no such event"})
        with pytest.raises(ToolFailedError, match="Not today"):
            await gateway.own.call("one", "refuse", {})
        with pytest.raises(ConfigurationError, match="no server 'two'"):
            await gateway.own.call("two", "add", {})
        await gateway.stop()

    assert added == 3
    assert len(listed) == 15


async def test_a_server_that_dies_under_it_may_have_done_it_and_is_there_the_next_time():
    async with run_gateway() as gateway:
        with pytest.raises(ConnectionError, match="is gone"):
            await gateway.own.call("one", "die", {})
        again = await gateway.own.call("one", "add", {"a": 1, "b": 2})
        await gateway.stop()

    assert again == 3


async def test_a_server_that_ends_at_its_first_word_is_not_waited_for():
    dead = Server(name="one", command=(sys.executable, "-c", "input()"))
    async with run_gateway(dead) as gateway:
        with pytest.raises(ConnectionError, match="cannot be started: The server 'one' is gone"):
            await asyncio.wait_for(gateway.own.list_tools("one"), 30)
        await gateway.stop()
