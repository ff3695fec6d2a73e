"""The entries of one action, each held against its link in its writer's chain."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import groupby

from mulligan.codec.json_text import encode_json
from mulligan.core.action import Entry
from mulligan.stores.columns.encoding import decode_entry
from mulligan.stores.database.driver import Row, Session, UnreadableError
from mulligan.stores.keys.chain import GENESIS, ChainEntry, follows, hash_plainly
from mulligan.stores.keys.signer import Signer
from mulligan.stores.relational.signing.keyring import Keyring
from mulligan.stores.relational.signing.signatures import read_accepted


def read_history(session: Session, action: str, *, keyring: Keyring) -> list[Entry]:
    """Every entry of an action, oldest first; `UnreadableError` where one is not what was written.

    Except where a person has looked at the damage and accepted it.
    """
    rows = session.fetch("history", action=action)
    _refuse_broken(session, action, rows, keyring=keyring)
    return [decode_entry(row[:5]) for row in rows]


def refuse_unsigned(session: Session, actions: Collection[str], *, keyring: Keyring) -> None:
    """Refuse actions with an entry that nobody with the store's key has written."""
    if not actions or keyring.find_signer(session) is None:
        # Without the key nobody can tell, and damage shows when the history is read.
        return
    rows = session.fetch("histories", actions=encode_json(sorted(actions)).decode())
    for action, found in groupby(rows, key=lambda row: str(row[0])):
        _refuse_broken(session, action, list(found), keyring=keyring)


def _refuse_broken(session: Session, action: str, rows: Sequence[Row], *, keyring: Keyring) -> None:
    signer = keyring.find_signer(session)
    broken = [
        (number, row)
        for number, row in enumerate(rows, start=1)
        if row[:2] != (action, number) or not _holds(row, signer)
    ]
    if broken and signer is None and (not keyring.whole or keyring.is_signed(session)):
        # The links are made with a key that is not here, or the entries before are somebody
        # else's, so that only a gap shows.
        broken = [(number, row) for number, row in broken if row[:2] != (action, number)]
    if broken:
        said = read_accepted(session, signer)
        accepted = {(writer, seq) for writer, seq, _ in said}
        for number, row in broken:
            # An accepted loss leaves a gap, too, and everything after it has another number.
            if _follows_loss(row, accepted):
                continue
            if not accepted or (row[1] == number and row[5:7] not in accepted):
                raise UnreadableError(
                    f"Entry {number} of action {action} is not what was written, because the store "
                    "is damaged: see what is left with `mulligan doctor`, or restore it from a "
                    "backup."
                )


def _follows_loss(row: Row, accepted: Collection[tuple[str, int]]) -> bool:
    """Whether what an entry followed on is gone, and a person has accepted that."""
    writer, seq, _, previous = row[5:9]
    return previous is None and any(by == writer and at < seq for by, at in accepted)


def _holds(row: Row, signer: Signer | None) -> bool:
    action, version, state, at_us, body, writer, seq, found, previous = row
    if previous is None and seq != 1:
        # What it followed on is gone, which `verify` says; alone it proves nothing, and with a
        # key nothing is believed that is not proven.
        return signer is None
    line = ChainEntry(writer, seq, action, version, state, at_us, body, _as_bytes(found))
    hash_link = hash_plainly if signer is None else signer.hash_link
    return follows(GENESIS if previous is None else _as_bytes(previous), line, hash_link=hash_link)


def _as_bytes(value: object) -> bytes:
    """A hash; a changed bit can make another type of it."""
    return bytes(value) if isinstance(value, (bytes, memoryview)) else b""
