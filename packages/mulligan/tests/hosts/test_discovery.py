from __future__ import annotations

import pytest

from mulligan import hosts
from mulligan.hosts import pydantic_ai_writer
from mulligan.hosts.writers import find_agent, find_writer, load_adapters, name_writer
from mulligan.types.errors import ConfigurationError

pytestmark = pytest.mark.full

THEIRS = """
def is_agent(source):
    return type(source).__module__.partition(".")[0] == "theirs"

def build_writer(source):
    async def write(asked):
        return await source.run(asked.prompt)
    return write
"""


class Agent:
    """An agent of another framework, whose `run` is async as well."""

    async def run(self, prompt: str) -> str:
        return f"about {prompt}"


Agent.__module__ = "theirs.agents"


class Asked:
    prompt = "boats"
    steps = 0

    def spend(self, *, tokens: int = 0, money: float = 0.0) -> None:
        raise AssertionError("nobody said what it took")


@pytest.fixture
def with_theirs(tmp_path, monkeypatch):
    (tmp_path / "theirs_writer.py").write_text(THEIRS)
    monkeypatch.setattr(hosts, "__path__", [*hosts.__path__, str(tmp_path)])
    load_adapters.cache_clear()
    yield
    load_adapters.cache_clear()


async def test_a_file_among_the_adapters_is_found_and_asked_before_the_one_that_takes_most(
    with_theirs,
):
    found = find_agent(Agent())

    assert found is not None
    assert await found.write(Asked()) == "about boats"
    assert load_adapters()[-1] is pydantic_ai_writer


def test_a_function_is_a_writer_as_it_is_and_no_agent():
    async def write(brief) -> str:
        return "text"

    assert find_writer(write, takes="a brief") is write
    assert find_agent(write) is None


def test_what_nobody_knows_is_refused_with_what_there_is():
    with pytest.raises(ConfigurationError, match=r"int cannot write.*takes a brief.*LangChain"):
        find_writer(5, takes="a brief")


def test_a_writer_has_a_name_for_reports():
    class Named:
        name = "planner"

    assert name_writer("openai:gpt-5") == "openai:gpt-5"
    assert (name_writer(Named()), name_writer(find_agent)) == ("planner", "find_agent")
    assert name_writer(object()) == "object"
