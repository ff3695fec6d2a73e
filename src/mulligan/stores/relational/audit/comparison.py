"""Holds an action's row against the entries that it must add up to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from mulligan.codec.json_text import decode_json
from mulligan.core.action import SETTLED
from mulligan.stores.database.driver import Row, Session, UnreadableError
from mulligan.stores.relational.audit.history import refuse_unsigned
from mulligan.stores.relational.signing.keyring import Keyring
from mulligan.stores.relational.signing.signatures import read_accepted

_AT_A_TIME = 2000


class _Pair(NamedTuple):
    """An action with its first and its latest entry, as `actions_and_entries` gives them."""

    id: str
    tenant: str
    opening: str
    state: str
    settled: int
    version: int
    opened_us: int
    changed_us: int
    detail: str
    first_us: int | None
    first_body: str | None
    last_state: str | None
    last_us: int | None
    last_body: str | None
    entries: int
    """How many of its versions have an entry with its content."""
    writer: str | None
    """Who wrote the latest."""


def read_actions(
    session: Session, filters: Sequence[str], *, keyring: Keyring, **values: object
) -> list[Row]:
    """Actions as `decode_action` wants them; one that its entries contradict is refused.

    Except where a person has looked at the difference and accepted it.
    """
    pairs = [_Pair(*row) for row in session.fetch_where("actions_and_entries", filters, **values)]
    refuse_unsigned(session, {pair.id for pair in pairs}, keyring=keyring)
    for pair in pairs:
        differing = list(_compare_pair(pair))
        if not differing:
            continue
        what = describe_difference(pair.id, differing)
        if not _is_accepted(session, what, keyring=keyring):
            raise UnreadableError(
                f"{what} The store is damaged: see what is left with `mulligan doctor`, or restore "
                "it from a backup."
            )
    return [(*pair[:1], *pair[2:4], *pair[5:9], pair.writer) for pair in pairs]


def describe_difference(action: str, differing: Sequence[str]) -> str:
    """What is said of an action that is not what its entries say."""
    return f"Action {action} is not what its entries say: look at its {', '.join(differing)}."


def _is_accepted(session: Session, what: str, *, keyring: Keyring) -> bool:
    accepted = read_accepted(session, keyring.find_signer(session))
    return any(said == what for _, _, said in accepted)


def find_differences(
    session: Session, *, newest: int | None = None
) -> Iterator[tuple[str, list[str]]]:
    """Every action that is not what its entries say, with what of it differs."""
    try:
        found = [
            (row[0], list(_compare_pair(_Pair(*row)))) for row in _read_rows(session, newest=newest)
        ]
    except UnreadableError:
        found = [(name, _compare_one(session, name)) for (name,) in session.fetch("action_ids")]
    yield from ((name, differing) for name, differing in found if differing)


def _compare_one(session: Session, name: str) -> list[str]:
    """What differs in one action; that it cannot be read is for its reader to say."""
    try:
        rows = session.fetch_where("actions_and_entries", ["one_action"], action=name)
        return [each for row in rows for each in _compare_pair(_Pair(*row))]
    except UnreadableError:
        return ["text"]


def _read_rows(session: Session, *, newest: int | None) -> Iterator[Row]:
    if newest is not None:
        yield from session.fetch_where("actions_and_entries", ["newest_actions"], most=newest)
        return
    after = ""
    while rows := session.fetch_where(
        "actions_and_entries", ["next_actions"], after=after, most=_AT_A_TIME
    ):
        yield from rows
        after = rows[-1][0]


def _compare_pair(pair: _Pair) -> Iterator[str]:
    written = isinstance(pair.first_body, str) and isinstance(pair.last_body, str)
    if not written or pair.entries != pair.version:
        # Only retention empties entries, and it takes the action with them.
        yield "entries"
        return
    if pair.state != pair.last_state:
        yield "state"
    if pair.settled != int(pair.last_state in SETTLED):
        yield "settled"
    if (pair.opened_us, pair.changed_us) != (pair.first_us, pair.last_us):
        yield "times"
    if not str(pair.first_body).startswith(f'{{"opening":{pair.opening},"detail":'):
        yield "opening"
    if pair.tenant != _read(str(pair.first_body), "opening", "tenant"):
        yield "tenant"
    if not str(pair.last_body).endswith(f',"detail":{pair.detail}}}'):
        yield "detail"


def _read(body: str, *names: str) -> Any:
    try:
        found = decode_json(body)
        for name in names:
            found = found[name]
    except (ValueError, LookupError, TypeError):
        return None
    return found
