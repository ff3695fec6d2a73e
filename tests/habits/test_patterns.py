"""A regular expression that the growth suite does not try may take the square of its text."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator

import pytest

from bench.growth.parsers import NOT_FROM_OUTSIDE, OTHERS, list_readers, list_uncalled
from bench.growth.patterns import (
    FILLED,
    USES,
    compile_site,
    find_patterns,
    list_modules,
    list_sites,
)

OF_OTHERS = {
    "checks.ids": "what a user says every id of a provider looks like; ours are tried below",
    "codec": "one that a tool was given: it is had back for an undo, and searched in nothing",
    "mulligan_gateway.declarations": "an operator's own, which sees 20,000 characters at most",
    "mulligan_gateway.recipe": "an operator's own, which sees 4,000 characters of an error at most",
    "types.lesson": "a user's own rule for errors, which sees 4,000 characters at most",
}
"""Where a pattern is whatever somebody passes."""


def list_hidden(source: str) -> Iterator[str]:
    """Ways to make a pattern that a search for `re.compile(` and its like does not see."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.ImportFrom(module="re", names=names) if {each.name for each in names} & {
                "compile",
                *USES,
            }:
                yield f"line {node.lineno}: from re import"
            case ast.Import(names=names) if any(
                each.name in ("re", "regex") and each.asname for each in names
            ):
                yield f"line {node.lineno}: import re as"
            case ast.Attribute(value=ast.Name(id="re"), attr="compile" | "Scanner" | "template"):
                if node.attr != "compile":
                    yield f"line {node.lineno}: re.{node.attr}"
            case ast.Call(args=args) if any(
                isinstance(each, ast.Attribute)
                and isinstance(each.value, ast.Name)
                and each.value.id == "re"
                and each.attr in ("compile", *USES)
                for each in args
            ):
                yield f"line {node.lineno}: a function of re is handed on"


def test_every_call_of_re_is_one_whose_pattern_is_known() -> None:
    unknown = []
    for module in list_modules():
        for site in list_sites(module):
            try:
                compile_site(site, module)
            except NameError as error:
                unknown.append(f"{site.place}: {error}; say in FILLED what stands for it")

    assert unknown == []


def test_what_stands_for_a_name_is_still_needed() -> None:
    sites = {site.module for module in list_modules() for site in list_sites(module)}

    assert sorted(set(FILLED) - sites) == []


def test_no_pattern_is_made_where_nobody_looks(repo) -> None:
    hidden = {
        str(path.relative_to(repo.src)): found
        for path in sorted(repo.src.rglob("*.py"))
        if (found := list(list_hidden(path.read_text(encoding="utf-8"))))
    }

    assert hidden == {}


@pytest.mark.parametrize(
    "source",
    [
        "from re import compile",
        "import re as r",
        "import re\nmap(re.compile, words)",
        "import re\nre.Scanner([])",
    ],
)
def test_a_hidden_one_would_be_seen(source: str) -> None:
    assert list(list_hidden(source))


def test_patterns_inside_tables_and_made_at_first_use_are_found_too() -> None:
    places = {each.place.split("[")[0] for each in find_patterns()}

    assert "learning.classify._compile_words" in places
    assert "learning.validation_errors._compile_sentences" in places
    assert "checks.entities._compile_day_first" in places
    assert "checks.quantities._compile_number_words" in places


def test_only_users_bring_patterns_that_nobody_has_tried() -> None:
    tables = {module for module, names in FILLED.items() if None in names.values()}
    written = {each.place.rsplit(":")[0].split("[")[0] for each in find_patterns()}

    untried = {each for each in tables if not any(place.startswith(each) for place in written)}

    assert untried <= set(OF_OTHERS)


def test_every_reader_of_text_is_tried() -> None:
    assert list_uncalled() == []


def test_what_is_left_out_is_there() -> None:
    functions = {
        f"{module.__name__.removeprefix('mulligan.')}.{name}"
        for module in list_modules()
        for name, value in vars(module).items()
        if inspect.isfunction(inspect.unwrap(value) if callable(value) else value)
    }

    assert sorted({*NOT_FROM_OUTSIDE, *OTHERS} - functions) == []
    assert sum(1 for _ in list_readers()) > 100
