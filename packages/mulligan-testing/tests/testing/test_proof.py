"""A proof that cannot fail proves nothing: every kind of broken undo must be named by it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mulligan import Effect, Mulligan, Undoing
from mulligan.types.call import Record
from mulligan.types.errors import ConflictError
from mulligan_testing.proof import Trial, UnprovenError, prove_undo

pytestmark = pytest.mark.full


class Notes:
    """One note with versions."""

    def __init__(self) -> None:
        self.text, self.version = "milk", 1
        self.keys: dict[str, dict[str, Any]] = {}

    def get(self) -> dict[str, Any]:
        return {"text": self.text, "version": self.version}

    def put(self, text: str, *, if_version: object = None, key: str = "") -> dict[str, Any]:
        if if_version not in (None, str(self.version)):
            raise ConflictError(f"the note is at {self.version}, not {if_version}")
        self.text, self.version = text, self.version + 1
        self.keys[key] = self.get()
        return self.get()


def trial_of(undo: Callable[[Notes, Record], object], **declared: Any) -> Callable[..., Trial]:
    def trial(**proving: Any) -> Trial:
        notes, m = Notes(), Mulligan("memory:", **proving)
        wanted = {"if_version": "if_version", "version": lambda record: record.result["version"]}

        @m.tool(
            effect=Effect.REVERSIBLE,
            before=lambda record: notes.get(),
            undo=lambda record: undo(notes, record),
            probe=lambda record: notes.keys.get(record.key),
            key="key",
            **{name: value for name, value in (wanted | declared).items() if value},
        )
        async def write(text: str, key: str = "", if_version: str | None = None) -> dict[str, Any]:
            return notes.put(text, if_version=if_version, key=key)

        return Trial(m=m, call=lambda: write("beer"), look=notes.get, edit=lambda: notes.put("tea"))

    return trial


def careful(notes: Notes, record: Record) -> None:
    before: Any = record.before
    notes.put(before["text"], if_version=record.version)


def careless(notes: Notes, record: Record) -> None:
    before: Any = record.before
    notes.put(before["text"])


async def test_an_undo_that_keeps_to_versions_is_proven() -> None:
    proof = await prove_undo(trial_of(careful))

    assert proof.runs > 20
    assert set(proof.for_a_person.values()) == {"conflict"}


@pytest.mark.parametrize(
    ("undo", "declared", "named"),
    [
        (careless, {}, "edited by a person at 'looked'"),
        (careful, {"if_version": None}, "edited by a person at 'snapshot_taken'"),
        (lambda notes, record: None, {}, "it is left as undo_failed"),
        (lambda notes, record: 1 / 0, {}, "done wrongly: it is left as undo_failed"),
        (
            lambda notes, record: notes.put("gin", if_version=record.version),
            {"undoing": Undoing(same=lambda before, now: now["text"] == "gin")},
            "done wrongly: there is {'text': 'gin'",
        ),
        (
            lambda notes, record: notes.put("gin", if_version=record.version),
            {},
            "done wrongly: it is left as ",
        ),
    ],
    ids=[
        "unconditional",
        "unbound call",
        "does nothing",
        "raises",
        "restores something else",
        "writes something else",
    ],
)
async def test_an_undo_that_does_not_hold_is_named(
    undo: Callable[[Notes, Record], object], declared: dict[str, Any], named: str
) -> None:
    with pytest.raises(UnprovenError) as unproven:
        await prove_undo(trial_of(undo, **declared))

    assert named in str(unproven.value)
