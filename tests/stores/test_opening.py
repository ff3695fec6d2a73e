from __future__ import annotations

import subprocess
import sys
from datetime import timedelta

import pytest

from mulligan.core.errors import (
    ConfigurationError,
    MissingExtraError,
    StoreUnavailableError,
    UnknownStoreError,
)
from mulligan.stores.opening import open_store
from mulligan.stores.url import without_credentials


@pytest.mark.parametrize("url", ["", "family.db", "sqlite://", "sqlite:///", "mysql://host/x"])
def test_an_unknown_url_is_refused_with_its_value_and_the_forms_there_are(url: str) -> None:
    with pytest.raises(UnknownStoreError) as caught:
        open_store(url)

    message = str(caught.value)
    assert repr(url) in message
    assert all(form in message for form in ("memory:", "sqlite:///", "postgresql://"))


def test_a_refusal_shows_no_password() -> None:
    with pytest.raises(UnknownStoreError) as caught:
        open_store("redis://anna:hunter2@host/0?password=hunter2")

    assert "hunter2" not in str(caught.value)
    assert "host/0" in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://anna:s3cret@host:5432/db",
        "postgresql://anna:s3c@ret@host/db",
        "postgresql://host/db?user=anna&password=s3cret",
    ],
)
def test_urls_are_shown_without_credentials(url: str) -> None:
    shown = without_credentials(url)

    assert "s3c" not in shown
    assert "host" in shown
    assert "/db" in shown


def test_a_missing_sqlite_file_is_not_created_unless_asked_to(tmp_path) -> None:
    with pytest.raises(StoreUnavailableError, match="does not exist"):
        open_store(f"sqlite:///{tmp_path}/family.db", migrate=False)

    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_named(tmp_path) -> None:
    with pytest.raises(StoreUnavailableError, match=r"cannot be opened.*folder") as caught:
        open_store(f"sqlite:///{tmp_path}/nowhere/family.db")

    assert f"{tmp_path}/nowhere/family.db" in str(caught.value)


def test_a_relative_path_is_taken_from_where_we_are(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)

    store = open_store("sqlite:///family.db")
    monkeypatch.chdir("/")

    assert store.health().url == f"sqlite:///{tmp_path}/family.db"
    assert (tmp_path / "family.db").exists()
    store.close()


def test_a_server_that_is_not_there_is_named_without_its_password() -> None:
    with pytest.raises(StoreUnavailableError) as caught:
        open_store("postgresql://anna:hunter2@127.0.0.1:1/db", patience=timedelta(seconds=0.1))

    assert "127.0.0.1:1/db" in str(caught.value)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("missing", ["psycopg", "cryptography"])
def test_a_missing_extra_is_one_sentence(missing: str, monkeypatch, tmp_path) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == missing]:
        monkeypatch.delitem(sys.modules, name)
    for name in [name for name in sys.modules if name.startswith("mulligan.stores.postgres")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    opened = {"psycopg": "postgresql://host/db", "cryptography": f"sqlite:///{tmp_path}/f.db"}

    with pytest.raises(MissingExtraError, match="pip install") as caught:
        open_store(opened[missing], vault_key=bytes(32) if missing == "cryptography" else None)

    assert caught.value.extra in ("postgres", "encryption")
    assert list(tmp_path.iterdir()) == []


def test_a_key_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="16 bytes"):
        open_store("memory:", vault_key=bytes(16))


def test_importing_the_stores_imports_no_server_driver_and_no_cipher() -> None:
    code = (
        "import sys, mulligan.stores.opening as o; o.open_store('memory:').close();"
        "print(sorted({'psycopg', 'cryptography'} & set(sys.modules)))"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
