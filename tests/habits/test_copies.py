"""Errors of ours travel: copied, deep-copied and pickled, they are what they were."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from bench.growth.patterns import list_modules
from mulligan.runtime.hold import Held
from mulligan.types.action import Hold

WAYS: dict[str, Callable[[object], object]] = {
    "copied": copy.copy,
    "deep-copied": copy.deepcopy,
    **{
        f"pickled by protocol {number}": lambda it, number=number: pickle.loads(
            pickle.dumps(it, number)
        )
        for number in range(pickle.HIGHEST_PROTOCOL + 1)
    },
}
VALUES = {"int": 7, "int | None": 7}


def errors_of_ours() -> list[type[BaseException]]:
    """Every exception class that a module of ours defines, whatever else this process has made."""
    return [
        kind
        for module in list_modules()
        for kind in vars(module).values()
        if isinstance(kind, type)
        and issubclass(kind, BaseException)
        and kind.__module__ == module.__name__
    ]


def made(kind: type[BaseException]) -> BaseException:
    """One of a kind, with something for everything it asks for, an attribute and a note."""
    given, named = [], {}
    takes = inspect.signature(kind.__init__).parameters
    for name, parameter in list(takes.items())[1:]:
        value = VALUES.get(str(parameter.annotation), f"the {name}")
        if parameter.kind is parameter.KEYWORD_ONLY:
            named[name] = value
        elif parameter.kind is not parameter.VAR_KEYWORD:
            given.append(value)
    error = kind(*given, **named)
    error.seen_at = datetime(2026, 11, 15, tzinfo=UTC)
    error.add_note("while dinner was moved")
    return error


def lost(error: BaseException) -> dict[str, object]:
    """What a way of copying loses of an error, by the way; nothing where all is well."""
    kept = (type(error), str(error), error.args, vars(error))
    found: dict[str, object] = {}
    for way, travel in WAYS.items():
        try:
            other = travel(error)
            after = (type(other), str(other), other.args, vars(other))
        except Exception as trouble:
            found[way] = trouble
        else:
            if after != kept:
                found[way] = after
    return found


@pytest.mark.full
def test_an_error_keeps_its_type_message_values_and_notes():
    found = {kind.__name__: lost(made(kind)) for kind in errors_of_ours()}

    assert {name: each for name, each in found.items() if each} == {}
    assert {"AlreadyDoneError", "ChangedSinceError", "UnprovenError", "TryAgainError"} <= {*found}


def test_a_held_call_keeps_its_sentence_and_its_hold():
    hold = Hold(action="a1", expires_at=datetime(2026, 11, 15, 9, tzinfo=UTC), reason="It mails.")
    held = Held(hold, tool="send")

    for way, travel in WAYS.items():
        again = travel(held)
        assert (type(again), str(again), again.hold) == (Held, str(held), hold), way
