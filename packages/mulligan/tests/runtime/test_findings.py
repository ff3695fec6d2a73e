"""What a review found is shown as long as it is kept, and the journal has only its rules."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import asdict

from mulligan.runtime.payloads import Rejection, keep_findings, load_findings
from mulligan.stores.opening import open_store
from mulligan.types.action import Opening
from mulligan.types.effect import Effect
from mulligan.types.finding import Finding, Severity
from tests.world import Worlds, moves

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
OPENING = Opening(tool="move", effect=Effect.REVERSIBLE)
FINDING = Finding(
    rule="date.wrong_weekday", severity=Severity.ERROR, issue="They said 'for Anna's birthday'."
)


@pytest.fixture
def vault():
    return open_store("memory:").vault


def test_it_reads_as_its_rules_and_no_word_more() -> None:
    why = Rejection([FINDING, FINDING])

    assert why == "date.wrong_weekday"
    assert "birthday" in why.found


def test_what_was_found_is_kept_with_each_action_until_that_ends(vault) -> None:
    kept = keep_findings(
        Rejection([FINDING]), [("a", OPENING, 3), ("b", OPENING, 5)], scrub=str.upper, until=NOW
    )
    for each in kept:
        vault.put(each)

    assert [each.expires_at for each in kept] == [None, None]
    assert "BIRTHDAY" in str(load_findings(vault, "a", opening=OPENING, version=3))
    assert load_findings(vault, "a", opening=OPENING, version=5) is None


def test_of_a_bulk_it_is_kept_once(vault) -> None:
    element = Opening(**{**asdict(OPENING), "parent": "bulk"})
    until = datetime.now(UTC) + timedelta(days=90)

    kept = keep_findings(
        Rejection([FINDING]), [("a", element, 3), ("b", element, 3)], scrub=str, until=until
    )
    for each in kept:
        vault.put(each)

    assert [(each.owner, each.expires_at) for each in kept] == [("bulk", until)]
    assert load_findings(vault, "b", opening=element, version=3)


def test_our_own_words_are_kept_nowhere_else() -> None:
    assert keep_findings("It is sent.", [("a", OPENING, 3)], scrub=str, until=NOW) == ()


def quoting(attempted: object) -> list[Finding]:
    return [FINDING]


async def test_the_journal_names_the_rules_and_the_surfaces_what_was_found(
    worlds: Worlds, tmp_path: Path
) -> None:
    world = await worlds(f"sqlite:///{tmp_path}/family.db", checks=[quoting])
    await world.act(moves(world, "2026-11-20", "2026-11-21"))
    with sqlite3.connect(tmp_path / "family.db") as database:
        bodies = [body for (body,) in database.execute("select body from entry")]
        names = [name for (name,) in database.execute("select id from action")]

    stories = [str(world.m.insights.open_list.read_story(name).entries) for name in names]

    assert any("date.wrong_weekday" in body for body in bodies)
    assert not any("birthday" in body for body in bodies)
    assert any("birthday" in story for story in stories)
