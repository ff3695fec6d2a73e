"""What a person sees of actions and replies: enough to decide rightly, from the list alone."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mulligan import Effect, Mulligan
from mulligan.checks.text import avoids
from mulligan.cli.main import main
from mulligan.codec import encode_value
from mulligan.loops.replies import ReplyRules
from mulligan.stores.opening import open_store
from mulligan.types.action import ActionQuery, Entry, Kept, Opening, State
from tests.cli.running import read_json, run

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)


@pytest.fixture
def journaled(tmp_path: Path) -> str:
    """A store with an action that went well, one in conflict, and one nobody knows about."""
    url = f"sqlite:///{tmp_path}/family.db"
    opened = open_store(url)
    ways = {
        "a1": [State.INTENT, State.EXECUTED, State.VERIFIED],
        "b2": [State.INTENT, State.EXECUTED, State.UNDOING, State.CONFLICT],
        "b3": [State.INTENT, State.UNKNOWN],
    }
    given = encode_value({"event": "dinner", "to": "ann@example.com"})
    keep = [Kept(owner="b2", name="arguments", value=given)]
    opening = Opening(tool="move", effect=Effect.REVERSIBLE, agent="planner")
    for action, way in ways.items():
        entries = [
            Entry(action=action, state=state, at=NOW, version=n, detail={"why": f"step {n}"},
                  opening=opening if n == 1 else None)
            for n, state in enumerate(way, start=1)
        ]  # fmt: skip
        opened.journal.submit(entries, keep=keep if action == "b2" else ()).result()
    opened.close()
    return url


def test_show_tells_the_whole_story(journaled: str, capsys) -> None:
    code, out, _ = run(capsys, "show", "b2", "--store", journaled, "--json")
    _, said, _ = run(capsys, "show", "b2", "--store", journaled)

    assert code == 0
    assert json.loads(out)["arguments"] == {"event": "dinner", "to": "ann@example.com"}
    assert [each["act"] for each in json.loads(out)["choices"]] == ["undo", "settle"]
    assert "ann@example.com" in said
    assert "never overwritten" in " ".join(said.split()), "what each decision would do"
    assert [entry["state"] for entry in json.loads(out)["entries"]] == [
        "intent", "executed", "undoing", "conflict",
    ]  # fmt: skip


def test_a_list_that_is_cut_says_that_there_are_more(journaled: str, capsys) -> None:
    _, some, _ = run(capsys, "open", "--limit", "1", "--store", journaled)
    _, every, _ = run(capsys, "open", "--limit", "2", "--store", journaled)

    assert "Those are the 1 oldest; more need attention." in some
    assert "2 actions need attention." in every


def test_settling_takes_an_action_off_the_list_and_keeps_the_note(journaled: str, capsys) -> None:
    for action in ("b2", "b3"):
        code, _, _ = run(capsys, "settle", action, "--note", "called Anna", "--store", journaled)
        assert code == 0

    code, out, _ = run(capsys, "open", "--store", journaled)
    _, story, _ = run(capsys, "show", "b2", "--store", journaled, "--json")
    assert (code, out.strip()) == (0, "Nothing is open.")
    assert json.loads(story)["entries"][-1] == {
        "at": json.loads(story)["changed_at"],
        "state": "closed",
        "detail": {"note": "called Anna"},
    }


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["show", "zz"], "no such action"),
        (["show", "b"], "2 actions start with it (b3, b2)"),
        (["show", "b22"], "Did you mean b2?"),
        (["settle", "a1", "--note", "x"], "already verified"),
        (["settle", "b2", "--note", "  "], "A note is required"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_changes_nothing(
    journaled: str, capsys, arguments: list[str], says: str
) -> None:
    code, out, err = run(capsys, *arguments, "--store", journaled)

    assert (code, out) == (2, "")
    assert says in err
    assert len(json.loads(run(capsys, "open", "--json", "--store", journaled)[1])["actions"]) == 2


def test_an_id_is_shown_as_it_is_typed_whatever_numbers_are_in_it(tmp_path: Path, capsys) -> None:
    url, known = f"sqlite:///{tmp_path}/family.db", "019b42265473717386b5c0971992b55d"
    opened = open_store(url)
    opening = Opening(tool="move", effect=Effect.REVERSIBLE)
    first = Entry(action=known, state=State.INTENT, at=NOW, version=1, opening=opening)
    opened.journal.submit([first]).result()
    opened.close()

    code, _, err = run(capsys, "show", known[:-1] + "e", "--store", url)

    assert code == 2
    assert f"{known[:-1]}e" in err
    assert f"Did you mean {known}?" in err


@pytest.fixture
def replied(tmp_path: Path) -> tuple[str, str]:
    """A store with one rejected reply, and its id."""
    url = f"sqlite:///{tmp_path / 'm.db'}"
    with Mulligan(url) as m:
        rules = ReplyRules(checks=[avoids(words=["delve"])])
        sent = asyncio.run(m.reply(lambda _: "we delve here", query="Why?", rules=rules))
        m.flush()
    return url, sent.id


def test_a_rejected_reply_can_be_read_and_rated(replied: tuple[str, str], capsys) -> None:
    url, found = replied

    rated = main(["rate", found, "--down", "--note", "too grand", "--store", url])
    capsys.readouterr()
    shown = main(["show", found, "--store", url])
    said = capsys.readouterr().out
    main(["show", found, "--json", "--store", url])
    told = json.loads(capsys.readouterr().out)

    assert (rated, shown) == (0, 0)
    assert "we delve here" in said
    assert "Rated down: too grand" in said
    assert told["written"]["tries"] == ["we delve here"] * 3
    assert told["ratings"][0]["up"] is False


def test_figures_show_texts_with_their_health(replied: tuple[str, str], capsys) -> None:
    url, found = replied
    main(["rate", found[:20], "--up", "--store", url, "--json"])
    assert json.loads(capsys.readouterr().out)["of"] == found

    main(["stats", "--store", url])
    said = capsys.readouterr().out
    main(["stats", "--json", "--store", url])
    told = json.loads(capsys.readouterr().out)["texts"]

    assert "sent although rejected" in said
    assert "too few replies" in " ".join(said.split())
    assert (told["replies"]["all"]["n"], told["rated_up"]["figure"]) == (1, 1.0)


def test_what_is_not_there_cannot_be_rated(replied: tuple[str, str], capsys) -> None:
    url, _ = replied

    assert main(["rate", "ffff", "--up", "--store", url]) == 2
    assert "There is no reply, draft or run 'ffff'" in capsys.readouterr().err


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


def read_open(m: Mulligan, capsys) -> list[dict]:
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
    left = {(a["arguments"]["account"], a["arguments"]["amount"]) for a in read_open(bank, capsys)}
    assert left == {(ANNA, 30), (BOB, 300)}, "approved, and waiting for the application"


def test_the_list_for_programs_has_all_that_a_decision_needs(bank, capsys):
    first = read_open(bank, capsys)[0]

    assert first["request"] == RENT
    assert (first["arguments"]["account"], first["version"]) == (ANNA, 1)
    assert first["arguments"]["password"] != "hunter2-Zx9"
    assert [each["act"] for each in first["choices"]] == ["approve", "deny"]


def test_where_everything_is_to_be_hidden_people_are_too(bank, capsys, monkeypatch):
    monkeypatch.setenv("MULLIGAN_REDACTION_HIDE", "all")

    assert ANNA not in json.dumps(read_open(bank, capsys))


def test_what_was_shown_and_has_changed_since_is_not_approved(bank, capsys):
    first = read_open(bank, capsys)[0]

    code, _, err = run(
        capsys, "approve", first["id"], "--version", "7", "--store", bank.settings.store
    )

    assert code == 2
    assert "has changed since" in err
    assert read_open(bank, capsys)[0]["state"] == "held"


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
    assert re.search(r"before the call +│ Dinner", story)
    assert re.search(r"written by the call +│ Lunch", story)


def test_a_tool_that_is_not_there_is_met_with_the_one_that_may_be_meant(bank, capsys):
    _, actions, _ = run(capsys, "actions", "--tool", "renam", "--store", bank.settings.store)
    _, log, _ = run(capsys, "log", "--tool", "renam", "--store", bank.settings.store)

    assert "Did you mean 'rename'?" in actions
    assert "Did you mean 'rename'?" in log


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
    assert "--app MODULE:NAME" in " ".join(shown.split()), (
        "who wants to see what is there now is told how"
    )


def test_log_shows_every_try_and_no_secret(store: str, capsys) -> None:
    code, out, _ = run(capsys, "log", "--store", store)

    assert code == 0
    assert out.count("find") == 2
    assert "PermissionError" in out
    assert "hunter2" not in out


def test_log_as_json_is_one_document(store: str, capsys) -> None:
    code, out, _ = run(capsys, "log", "--store", store, "--json")

    rows = json.loads(out)["rows"]
    assert code == 0
    assert [row["outcome"] for row in rows] == ["failure", "success", "failure"]
    assert rows[1]["parent"] == rows[0]["id"]
    assert rows[0]["parameters"] == {"limit": 3}
    assert rows[0]["at"].endswith("+00:00")


def test_log_filters(store: str, capsys) -> None:
    asked = {
        "--tool share": 1,
        "--agent planner": 3,
        "--agent nobody": 0,
        "--outcome success": 1,
        "--error-class policy": 1,
        "--since 1h": 3,
        "--until 1h": 0,
        "-n 2": 2,
    }

    found = {
        given: len(read_json(capsys, "log", "--store", store, *given.split())["rows"])
        for given in asked
    }

    assert found == asked


def test_follow_shows_calls_as_they_are_stored(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/family.db"
    with Mulligan(url) as m:
        find = m.tool(name="find")(len)
        find([1])
        m.flush()
        follower = subprocess.Popen(
            [sys.executable, "-m", "mulligan", "log", "-f", "--json", "--store", url],
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert follower.stdout is not None
            first = json.loads(follower.stdout.readline())
            find([1, 2])
            m.flush()
            second = json.loads(follower.stdout.readline())
        finally:
            follower.kill()
            follower.communicate()

    assert (first["result"], second["result"]) == (1, 2)
