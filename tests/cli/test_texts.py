from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from mulligan import Mulligan
from mulligan.checks.text import avoids
from mulligan.cli.main import main
from mulligan.loops.replies import ReplyRules


@pytest.fixture
def store(tmp_path: Path) -> tuple[str, str]:
    """A store with one rejected reply, and its id."""
    url = f"sqlite:///{tmp_path / 'm.db'}"
    with Mulligan(url) as m:
        rules = ReplyRules(checks=[avoids(words=["delve"])])
        replied = asyncio.run(m.reply(lambda _: "we delve here", query="Why?", rules=rules))
        m.flush()
    return url, replied.id


def test_a_rejected_reply_can_be_read_and_rated(store: tuple[str, str], capsys) -> None:
    url, found = store

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


def test_figures_show_texts_with_their_health(store: tuple[str, str], capsys) -> None:
    url, found = store
    main(["rate", found[:20], "--up", "--store", url, "--json"])
    assert json.loads(capsys.readouterr().out)["of"] == found

    main(["stats", "--store", url])
    said = capsys.readouterr().out
    main(["stats", "--json", "--store", url])
    told = json.loads(capsys.readouterr().out)["texts"]

    assert "sent although rejected" in said
    assert "too few replies" in " ".join(said.split())
    assert (told["replies"]["replies"], told["rated_up"]["figure"]) == (1, 1.0)


def test_what_is_not_there_cannot_be_rated(store: tuple[str, str], capsys) -> None:
    url, _ = store

    assert main(["rate", "ffff", "--up", "--store", url]) == 2
    assert "There is no reply or draft 'ffff'" in capsys.readouterr().err
