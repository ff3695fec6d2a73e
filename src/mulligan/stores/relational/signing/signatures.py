"""Holds what a store with a key has signed against what lies there now."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import count

from mulligan.core.interfaces import Damage
from mulligan.stores.database.driver import Row, Session, UnreadableError
from mulligan.stores.keys.chain import ChainEntry
from mulligan.stores.keys.signer import Signer
from mulligan.stores.relational.signing.keyring import KEY_GONE, Keyring, read_key_check
from mulligan.stores.relational.signing.safe import TABLE as KEPT
from mulligan.stores.relational.signing.safe import is_intact, is_sealed
from mulligan.stores.relational.writing.account import Account, add_accounts, sum_seals
from mulligan.stores.relational.writing.head import Head, decode_head

OPEN = "open"
"""Not a table: the ids of the actions that are not settled."""

TABLES = {
    KEPT: "The vault",
    "tool": "The catalog of tools",
    "notes": "The notes on tasks",
    "episode": "The list of failures",
    "lesson_version": "The list of lessons",
    "lesson_use": "The list of lessons' uses",
}
"""The tables whose rows are signed one by one and counted together, and what people call them."""

COUNTED = {**TABLES, "damage": "What was accepted as damage", "key_check": "The proof of the key"}
"""Those and what lies beside them."""

_AT_A_TIME = 500
_MOST_COUNTED = 200_000
"""Rows of a table that are counted at an opening; more of them by `verify` alone."""


def sign_emptied(line: ChainEntry, signer: Signer) -> bytes:
    """What retention leaves on an entry that it has emptied."""
    return signer.sign("emptied", *line[:6], line.hash)


def sign_anchor(row: Sequence[object], signer: Signer) -> bytes:
    """What retention leaves on an anchor, from its writer, seq and hash."""
    return signer.sign("anchor", *row)


def sign_open(action: str, signer: Signer) -> bytes:
    """What an open action counts for."""
    return signer.sign(OPEN, action)


def sign_accepted(row: Sequence[object], signer: Signer) -> bytes:
    """What a person's acceptance is signed with, from writer, seq, what, at_us and note."""
    return signer.sign("damage", *row)


def read_accepted(session: Session, signer: Signer | None) -> list[tuple[str, int, str]]:
    """Writer, seq and sentence of each damage that somebody with the key has accepted."""
    rows = session.fetch("accepted")
    return [row[:3] for row in rows if signer is None or _is_accepted(row, signer)]


def find_unsigned(
    session: Session, signer: Signer, *, keyring: Keyring, whole: bool
) -> Iterator[Damage]:
    """What was written without the key.

    Accepted, it is signed anew and shows no more; so that nothing accepted hides the next change,
    only what cannot be signed is looked up among what a person has accepted.
    """
    check = read_key_check(session)
    if not keyring.proves(session, check):
        yield Damage(writer="", seq=0, what=KEY_GONE)
    elif moved := keyring.find_move(session, check):
        yield Damage(writer="", seq=0, what=moved)
    heads = [decode_head(row) for row in session.fetch("writers")]
    for head, seal in heads:
        if not head.is_signed(signer, seal):
            what = f"The row of writer {head.writer} was changed without the key."
            yield Damage(writer=head.writer, seq=0, what=what)
    for row in session.fetch("anchors"):
        if row[3] != sign_anchor(row[:3], signer):
            what = f"The anchor of writer {row[0]} was set without the key."
            yield Damage(writer=row[0], seq=0, what=what)
    accounts = [head.account for head, _ in heads]
    for what in _find_differing_sums(session, signer, accounts=accounts, whole=whole):
        yield Damage(writer="", seq=0, what=what)
    accepted = set(read_accepted(session, signer))
    for damage in _find_lasting(session, signer, [head for head, _ in heads], whole=whole):
        if (damage.writer, damage.seq, damage.what) not in accepted:
            yield damage


def _find_lasting(
    session: Session, signer: Signer, heads: Sequence[Head], *, whole: bool
) -> Iterator[Damage]:
    """What stays as it is also when a person has accepted it."""
    for writer, what in _find_missing_writers(heads):
        yield Damage(writer=writer, seq=0, what=what)
    for row in session.fetch("accepted"):
        if not _is_accepted(row, signer):
            what = f"Damage was accepted without the key: {row[2]!r}."
            yield Damage(writer="", seq=_compute_number(row), what=what)
    if whole:
        yield from _find_unsigned_rows(session, signer)


def measure_difference(
    session: Session, signer: Signer, *, table: str, accounts: Sequence[Account]
) -> int | None:
    """How far a table is from what the writers' accounts add up to; `None`: too many to count."""
    if table == OPEN:
        rows = session.fetch("open_action_ids", after="", most=_MOST_COUNTED + 1)
        seals: list[object] = [sign_open(action, signer) for (action,) in rows]
    else:
        rows = session.fetch(f"seals_of_{table}", most=_MOST_COUNTED + 1)
        seals = [seal for (seal,) in rows]
    if len(rows) > _MOST_COUNTED:
        return None
    return sum_seals(seals) - add_accounts(accounts, table)


def _find_missing_writers(heads: Sequence[Head]) -> Iterator[tuple[str, str]]:
    commits = sum(head.commits for head in heads)
    for head in heads:
        was, others = head.account, len(heads) - 1
        if others < was.writers:
            what = f"There were {was.writers} writers before it, and {others} are left."
            yield head.writer, f"Writer {head.writer} says that others are gone. {what}"
        elif commits - head.commits < was.commits:
            left = commits - head.commits
            what = f"They had committed {was.commits} times, and {left} are left."
            yield head.writer, f"Writer {head.writer} says that others have lost something. {what}"


def _find_differing_sums(
    session: Session, signer: Signer, *, accounts: Sequence[Account], whole: bool
) -> Iterator[str]:
    if measure_difference(session, signer, table=OPEN, accounts=accounts):
        yield "The list of open actions is not what was written: one was hidden, or added."
    for table, name in COUNTED.items():
        difference = measure_difference(session, signer, table=table, accounts=accounts)
        if difference or (difference is None and whole and _count_all(session, table, accounts)):
            yield f"{name} is not what was written: a row was removed, put back or added."


def _count_all(session: Session, table: str, accounts: Sequence[Account]) -> int:
    found = sum_seals(row[0] for row in _read_rows(session, table))
    return found - add_accounts(accounts, table)


def _find_unsigned_rows(session: Session, signer: Signer) -> Iterator[Damage]:
    for table, name in TABLES.items():
        try:
            yield from _find_unsigned_in(session, signer, table=table, name=name)
        except UnreadableError:
            yield Damage(writer="", seq=0, what=f"{name} has a row that cannot be read.")


def _find_unsigned_in(
    session: Session, signer: Signer, *, table: str, name: str
) -> Iterator[Damage]:
    for seal, *columns in _read_rows(session, table):
        if table == KEPT:
            row = (*columns, seal)
            sound = is_sealed(row, signer) and is_intact(row)
        else:
            sound = signer.holds(seal, table, *columns)
        if not sound:
            which = " ".join(map(str, columns[:2] if table != "episode" else columns[:1]))
            what = f"{name} has a row that was written without the key: {which}."
            yield Damage(writer="", seq=_compute_number((seal, *columns)), what=what)


def _read_rows(session: Session, table: str) -> Iterator[Row]:
    for skip in count(0, _AT_A_TIME):
        rows = session.fetch(f"signed_{table}", most=_AT_A_TIME, skip=skip)
        yield from rows
        if len(rows) < _AT_A_TIME:
            return


def _is_accepted(row: Row, signer: Signer) -> bool:
    return signer.holds(row[5], "damage", *row[:5])


def _compute_number(row: Sequence[object]) -> int:
    """A number that another content of the row would not have."""
    return int.from_bytes(hashlib.sha256(repr(row).encode()).digest()[:7])
