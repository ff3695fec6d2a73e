"""Forgets settled actions without breaking a chain.

An entry's body goes at once and leaves its link: it is *hollow*. When a chain begins with hollow
entries, those become one anchor, which says where the rest takes up.
"""

from __future__ import annotations

from functools import partial

from mulligan.stores.driver import fetch_one
from mulligan.stores.pool import Pool
from mulligan.stores.relational.ledger import Ledger, Transaction

_ACTIONS_AT_A_TIME = 100
_ROWS_AT_A_TIME = 500


def prune_journal(pool: Pool, ledger: Ledger, *, before_us: int) -> int:
    """Empty every action settled before then, a few in each transaction. Returns how many."""
    pruned = 0
    while count := ledger.submit(partial(_forget, before_us=before_us)).result():
        pruned += count
    for writer, _ in pool.ask(lambda session: session.fetch("writers_with_hollow_start")):
        while ledger.submit(partial(_collapse, writer=writer)).result():
            pass
    return pruned


def _forget(transaction: Transaction, *, before_us: int) -> int:
    session = transaction.session
    rows = session.fetch("settled_actions", before=before_us, most=_ACTIONS_AT_A_TIME)
    forgotten = 0
    for (action,) in rows:
        # Deleted first: with many workers, only the one that deletes it empties its entries.
        if session.run("forget_action", action=action):
            session.run("hollow_entries", action=action)
            session.run("forget_kept", owner=action)
            forgotten += 1
    return forgotten


def _collapse(transaction: Transaction, *, writer: str) -> int:
    """Turn up to 500 hollow entries at the start of a chain into its anchor."""
    session = transaction.session
    row = fetch_one(session, "first_full_seq", writer=writer)
    first_full = row[0] if row and row[0] is not None else 2**62
    last = fetch_one(
        session, "last_hollow", writer=writer, first_full=first_full, most=_ROWS_AT_A_TIME
    )
    if last is None:
        return 0
    session.run("set_anchor", writer=writer, seq=last[0], hash=last[1])
    return session.run("drop_before_anchor", writer=writer, seq=last[0])
