from __future__ import annotations

import pytest

from mulligan.hosts.writers import find_agent, find_writer, name_writer
from mulligan.types.errors import ConfigurationError

pytestmark = pytest.mark.full


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
