from __future__ import annotations

import sys

import pytest

from mulligan.adapters import writers
from mulligan.adapters.writers import pydantic_ai
from mulligan.adapters.writers.discovery import find_writer, load_adapters
from mulligan.core.errors import ConfigurationError

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
    (tmp_path / "theirs_by_test.py").write_text(THEIRS)
    monkeypatch.setattr(writers, "__path__", [*writers.__path__, str(tmp_path)])
    load_adapters.cache_clear()
    yield
    load_adapters.cache_clear()
    del sys.modules["mulligan.adapters.writers.theirs_by_test"]


async def test_a_file_among_the_adapters_is_found_and_asked_before_the_one_that_takes_most(
    with_theirs,
):
    write = find_writer(Agent())

    assert await write(Asked()) == "about boats"
    assert load_adapters()[-1] is pydantic_ai


async def test_an_async_function_is_a_writer_as_it_is():
    async def write(brief) -> str:
        return "text"

    assert find_writer(write) is write


def test_what_nobody_knows_is_refused_with_what_there_is():
    with pytest.raises(ConfigurationError, match="int cannot write drafts"):
        find_writer(5)
