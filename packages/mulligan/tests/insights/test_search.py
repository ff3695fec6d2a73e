"""One search over ids, tools, agents, contexts, failures and lessons."""

from __future__ import annotations

import pytest

from mulligan import Mulligan
from mulligan.insights import turns
from mulligan.insights.filters import ViewFilter, ViewRequest
from mulligan.insights.search import SearchView, read_search
from mulligan.types.action import ActionQuery
from tests.dashboard.stage import Stage, run_apart


def look_for(m: Mulligan, text: str, **asked: str) -> SearchView:
    words = {"text": text}
    return read_search(m.insights, ViewRequest(filter=ViewFilter(**asked), words=words))


def list_found(view: SearchView) -> set[tuple[str, str]]:
    return {(each.kind, each.id) for each in view.found}


def test_an_id_is_found_by_its_beginning(filled: Stage) -> None:
    [action, *_] = filled.m.insights.open_list.search(ActionQuery())

    by_start = look_for(filled.m, action.id[:18])
    by_turn = look_for(filled.m, str(action.opening.turn).upper())

    assert ("action", action.id) in list_found(by_start)
    assert ("turn", action.opening.turn) in list_found(by_turn)
    assert list_found(look_for(filled.m, "0000")) == set()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("share", ("tool", "share_file")),
        ("HELP", ("agent", "helper")),
        ("looking", ("turn", None)),
        ("not for share", ("failure", None)),
    ],
)
def test_words_are_found_in_names_contexts_and_failures(
    filled: Stage, text: str, found: tuple[str, str | None]
) -> None:
    kind, name = found

    matches = [each for each in look_for(filled.m, text).found if each.kind == kind]

    assert matches
    assert name is None or [each.id for each in matches] == [name]


def test_a_lesson_is_found_by_its_words_and_its_id(lived: Mulligan) -> None:
    [lesson, *_] = [each for each in look_for(lived, "channel").found if each.kind == "lesson"]

    assert ("lesson", lesson.id) in list_found(look_for(lived, lesson.id[:12]))


def test_what_a_call_was_given_is_not_found(filled: Stage) -> None:
    for secret in ("Picnic", "eight", "Tell them"):
        assert list_found(look_for(filled.m, secret)) == set()


def test_what_was_not_looked_through_and_not_listed_is_said(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def act() -> None:
        for _ in range(25):
            await stage.fail(repaired=0)

    run_apart(act())
    stage.m.flush()

    whole = look_for(stage.m, "looking")
    stage.m.insights.cache.forget()
    monkeypatch.setattr(turns, "MOST_ROWS", 5)
    cut = look_for(stage.m, "looking")

    assert (len(whole.found), whole.cut, whole.every_turn) == (20, ("turn",), True)
    assert 0 < len(cut.found) < 5
    assert (cut.cut, cut.every_turn) == ((), False)
