from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from mulligan.runtime.tool_settings import require_function
from mulligan.types.call import Record
from mulligan.types.errors import ConfigurationError


class Account:
    def undo(self, record: Record) -> None:
        """Take it back."""

    def __call__(self, record: Record, /, *, hard: bool = False) -> None:
        """Take it back."""


def undo_for(user: str, record: Record) -> None:
    """Take it back."""


@pytest.mark.parametrize(
    "function",
    [Account().undo, Account(), partial(undo_for, "ann"), lambda *args: None, dict, print],
)
def test_what_takes_a_record_is_a_function_of_it(function: Callable[..., object]) -> None:
    require_function(function, name="undo", of="move")


@pytest.mark.parametrize(
    ("function", "name", "wanted"),
    [
        (3, "undo", "record"),
        (lambda: None, "undo", "record"),
        (Account.undo, "undo", "record"),
        (undo_for, "undo", "record"),
        (lambda record, *, user: None, "undo", "record"),
        (lambda state: True, "same", "state, other"),
        (lambda: True, "in_progress", "error"),
    ],
)
def test_what_could_not_be_called_when_it_is_needed_is_refused(
    function: object, name: str, wanted: str
) -> None:
    with pytest.raises(ConfigurationError, match=rf"{name}.*\({wanted}\)"):
        require_function(function, name=name, of="move")
