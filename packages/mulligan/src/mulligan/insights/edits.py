"""A held call that a person approves with other arguments: which may be changed, what is wrong with
the changed call, and what is kept of both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from mulligan.codec import (
    UndecodableError,
    decode_named,
    decode_typed,
    decode_value,
    encode_json,
    encode_value,
    is_identical,
    to_exact_plain,
)
from mulligan.insights.reader import StoreReader
from mulligan.runtime.payloads import ASKED, ASKED_SAID, EXACT, LOST
from mulligan.types.action import Action, Kept
from mulligan.types.display import format_value
from mulligan.types.errors import ConfigurationError, NoSchemaError

INSTEAD = "Deny it with a word to the agent instead."


class ChangedCall(Struct, frozen=True, kw_only=True):
    """A held call as a person has changed it."""

    changed: Mapping[str, object]
    """What it was given before and after, by argument, as the log may show it."""
    checked: tuple[str, ...]
    """What the changed call was held against: `schema`, `checks`."""
    keep: tuple[Kept, ...]


def list_editable(ask: StoreReader, action: Action, *, shown: Mapping[str, object]) -> list[str]:
    """The arguments of a held call that a person may change who is shown these."""
    fixed = _explain_fixed(ask, action, shown=shown)
    return [name for name in shown if name not in fixed]


def build_edit(
    ask: StoreReader, action: Action, changes: Mapping[str, object], *, shown: Mapping[str, object]
) -> ChangedCall | None:
    """The call with other arguments; `None`: it is as it was asked for.

    A `ConfigurationError` says why that is not a call to approve.
    """
    given = _read_given(ask, action)
    said, inexact = _read_changes(action, changes)
    said = {n: v for n, v in said.items() if n not in given or not is_identical(given[n], v)}
    if not said:
        return None
    changes = {name: changes[name] for name in said}
    fixed = _explain_fixed(ask, action, shown=shown)
    if stuck := [name for name in changes if name in fixed]:
        why = fixed[stuck[0]]
        raise ConfigurationError(f"{stuck[0]} of {action.id} cannot be changed: {why} {INSTEAD}")
    asked = {**given, **said}
    problems = _find_problems(ask, action, before=given, after=asked)
    check = None if problems else ask.check_edited
    found = None if check is None else check(action, changes)
    # Its annotations read what JSON has no type for, and they are not here.
    unread = [f"{n}: {why}" for n, why in inexact.items() if found is None and n in said]
    if wrong := [*(problems or unread), *(found or ())]:
        raise _refuse(action, " ".join(f"{each.rstrip('.')}." for each in wrong))
    looked = {"schema": problems, "checks": found}
    hide = ask.redactor.redact_value
    sentence = ask.store.vault.get(action.id, "said")
    rows = {
        "arguments": asked,
        ASKED: given,
        "said": None,
        ASKED_SAID: None if sentence is None else decode_value(sentence),
    }
    return ChangedCall(
        changed={n: {"from": hide(given.get(n)), "to": hide(v)} for n, v in said.items()},
        checked=tuple(name for name, answer in looked.items() if answer is not None),
        keep=tuple(
            Kept(owner=action.id, name=name, value=encode_value(value))
            for name, value in rows.items()
        ),
    )


def _refuse(action: Action, why: str) -> ConfigurationError:
    return ConfigurationError(
        f"{action.id} was not approved with these arguments, and is still held. {why}"
    )


def _read_changes(
    action: Action, changes: Mapping[str, object]
) -> tuple[dict[str, object], dict[str, str]]:
    """The changes as JSON, and why some are not exactly what was given."""
    said, inexact = dict[str, object](), dict[str, str]()
    for name, value in changes.items():
        if not isinstance(name, str):
            raise _refuse(action, f"{format_value(name)} is no name of an argument.")
        try:
            said[name] = to_exact_plain(value)
        except UndecodableError as error:
            raise _refuse(action, f"{name}: {error}.") from error
        if not is_identical(said[name], value):
            inexact[name] = (
                f"{format_value(value)} is of the type {type(value).__name__}, which JSON has "
                "not. Give it as its tool takes it in JSON"
            )
    return said, inexact


def _read_given(ask: StoreReader, action: Action) -> dict[str, object]:
    kept = ask.store.vault.get(action.id, "arguments")
    given = None if kept is None else decode_value(kept)
    if not isinstance(given, dict):
        raise ConfigurationError(f"What {action.id} was given is not kept any more. {INSTEAD}")
    return given


def _explain_fixed(
    ask: StoreReader, action: Action, *, shown: Mapping[str, object]
) -> dict[str, str]:
    """Why arguments cannot be changed, by their names."""
    given = _read_given(ask, action)
    exact = ask.store.vault.get(action.id, f"arguments{EXACT}")
    if action.detail.get("only_here") is True or exact == LOST:
        why = "only the process that holds the call can make it, as it was asked for."
        return dict.fromkeys(given, why)
    typed = {} if exact is None else decode_named(exact, lambda _, plain: plain)
    fixed = {
        name: "it is not shown whole."
        for name, value in given.items()
        if name not in shown or not is_identical(shown[name], value)
    }
    whole = given if None in typed else {}
    return fixed | dict.fromkeys((*whole, *filter(None, typed)), "JSON has no such type.")


def _find_problems(
    ask: StoreReader,
    action: Action,
    *,
    before: Mapping[str, object],
    after: Mapping[str, object],
) -> list[str] | None:
    """What the changes break of the tool's schema; `None`: no schema of it is known here."""
    from mulligan.learning.schema import read_schema

    said = action.opening
    quotable = ask.list_callable()
    # Of a tool that a tenant may not read about, only that it does not take the value.
    tools = (*quotable, *ask.store.catalog.list_tools())
    known = [t for t in tools if (t.tool, t.server) == (said.tool, said.server)]
    if not known or not known[0].schema:
        return None
    quotes = known[0] in quotable
    try:
        schema = read_schema(known[0].schema, tool=said.tool)
    except NoSchemaError:
        return None
    old = set(schema.list_problems(before))
    return [
        f"{format_value(each.path[0]) if each.path else 'The arguments'}: "
        + (each.message if quotes else "its tool does not take that")
        for each in schema.list_problems(after)
        if each not in old
    ]


def parse_changes(text: str) -> dict[str, object]:
    """What a page says of changed arguments: a JSON object."""
    why = ""
    try:
        said = decode_typed(text) if text else {}
    except ValueError as error:
        said, why = None, f" ({error})"
    if not isinstance(said, dict):
        raise ConfigurationError(
            f"The changes are no JSON object of arguments and their values{why}."
        )
    return said


def read_settings(
    settings: Sequence[str], *, shown: Mapping[str, object]
) -> Iterator[tuple[str, object]]:
    """`name=value` as typed in a terminal: what was text before is text, all else is JSON."""
    seen = set[str]()
    for said in settings:
        name, equals, value = said.partition("=")
        if not (name and equals):
            raise ConfigurationError(f"{said!r}: write --set NAME=VALUE.")
        if name in seen:
            raise ConfigurationError(f"{name} is given more than once: write --set {name}=… once.")
        seen.add(name)
        if isinstance(shown.get(name), str):
            yield name, value
            continue
        try:
            yield name, decode_typed(value)
        except UndecodableError as error:
            raise ConfigurationError(f"{name}: {error}.") from None
        except ValueError:
            raise ConfigurationError(_advise_json(name, value, shown=shown)) from None


def _advise_json(name: str, value: str, *, shown: Mapping[str, object]) -> str:
    """What to write in place of what is no JSON."""
    was = shown.get(name)
    before = f"{name} was {encode_json(was).decode()}" if name in shown else f"{name} was not given"
    meant = {"true": "true", "false": "false", "none": "null"}.get(value.casefold())
    told = f"--set {name}={meant}" if meant else f"--set '{name}={encode_json(value).decode()}'"
    what = "for that" if meant else "for a text"
    return f"{value!r} is no JSON, and {before}: write {told} {what}."
