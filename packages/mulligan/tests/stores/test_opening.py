"""A store is opened by its URL, or refused in one sentence that shows no password."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import traceback
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

from mulligan.stores.opening import GROUP, HIDDEN, OURS, Options, open_store, strip_credentials
from mulligan.stores.postgres.session import check_address
from mulligan.types.errors import (
    ConfigurationError,
    MissingExtraError,
    MulliganError,
    StoreUnavailableError,
    UnknownStoreError,
)
from mulligan_testing.store_contract.contract import find_opener
from tests.strangers import install


@pytest.mark.parametrize("url", ["", "family.db", "sqlite://", "sqlite:///", "mysql://host/x"])
def test_an_unknown_url_is_refused_with_its_value_and_the_forms_there_are(url: str) -> None:
    with pytest.raises(UnknownStoreError) as caught:
        open_store(url)

    message = str(caught.value)
    assert repr(url) in message
    assert all(form in message for form in ("memory:", "sqlite:///", "postgresql://"))


@pytest.mark.parametrize(
    "url",
    [
        "bob:hunter2@h/db",
        "postgres:bob:hunter2@h/db",
        "postgresql:bob:hunter2@h/db",
        "mysql://bob:hunter2/x@h/db",
        "mysql://bob:12/hunter2@h/db",
        "mysql://bob:12?hunter2@h/db",
        "mysql://bob:12#hunter2@h/db",
        "mysql://h/db?pwd=hunter2&token=hunter2",
        "mysql://h/db#hunter2",
        "host=h user=bob password='hunter2 2x'",
        "host=h password=hunter2",
        "sqlite:/x?key=hunter2",
        "sqlite:///x.db?key=hunter2",
        "sqlite://bob:hunter2@h/x.db",
        "hunter2",
        "postgresql://bob:hunter2/x@127.0.0.1:1/db",
        "postgresql://bob:12/hunter2@127.0.0.1:1/db",
        "postgresql://bob:12?hunter2@127.0.0.1:1/db",
        "postgresql://bob:12#hunter2@127.0.0.1:1/db",
        "postgresql://bob:x@hunter2@127.0.0.1:1/db",
        "postgresql://bob:hunter2%zz@127.0.0.1:1/db",
        "postgresql://bob:hunter2@127.0.0.1:1/db?pwd=hunter2",
        "postgresql://bob@127.0.0.1:1/db?password=hunter2&sslkey=hunter2",
        "postgresql://bob@127.0.0.1:hunter2/db",
        "postgresql://[hunter2@127.0.0.1/db",
        "postgresql://bob:hunter2@127.0.0.1:1/db",
    ],
)
def test_no_refusal_shows_a_password_however_the_url_is_written(url: str) -> None:
    with pytest.raises(MulliganError) as caught:
        open_store(url, timeout=timedelta(seconds=0.05))

    told = "".join(traceback.format_exception(caught.value, chain=True))
    shown = "\n".join(line for line in told.splitlines() if not line.startswith("    "))
    assert "hunter2" not in str(caught.value)
    assert "hunter2" not in shown


def test_a_missing_sqlite_file_is_not_created_unless_asked_to(tmp_path) -> None:
    url = f"sqlite:///{tmp_path}/family.db"

    with pytest.raises(StoreUnavailableError, match=r"does not exist: check the path\.") as caught:
        open_store(url, migrate=False)

    assert f"`mulligan migrate --store {url}`" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("migrate", [True, False])
def test_a_missing_folder_is_named(tmp_path, migrate) -> None:
    with pytest.raises(StoreUnavailableError, match=r"cannot be opened.*no folder") as caught:
        open_store(f"sqlite:///{tmp_path}/nowhere/family.db", migrate=migrate)

    assert f"{tmp_path}/nowhere/family.db" in str(caught.value)
    assert "mulligan migrate" not in str(caught.value)


@pytest.mark.parametrize("migrate", [True, False])
def test_a_folder_is_not_taken_for_a_file(tmp_path, migrate) -> None:
    with pytest.raises(StoreUnavailableError, match="is a folder"):
        open_store(f"sqlite:///{tmp_path}", migrate=migrate)


def test_a_relative_path_is_taken_from_where_we_are(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)

    store = open_store("sqlite:///family.db")
    monkeypatch.chdir("/")

    assert store.check_health().url == f"sqlite:///{tmp_path}/family.db"
    assert (tmp_path / "family.db").exists()
    store.close()


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


ROOT = Path(__file__).resolve().parents[2]


def test_ours_are_registered_as_anybody_elses_would_be():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    assert project["entry-points"][GROUP] == OURS


def test_nobody_takes_a_scheme_of_ours(tmp_path, monkeypatch):
    points = {GROUP: {"memory": "thief:open_store"}}
    monkeypatch.syspath_prepend(str(install(tmp_path / "site", "thief", points)))

    store = open_store("memory:")

    assert store.check_health().kind == "memory"
    store.close()


def open_by_url(url: str, name: str = "family") -> str:
    return f"{url} {name}"


def open_as_registered(url: str, options: Options) -> tuple[str, Options]:
    return url, options


def test_the_contract_opens_by_url_and_as_registered():
    assert find_opener(f"{__name__}:open_by_url")("theirs://x") == "theirs://x family"
    assert find_opener(f"{__name__}:open_as_registered")("theirs://x")[1].migrate
    with_ours = find_opener("mulligan.stores.opening:open_store")("memory:")
    with_ours.close()


@pytest.mark.parametrize("url", ["sqlite:///fam\0ily.db", "postgresql://host/\0", "\0"])
def test_a_null_character_in_a_url_is_one_sentence(url):
    with pytest.raises(ConfigurationError, match="null character"):
        open_store(url)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://anna:s3cret@host:5432/db",
        "postgresql://anna:s3c@ret@host/db",
        "postgresql://host/db?user=anna&password=s3cret",
    ],
)
def test_urls_are_shown_without_credentials(url: str) -> None:
    shown = strip_credentials(url)

    assert "s3c" not in shown
    assert "host" in shown
    assert "/db" in shown


def check_url(url: str):
    return check_address(url, store=strip_credentials(url))


def test_what_the_driver_says_is_quoted_where_no_password_can_be_in_it() -> None:
    address = check_url("postgresql://ann:hunter2@db:5432/family")

    assert address.quote(psycopg.OperationalError("no\nroute to db")) == "no route to db"
    assert address.quote(psycopg.OperationalError("bad hunter2")) == "OperationalError"


@pytest.mark.parametrize(
    "url", ["postgresql://ann:hun@ter2@db/family", "host=db password=hunter2 dbname=family"]
)
def test_a_url_that_may_be_misread_is_never_quoted(url: str) -> None:
    address = check_address(url, store=HIDDEN)

    assert address.quote(psycopg.OperationalError("no route to ter2@db")) == "OperationalError"
