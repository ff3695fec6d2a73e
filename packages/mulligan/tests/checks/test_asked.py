from __future__ import annotations

import pytest

from mulligan.checks.custom import load_checks
from mulligan.checks.parameters import Standard
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Finding


def own(attempted: object) -> list[Finding]:
    return []


def find_nothing(server: str, tool: str) -> None:
    return None


@pytest.mark.parametrize("given", ["standard", Standard(), ["standard", own]])
def test_checks_choose_themselves_where_they_are_asked_to(given: object) -> None:
    checks, standard = load_checks(given, find_tool=find_nothing)  # type: ignore[arg-type]

    assert standard
    assert all(map(callable, checks))


def test_functions_of_ones_own_are_what_they_are() -> None:
    assert load_checks([own], find_tool=find_nothing) == ([own], False)  # type: ignore[arg-type]


def test_a_name_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="no checks called 'strict'"):
        load_checks(["strict"], find_tool=find_nothing)  # type: ignore[arg-type, list-item]
