from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mulligan.settings import load_object
from mulligan.types.errors import ConfigurationError, StoreUnavailableError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "family_of_a_test.py").write_text("class Desk:\n    m = 7\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "family_of_a_test", raising=False)
    return tmp_path


def test_what_is_named_is_found_in_the_current_folder_also_inside_something(folder: Path) -> None:
    assert load_object("family_of_a_test:Desk.m", option="--app") == 7


@pytest.mark.parametrize("name", ["family_of_a_test", ":m", "family_of_a_test:", ""])
def test_a_name_of_one_part_is_refused_with_an_example(folder: Path, name: str) -> None:
    with pytest.raises(ConfigurationError, match=r"--app .* names nothing.*family\.agent:m"):
        load_object(name, option="--app")


@pytest.mark.parametrize("name", ["no_such_module_at_all:m", "family_of_a_test:Desk.n"])
def test_what_is_not_there_is_a_sentence_and_no_traceback(folder: Path, name: str) -> None:
    with pytest.raises(ConfigurationError, match="cannot be loaded"):
        load_object(name, option="--app")


@pytest.mark.parametrize(
    "text", ["raise ValueError('sk-ant-secret')", "import sys; sys.exit(0)", "def broken(:"]
)
def test_a_module_that_ends_at_its_import_is_named_with_its_line_and_not_its_words(
    folder: Path, text: str
) -> None:
    (folder / "family_that_ends.py").write_text(text)

    with pytest.raises(ConfigurationError, match=r"family_that_ends\.py, line 1") as raised:
        load_object("family_that_ends:m", option="--app")

    assert "secret" not in str(raised.value)


def test_what_we_say_ourselves_at_its_import_is_said_as_it_is(folder: Path) -> None:
    (folder / "family_without_a_store.py").write_text(
        "from mulligan.types.errors import StoreUnavailableError\n"
        "raise StoreUnavailableError('The vault is locked with another key.')\n"
    )

    with pytest.raises(StoreUnavailableError, match="locked with another key"):
        load_object("family_without_a_store:m", option="--app")
