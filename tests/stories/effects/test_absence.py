"""Nothing was there before: what a person puts there in between is not written over."""

from __future__ import annotations

from typing import Any

import pytest

from mulligan import Effect, Mulligan
from mulligan.types.call import Record
from tests.stories.effects.remote import Answer, StoryRemote, name_conflicts, read_version
from tests.stories.effects.world import act, list_open

THEIRS = {"text": "what a person wrote"}


@pytest.fixture
def remote() -> StoryRemote:
    """A folder into which a person puts `notes` while the agent's first write is on its way."""
    made = StoryRemote()
    made.before_write = lambda: made.create(THEIRS, name="notes", by="person")
    return made


@pytest.fixture(params=["strict", "content"])
def app(request: pytest.FixtureRequest) -> Mulligan:
    return request.getfixturevalue(request.param)


def declare(remote: StoryRemote) -> dict[str, Any]:
    def remove(record: Record) -> None:
        with name_conflicts():
            remote.delete("notes", if_version=record.version, by="undo")

    return {
        "effect": Effect.REVERSIBLE,
        "before": lambda record: remote.get(str(record.arguments["name"])),
        "undo": remove,
        "version": read_version,
        "if_version": "if_version",
    }


def list_theirs(remote: StoryRemote) -> list[str]:
    """What was done to the person's notes after they wrote them."""
    names = [line.by for line in remote.ledger if line.id == "notes"]
    return names[names.index("person") + 1 :] if "person" in names else []


async def test_a_file_that_must_not_exist_is_not_written_over_a_persons(
    app: Mulligan, remote: StoryRemote
) -> None:
    @app.tool(**declare(remote), if_absent="if_absent")
    async def put(
        name: str, text: str, if_version: str | None = None, if_absent: bool = False
    ) -> dict[str, Any]:
        between, remote.before_write = remote.before_write, lambda: None
        between()
        if if_absent and remote.get(name) is not None:
            raise Answer(412)
        return remote.update(name, {"text": text}, if_version=if_version)

    _, told = await act(app, lambda: put("notes", "what the agent wrote"))

    assert list_theirs(remote) == []
    assert remote.get("notes")["text"] == THEIRS["text"]
    assert len(told.errors) == 1


async def test_a_file_that_is_not_there_is_written_where_it_must_not_exist(
    content: Mulligan, remote: StoryRemote
) -> None:
    remote.before_write = lambda: None

    @content.tool(**declare(remote), if_absent="if_absent")
    async def put(
        name: str, text: str, if_version: str | None = None, if_absent: bool = False
    ) -> dict[str, Any]:
        assert if_absent is (remote.get(name) is None)
        return remote.update(name, {"text": text}, if_version=if_version)

    await act(content, lambda: put("notes", "first"))
    await act(content, lambda: put("notes", "second"))

    assert [line.data["text"] for line in remote.ledger] == ["first", "second"]
    assert list_open(content) == []


async def test_a_call_that_cannot_say_must_not_exist_waits_for_a_person(
    app: Mulligan, remote: StoryRemote
) -> None:
    @app.tool(**declare(remote))
    async def put(name: str, text: str, if_version: str | None = None) -> dict[str, Any]:
        return remote.update(name, {"text": text}, if_version=if_version)

    await act(app, lambda: put("notes", "what the agent wrote"))

    assert list_theirs(remote) == []
    assert remote.list_writes() == []
