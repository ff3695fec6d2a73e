"""What an application may set, and the only place that reads the environment."""

from __future__ import annotations

import base64
import binascii
import json
import logging
import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import timedelta
from difflib import get_close_matches
from enum import StrEnum
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple, Self, cast, get_type_hints
from urllib.parse import urlsplit

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from mulligan.extensions import load_object
from mulligan.learning.fingerprint import score_shared_words
from mulligan.redaction import Capture, Hide, Redactor
from mulligan.types.action import HOLD_LIFE
from mulligan.types.effect import Mode, Outside
from mulligan.types.errors import (
    ConfigurationError,
    HiddenSecretError,
    StoreUnavailableError,
)
from mulligan.types.finding import Waiver, read_waivers
from mulligan.types.interfaces import LEASE, Similarity, Store
from mulligan.types.lesson import ErrorRule, read_error_rules
from mulligan.types.limits import (
    ATTEMPTS,
    STUCK_AFTER,
    Backoff,
    JudgeLimits,
    Retention,
    Seconds,
)
from mulligan.types.private_files import refuse_unsafe
from mulligan.types.values import hide_fields, set_enums


def _parse_text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("it must be text")
    return value


def _parse_bool(value: object) -> bool:
    if isinstance(value, bool):
        return value
    match str(value).strip().lower():
        case "1" | "true" | "yes" | "on":
            return True
        case "0" | "false" | "no" | "off":
            return False
        case _:
            raise ValueError("say true or false")


def _parse_names(value: object) -> frozenset[str]:
    if isinstance(value, str):
        return frozenset(part.strip() for part in value.split(",") if part.strip())
    if isinstance(value, (list, tuple, set, frozenset)):
        return frozenset(_parse_text(part) for part in value)
    raise TypeError("it must be a list of names")


def _parse_number(value: object) -> float:
    if isinstance(value, (int, float, str)) and not isinstance(value, bool):
        return float(value)
    raise TypeError("it must be a number")


def _parse_days(value: object) -> timedelta:
    if isinstance(value, timedelta):
        return value
    days = _parse_number(value)
    if days <= 0:
        raise ValueError("it must be more than 0 days")
    return timedelta(days=days)


def _parse_seconds(value: object) -> timedelta:
    return value if isinstance(value, timedelta) else timedelta(seconds=_parse_number(value))


def _parse_key(value: object) -> bytes | None:
    if value is None or isinstance(value, bytes):
        return value
    return base64.b64decode(_parse_text(value).removeprefix("whsec_"), validate=True)


def _parse_whole_number(value: object) -> int:
    number = _parse_number(value)
    if number != int(number):
        raise ValueError("it must be a whole number")
    return int(number)


def _parse_choice(kind: type[StrEnum], value: object) -> StrEnum:
    try:
        return kind(str(value))
    except ValueError as error:
        known = ", ".join(repr(each.value) for each in kind)
        raise ValueError(f"say one of {known}") from error


class WebhookForm(StrEnum):
    """What a notification looks like."""

    JSON = "json"
    SLACK = "slack"


class SettingForm(NamedTuple):
    """How values of one type are given."""

    says: str
    """To a person: how it is written in a file or in the environment."""
    read: Callable[[object], object]


def _build_choice(kind: type[StrEnum]) -> SettingForm:
    return SettingForm(" or ".join(f"`{each}`" for each in kind), partial(_parse_choice, kind))


def _build_tables(read: Callable[[Any], object]) -> SettingForm:
    return SettingForm(
        "a list of tables; as text in JSON",
        lambda value: read(json.loads(value) if isinstance(value, str) else value),
    )


FORMS: Mapping[object, SettingForm] = {
    str: SettingForm("text", _parse_text),
    bool: SettingForm("`true` or `false`", _parse_bool),
    bool | None: SettingForm(
        "`true` or `false`", lambda value: None if value is None else _parse_bool(value)
    ),
    float: SettingForm("a number", _parse_number),
    int: SettingForm("a whole number", _parse_whole_number),
    frozenset[str]: SettingForm("a list of names; as text with commas between them", _parse_names),
    bytes | None: SettingForm("base64", _parse_key),
    timedelta: SettingForm("days", _parse_days),
    Seconds: SettingForm("seconds", _parse_seconds),
    Capture: _build_choice(Capture),
    Hide: _build_choice(Hide),
    Mode: _build_choice(Mode),
    Outside: _build_choice(Outside),
    WebhookForm: _build_choice(WebhookForm),
    tuple[ErrorRule, ...]: _build_tables(read_error_rules),
    tuple[Waiver, ...]: _build_tables(read_waivers),
    str | Similarity: SettingForm(
        "text; in Python also a function",
        lambda value: value if callable(value) else _parse_text(value),
    ),
}
"""How each type of setting is given: a new setting of one of these types is a field, no more."""


PREFIX = "MULLIGAN_"
TEST_PREFIX = "MULLIGAN_TEST_"
"""Variables of test suites, ours and those of programs that build on us: no settings."""


SECRET = ("store", "otlp", "vault_key", "key", "url")
"""Settings that hold a password or a key, or may."""


@hide_fields("key")
class Redaction(Struct, frozen=True, kw_only=True):
    """What of a call the log and the pages show."""

    capture: Capture = Capture.REDACTED
    """`full` logs parameters and results raw less secrets: for development only."""
    hide: Hide = Hide.PERSONAL
    """What is hidden in text that stays readable, such as errors: `secrets`; `personal` also hides
    personal data; `all` also UUIDs, ids, addresses and every long number."""
    allow: frozenset[str] = frozenset()
    """Parameters that the log shows as they are, less secrets."""
    key: bytes | None = None
    """The key of the log's hashes. `None`: the store's own secret."""
    fast: bool = True
    """Redact and log calls in compiled code where `mulligan[fast]` is installed. What is shown is
    the same."""


class Memory(Struct, frozen=True, kw_only=True):
    """What is learned from failures, and who gets advice."""

    on: bool = True
    """Record how failures ended, and learn lessons from them."""
    control: float = 0.05
    """The control group: the share of failures with a lesson that get none, so that the lift can
    be measured."""
    seeds: bool = True
    """Start with curated lessons that fit any tool. They are only suggested."""
    similarity: str | Similarity = ""
    """The function that scores how similar two errors are, as `module:name`, such as one that
    compares embeddings. By default the words they share."""
    unadvised: frozenset[str] = frozenset()
    """Agents that get a tool's errors as they are, without advice or corrections."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.control < 1.0:
            raise ConfigurationError(
                f"control is {self.control}; it is the share of failures that memory leaves "
                "alone, from 0 to below 1."
            )

    def measure(self) -> Similarity:
        """The function that says how alike two errors are."""
        if not self.similarity:
            return score_shared_words
        named = self.similarity
        found = load_object(named, option="similarity") if isinstance(named, str) else named
        if not callable(found):
            raise ConfigurationError(
                f"similarity {named!r} is no function. It takes a text and a list of others, and "
                "answers with a number from 0 to 1 for each."
            )
        return cast("Similarity", found)


LEAST_KEY = 24
"""Bytes of a key that signs."""


@hide_fields("url", "key")
class Webhook(Struct, frozen=True, kw_only=True):
    """Who hears of actions that need a person."""

    url: str = ""
    """Where each is posted to, once it is held or needs attention. Empty: nowhere."""
    key: bytes | None = None
    """What signs each message, at least 24 bytes; `slack` needs none."""
    form: WebhookForm = WebhookForm.JSON
    """`json`, or `slack` for an incoming webhook of Slack."""
    page: str = ""
    """Where the dashboard is, such as `https://dash.example.com`: messages link to its page of the
    action."""

    def __post_init__(self) -> None:
        set_enums(self, form=WebhookForm)
        for name, address in (("url", self.url), ("page", self.page)):
            if address and not _is_web_address(address):
                raise ConfigurationError(
                    f"webhook.{name} is no address: it is like https://hooks.example.com/mulligan, "
                    "without a user, a password or a fragment."
                )
        if self.key is not None and len(self.key) < LEAST_KEY:
            raise ConfigurationError(
                f"webhook.key has {len(self.key)} bytes and needs {LEAST_KEY}. Make one with "
                "`openssl rand -base64 32`."
            )


def _is_web_address(address: str) -> bool:
    try:
        read = urlsplit(address)
        _ = read.port
    except ValueError:
        return False
    plain = address.isascii() and address.isprintable() and not set(address) & set(' "<>\\^`{|}')
    web = read.scheme in ("http", "https") and bool(read.hostname)
    return plain and web and "@" not in read.netloc and not read.fragment


@hide_fields(*SECRET)
class Settings(Struct, frozen=True, kw_only=True):
    """Everything that can be set. Arguments win over the environment, that over pyproject.toml."""

    store: str = "memory:"
    """Where everything is kept, as a URL: `memory:`, `sqlite:///path.db` or `postgresql://…`.
    Never shown, as it may hold a password."""
    tenant: str = ""
    """The tenant whose data this is, where several share a store; a turn may name another."""
    sample: float = 1.0
    """The share of first-try successes that the log keeps. Failures are always kept. Each kept row
    is weighted for those that are not, so figures are of all calls."""
    spans: bool | None = None
    """Make OpenTelemetry spans. `None`: if the application has set up OpenTelemetry."""
    otlp: str = ""
    """The OpenTelemetry collector that gets calls, actions and findings over HTTP, such as
    `http://127.0.0.1:4318`; needs `mulligan[otlp]`. Empty: nothing is sent."""
    vault_key: bytes | None = None
    """A key of 32 bytes: the vault is then encrypted, and the store signed."""
    redaction: Redaction = field(default_factory=Redaction)
    """What of a call the log and the pages show."""
    retention: Retention = field(default_factory=Retention)
    """How long each kind of record is kept."""
    memory: Memory = field(default_factory=Memory)
    """What is learned from failures, and who gets advice."""
    webhook: Webhook = field(default_factory=Webhook)
    """Who hears of actions that need a person."""
    judge_limits: JudgeLimits = field(default_factory=JudgeLimits)
    """What a judge may take, and do."""
    backoff: Backoff = field(default_factory=Backoff)
    """How long a failed call waits before it is made again."""
    keep_replies: bool = True
    """Keep replies in the vault as long as `retention.kept` says, to try other checks on them."""
    app: str = ""
    """The application that has the tools' code, as `module:name`: commands load it to undo and
    run calls."""
    unlogged: frozenset[str] = frozenset()
    """Agents whose calls are not logged. Their effects are still in the journal, and their failures
    still teach lessons."""
    error_rules: tuple[ErrorRule, ...] = ()
    """Your own rules for errors, tried first and in this order. In a file: a list of tables."""
    recover: bool = True
    """Run recovery in the background while turns run; else only when `m.recover()` is called."""
    mode: Mode = Mode.AUTO
    """How far Mulligan goes at most, whatever a tool declares. `off`: tools run, and replies are
    sent, as if it were not there; `observe`: calls are only logged; `shadow`: they are also
    reviewed, and what would have been done is reported; `suggest`: no correction is applied by
    itself. Recovery handles what was left open before in every mode."""
    strict: bool = False
    """Hold calls of tools that declare no effect, until a person approves them."""
    outside: Outside = Outside.TURN
    """What happens to a call with an effect outside any turn. `turn`: it is a turn of its own:
    recorded, checked and held like any other; `run`: it is made and only logged; `refuse`: it
    is an error."""
    checks: frozenset[str] = frozenset()
    """Checks of what agents do, by name: `standard`, and those that installed packages bring."""
    waivers: tuple[Waiver, ...] = ()
    """Rules whose findings are muted, only warn, or reject, of all tools or one, until a day, with
    a reason. In a file: a list of tables."""
    attempts: int = ATTEMPTS
    """How many attempts an agent has at one request, the first included."""
    stuck_after: int = STUCK_AFTER
    """How often the same call may fail with the same error in one turn before it raises a
    `StuckError` instead of being made again. 0: no limit."""
    timezone: str = ""
    """The IANA time zone of turns that name none. Without one, no date of such a turn is
    resolved."""
    hold_life: Seconds = HOLD_LIFE
    """How long a held call waits for approval, and an approved one for its process."""
    lease: Seconds = LEASE
    """How long this process may be silent before others take over its actions. It sends three
    heartbeats in that time."""
    migrate: bool = True
    """Upgrade an older store when the application opens it."""
    row_security: bool = False
    """Postgres only: refuse a store with a table that row-level security does not protect; with
    `migrate`, protect it. `mulligan access` grants what a role sees."""

    def __post_init__(self) -> None:
        if not 0.0 < self.sample <= 1.0:
            raise ConfigurationError(
                f"sample is {self.sample}; it is the share of successes to keep, "
                "above 0 and up to 1."
            )

        if self.attempts < 1:
            raise ConfigurationError(f"attempts is {self.attempts}; it is at least 1.")

        if self.stuck_after < 0:
            raise ConfigurationError(f"stuck_after is {self.stuck_after}; it is at least 0.")

        if self.hold_life <= timedelta(0):
            raise ConfigurationError(
                f"hold_life is {self.hold_life}; no answer could ever be in time: say how many "
                "seconds there are."
            )

        if self.lease <= timedelta(0):
            raise ConfigurationError(
                f"lease is {self.lease}; other processes would never wait for this one: say how "
                "many seconds they wait, for example 30."
            )

    @classmethod
    def load(
        cls, *, folder: Path | None = None, environment: Mapping[str, str] | None = None
    ) -> Self:
        """Read `[tool.mulligan]` of the nearest pyproject.toml, then the environment."""
        found = _from_pyproject(folder or _find_folder())
        source = os.environ if environment is None else environment
        _refuse_unknown_variables(source)
        for setting in SETTINGS.values():
            if said := source.get(setting.variable):
                group, name = setting.group, setting.field
                told = {group: {**found.get(group, {}), name: said}} if group else {name: said}
                found = found | told
        return cls().with_values(**found)

    def drop_code(self) -> Self:
        """These settings without what would have to be imported: errors are compared by words."""
        if not isinstance(self.memory.similarity, str):
            return self
        return replace(self, memory=replace(self.memory, similarity=""))

    def list_shown(self) -> frozenset[str] | None:
        """Arguments whose texts the log shows of every tool; `None` for all of them."""
        return None if self.redaction.capture is Capture.FULL else self.redaction.allow

    def build_redactor(self, store: Store, *, to_decide: bool = False) -> Redactor:
        """What takes secrets out of everything that is logged or shown, with the store's key.

        `to_decide`: for a reader who has to see whom a call is about, where people are hidden by
        default.
        """
        said = self.redaction
        people = to_decide and said.hide is Hide.PERSONAL
        secret, hidden = _load_secret(store)
        return Redactor(
            key=said.key or secret,
            # The store's own: everyone who shares it must know a tenant by the same identity.
            identity_key=secret,
            no_names=hidden,
            allow=said.allow,
            capture=said.capture,
            hide=Hide.SECRETS if people else said.hide,
            fast=said.fast,
        )

    def with_values(self, **values: object) -> Self:
        """These settings with some values replaced, each given as itself or as text, and those of
        a group also as a table."""
        read = {
            name: self._read_group(name, value)
            if name in GROUPS
            else _find_setting(name).read(value)
            for name, value in values.items()
        }
        return replace(self, **read)

    def _read_group(self, name: str, value: object) -> Struct:
        kind = GROUPS[name]
        if isinstance(value, kind):
            value = asdict(value)
        if not isinstance(value, Mapping):
            raise ConfigurationError(
                f"The setting {name} cannot be {value!r}: pass {kind.__name__}(…); in a file it is "
                f"the table [tool.mulligan.{name}]."
            )
        given = {each: _find_setting(f"{name}.{each}").read(said) for each, said in value.items()}
        return cast("Struct", replace(getattr(self, name), **given))


class Setting(Struct, frozen=True, kw_only=True):
    """One thing that can be set, as its field declares it."""

    owner: type
    """The class that has it: `Settings`, or a group of them."""
    group: str
    """The setting that it is a part of; empty: none."""
    field: str
    form: SettingForm
    default: object

    @property
    def name(self) -> str:
        """What it is called: `redaction.hide`."""
        return f"{self.group}.{self.field}" if self.group else self.field

    @property
    def variable(self) -> str:
        """What it is called in the environment."""
        return PREFIX + self.name.replace(".", "_").upper()

    def read(self, value: object) -> object:
        """A value given as itself or as text, or an error that names the setting."""
        try:
            return self.form.read(value)
        except (ValueError, RecursionError, TypeError, OverflowError, binascii.Error) as error:
            shown = repr(value)
            if self.field in SECRET:
                shown = "<hidden>" if isinstance(value, str | bytes) else type(value).__name__
            raise ConfigurationError(
                f"The setting {self.name} cannot be {shown}: {error}."
            ) from error


def _load_secret(store: Store) -> tuple[bytes, str]:
    """What the store hashes names with, else bytes of no use for that and why it is not there."""
    try:
        return store.load_secret(), ""
    except HiddenSecretError as hidden:
        return secrets.token_bytes(32), str(hidden)


def say_memory_once() -> None:
    """No store is named: say what that means, once in a process."""
    if not _said:
        _said.append("memory:")
        logging.getLogger("mulligan").warning(
            "No store is named, so everything is kept in memory: and is gone with this process, "
            "including calls awaiting approval. Name one, such as Mulligan('sqlite:///agent.db') "
            "or MULLIGAN_STORE; Mulligan('memory:') confirms that."
        )


_said: list[str] = []


def _refuse_unknown_variables(environment: Mapping[str, str]) -> None:
    """A misspelt variable would be silently without effect, where it may be the store's."""
    known = [each.variable for each in SETTINGS.values()]
    for name in sorted(environment):
        ours = name.startswith(PREFIX) and not name.startswith(TEST_PREFIX)
        if ours and name not in known:
            raise ConfigurationError(
                f"The variable {name} sets nothing. {_suggest_name(name, known, prefix=PREFIX)}"
            )


def _find_setting(name: str) -> Setting:
    if name not in SETTINGS:
        raise ConfigurationError(f"There is no setting {name!r}. {_suggest_name(name, SETTINGS)}")
    return SETTINGS[name]


def _suggest_name(name: str, known: Iterable[str], *, prefix: str = "") -> str:
    """The nearest, but for what all of them have in common; else all that there are."""
    ends = [each.removeprefix(prefix) for each in known]
    in_groups = [each for each in ends if each.endswith(f".{name}")]
    near = in_groups or get_close_matches(name.removeprefix(prefix), ends, n=1)
    return f"Did you mean {prefix}{near[0]}?" if near else f"There are: {', '.join(sorted(known))}."


def _find_folder() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        # The folder was deleted under us, and no settings lie in it any more.
        return Path("/")


def _from_pyproject(folder: Path) -> dict[str, Any]:
    """What the nearest file says; without one, no TOML reader is loaded."""
    for place in (folder, *folder.parents):
        file = place / "pyproject.toml"
        if file.is_file():
            try:
                table = _parse_toml(file.read_text(encoding="utf-8"))
            except (ValueError, OSError, RecursionError) as error:
                raise ConfigurationError(f"{file} cannot be read: {error}.") from error
            tools = table.get("tool", {})
            found = tools.get("mulligan", {}) if isinstance(tools, dict) else {}
            if not isinstance(found, dict):
                raise ConfigurationError(f"{file}: tool.mulligan must be a table of settings.")
            if found:
                _refuse_planted(file)
            return _validate_file(found, file)
    return {}


@lru_cache(maxsize=1)
def _parse_toml(text: str) -> Mapping[str, Any]:
    """Kept: a program may open an application for each request, beside one long file."""
    import tomllib

    return tomllib.loads(text)


def _refuse_planted(file: Path) -> None:
    """Refuse settings that another user of the machine may have put there, or changed."""
    try:
        refuse_unsafe(file, linked=True)
    except StoreUnavailableError as error:
        raise ConfigurationError(f"The settings of tool.mulligan are not used: {error}") from error


def _validate_file(found: dict[str, Any], file: Path) -> dict[str, Any]:
    """The settings of a file, refused with its name; a relative store lies beside it."""
    try:
        store = Settings().with_values(**found).store
    except ConfigurationError as error:
        raise ConfigurationError(f"{file}: {error}") from error
    path = store.removeprefix("sqlite:///")
    if path != store and not path.startswith("/"):
        found = {**found, "store": f"sqlite:///{file.parent / path}"}
    return found


def _list_settings(owner: type[Struct], group: str = "") -> Iterator[Setting]:
    """The fields of a class as settings, each given in the form of its type."""
    hints, plain = get_type_hints(owner, include_extras=True), owner()
    for name in owner.__struct_fields__:
        if name in GROUPS and not group:
            yield from _list_settings(GROUPS[name], group=name)
            continue
        if hints[name] not in FORMS:
            raise TypeError(
                f"The setting {name} is of type {hints[name]}, which cannot be read: add the type "
                "to FORMS."
            )
        yield Setting(
            owner=owner,
            group=group,
            field=name,
            form=FORMS[hints[name]],
            default=getattr(plain, name),
        )


GROUPS: Mapping[str, type[Struct]] = {
    name: hint
    for name, hint in get_type_hints(Settings).items()
    if isinstance(hint, type) and issubclass(hint, Struct)
}
"""Settings of several parts, each an object, and in a file a table."""

SETTINGS: Mapping[str, Setting] = {each.name: each for each in _list_settings(Settings)}
"""Every setting by name, those of a group as `redaction.hide`."""


def _hide_in_log(record: logging.LogRecord) -> bool:
    """Take secrets out of a message of ours, whatever its source."""
    from mulligan.redaction.redactor import hide_secrets

    said = record.getMessage()
    if (shown := hide_secrets(said)) != said:
        record.msg, record.args = shown, None
    if record.exc_info:
        record.exc_text = hide_secrets(logging.Formatter().formatException(record.exc_info))
    return True


# Whoever logs in our name has read a setting first.
logging.getLogger("mulligan").addFilter(_hide_in_log)
