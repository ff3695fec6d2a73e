"""What a person sees of actions: enough to decide rightly, from the list alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from mulligan import Effect, Mulligan
from mulligan.cli.main import main
from mulligan.types.action import ActionQuery
from tests.cli.running import run

ANNA, BOB = "DE02120300000000202051", "bob@example.com"
RENT = "Pay Anna 30 for the rent of May, and Bob 300"


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[Mulligan]:
    """Four payments wait for a person, two of them as they were asked for; a title was changed."""
    titles = {"t1": "Dinner"}
    with Mulligan(f"sqlite:///{tmp_path}/bank.db", recover=False) as m:

        @m.tool(effect=Effect.IRREVERSIBLE)
        def pay(account: str, amount: float, password: str = "") -> str:
            raise AssertionError

        @m.tool(
            effect=Effect.REVERSIBLE,
            before=lambda record: titles.get(record.arguments["task"]),
            read=lambda record: titles.get(record.arguments["task"]),
            undo=lambda record: titles.update({record.arguments["task"]: record.before}),
        )
        def rename(task: str, title: str) -> str:
            titles[task] = title
            return title

        def settle_rent(_: object) -> str:
            pay(ANNA, 30, password="hunter2-Zx9")
            pay(BOB, 3000)
            pay("bob@example.org", 300)
            pay(BOB, 300)
            return "Done."

        m.act_sync(RENT, settle_rent, agent="treasurer")
        m.act_sync("Call it Lunch", lambda _: rename("t1", "Lunch"), agent="planner")
        m.flush()
        yield m


def list_open(m: Mulligan, capsys) -> list[dict]:
    capsys.readouterr()
    _, out, _ = run(capsys, "open", "--json", "--store", m.settings.store)
    return json.loads(out)["actions"]


def test_four_holds_of_one_tool_are_told_apart_and_decided_from_the_list_alone(bank, capsys):
    code, shown, _ = run(capsys, "open", "--store", bank.settings.store)
    blocks = [block for block in shown.split("\n\n") if block.startswith("Pay")]
    right = (f"account: {ANNA}, amount: 30,", f"account: {BOB}, amount: 300)")

    for block in blocks:
        word = "approve" if any(each in block for each in right) else "deny"
        [command] = re.findall(rf"mulligan ({word} \w+)", block)
        assert main([*command.split(), "--store", bank.settings.store]) == 0

    assert (code, len(blocks)) == (1, 4)
    assert all(RENT in block for block in blocks), "what the person had asked for"
    assert "hunter2" not in shown
    left = {(a["arguments"]["account"], a["arguments"]["amount"]) for a in list_open(bank, capsys)}
    assert left == {(ANNA, 30), (BOB, 300)}, "approved, and waiting for the application"


def test_the_list_for_programs_has_all_that_a_decision_needs(bank, capsys):
    first = list_open(bank, capsys)[0]

    assert first["request"] == RENT
    assert (first["arguments"]["account"], first["version"]) == (ANNA, 1)
    assert first["arguments"]["password"] != "hunter2-Zx9"
    assert [each["act"] for each in first["choices"]] == ["approve", "deny"]


def test_where_everything_is_to_be_hidden_people_are_too(bank, capsys, monkeypatch):
    monkeypatch.setenv("MULLIGAN_REDACTION_HIDE", "all")

    assert ANNA not in json.dumps(list_open(bank, capsys))


def test_what_was_shown_and_has_changed_since_is_not_approved(bank, capsys):
    first = list_open(bank, capsys)[0]

    code, _, err = run(
        capsys, "approve", first["id"], "--version", "7", "--store", bank.settings.store
    )

    assert code == 2
    assert "has changed since" in err
    assert list_open(bank, capsys)[0]["state"] == "held"


@pytest.mark.parametrize(
    ("asked", "tools"),
    [
        ([], ["pay", "pay", "pay", "pay", "rename"]),
        (["--tool", "rename"], ["rename"]),
        (["--agent", "treasurer", "-n", "2"], ["pay", "pay"]),
        (["--state", "unchecked", "--state", "verified"], ["rename"]),
        (["--until", "1h"], []),
        (["--since", "1h", "--tool", "pay"], ["pay"] * 4),
    ],
)
def test_actions_are_listed_settled_or_not(bank, capsys, asked, tools):
    code, out, _ = run(capsys, "actions", *asked, "--json", "--store", bank.settings.store)

    found = json.loads(out)["actions"]
    assert code == 0
    assert [each["tool"] for each in found] == tools
    assert [each["opened_at"] for each in found] == sorted(each["opened_at"] for each in found)


@pytest.mark.parametrize("width", ["60", "80", "200"])
def test_a_table_shows_what_became_of_each_by_an_id_that_can_be_given(
    bank, capsys, monkeypatch, width
):
    monkeypatch.setenv("COLUMNS", width)
    _, shown, _ = run(capsys, "actions", "--tool", "rename", "--store", bank.settings.store)
    [name] = re.findall(r"│ (01\w{14,}) ", shown)
    monkeypatch.setenv("COLUMNS", "80")

    code, story, _ = run(capsys, "show", name, "--store", bank.settings.store)

    assert code == 0
    assert "Call it Lunch" in story
    assert re.search(r"before us +│ Dinner", story)
    assert re.search(r"ours, as we left it +│ Lunch", story)


def test_a_tool_that_is_not_there_is_met_with_the_one_that_may_be_meant(bank, capsys):
    _, actions, _ = run(capsys, "actions", "--tool", "renam", "--store", bank.settings.store)
    _, log, _ = run(capsys, "log", "--tool", "renam", "--store", bank.settings.store)

    assert "Did you mean 'rename'?" in actions
    assert "Did you mean 'rename'?" in log


def test_the_log_says_what_became_of_each_call(bank, capsys):
    _, out, _ = run(capsys, "log", "--tool", "rename", "--json", "--store", bank.settings.store)

    assert [row["action"] for row in json.loads(out)["rows"]] == ["unchecked"]


def test_turns_are_found_by_their_beginning_in_actions_and_in_the_log(bank, capsys):
    store = bank.settings.store
    [renamed] = bank.insights.open_list.search(ActionQuery(tool="rename"))
    turn = renamed.opening.turn

    _, listed, _ = run(capsys, "actions", "--json", "--turn", turn[:20], "--store", store)
    _, logged, _ = run(capsys, "log", "--json", "--turn", turn[:20], "--store", store)

    assert [each["turn"] for each in json.loads(listed)["actions"]] == [turn]
    assert {each["turn"] for each in json.loads(logged)["rows"]} == {turn}


def test_a_slip_in_the_beginning_of_an_id_is_met_with_the_one_that_may_be_meant(bank, capsys):
    [renamed] = bank.insights.open_list.search(ActionQuery(tool="rename"))
    slip = renamed.id[:19] + ("0" if renamed.id[19] != "0" else "1")

    code, _, err = run(capsys, "show", slip, "--store", bank.settings.store)

    assert code == 2
    assert f"Did you mean {renamed.id[:16]}" in err


def test_a_bulk_is_no_action_and_leads_to_its_elements(tmp_path: Path, capsys):
    with Mulligan(f"sqlite:///{tmp_path}/bulk.db", recover=False) as m:
        titles = {"a": "A", "b": "B"}

        @m.tool(
            effect=Effect.REVERSIBLE,
            each="tasks",
            before=lambda record: titles[record.arguments["tasks"]],
            read=lambda record: titles[record.arguments["tasks"]],
            undo=lambda record: None,
        )
        def close(tasks: list[str]) -> None:
            titles.update(dict.fromkeys(tasks, "closed"))

        m.act_sync("Close both", lambda _: close(["a", "b"]), agent="planner")
        [bulk] = {a.opening.parent for a in m.insights.open_list.search(ActionQuery())}
        store = m.settings.store

        code, _, err = run(capsys, "show", bulk, "--store", store)
        _, listed, _ = run(capsys, "actions", "--bulk", bulk[:20], "--json", "--store", store)
        element = json.loads(listed)["actions"][0]["id"]
        _, shown, _ = run(capsys, "show", element, "--store", store)

    assert code == 2
    assert f"mulligan actions --bulk {bulk}" in err
    assert len(json.loads(listed)["actions"]) == 2
    assert f"part of bulk {bulk}" in shown
    assert "--app MODULE:NAME" in shown, "who wants to see what is there now is told how"
