"""The table of hosts in the documentation says what was measured."""

from __future__ import annotations

import ast

import pytest

from bench.hosts.drivers import list_installed, load_driver
from bench.hosts.results import STORIES, Outcome, load_results, read_table, render_table
from tests.bench.running import ROOT

pytestmark = pytest.mark.full

TRIED = sorted({each.host for each in load_results()} & set(list_installed()))
"""Hosts of this environment whose results are kept: `make hosts` adds to them."""


def test_the_table_on_the_page_is_what_the_kept_results_say() -> None:
    assert read_table() == render_table(load_results())
    assert len(load_results()) >= 2


def test_every_story_has_its_column() -> None:
    tree = ast.parse((ROOT / "tests" / "stories" / "test_host_stories.py").read_text())
    told = [
        node.name
        for node in tree.body
        if isinstance(node, ast.AsyncFunctionDef) and node.name.startswith("test_")
    ]

    assert list(STORIES) == told


@pytest.mark.parametrize("host", TRIED)
def test_the_kept_results_of_a_host_that_is_here_are_what_its_stories_say(host: str) -> None:
    cannot = load_driver(host).CANNOT

    kept = [each for each in load_results() if each.host == host]

    assert [each.version for each in kept] == ["newest", "floor"]
    for each in kept:
        assert each.is_good
        assert each.stories == {
            story: Outcome.CANNOT if story in cannot else Outcome.PASSED for story in STORIES
        }
        assert each.reasons == {story: why for story, why in cannot.items() if story in STORIES}
