import pytest

from mulligan_gateway.http_server import HttpClients, TooManySessionsError
from tests.gateway.world import run_gateway


async def test_a_session_is_found_by_its_own_client_only():
    async with run_gateway() as gateway:
        clients = HttpClients(gateway)
        name, session = clients.open("ann")

        assert clients.find(name, "ann") is session
        assert clients.find(name, "bob") is None
        assert clients.find("none", "ann") is None
        assert clients.share("ann") is clients.share("ann")
        assert clients.share("ann") is not clients.share("bob")
        await clients.end(name)
        assert clients.find(name, "ann") is None
        await clients.close()


async def test_there_are_not_too_many_and_those_that_nobody_uses_end():
    async with run_gateway() as gateway:
        few = HttpClients(gateway, most=1)
        few.open("ann")
        idle = HttpClients(gateway, most=1, idle=0.0)
        first, _ = idle.open("ann")

        with pytest.raises(TooManySessionsError, match="too many"):
            few.open("ann")
        idle.open("ann")
        assert idle.find(first, "ann") is None
        await few.close()
        await idle.close()
