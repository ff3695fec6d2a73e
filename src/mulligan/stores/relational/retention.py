"""Forgets settled actions without breaking a chain.

An entry's body goes at once and leaves its link: it is *hollow*. When a chain begins with hollow
entries, those become one anchor, which says where the rest takes up.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from mulligan.stores.columns.encoding import decode_action
from mulligan.stores.database.driver import Session, UnreadableError, fetch_one
from mulligan.stores.database.pool import Pool
from mulligan.stores.keys.chain import ChainEntry
from mulligan.stores.keys.signer import Signer
from mulligan.stores.relational.audit.comparison import read_actions
from mulligan.stores.relational.signing.keyring import Keyring
from mulligan.stores.relational.signing.safe import TABLE
from mulligan.stores.relational.signing.signatures import sign_anchor, sign_emptied
from mulligan.stores.relational.writing.ledger import Ledger
from mulligan.stores.relational.writing.transaction import Transaction

_ACTIONS_AT_A_TIME = 100
_ROWS_AT_A_TIME = 500


def prune_journal(pool: Pool, ledger: Ledger, *, keyring: Keyring, before_us: int) -> int:
    """Empty every action settled before then, a few in each transaction. Returns how many."""
    pruned, after = 0, (-(2**62), "")
    forget = partial(_forget, before_us=before_us, keyring=keyring)
    while last := ledger.submit(partial(forget, after=after)).result():
        after, forgotten = last
        pruned += forgotten
    for writer, _ in pool.ask(lambda session: session.fetch("writers_with_hollow_start")):
        while ledger.submit(partial(_collapse, writer=writer)).result():
            pass
    return pruned


def _forget(
    transaction: Transaction, *, before_us: int, after: tuple[int, str], keyring: Keyring
) -> tuple[tuple[int, str], int] | None:
    """Forget the next few: how far that went, and how many went. `None`: no more are left."""
    session = transaction.session
    changed_us, action = after
    rows = session.fetch(
        "settled_actions",
        before=before_us,
        most=_ACTIONS_AT_A_TIME,
        changed_us=changed_us,
        after=action,
    )
    forgotten = 0
    for action, _ in rows:
        if not _is_proven(session, action, keyring=keyring):
            continue
        # Deleted first: with many workers, only the one that deletes it empties its entries.
        if session.run("forget_action", action=action, before=before_us):
            _empty(transaction, action)
            gone = session.fetch("forget_kept", owner=action)
            transaction.drop(TABLE, (seal for (seal,) in gone))
            forgotten += 1
    return ((rows[-1][1], rows[-1][0]), forgotten) if rows else None


def _is_proven(session: Session, action: str, *, keyring: Keyring) -> bool:
    """Whether an action is settled by entries that hold, where the store has a key.

    What somebody only made look settled is not forgotten for them; `verify` names it.
    """
    if keyring.find_signer(session) is None:
        return True
    try:
        rows = read_actions(session, ["one_action"], keyring=keyring, action=action)
        return all(decode_action(row).settled for row in rows)
    except UnreadableError:
        return False


def _empty(transaction: Transaction, action: str) -> None:
    """Take the content of an action's entries, and sign that it was retention."""
    session, signer = transaction.session, transaction.signer
    if signer is not None:
        for row in session.fetch("lines_of_action", action=action):
            line = ChainEntry(*row)
            emptied = sign_emptied(line, signer)
            session.run("set_emptied", writer=line.writer, seq=line.seq, emptied=emptied)
    session.run("hollow_entries", action=action)


def _collapse(transaction: Transaction, *, writer: str) -> int:
    """Turn up to 500 hollow entries at the start of a chain into its anchor."""
    session = transaction.session
    row = fetch_one(session, "first_full_seq", writer=writer)
    first_full = row[0] if row and row[0] is not None else 2**62
    rows = session.fetch(
        "oldest_hollow", writer=writer, first_full=first_full, most=_ROWS_AT_A_TIME
    )
    lines, signer = [ChainEntry(*row) for row in rows], transaction.signer
    if not lines or not _follow_on(session, lines, signer=signer):
        return 0
    last = lines[-1]
    about = (writer, last.seq, last.hash)
    seal = None if signer is None else sign_anchor(about, signer)
    session.run("set_anchor", writer=writer, seq=last.seq, hash=last.hash, seal=seal)
    return session.run("drop_before_anchor", writer=writer, seq=last.seq)


def _follow_on(session: Session, lines: Sequence[ChainEntry], *, signer: Signer | None) -> bool:
    """Whether hollow entries are all that was written before them, emptied by retention alone.

    Where the store has a key, nothing else is taken into an anchor, which would sign it.
    """
    if signer is None:
        return True
    anchor = fetch_one(session, "anchor", writer=lines[0].writer)
    first = anchor[0] + 1 if anchor else 1
    if anchor and anchor[2] != sign_anchor((lines[0].writer, *anchor[:2]), signer):
        return False
    return all(
        line.seq == number and line.emptied == sign_emptied(line, signer)
        for number, line in enumerate(lines, start=first)
    )
