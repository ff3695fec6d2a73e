"""Settings: where they come from, what they may be, and what is named in them."""

from __future__ import annotations

import base64
import os
import sys
from datetime import timedelta
from operator import attrgetter
from pathlib import Path

import pytest

from mulligan import MulliganError, Redaction, Retention, Settings
from mulligan.extensions import load_object
from mulligan.redaction import Capture, Hide
from mulligan.settings import GROUPS, SETTINGS
from mulligan.types.errors import ConfigurationError, StoreUnavailableError


def test_without_anything_the_defaults_are_safe(tmp_path: Path) -> None:
    settings = Settings.load(folder=tmp_path, environment={})

    assert settings == Settings()
    assert settings.redaction.capture is Capture.REDACTED
    assert settings.retention.log == timedelta(days=30)


def test_the_environment_wins_over_pyproject(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.mulligan]\nstore = "sqlite:///a.db"\n'
        '[tool.mulligan.redaction]\nallow = ["limit"]\nhide = "all"\n'
        "[tool.mulligan.retention]\nlog = 7\n"
    )
    (tmp_path / "below").mkdir()

    settings = Settings.load(
        folder=tmp_path / "below",
        environment={"MULLIGAN_STORE": "sqlite:///b.db", "MULLIGAN_REDACTION_HIDE": "secrets"},
    )

    assert settings.store == "sqlite:///b.db"
    assert settings.redaction == Redaction(allow=frozenset({"limit"}), hide=Hide.SECRETS)
    assert settings.retention.log == timedelta(days=7)
    assert settings.retention.settled == timedelta(days=90)


@pytest.mark.parametrize("mark", ["", "whsec_"])
def test_keys_are_read_as_base64_and_never_shown(tmp_path: Path, mark: str) -> None:
    key = base64.b64encode(b"k" * 32).decode()

    settings = Settings.load(folder=tmp_path, environment={"MULLIGAN_VAULT_KEY": mark + key})

    assert settings.vault_key == b"k" * 32
    assert key not in repr(settings)
    assert "kkkk" not in repr(settings)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"sample": 0}, "above 0"),
        ({"sample": "many"}, "sample"),
        ({"redaction": {"capture": "everything"}}, "everything"),
        ({"redaction": Redaction(capture="everything")}, "redaction.capture cannot be"),
        ({"redaction": 3}, "[tool.mulligan.redaction]"),
        ({"redaction": {"hid": "all"}}, "Did you mean redaction.hide?"),
        ({"hide": "all"}, "Did you mean redaction.hide?"),
        ({"judge_timeout": 3}, "Did you mean judge_limits.timeout?"),
        ({"spans": "perhaps"}, "perhaps"),
        ({"retention": {"log": -1}}, "more than 0"),
        ({"redaction": {"allow": 3}}, "list of names"),
        ({"redaction": {"key": "no base64!"}}, "<hidden>"),
        ({"memory": {"control": 1}}, "from 0 to below 1"),
        ({"vault_key": "no base64!"}, "<hidden>"),
        ({"stroe": "x"}, "no setting 'stroe'"),
        ({"store": 3}, "text"),
        ({"stroe": "x"}, "Did you mean store?"),
        ({"attempts": 0}, "at least 1"),
        ({"judge_limits": {"tokens": 0}}, "at least 1"),
        ({"judge_limits": {"undos": -1}}, "0 or more"),
        ({"hold_life": 0}, "no answer could ever be"),
        ({"judge_limits": {"timeout": -1}}, "no answer could ever be"),
        ({"outside": "maybe"}, "'turn', 'run', 'refuse'"),
    ],
)
def test_a_bad_value_is_named_with_the_way_out(values: dict[str, object], says: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Settings().with_values(**values)

    assert says in str(caught.value)
    assert "no base64!" not in str(caught.value)


def test_a_table_changes_of_a_group_what_it_names() -> None:
    mine = Settings().with_values(retention=Retention(settled=timedelta(days=5)))

    settings = mine.with_values(retention={"log": 3})

    assert settings.retention.settled == timedelta(days=5)
    assert settings.retention.log == timedelta(days=3)


def test_a_relative_store_lies_beside_the_file_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.mulligan]\nstore = "sqlite:///a.db"\n')
    (tmp_path / "below").mkdir()

    settings = Settings.load(folder=tmp_path / "below", environment={})

    assert settings.store == f"sqlite:///{tmp_path}/a.db"


@pytest.mark.parametrize(
    "text",
    [
        "[tool.mulligan]\nstroe = 3\n",
        "[tool]\nmulligan = 3\n",
        "[tool.mulligan]\nsample = 7\n",
        "[tool.mulligan\n",
        "[tool.mulligan]\nwaivers = " + "[" * 3_000 + "]" * 3_000,
    ],
)
def test_a_mistake_in_pyproject_is_told_with_the_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)

    with pytest.raises(MulliganError, match=r"pyproject\.toml"):
        Settings.load(folder=tmp_path, environment={})


def test_a_setting_that_is_nested_without_end_is_told_by_its_name(tmp_path: Path) -> None:
    environment = {"MULLIGAN_WAIVERS": "[" * 3_000 + "]" * 3_000}

    with pytest.raises(MulliganError, match="setting waivers cannot be"):
        Settings.load(folder=tmp_path, environment=environment)


@pytest.mark.skipif(os.name != "posix", reason="files have no modes here")
def test_settings_that_others_can_write_are_not_used(tmp_path: Path) -> None:
    planted = tmp_path / "pyproject.toml"
    planted.write_text('[tool.mulligan]\ncapture = "full"\n')
    planted.chmod(0o666)
    (tmp_path / "work").mkdir()

    with pytest.raises(ConfigurationError, match=r"not used: .*mode is 0666.*chmod 600") as raised:
        Settings.load(folder=tmp_path / "work", environment={})

    assert "\n" not in str(raised.value)
    if os.geteuid() == 0:  # only root gives files away
        planted.chmod(0o600)
        os.chown(planted, 4321, 4321)
        with pytest.raises(ConfigurationError, match=r"another user \(number 4321\)"):
            Settings.load(folder=tmp_path, environment={})


@pytest.mark.skipif(os.name != "posix", reason="files have no modes here")
def test_a_pyproject_that_sets_nothing_of_ours_is_nobody_s_concern(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'shop'\n")
    (tmp_path / "pyproject.toml").chmod(0o666)

    assert Settings.load(folder=tmp_path, environment={}) == Settings()


def test_every_field_can_be_set_and_those_of_a_group_by_both_names() -> None:
    parts = {f"{group}.{name}" for group in GROUPS for name in GROUPS[group].__struct_fields__}

    assert SETTINGS.keys() == {*Settings.__struct_fields__} - GROUPS.keys() | parts


def test_there_are_no_more_settings_than_anybody_holds() -> None:
    assert len(Settings.__struct_fields__) <= 30


def test_a_store_that_cannot_be_read_is_not_quoted_either() -> None:
    with pytest.raises(ConfigurationError) as caught:
        Settings().with_values(store=b"postgresql://me:hunter2@host/db")

    assert "The setting store cannot be <hidden>: it must be text." in str(caught.value)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("MULLIGAN_STOER", "Did you mean MULLIGAN_STORE"),
        ("MULLIGAN_XYZZY", r"MULLIGAN_XYZZY.*There are: .*MULLIGAN_ATTEMPTS"),
        ("MULLIGAN_RETENTION", "MULLIGAN_RETENTION sets nothing"),
    ],
)
def test_a_variable_that_sets_nothing_is_refused_with_those_that_do(name: str, says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        Settings.load(folder=Path("/"), environment={name: "1"})


def test_variables_of_tests_and_of_others_are_left_alone() -> None:
    others = {"MULLIGAN_TEST_POSTGRES": "x", "MULLIGANS": "y", "PATH": "/bin"}

    assert Settings.load(folder=Path("/"), environment=others) == Settings()


@pytest.mark.parametrize(
    ("name", "text", "setting", "value"),
    [
        ("ATTEMPTS", "3", "attempts", 3),
        ("HOLD_LIFE", "60", "hold_life", timedelta(minutes=1)),
        ("JUDGE_LIMITS_TIMEOUT", "2.5", "judge_limits.timeout", timedelta(seconds=2.5)),
        ("JUDGE_LIMITS_TOKENS", "200", "judge_limits.tokens", 200),
        ("TIMEZONE", "Europe/Berlin", "timezone", "Europe/Berlin"),
        ("OUTSIDE", "refuse", "outside", "refuse"),
        ("RETENTION_LEARNED", "7", "retention.learned", timedelta(days=7)),
        ("SPANS", "off", "spans", False),
    ],
)
def test_a_setting_may_come_from_the_environment(
    name: str, text: str, setting: str, value: object
) -> None:
    settings = Settings.load(folder=Path("/"), environment={f"MULLIGAN_{name}": text})

    assert attrgetter(setting)(settings) == value


def test_the_lease_is_given_in_seconds(tmp_path: Path) -> None:
    settings = Settings.load(folder=tmp_path, environment={"MULLIGAN_LEASE": "0.5"})

    assert Settings().lease == timedelta(seconds=30)
    assert settings.lease == timedelta(milliseconds=500)
    assert Settings().with_values(lease=timedelta(minutes=1)).lease == timedelta(minutes=1)
    with pytest.raises(ConfigurationError, match=r"lease is .* for example 30"):
        Settings().with_values(lease=0)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "family_of_a_test.py").write_text("class Desk:\n    m = 7\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


def test_what_is_named_is_found_in_the_current_folder_also_inside_something(folder: Path) -> None:
    assert load_object("family_of_a_test:Desk.m", option="--app") == 7


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
