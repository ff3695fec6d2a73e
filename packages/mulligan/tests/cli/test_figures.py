"""How calls go, what fails alike and what would help, at the command line."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mulligan import Effect, Finding, Mode, Mulligan, Severity
from mulligan.cli.main import main
from mulligan.stores.opening import open_store
from mulligan.types.lesson import Ending, Group
from mulligan.types.log import Batch, roll_up
from mulligan_testing.store_contract.contract import make_episode, make_failed_row, make_log_row
from tests.cli.running import read_json


class RefusedError(Exception):
    status_code = 422


@pytest.fixture
def store(tmp_path: Path) -> str:
    """A store in which a search was called ten times: six good, three refused, one repaired."""
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


def test_stats_count_calls_and_not_tries(store: str, capsys) -> None:
    figures = read_json(capsys, "stats", "--store", store)

    total = figures["all_calls"]
    assert (total["calls"], total["tries"], total["failed"]) == (10, 11, 4)
    assert (total["repaired"], total["given_up"]) == (1, 3)
    assert (total["succeeded"]["figure"], total["succeeded"]["n"]) == (0.7, 10)
    assert [tool["name"] for tool in figures["tools"]] == ["search"]
    assert [agent["name"] for agent in figures["agents"]] == ["planner"]
    assert figures["with_context"]["figure"] == 1.0
    assert figures["lift"] is None


def test_an_approved_call_is_in_the_figures_of_its_agent(tmp_path: Path, capsys) -> None:
    url = f"sqlite:///{tmp_path}/family.db"
    with Mulligan(url, recover=False) as m:

        @m.tool(effect=Effect.IRREVERSIBLE)
        def send(text: str) -> str:
            return text

        with m.turn("Send it", agent="postman"):
            held = send("hello")
        m.insights.open_list.approve(held.hold.action, by="anna")
        m.recover_sync()

    agents = read_json(capsys, "stats", "--store", url)["agents"]

    assert [(agent["name"], agent["calls"]) for agent in agents] == [("postman", 1)]


def test_series_have_every_hour_or_day_also_those_without_a_call(store: str, capsys) -> None:
    by_hour = read_json(capsys, "stats", "--store", store, "--series", "hour")["parts"]
    by_day = read_json(capsys, "stats", "--store", store, "--series", "day", "--window", "30d")[
        "parts"
    ]
    nobody = read_json(
        capsys,
        "stats",
        "--store",
        store,
        "--series",
        "day",
        "--agent",
        "nobody",
        "--tool",
        "search",
    )["parts"]

    assert (len(by_hour), len(by_day)) == (25, 31)
    for parts in (by_hour, by_day):
        assert sum(part["share"]["calls"] for part in parts) == 10
        assert sum(part["share"]["repaired"] for part in parts) == 1
        assert [part["share"]["succeeded"]["figure"] for part in parts[:-2]] == [None] * len(
            parts[:-2]
        )
    assert sum(part["share"]["calls"] for part in nobody) == 0


@pytest.mark.full
def test_whose_a_series_is_takes_a_series(store: str, capsys) -> None:
    assert main(["stats", "--store", store, "--tool", "search"]) == 2
    assert "--series" in capsys.readouterr().err


def test_the_goals_are_figures_of_the_store(store: str, capsys) -> None:
    answer = read_json(capsys, "stats", "--store", store, "--goals")

    found = {goal["what"]: goal for goal in answer["goals"]}
    figures = {what: goal["estimate"]["figure"] for what, goal in found.items()}
    assert answer["window"] == "30d"
    assert figures == {
        "calls logged with agent and context": 1.0,
        "suggestions that were right": 1.0,
        "retried calls that were repaired": 1.0,
        "failures repaired, above the control group": None,
        "growth of the success rate from the first half to the second": None,
        "tools with recurring failures whose pitfalls were exported": 1.0,
    }
    # Of a few calls no goal is said to be met or missed; tools are counted.
    assert {goal["met"] for goal in found.values() if goal["estimate"]["n"] < 20} == {None, True}
    assert found["retried calls that were repaired"]["met"] is None
    assert found["calls logged with agent and context"]["estimate"]["n"] == 10


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

    goals = read_json(capsys, "stats", "--store", url, "--goals")["goals"]

    [right] = [c["estimate"] for c in goals if c["what"] == "suggestions that were right"]
    assert (right["figure"], right["n"]) == (0.5, 2)


def test_a_suggestion_uses_the_schema_that_was_declared(store: str, capsys) -> None:
    answer = read_json(
        capsys, "suggest", "--store", store, "--tool", "search",
        "--args", '{"query": "event", "limit": "10"}',
        "--error", "limit: Input should be a valid integer",
    )  # fmt: skip

    assert answer["advice"]["decision"] == "repair"
    assert answer["suggestions"][0]["patch"]["changes"] == {"limit": 10}


@pytest.mark.parametrize(("tool", "decision"), [("search", "retry"), ("send", "look_up")])
def test_a_lost_answer_of_a_read_is_asked_for_again(
    store: str, capsys, tool: str, decision: str
) -> None:
    given = ("--tool", tool, "--args", "{}", "--error", "The connection was lost: timed out")
    answer = read_json(capsys, "suggest", "--store", store, *given)

    assert answer["advice"]["decision"] == decision


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

    answer = read_json(capsys, *asked, "--error", error)

    assert answer["suggestions"][0]["patch"]["changes"] == {"limit": 10}


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (["stats"], "search"),
        (["stats", "--series", "day"], "given up"),
        (["stats", "--goals"], "retried calls that were repaired"),
        (["patterns", "--window", "30d"], "search"),
    ],
)
def test_people_get_tables(store: str, capsys, command: list[str], shown: str) -> None:
    code = main([*command, "--store", store])

    assert code == 0
    assert shown in " ".join(capsys.readouterr().out.split())


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

    patterns = read_json(capsys, "patterns", "--store", url)["patterns"]
    asked = ("suggest", "--store", url, "--tool", "find_order", "--args", '{"order_id": "W19"}')
    answer = read_json(capsys, *asked, "--error", "Order W19 mislaid in the north hall")
    main([*asked, "--error", "Order W19 mislaid in the north hall"])

    like = {seen["pattern"]["template"]: seen["like"] for seen in patterns}
    known = next(text for text in like if "not found" in text)
    strange = next(text for text in like if "lost" in text)
    assert like[known] is None
    assert like[strange]["pattern"]["template"] == known
    assert answer["like"]["pattern"]["template"] == known
    assert "similar known" in capsys.readouterr().out


def test_stats_tell_what_reviews_found(tmp_path: Path, capsys) -> None:
    store = f"sqlite:///{tmp_path}/found.db"
    doubt = Finding(rule="place.not_home", severity=Severity.WARNING, issue="Hm.")
    with Mulligan(store, checks=[lambda attempted: [doubt]], recover=False) as m:
        m.act_sync("Look around", lambda turn: "I did.", agent="planner")

    found = read_json(capsys, "stats", "--store", store)["findings"]
    main(["stats", "--store", store])

    assert found == [
        {"rule": "place.not_home", "severity": "warning", "server": "", "tool": "",
         "agent": "planner", "count": 1}
    ]  # fmt: skip
    assert "place.not_home" in capsys.readouterr().out


def fill(url: str, now: datetime) -> None:
    """A month: half of the calls of its first week fail, and one in ten of its last."""
    store = open_store(url)
    for ago, failures in ((25, 50), (5, 10)):
        at = now - timedelta(days=ago)
        rows = [
            (make_failed_row if n < failures else make_log_row)(n, at=at, tool="find")
            for n in range(100)
        ]
        store.log.write(Batch(rows=rows, rollups=roll_up(rows)))
    sides = ((0, Group.TREATED, 30), (100, Group.CONTROL, 10))
    store.failures.record(
        [
            make_episode(
                place + n,
                at=now - timedelta(days=3),
                group=group,
                ending=Ending.REPAIRED if n < repaired else Ending.FAILED,
            )
            for place, group, repaired in sides
            for n in range(40)
        ]
    )
    store.close()


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_store_says_whether_calls_go_better_and_what_memory_is_worth(
    kind: str, tmp_path: Path, capsys, request: pytest.FixtureRequest
) -> None:
    url = (
        f"sqlite:///{tmp_path}/family.db"
        if kind == "sqlite"
        else request.getfixturevalue("postgres_url")
    )
    fill(url, datetime.now(UTC))

    goals = {c["what"]: c for c in read_json(capsys, "stats", "--store", url, "--goals")["goals"]}
    month = ("--window", "30d", "--tool", "find")
    days = read_json(capsys, "stats", "--store", url, "--series", "day", *month)["parts"]
    stats = read_json(capsys, "stats", "--store", url, "--window", "30d")

    trend = goals["growth of the success rate from the first half to the second"]
    lift = goals["failures repaired, above the control group"]
    assert (round(trend["estimate"]["figure"], 2), trend["estimate"]["n"]) == (0.4, 200)
    assert 0.2 < trend["estimate"]["low"] < 0.4 < trend["estimate"]["high"] < 0.6
    assert trend["met"] is lift["met"] is True
    assert (round(lift["estimate"]["figure"], 2), lift["estimate"]["n"]) == (0.5, 80)
    assert goals["suggestions that were right"]["met"] is None
    failed = [(part["share"]["calls"], part["share"]["failed"]) for part in days]
    assert [each for each in failed if each[0]] == [(100, 50), (100, 10)]
    assert stats["recovered"]["n"] == 80
    assert stats["lift"]["treated"] == stats["lift"]["control"] == 40
