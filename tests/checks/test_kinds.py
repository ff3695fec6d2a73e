"""Checks register themselves, so that one is its own file and its test."""

from __future__ import annotations

import inspect
from importlib import import_module
from pkgutil import iter_modules

import pytest

from mulligan.checks.file import KINDS
from mulligan.checks.kinds import ROOMS, register_reply_check
from mulligan.core.text import TextCheck


def makers() -> set[str]:
    """Public functions of the rooms that return a check."""
    modules = [
        import_module(found.name)
        for room in ROOMS
        for found in iter_modules(import_module(room).__path__, f"{room}.")
    ]
    return {
        name
        for module in modules
        for name, made in inspect.getmembers(module, inspect.isfunction)
        if inspect.signature(made).return_annotation == "TextCheck" and not name.startswith("_")
    }


def test_every_check_of_replies_is_registered():
    assert makers() == set(KINDS)
    assert "avoids" in KINDS
    assert list(KINDS) == sorted(KINDS)


def test_a_name_that_is_taken_is_refused():
    def avoids() -> TextCheck:
        raise NotImplementedError

    with pytest.raises(ValueError, match=r"vocabulary has a check 'avoids' already"):
        register_reply_check(avoids)
