from __future__ import annotations

import base64
import os
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec import Struct

from mulligan import MulliganError, Redaction, Retention, Settings
from mulligan.redaction import Capture, Hide
from mulligan.settings import GROUPS, SETTINGS, _list_settings
from mulligan.types.errors import ConfigurationError


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
        environment={
            "MULLIGAN_STORE": "sqlite:///b.db",
            "MULLIGAN_SPANS": "off",
            "MULLIGAN_REDACTION_HIDE": "secrets",
        },
    )

    assert settings.store == "sqlite:///b.db"
    assert settings.redaction == Redaction(allow=frozenset({"limit"}), hide=Hide.SECRETS)
    assert settings.retention.log == timedelta(days=7)
    assert settings.retention.settled == timedelta(days=90)
    assert settings.spans is False


def test_keys_are_read_as_base64_and_never_shown(tmp_path: Path) -> None:
    key = base64.b64encode(b"k" * 32).decode()

    settings = Settings.load(folder=tmp_path, environment={"MULLIGAN_VAULT_KEY": key})

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
        ({"hold_life": 0}, "nobody could ever answer"),
        ({"judge_limits": {"timeout": -1}}, "nobody could ever answer"),
        ({"outside": "maybe"}, "'turn', 'run', 'refuse'"),
    ],
)
def test_a_bad_value_is_named_with_the_way_out(values: dict[str, object], says: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Settings().with_values(**values)

    assert says in str(caught.value)
    assert "no base64!" not in str(caught.value)


def test_how_long_what_was_learned_from_is_kept_may_come_from_the_environment() -> None:
    settings = Settings.load(folder=Path("/"), environment={"MULLIGAN_RETENTION_LEARNED": "7"})

    assert settings.retention == Retention(learned=timedelta(days=7))


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
    ["[tool.mulligan]\nstroe = 3\n", "[tool]\nmulligan = 3\n", "[tool.mulligan]\nsample = 7\n"],
)
def test_a_mistake_in_pyproject_is_told_with_the_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)

    with pytest.raises(ConfigurationError, match=r"pyproject\.toml"):
        Settings.load(folder=tmp_path, environment={})


@pytest.mark.skipif(os.name != "posix", reason="files have no modes here")
def test_settings_that_anybody_can_write_are_not_used(tmp_path: Path) -> None:
    planted = tmp_path / "pyproject.toml"
    planted.write_text('[tool.mulligan]\ncapture = "full"\n')
    planted.chmod(0o666)
    (tmp_path / "work").mkdir()

    with pytest.raises(ConfigurationError, match=r"not used: .*mode is 0666.*chmod 600") as raised:
        Settings.load(folder=tmp_path / "work", environment={})

    assert "\n" not in str(raised.value)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root gives files away")
def test_settings_of_another_user_are_not_used(tmp_path: Path) -> None:
    planted = tmp_path / "pyproject.toml"
    planted.write_text("[tool.mulligan]\njudge_limits = { undos = 1000000 }\n")
    os.chown(planted, 4321, 4321)

    with pytest.raises(ConfigurationError, match=r"another user \(number 4321\)"):
        Settings.load(folder=tmp_path, environment={})


@pytest.mark.skipif(os.name != "posix", reason="files have no modes here")
def test_a_pyproject_that_sets_nothing_of_ours_is_nobody_s_concern(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'shop'\n")
    (tmp_path / "pyproject.toml").chmod(0o666)

    assert Settings.load(folder=tmp_path, environment={}) == Settings()


def test_a_broken_pyproject_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.mulligan\n")

    with pytest.raises(MulliganError, match="cannot be read"):
        Settings.load(folder=tmp_path, environment={})


def test_every_field_can_be_set_and_those_of_a_group_by_both_names() -> None:
    parts = {f"{group}.{name}" for group in GROUPS for name in GROUPS[group].__struct_fields__}

    assert SETTINGS.keys() == {*Settings.__struct_fields__} - GROUPS.keys() | parts


def test_there_are_no_more_settings_than_anybody_holds() -> None:
    assert len(Settings.__struct_fields__) < 30


def test_a_store_that_cannot_be_read_is_not_quoted_either() -> None:
    with pytest.raises(ConfigurationError) as caught:
        Settings().with_values(store=b"postgresql://me:hunter2@host/db")

    assert "The setting store cannot be <hidden>: it must be text." in str(caught.value)
    assert "hunter2" not in str(caught.value)


class Odd(Struct):
    planted: complex = 0j


def test_a_setting_of_a_type_that_nobody_can_read_is_named_at_once() -> None:
    with pytest.raises(TypeError, match="planted is of type <class 'complex'>"):
        list(_list_settings(Odd))


def test_a_misspelt_variable_is_refused_with_the_nearest_that_there_is() -> None:
    with pytest.raises(ConfigurationError, match="Did you mean MULLIGAN_STORE"):
        Settings.load(folder=Path("/"), environment={"MULLIGAN_STOER": "sqlite:///a.db"})


def test_a_variable_that_is_like_none_is_refused_with_all_that_there_are() -> None:
    with pytest.raises(ConfigurationError, match=r"MULLIGAN_XYZZY.*There are: .*MULLIGAN_ATTEMPTS"):
        Settings.load(folder=Path("/"), environment={"MULLIGAN_XYZZY": "1"})


@pytest.mark.parametrize("name", ["MULLIGAN_RETENTION", "MULLIGAN_BACKOFF"])
def test_a_group_is_no_variable_but_each_of_its_parts_is(name: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{name} sets nothing"):
        Settings.load(folder=Path("/"), environment={name: "1"})


def test_variables_of_tests_and_of_others_are_left_alone() -> None:
    others = {"MULLIGAN_TEST_POSTGRES": "x", "MULLIGANS": "y", "PATH": "/bin"}

    assert Settings.load(folder=Path("/"), environment=others) == Settings()


def test_the_limits_may_come_from_the_environment() -> None:
    settings = Settings.load(
        folder=Path("/"),
        environment={
            "MULLIGAN_ATTEMPTS": "3",
            "MULLIGAN_HOLD_LIFE": "60",
            "MULLIGAN_JUDGE_LIMITS_TIMEOUT": "2.5",
            "MULLIGAN_JUDGE_LIMITS_TOKENS": "200",
            "MULLIGAN_TIMEZONE": "Europe/Berlin",
            "MULLIGAN_OUTSIDE": "refuse",
        },
    )

    assert (settings.attempts, settings.judge_limits.tokens) == (3, 200)
    assert settings.hold_life == timedelta(minutes=1)
    assert settings.judge_limits.timeout == timedelta(seconds=2.5)
    assert settings.timezone == "Europe/Berlin"
    assert settings.outside == "refuse"


def test_a_loop_is_one_that_there_is(tmp_path: Path) -> None:
    assert Settings.load(folder=tmp_path, environment={"MULLIGAN_LOOP": "once"}).loop == "once"
    with pytest.raises(ConfigurationError, match="reflect, once"):
        Settings.load(folder=tmp_path, environment={"MULLIGAN_LOOP": "twice"})


def test_the_lease_is_given_in_seconds(tmp_path: Path) -> None:
    settings = Settings.load(folder=tmp_path, environment={"MULLIGAN_LEASE": "0.5"})

    assert Settings().lease == timedelta(seconds=30)
    assert settings.lease == timedelta(milliseconds=500)
    assert Settings().with_values(lease=timedelta(minutes=1)).lease == timedelta(minutes=1)
    with pytest.raises(ConfigurationError, match=r"lease is .* 30 for example"):
        Settings().with_values(lease=0)
