"""Every kind of value that the standard library can write is had back as it was, or refused."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections import deque
from pathlib import Path
from types import MappingProxyType

import pytest

from mulligan.types.action import ActionQuery
from mulligan.types.errors import ConfigurationError
from tests.stories.effects import kinds
from tests.stories.effects.kinds import ANNOTATED, KEPT, REFUSED, Application, Own, Parcel

pytestmark = pytest.mark.promise(1)


@pytest.mark.full
def test_an_undo_gets_every_kind_of_value_as_it_was() -> None:
    app = Application("memory:", {**KEPT, **ANNOTATED})

    with app.m as m:
        m.act_sync("Do it", lambda turn: turn.correction or not list(map(app.call, app.tools)))

        assert app.find_wrong() == {}
        assert app.standing == set()
        assert m.insights.open_list.actions() == []


@pytest.mark.full
def test_another_process_gets_them_after_the_first_was_killed(tmp_path: Path) -> None:
    program = [sys.executable, kinds.__file__, f"sqlite:///{tmp_path}/a.db"]

    killed = subprocess.run([*program, "dies"], capture_output=True, text=True, check=False)
    after = subprocess.run([*program, "lives"], capture_output=True, text=True, check=False)

    assert killed.returncode == -9, killed.stderr
    assert after.returncode == 0, after.stderr
    assert json.loads(after.stdout) == {}


def test_what_cannot_be_kept_is_refused_before_the_call_with_a_remedy() -> None:
    app = Application("memory:", {name: make() for name, make in REFUSED.items()})
    places = {"argument": "arguments.value", "before": "before"}

    def act(turn: object) -> str:
        for place, row in places.items():
            for name in REFUSED:
                with pytest.raises(ConfigurationError) as refused:
                    app.call(f"{place} {name}")
                said = str(refused.value)
                assert said.startswith(row)
                assert "cannot be kept for an undo, for it " in said
                assert "Use plain data in its place" in said
        return "Nothing."

    with app.m as m:
        done = m.act_sync("Do it", act)

    assert done.reply == "Nothing."
    assert app.standing == set()


def test_a_result_that_cannot_be_kept_makes_no_call_fail_and_what_is_missing_is_said(
    caplog: pytest.LogCaptureFixture,
) -> None:
    app = Application("memory:", {name: make() for name, make in REFUSED.items()})
    names = [name for name in REFUSED if name != "generator"]  # which is read to its end

    def act(turn: object) -> str:
        for name in names:
            assert app.call(f"result {name}") is app.values[name]
        return "Done."

    with app.m as m, caplog.at_level(logging.WARNING, "mulligan"):
        m.act_sync("Do it", lambda turn: "" if turn.correction else act(turn))
        actions = m._parts.store.journal.list_actions(ActionQuery(limit=99))
        shown = {a.opening.tool: m.insights.open_list.read_story(a.id).contents for a in actions}

    assert app.standing == set()
    assert [shown[f"result {name}"]["ours"] for name in names] == [
        f"<{type(app.values[name]).__name__}, not kept>" for name in names
    ]
    assert "result lock: its result hold objects" in caplog.text


def test_a_refusal_names_the_very_part() -> None:
    given: dict[str, tuple[object, str]] = {
        "list": ({"files": [1, 2, Own()]}, "arguments.value.files[2]"),
        "key": ({"a": {Own(): 1}}, "arguments.value.a (a key)"),
        "dataclass": (Parcel(b"", Path(), {1: Own()}), "arguments.value.lines.1"),  # type: ignore[dict-item]
    }
    app = Application("memory:", {name: value for name, (value, _) in given.items()})

    def act(turn: object) -> str:
        for name, (_, path) in given.items():
            with pytest.raises(ConfigurationError) as refused:
                app.call(f"argument {name}")
            assert str(refused.value).startswith(f"{path} cannot be kept for an undo, for it is of")
        return "Nothing."

    with app.m as m:
        done = m.act_sync("Do it", act)

    assert done.reply == "Nothing."


SECRET = "sk-live-4242424242424242abcdef"


def test_a_secret_in_any_kind_of_value_is_hidden_where_it_is_shown() -> None:
    values = [
        f"password={SECRET}".encode(), bytearray(SECRET.encode()), Path(f"/run/{SECRET}"),
        Parcel(SECRET.encode(), Path(SECRET), {}), {(1, SECRET): [SECRET.encode()]},
        {SECRET}, deque([SECRET]), MappingProxyType({"a": SECRET}),
    ]  # fmt: skip
    app = Application("memory:", dict(zip("abcdefgh", values, strict=True)))

    with app.m as m:
        m.act_sync("Do it", lambda turn: turn.correction or not list(map(app.call, app.tools)))
        open_list = m.insights.open_list
        actions = m._parts.store.journal.list_actions(ActionQuery(limit=99))
        shown = [(open_list.read_story(a.id), open_list.read_arguments(a)) for a in actions]

    assert len(shown) == 3 * len(values)
    assert SECRET not in str(shown)
