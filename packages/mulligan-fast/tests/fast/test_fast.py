"""The compiled form of redaction shows what the pure form shows: the one that is installed, or else
one that is built here from its sources.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType, SimpleNamespace

import pytest

from bench.compiled.build import build_package, import_library
from bench.compiled.equality import build_pairs, compare
from bench.compiled.texts import Decisions
from bench.missing import MissingError
from mulligan.redaction import Capture, Redactor, fast
from mulligan.redaction.fast import RedactionForm, describe_form, find_form
from mulligan.version import VERSION

pytestmark = pytest.mark.full

KEY = bytes(range(32))
VALUES = int(os.environ.get("MULLIGAN_TEST_FAST_VALUES", "4000"))
"""How many random values are compared."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    if find_spec("mulligan_fast") is not None:
        return import_module(fast.MODULE)
    try:
        return import_library(build_package(tmp_path_factory.mktemp("compiled")))
    except MissingError as missing:
        pytest.skip(str(missing))


@pytest.fixture
def compiled(library: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Redactors that may be fast are."""
    monkeypatch.setattr(fast, "find_form", lambda: RedactionForm(library, "compiled"))


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[object], None]]:
    """Put something in the place of what is installed, or nothing."""

    def install(module: object) -> None:
        monkeypatch.setitem(sys.modules, fast.MODULE, module)
        find_form.cache_clear()

    yield install
    find_form.cache_clear()


def test_all_that_can_be_seen_is_the_same_in_both_forms(compiled: None) -> None:
    differences = list(compare(build_pairs(), values=VALUES, seed=5))

    assert differences == []


def test_no_text_is_called_clean_that_a_rule_could_change(library: ModuleType) -> None:
    texts = Decisions(library)

    mistakes = list(texts.compare(values=VALUES, seed=5))

    assert mistakes == []
    assert texts.decided > VALUES / 5


def test_a_walk_keeps_no_references(compiled: None) -> None:
    redactor = Redactor(key=KEY, capture=Capture.FULL)
    name, text, item = "".join(["ti", "tle"]), "a text of its own", object()
    value = {name: text, "tags": [text, item], "place": {"city": text, "x": (item, 1.5)}}
    redactor.redact_value(value)
    held = [sys.getrefcount(each) for each in (name, text, item, value)]

    for _ in range(1_000):
        redactor.redact_value(value)
        redactor.redact_result(value)

    assert [sys.getrefcount(each) for each in (name, text, item, value)] == held


def test_a_dictionary_that_another_thread_changes_is_shown_as_it_was_at_some_moment(
    compiled: None,
) -> None:
    redactor = Redactor(key=KEY, capture=Capture.FULL)
    shared: dict[str, object] = {"title": "a", "tags": ["b"]}
    done = threading.Event()

    def change() -> None:
        number = 0
        while not done.is_set():
            number += 1
            shared[f"f{number % 50}"] = [number]
            shared.pop(f"f{(number + 25) % 50}", None)

    changing = threading.Thread(target=change)
    changing.start()
    shown = [redactor.redact_value(shared) for _ in range(2_000)]
    done.set()
    changing.join()

    assert {type(each) for each in shown} == {dict}
    assert all(each["title"] == "a" for each in shown)  # type: ignore[index]


def test_it_refuses_what_it_cannot_be_made_of(library: ModuleType) -> None:
    tables, pure = fast._build_tables(), (print,) * 6
    known: dict[str, object] = {"open": set(), "ids": set()}

    for wrong in (
        {"key": KEY * 2, "pure": pure, "tables": tables},
        {"key": KEY, "pure": pure[:5], "tables": tables},
        {"key": KEY, "pure": pure, "tables": (b"short", *tables[1:])},
        {"key": KEY, "pure": pure, "tables": (*tables[:2], ("x" * 99,), *tables[3:])},
    ):
        with pytest.raises(ValueError):
            library.Compiled(**known, **wrong)


def test_where_it_is_not_installed_the_pure_form_runs(installed: Callable[[object], None]) -> None:
    installed(None)

    assert Redactor(key=KEY)._compiled is None
    assert describe_form(fast=True) == "pure Python; install mulligan[fast] for the compiled form"


def test_one_that_was_made_for_another_version_is_not_used(
    installed: Callable[[object], None],
) -> None:
    installed(SimpleNamespace(MADE_FOR="0.0.9"))

    assert Redactor(key=KEY)._compiled is None
    assert describe_form(fast=True) == (
        f"pure Python; mulligan-fast was made for 0.0.9, and this is {VERSION}"
    )


def test_it_runs_where_it_fits_and_can_be_switched_off(
    installed: Callable[[object], None], library: ModuleType
) -> None:
    installed(library)

    assert Redactor(key=KEY)._compiled is not None
    assert describe_form(fast=True) == f"compiled (mulligan-fast {VERSION})"
    assert Redactor(key=KEY, fast=False)._compiled is None
    assert describe_form(fast=False) == "pure Python; fast is off"
