"""No history that the journal's table allows breaks a promise: the short form, in every run.

`python -m bench explore` lets twice as much come between, with every kind of tool.
"""

from __future__ import annotations

import pytest

from bench.explorer import TOOLS, Model, Rules, World, explore
from bench.suites.explore import BUGS

pytestmark = pytest.mark.promise(1, 2, 3, 6)


@pytest.mark.parametrize(
    ("tool", "blows"), [("versioned", 1), ("unversioned", 1), ("irreversible", 2)]
)
def test_no_history_of_an_action_breaks_a_promise(tool: str, blows: int) -> None:
    explored = explore(Model(TOOLS[tool], Rules()), World(blows=blows))

    assert (explored.broken, explored.way) == ("", ())
    assert explored.worlds > 5_000


@pytest.mark.parametrize("name", BUGS)
def test_a_mistake_in_the_table_or_in_a_decision_is_found(name: str) -> None:
    tool, rules = BUGS[name]

    found = explore(Model(TOOLS[tool], rules), World(blows=1))

    assert found.broken
    assert found.way
