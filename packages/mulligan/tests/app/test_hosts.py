from __future__ import annotations

import sys
import threading

import pytest

from mulligan import Mulligan
from mulligan.types.adapter import HostCall
from mulligan.types.errors import ConfigurationError, MissingExtraError, UnknownHostError


@pytest.fixture
async def m():
    async with Mulligan("memory:", recover=False) as app:
        yield app


def test_an_option_that_there_is_not_is_refused_with_those_that_there_are(m):
    with pytest.raises(ConfigurationError, match=r"knows no 'tennant'\. It knows: agent, context"):
        m.for_pydantic_ai(tennant="ours")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"pitfalls": "no"}, "pitfalls='no' is not True or False"),
        ({"written_calls": 1}, "written_calls=1 is not True or False"),
        ({"agent": None}, "agent=None is no text"),
        ({"on_answer": "print"}, "on_answer='print' is no function"),
    ],
)
def test_an_option_of_another_type_is_refused_and_not_taken_for_yes(m, options, says):
    with pytest.raises(ConfigurationError, match=says):
        m.for_pydantic_ai(**options)


@pytest.mark.full
def test_a_framework_that_is_missing_is_named_with_what_brings_it(m, monkeypatch):
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    monkeypatch.delitem(sys.modules, "mulligan.hosts.pydantic_ai", raising=False)

    with pytest.raises(
        MissingExtraError, match=r'm.for_pydantic_ai\(\) .* "mulligan\[pydantic-ai\]"'
    ):
        m.for_pydantic_ai()


async def test_a_run_is_about_what_the_options_say_and_what_its_host_knows_more(m):
    host = m._build_host(
        {"tenant": "ours", "principal": "Ann", "about": lambda given: {"principal": given["user"]}}
    )

    run = host.open("Hello", agent="planner", given={"user": "Bea"})
    await run.leave()

    turn = run.turn.turn
    assert (turn.tenant, turn.principal, turn.agent) == ("ours", "Bea", "planner")


async def test_whoever_wants_to_know_is_told_what_became_of_each_reply(m):
    told = []
    run = m._build_host({"on_answer": told.append}).open("Hello")

    answer = await run.review("Good morning.")
    await run.leave()

    assert told == [answer]


def test_a_sync_framework_waits_and_makes_its_calls_on_its_own_thread():
    seen = []

    def look(given):
        seen.append(threading.get_ident())
        return "sun"

    with Mulligan("memory:", recover=False) as m:
        host = m._build_host({})
        call = HostCall(tool="look", arguments={"city": "Bari"}, make=host.bring_here(look))

        run = host.open("How is it?")
        called = host.run_sync(lambda: run.call(call))
        answer = host.run_sync(lambda: run.review("Sunny."))
        host.run_sync(run.leave)

    assert (called.result, answer.reply) == ("sun", "Sunny.")
    assert seen == [threading.get_ident()]


async def test_pitfalls_are_told_only_where_they_are_asked_for(m, monkeypatch):
    monkeypatch.setattr(m, "pitfalls", lambda tool, **_: f"About {tool}.")

    silent = m._build_host({}).describe_pitfalls(["look", "pay"])
    told = m._build_host({"pitfalls": True}).describe_pitfalls(["look", "pay"])

    anything = m._build_host({"pitfalls": True}).describe_pitfalls(None)

    assert (silent, told) == ("", "About look.\n\nAbout pay.")
    assert anything == "About None."


def test_a_model_that_writes_its_calls_is_read_only_where_that_is_asked_for(m):
    tools = {"look": {"type": "object"}}

    silent = m._build_host({}).read_calls("look()", tools)
    read = m._build_host({"written_calls": True}).read_calls("look()", tools)
    again = m._build_host({"written_calls": True}).read_calls("look()", tools)

    assert (silent, [(each.tool, each.arguments) for each in read]) == ((), [("look", {})])
    assert read[0].id != again[0].id
    day = {"type": "object", "properties": {"day": {"type": "integer"}}, "required": ["day"]}
    host = m._build_host({"written_calls": True})
    assert list(host.read_calls('move(day="soon")', {"move": day})) == [], "it does not fit"


def test_what_a_framework_has_no_power_for_is_refused_with_the_reason(m):
    with pytest.raises(ConfigurationError, match=r"no power for 'hold_back'\. A server"):
        m.for_fastmcp(hold_back=True)


async def test_an_adapter_is_named_or_a_function_of_ones_own(m):
    run = m.for_host(lambda host: host, agent="desk").open("Hello", agent="Agent")
    await run.leave()

    assert run.turn.turn.agent == "desk", "what was said goes before what the host has"


def test_a_host_that_nobody_brings_is_told_with_those_there_are_and_the_way_to_ones_own(m):
    with pytest.raises(
        UnknownHostError, match=r"no host 'crewai'\. There are: claude_agent, dbos,"
    ) as named:
        m.for_crewai(agent="desk")
    with pytest.raises(UnknownHostError) as asked:
        m.for_host("crewai")

    assert str(named.value) == str(asked.value)
    assert 'an entry point of the group "mulligan.hosts"' in str(asked.value)
    assert "m.for_host(build)" in str(asked.value)
    assert not hasattr(m, "for_crewai")


def test_a_misspelt_name_of_anything_else_is_the_usual_error(m):
    with pytest.raises(AttributeError, match="has no attribute 'tol'"):
        _ = m.tol


def test_the_name_of_an_adapter_is_its_other_form(m):
    assert type(m.for_host("fastmcp")) is type(m.for_fastmcp())
