"""What a newcomer gets wrong in the first hour is answered with what to write instead."""

from __future__ import annotations

import asyncio
import logging

import pytest

from mulligan import Effect, Mulligan, Standing
from mulligan.types.errors import (
    ConfigurationError,
    SchemaTooNewError,
    StoreUnavailableError,
    UnknownHostError,
)


def test_a_url_with_a_driver_opens_the_same_server() -> None:
    with pytest.raises(StoreUnavailableError, match=r"//127\.0\.0\.1:1/x cannot"):
        Mulligan("postgresql+psycopg://anna@127.0.0.1:1/x")


def test_a_missing_folder_is_named(tmp_path) -> None:
    with pytest.raises(StoreUnavailableError, match="create it first"):
        Mulligan(f"sqlite:///{tmp_path}/nowhere/agent.db")


@pytest.mark.parametrize("answer", [False, True])
def test_a_check_that_answers_yes_or_no_is_told_what_to_answer(answer, caplog) -> None:
    with Mulligan("memory:") as m:

        @m.tool(effect=Effect.READ)
        def find(number: int) -> int:
            return number

        m.check("find")(lambda call: answer)
        with caplog.at_level(logging.WARNING, logger="mulligan"):
            done = m.act_sync("Find it", lambda turn: find(7))

    assert done.standing is Standing.UNREVIEWED
    assert "return a sentence" in done.findings[0].issue
    assert "Traceback" not in caplog.text
    assert 'File "' not in caplog.text


def no_parameter() -> str:
    return "Done."


async def two_parameters(turn: object, more: object) -> str:
    return "Done."


@pytest.mark.parametrize("agent", [no_parameter, two_parameters])
async def test_an_agent_that_cannot_take_the_turn_is_told_so(agent) -> None:
    m = Mulligan("memory:")

    with pytest.raises(ConfigurationError, match="Give it one parameter"):
        await m.act("Go", agent)
    m.close()


def test_an_error_of_the_agents_own_is_left_as_it_is() -> None:
    def agent(turn: object) -> str:
        raise TypeError("mine")

    with Mulligan("memory:") as m, pytest.raises(TypeError, match="mine"):
        m.act_sync("Go", agent)


def test_a_framework_without_an_adapter_is_told_the_way_without_one() -> None:
    with Mulligan("memory:") as m, pytest.raises(UnknownHostError, match="run its agent in"):
        m.for_host("crewai")


def test_a_store_of_a_later_version_is_left_alone(tmp_path) -> None:
    import apsw

    url = f"sqlite:///{tmp_path}/agent.db"
    Mulligan(url).close()
    connection = apsw.Connection(f"{tmp_path}/agent.db")
    connection.pragma("user_version", 9999)
    connection.close()

    with pytest.raises(SchemaTooNewError, match="upgrade Mulligan"):
        Mulligan(url)


async def test_who_acts_after_the_end_is_told_what_to_do_and_no_agent_runs():
    ran = []
    with Mulligan("memory:") as m:
        pass

    for act in (lambda: m.act_sync("Hello", ran.append), m.__enter__):
        with pytest.raises(StoreUnavailableError, match=r"closed.*Make another"):
            await asyncio.to_thread(act)
    with pytest.raises(StoreUnavailableError, match=r"closed.*Make another"):
        await m.act("Hello", ran.append)
    assert ran == []
    m.close()
