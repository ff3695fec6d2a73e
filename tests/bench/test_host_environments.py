"""Hosts in environments of their own: what is installed, what is read, and the table it makes."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from bench.hosts.drivers import list_installed, load_driver
from bench.hosts.environments import Environment, list_environments, main
from bench.hosts.results import (
    BEGIN,
    END,
    STORIES,
    Outcome,
    Result,
    load_results,
    read_table,
    read_tests,
    render_table,
    write_table,
)
from bench.missing import MissingError
from bench.peers import BASE

ROOT = Path(__file__).parents[2]
PROJECT = {"dependencies": ["apsw"], "optional-dependencies": {"their-host": ["theirs>=1.4,<3"]}}
REPORT = """<testsuites><testsuite>
<testcase classname="tests.stories.test_host_stories" name="test_a[h]"/>
<testcase classname="tests.stories.test_host_stories" name="test_b[h]"><failure/></testcase>
<testcase classname="tests.stories.test_host_stories" name="test_c[h]">
  <skipped type="pytest.xfail" message="It cannot."/></testcase>
<testcase classname="tests.hosts.test_h" name="test_d"/>
<testcase classname="tests.hosts.test_h" name="test_e"><error/></testcase>
<testcase classname="tests.hosts.test_h" name="test_f"><skipped/></testcase>
</testsuite></testsuites>"""


def make_result(**changes) -> Result:
    kept = dict.fromkeys(STORIES, Outcome.PASSED)
    return Result(
        **{
            "host": "h",
            "version": "newest",
            "release": "2.1",
            "python": "3.11",
            "stories": kept,
            **changes,
        }
    )


def test_the_newest_release_is_what_the_extra_brings_and_the_floor_its_lowest() -> None:
    newest = Environment(host="their-host", version="newest", project=PROJECT).list_packages()
    floor = Environment(host="their-host", version="floor", project=PROJECT).list_packages()

    assert newest[:2] == ["-e", f"{BASE}[their-host]"]
    assert floor == [*newest, "theirs==1.4"]


def test_a_host_without_an_extra_is_named() -> None:
    with pytest.raises(MissingError, match="no extra 'nobody'"):
        Environment(host="nobody", version="floor", project=PROJECT).list_packages()


def test_one_host_at_one_version_is_one_environment() -> None:
    assert [str(each) for each in list_environments("pydantic-ai", "floor")] == [
        "pydantic-ai-floor"
    ]
    assert len(list(list_environments("pydantic-ai"))) == 2


def test_a_host_that_nobody_knows_is_refused_with_those_there_are(capsys) -> None:
    with pytest.raises(SystemExit):
        main(["--host", "nobody"])

    assert "There are: pydantic-ai" in capsys.readouterr().err


def test_what_the_tests_came_to_is_read_from_their_report(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(REPORT)

    stories, reasons, failed, passed = read_tests(report)

    assert stories == {"test_a": "passed", "test_b": "failed", "test_c": "cannot"}
    assert (reasons, failed, passed) == ({"test_c": "It cannot."}, ["test_e"], 1)


def test_a_result_is_kept_and_read_back_newest_first(tmp_path: Path) -> None:
    floor = make_result(version="floor", release="1.0")
    for each in (floor, make_result()):
        each.save(tmp_path)

    assert load_results(tmp_path) == [make_result(), floor]


def test_a_failure_of_a_story_or_beside_them_is_not_good() -> None:
    story = next(iter(STORIES))

    assert make_result().is_good
    assert not make_result(stories={story: Outcome.FAILED}).is_good
    assert not make_result(failed=["test_e"]).is_good


def test_the_table_says_what_passed_what_a_host_cannot_and_why(tmp_path: Path) -> None:
    first, second, *_ = STORIES
    newest = make_result(
        stories={**dict.fromkeys(STORIES, Outcome.PASSED), first: Outcome.CANNOT},
        reasons={first: "It has no hook."},
    )
    floor = make_result(
        version="floor",
        release="1.0",
        stories={**newest.stories, second: Outcome.FAILED},
        reasons=newest.reasons,
    )
    decorated = make_result(host="d", release="5", stories={}, passed=1)
    page = tmp_path / "page.md"
    page.write_text(f"Before.\n{BEGIN}\nold\n{END}\nAfter.\n")

    write_table([newest, floor, decorated], page)

    rows = read_table(page).splitlines()
    assert "| h | 2.1, 1.0 | no (1) | 2.1: yes, 1.0: **fails** | yes |" in rows[2]
    assert "1. h: It has no hook." in rows
    assert rows[-1] == "| d | 5 | yes |"
    assert page.read_text().startswith("Before.\n")
    assert page.read_text().endswith("After.\n")


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


TRIED = sorted({each.host for each in load_results()} & set(list_installed()))
"""Hosts of this environment whose results are kept: `make hosts` adds to them."""


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
