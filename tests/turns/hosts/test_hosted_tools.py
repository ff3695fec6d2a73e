from __future__ import annotations

import pytest

from mulligan import Effect, Mulligan
from mulligan.core.errors import ConfigurationError, NothingDone


def look(city: str) -> str:
    return "sun"


async def test_a_tool_is_declared_by_its_name_before_anybody_brings_it(m, host, ask):
    m.declare("look", effect=Effect.READ, describe="Look at {city}")
    run = host.open("How is it?")
    await run.call(ask(look, city="Bari"))
    await run.leave()

    tool = m._parts.toolbox.find_by_name("look", server="")

    assert tool is not None
    assert tool.declaration.effect is Effect.READ
    assert set(tool.load_schema()["properties"]) == {"city"}


async def test_what_nobody_declared_is_logged_and_known_by_what_its_host_shows(m, host, ask):
    run = host.open("How is it?")
    await run.call(ask(look, city="Bari"))
    await run.leave()

    tool = m._parts.toolbox.find_by_name("look", server="")

    assert tool is not None
    assert tool.declaration.effect is Effect.UNDECLARED


def test_a_schema_of_its_own_is_kept_over_what_the_host_shows(m, host, ask):
    schema = {"type": "object", "properties": {"town": {"type": "string"}}}
    m.declare("look", schema=schema)

    host.tools.find(ask(look, city="Bari"))

    tool = m._parts.toolbox.find_by_name("look", server="")
    assert set(tool.load_schema()["properties"]) == {"town"}


@pytest.mark.parametrize("name", ["", "  ", None, 3])
def test_a_name_that_is_none_is_refused(m, name):
    with pytest.raises(ConfigurationError, match="is no name of a tool"):
        m.declare(name, effect=Effect.READ)


def test_a_declaration_is_refused_as_that_of_a_decorator_is(m):
    with pytest.raises(ConfigurationError, match="has no undo"):
        m.declare("move", effect=Effect.REVERSIBLE)
    with pytest.raises(ConfigurationError, match="knows no 'efect'"):
        m.declare("move", efect=Effect.READ)


def test_a_name_that_is_decorated_already_is_refused(m):
    @m.tool(effect=Effect.READ)
    def look(city: str) -> str:
        return "sun"

    with pytest.raises(ConfigurationError, match="There is a tool 'look' already"):
        m.declare("look", effect=Effect.READ)


async def test_a_hosted_tool_is_not_made_where_no_host_makes_it(m: Mulligan, host, ask):
    wrapped = host.tools.find(ask(look, city="Bari"))

    with pytest.raises(NothingDone, match="made by its host"):
        await wrapped(city="Bari")
