"""How calls go, what fails alike and what would help, at the command line."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest

from mulligan import Effect, Finding, Mode, Mulligan, Severity
from mulligan.cli.main import main


class RefusedError(Exception):
    status_code = 422


@pytest.fixture
def store(tmp_path: Path) -> str:
    """A store in which a search was called ten times: six times well, three refused, one mended."""
    url = f"sqlite:///{tmp_path}/family.db"
    with Mulligan(url) as m:

        @m.tool(effect=Effect.READ, mode=Mode.AUTO)
        def search(query: str, limit: int) -> list[str]:
            if query.startswith("missing"):
                raise RefusedError(f"nothing is called {query!r}")
            if not isinstance(limit, int):
                raise RefusedError("limit: Input should be a valid integer")
            return [query]

        with m.turn("Search", agent="planner", context="searching"):
            for number in range(6):
                search(f"event {number}", limit=1)
            for number in range(3):
                with pytest.raises(RefusedError):
                    search(f"missing {number}", limit=1)
            search("event", limit="1")
        m.flush()
    return url


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_stats_add_up_what_the_log_knows(store: str, capsys) -> None:
    figures = told(capsys, "stats", "--store", store)

    total = figures["all_calls"]
    assert (total["calls"], total["failures"], total["repaired"]) == (11, 4, 1)
    assert [tool["name"] for tool in figures["tools"]] == ["search"]
    assert [agent["name"] for agent in figures["agents"]] == ["planner"]
    assert figures["repaired_share"] == 1.0
    assert figures["seconds_to_repair"] >= 0
    assert {c["what"]: c["figure"] for c in figures["criteria"]}[
        "calls logged with agent and context"
    ] == 1.0


def test_a_suggestion_is_right_when_a_call_made_by_it_worked(tmp_path: Path, capsys) -> None:
    url = f"sqlite:///{tmp_path}/family.db"
    with Mulligan(url) as m:

        @m.tool(effect=Effect.READ)
        def search(query: str, limit: int) -> list[str]:
            if not isinstance(limit, int) or limit > 50:
                raise RefusedError("limit: Input should be a valid integer")
            return [query]

        for first, then in (("1", 1), ("99", 99), ("2", "two"), ("3", None)):
            with m.turn("Search", agent="planner", context="searching"):
                for limit in (first, then):
                    with suppress(RefusedError):  # what failed is in the log
                        search("event", limit=limit)

    figures = told(capsys, "stats", "--store", url)

    [right] = [c for c in figures["criteria"] if c["what"] == "suggestions that were right"]
    assert (right["figure"], right["n"]) == (0.5, 2)


def test_failures_that_differ_only_in_their_values_are_one_pattern(store: str, capsys) -> None:
    patterns = told(capsys, "patterns", "--store", store)["patterns"]

    assert [seen["pattern"]["count"] for seen in patterns] == [3, 1]
    assert patterns[0]["agents"] == ["planner"]


def test_a_suggestion_uses_the_schema_that_was_declared(store: str, capsys) -> None:
    answer = told(
        capsys, "suggest", "--store", store, "--tool", "search",
        "--args", '{"query": "event", "limit": "10"}',
        "--error", "limit: Input should be a valid integer",
    )  # fmt: skip

    assert answer["advice"]["decision"] == "repair"
    assert answer["suggestions"][0]["patch"]["changes"] == {"limit": 10}


@pytest.mark.parametrize(
    "written",
    [
        "{'query': 'event', 'limit': '10',}",
        'search(query="event", limit="10")',
        '<tool_call>{"name": "search", "arguments": {"query": "event", "limit": "10"}}</tool_call>',
    ],
)
def test_a_call_may_be_given_as_the_model_wrote_it(store: str, capsys, written: str) -> None:
    error = "limit: Input should be a valid integer"
    asked = ("suggest", "--store", store, "--tool", "search", "--args", written)

    answer = told(capsys, *asked, "--error", error)

    assert answer["suggestions"][0]["patch"]["changes"] == {"limit": 10}


@pytest.mark.parametrize("command", [["stats"], ["patterns", "--window", "30d"]])
def test_people_get_tables(store: str, capsys, command: list[str]) -> None:
    code = main([*command, "--store", store])

    assert code == 0
    assert "search" in capsys.readouterr().out


@pytest.mark.parametrize("written", ["[1]", "nonsense", "", "{" * 100_000])
def test_what_holds_no_arguments_is_one_sentence(store: str, capsys, written: str) -> None:
    code = main(["suggest", "--store", store, "--tool", "x", "--args", written, "--error", "no"])

    assert code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_pattern_that_nobody_understands_is_shown_beside_the_one_it_is_most_like(
    tmp_path: Path, capsys
) -> None:
    url = f"sqlite:///{tmp_path}/warehouse.db"
    with Mulligan(url) as m:

        @m.tool(effect=Effect.READ)
        def find_order(order_id: str) -> None:
            what = "lost" if order_id == "W18" else "not found"
            raise RuntimeError(f"Order {order_id} {what} in the north hall")

        for order in ("W17", "W18"):
            with pytest.raises(RuntimeError):
                find_order(order)

    patterns = told(capsys, "patterns", "--store", url)["patterns"]
    asked = ("suggest", "--store", url, "--tool", "find_order", "--args", '{"order_id": "W19"}')
    answer = told(capsys, *asked, "--error", "Order W19 mislaid in the north hall")
    main([*asked, "--error", "Order W19 mislaid in the north hall"])

    like = {seen["pattern"]["template"]: seen["like"] for seen in patterns}
    known = next(text for text in like if "not found" in text)
    strange = next(text for text in like if "lost" in text)
    assert like[known] is None
    assert like[strange]["pattern"]["template"] == known
    assert answer["like"]["pattern"]["template"] == known
    assert "most like" in capsys.readouterr().out


def test_stats_tell_what_reviews_found(tmp_path: Path, capsys) -> None:
    store = f"sqlite:///{tmp_path}/found.db"
    doubt = Finding(rule="place.not_home", severity=Severity.WARNING, issue="Hm.")
    with Mulligan(store, checks=[lambda attempted: [doubt]], recover=False) as m:
        m.act_sync("Look around", lambda turn: "I did.", agent="planner")

    found = told(capsys, "stats", "--store", store)["findings"]
    main(["stats", "--store", store])

    assert found == [
        {"rule": "place.not_home", "severity": "warning", "server": "", "tool": "",
         "agent": "planner", "count": 1}
    ]  # fmt: skip
    assert "place.not_home" in capsys.readouterr().out
