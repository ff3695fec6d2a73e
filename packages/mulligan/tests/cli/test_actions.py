from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mulligan import Mulligan
from mulligan.checks.text import avoids
from mulligan.cli.main import main
from mulligan.codec import encode_value
from mulligan.loops.replies import ReplyRules
from mulligan.stores.opening import open_store
from mulligan.types.action import Entry, Kept, Opening, State
from mulligan.types.effect import Effect
from tests.cli.running import run

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> str:
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


def test_show_tells_the_whole_story(store: str, capsys) -> None:
    code, out, _ = run(capsys, "show", "b2", "--store", store, "--json")
    _, said, _ = run(capsys, "show", "b2", "--store", store)

    assert code == 0
    assert json.loads(out)["arguments"] == {"event": "dinner", "to": "ann@example.com"}
    assert [each["act"] for each in json.loads(out)["choices"]] == ["undo", "settle"]
    assert "ann@example.com" in said
    assert "never overwritten" in " ".join(said.split()), "what each decision would do"
    assert [entry["state"] for entry in json.loads(out)["entries"]] == [
        "intent", "executed", "undoing", "conflict",
    ]  # fmt: skip


def test_settling_takes_an_action_off_the_list_and_keeps_the_note(store: str, capsys) -> None:
    for action in ("b2", "b3"):
        code, _, _ = run(capsys, "settle", action, "--note", "called Anna", "--store", store)
        assert code == 0

    code, out, _ = run(capsys, "open", "--store", store)
    _, story, _ = run(capsys, "show", "b2", "--store", store, "--json")
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
        (["show", "b"], "2 actions start so (b3, b2)"),
        (["show", "b22"], "Did you mean b2?"),
        (["settle", "a1", "--note", "x"], "verified already"),
        (["settle", "b2", "--note", "  "], "A note is needed"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_changes_nothing(
    store: str, capsys, arguments: list[str], says: str
) -> None:
    code, out, err = run(capsys, *arguments, "--store", store)

    assert (code, out) == (2, "")
    assert says in err
    assert len(json.loads(run(capsys, "open", "--json", "--store", store)[1])["actions"]) == 2


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
    assert (told["replies"]["replies"], told["rated_up"]["figure"]) == (1, 1.0)


def test_what_is_not_there_cannot_be_rated(replied: tuple[str, str], capsys) -> None:
    url, _ = replied

    assert main(["rate", "ffff", "--up", "--store", url]) == 2
    assert "There is no reply, draft or run 'ffff'" in capsys.readouterr().err
