"""Checks register themselves, so that one is its own file and its test."""

from __future__ import annotations

import inspect
from importlib import import_module

import pytest

from mulligan.checks.file import KINDS
from mulligan.checks.registry import MODULES, register_reply_check
from mulligan.types.reply import TextCheck


def makers() -> set[str]:
    """Public functions of the modules that return a check."""
    modules = [import_module(name) for name in MODULES]
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

    with pytest.raises(ValueError, match=r"text has a check 'avoids' already"):
        register_reply_check(avoids)
