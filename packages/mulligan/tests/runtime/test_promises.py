"""What doctor says of a tool: no more than its declaration can keep, and what that rests on."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from mulligan import Remote, Undoing
from mulligan.runtime.declaration import declare
from mulligan.runtime.promises import describe_tool, list_promises
from mulligan.types.call import Record
from mulligan.types.effect import Effect, ProbeBy, Repeat


def nothing(record: Record) -> None:
    """Nothing is there."""


def read_id(record: Record) -> object:
    return record.arguments["event_id"]


def change(
    event_id: str, key: str = "", if_version: str | None = None, if_absent: bool = False
) -> None:
    """A tool."""


UNDOABLE: dict[str, Any] = {"effect": Effect.REVERSIBLE, "before": nothing, "undo": nothing}
VERSIONED: dict[str, Any] = UNDOABLE | {"version": nothing, "if_version": "if_version"}
HELD: dict[str, Any] = {"effect": Effect.IRREVERSIBLE}
BY_CALL: dict[str, Any] = {"probe": nothing, "probe_by": ProbeBy.CALL}


def promised(declared: dict[str, Any]) -> str:
    return " ".join(list_promises(declare(change, **declared)))


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        (VERSIONED, "no edit is ever overwritten"),
        (UNDOABLE, "without versions: an edit made since the call can be lost"),
        (UNDOABLE, "an undo without an answer needs attention"),
        (VERSIONED | {"deletes": True}, "An undo that may have been sent is not sent again"),
        (
            VERSIONED | {"undoing": Undoing(compares=False)},
            "between the look and the undo can be lost",
        ),
        (
            VERSIONED | {"deletes": True, "undoing": Undoing(compares=False)},
            "between the look and the undo can be lost",
        ),
        (UNDOABLE, "Declare about=…"),
        (VERSIONED, "held, unless it declares if_absent=…"),
        (
            UNDOABLE | {"remote": Remote(settles_within=timedelta(seconds=2))},
            "only 2 seconds after a write",
        ),
        (UNDOABLE, "unless the state before the call is still there"),
        (UNDOABLE | {"probe": nothing}, "may be a person's edit"),
        (UNDOABLE | BY_CALL, "still not there after 30 seconds"),
        (
            UNDOABLE | BY_CALL | {"remote": Remote(settles_within=timedelta(seconds=5))},
            "still not there after 35 seconds",
        ),
        (UNDOABLE | {"probe": nothing, "key": "key"}, "made again under the same key"),
        (UNDOABLE | {"repeat": Repeat.IDEMPOTENT}, "because it is idempotent. An edit"),
        (VERSIONED | {"repeat": Repeat.IDEMPOTENT}, "because it is idempotent."),
        (HELD | BY_CALL, "never made again automatically"),
        (HELD, "needs attention. Declare probe=…"),
        (HELD, "changed nothing if it raises NothingDone; else"),
        (HELD | {"refuses": ValueError}, "if it raises ValueError or NothingDone; else"),
        (HELD | {"remote": Remote(requests=1)}, "or is one request that was never sent; else"),
        (
            HELD | {"remote": Remote(requests=1, not_processed=True)},
            "or is told to slow down; else",
        ),
        (HELD | {"remote": Remote(not_processed=True)}, "counts only with Remote(requests=1)"),
    ],
)
def test_a_promise_says_what_it_rests_on(declared: dict[str, Any], said: str) -> None:
    assert said in promised(declared)


@pytest.mark.parametrize(
    ("declared", "unsaid"),
    [
        (UNDOABLE | {"about": read_id}, "about=…"),
        (VERSIONED | {"if_absent": "if_absent"}, "if_absent=…"),
        (HELD | BY_CALL | {"key": "key", "repeat": Repeat.KEYED}, "made again under the same key"),
        (HELD | {"remote": Remote(not_processed=True)}, "slow down"),
        ({"effect": Effect.READ}, "NothingDone"),
        ({}, "NothingDone"),
    ],
)
def test_nothing_is_promised_that_cannot_be_kept(declared: dict[str, Any], unsaid: str) -> None:
    assert unsaid not in promised(declared)


def test_the_catalog_names_what_a_tool_declares() -> None:
    declaration = declare(
        change, **UNDOABLE, about=read_id, remote=Remote(requests=1), refuses=ValueError, key="key"
    )

    assert set(describe_tool(declaration).callbacks) == {
        "before", "undo", "about", "key", "requests", "refuses",
    }  # fmt: skip
