"""The error tree, and what its messages say."""

from __future__ import annotations

import re
from datetime import datetime

import pytest

from mulligan.types import errors
from mulligan.types.errors import (
    MissingExtraError,
    MulliganError,
    NaiveTimeError,
    SchemaTooNewError,
    SchemaTooOldError,
)

MESSAGES = [
    # error, the values it must show, the remedy it must name
    (MissingExtraError(need="postgresql://", extra="postgres"),
     ["postgresql://"], 'pip install "mulligan[postgres]"'),
    (NaiveTimeError(name="since", value=datetime(2026, 1, 2)),
     ["since", "2026-01-02 00:00:00"], "Pass an aware datetime"),
    (SchemaTooNewError(store="a.db", found=9, known=3), ["a.db", "9", "3"], "upgrade Mulligan"),
    (SchemaTooOldError(store="a.db", found=1, known=3), ["a.db", "1", "3"], "mulligan migrate"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("error", "values", "remedy"), MESSAGES, ids=[type(m[0]).__name__ for m in MESSAGES]
)
def test_a_message_says_what_is_wrong_with_the_value_and_what_to_do(error, values, remedy):
    message = str(error)

    assert [value for value in values if value not in message] == []
    assert remedy in message
    assert message.endswith(".")
    assert "\n" not in message
    assert len(message) < 200


def drawn_tree() -> dict[str, str | None]:
    """Child and parent of every name in the drawing of the module's docstring."""
    parents: dict[str, str | None] = {}
    path: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        name = re.search(r"\b(\w+Error|NothingDone)\b", line)
        if name is None or not re.fullmatch(r"[\s│├└─]*", line[: name.start()]):
            continue
        depth = (name.start() - 4) // 4
        path[depth:] = [name.group()]
        parents[name.group()] = path[depth - 1] if depth else None
    return parents


def test_the_drawing_of_the_tree_is_the_tree():
    real = {
        name: (None if kind is MulliganError else kind.__bases__[0].__name__)
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, Exception)
    }

    assert drawn_tree() == real


def test_everything_of_ours_is_caught_by_the_root():
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]

    assert len(kinds) > 10
    assert [kind for kind in kinds if not issubclass(kind, MulliganError)] == []
