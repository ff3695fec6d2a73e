"""Holds every writer's chain, and its mark, against what the tables hold."""

from __future__ import annotations

from collections.abc import Iterator

from mulligan.core.interfaces import Damage
from mulligan.stores.chain import GENESIS, ChainEntry, find_breaks
from mulligan.stores.driver import Session, UnreadableError, fetch_one
from mulligan.stores.mark import Mark, Marks
from mulligan.stores.relational.comparison import describe_difference, find_differences
from mulligan.stores.relational.ledger import Head

_AT_A_TIME = 2000
_ACTIONS_CHECKED = 2000
"""How many of the newest actions a look with a budget compares with their entries."""


def audit(session: Session, marks: Marks, *, budget: int | None = None) -> list[Damage]:
    """Every damage nobody has accepted yet. A budget looks at the newest entries only.

    The marks must have been read before the session's snapshot began.
    """
    whole = budget is None
    found = read_heads(session)
    known = {head.writer: head for head in found}
    damages = list(_find_mark_damages(session, known, marks))
    for head in found:
        after, previous = _find_start(session, head, budget=budget)
        damages += _find_chain_damages(session, head, after=after, previous=previous)
        if budget is not None:
            budget -= head.seq - after
    damages += _find_action_damages(session, newest=None if whole else _ACTIONS_CHECKED)
    if whole:
        damages += _find_table_damages(session)
    accepted = {(writer, seq, what) for writer, seq, what in session.fetch("accepted")}
    return [each for each in damages if (each.writer, each.seq, each.what) not in accepted]


def read_heads(session: Session) -> list[Head]:
    """Where every writer's chain ends, the newest writer first."""
    return [
        Head(writer=writer, commits=commits, seq=seq, hash=bytes(hash_))
        for writer, commits, seq, hash_ in session.fetch("writers")
    ]


def _find_mark_damages(session: Session, known: dict[str, Head], marks: Marks) -> Iterator[Damage]:
    for mark in marks.found.values():
        head = known.get(mark.writer)
        seq = head.seq if head else 0
        commits = head.commits if head else 0
        if seq < mark.seq:
            lost = mark.seq - seq
            what = f"ends at entry {seq}, but its mark says {mark.seq}: {_describe_lost(lost)}"
            yield _build_damage(mark.writer, seq + 1, what)
        elif commits < mark.commits:
            lost = mark.commits - commits
            what = f"has lost {lost} of its {mark.commits} transactions, which held kept values"
            yield _build_damage(mark.writer, seq + 1, what)
        elif not _proves(session, mark):
            yield _build_damage(
                mark.writer, mark.seq, f"has another entry {mark.seq} than it wrote"
            )


def _proves(session: Session, mark: Mark) -> bool:
    row = fetch_one(session, "hash_at", writer=mark.writer, seq=mark.seq)
    # Without a row, retention has taken the entry or there never was one; the chain will tell.
    return row is None or bytes(row[0])[: len(mark.proof)] == mark.proof


def _find_start(session: Session, head: Head, *, budget: int | None) -> tuple[int, bytes]:
    """Where to take a chain up: at its beginning, or as far back as the budget goes."""
    anchor = fetch_one(session, "anchor", writer=head.writer)
    after, previous = (anchor[0], bytes(anchor[1])) if anchor else (0, GENESIS)
    if budget is not None and head.seq - after > budget:
        start = fetch_one(session, "hash_at", writer=head.writer, seq=head.seq - budget)
        if start is not None:
            return head.seq - budget, bytes(start[0])
    return after, previous


def _find_chain_damages(
    session: Session, head: Head, *, after: int, previous: bytes
) -> Iterator[Damage]:
    last = (after, previous)

    def track_entries() -> Iterator[ChainEntry]:
        nonlocal last
        for line in _read_entries(session, head.writer, after=after):
            last = (line.seq, line.hash)
            yield line

    try:
        for where in find_breaks(track_entries(), after=after, previous=previous):
            yield _build_damage(head.writer, where.seq, f"does not hold: {where.what}")
    except UnreadableError:
        what = f"has an entry after entry {last[0]} that cannot be read"
        yield _build_damage(head.writer, last[0] + 1, what)
        return
    if last != (head.seq, head.hash):
        yield _build_damage(
            head.writer, last[0] + 1, f"ends at entry {last[0]} instead of {head.seq}"
        )


def _read_entries(session: Session, writer: str, *, after: int) -> Iterator[ChainEntry]:
    while rows := session.fetch("lines_after", writer=writer, after=after, most=_AT_A_TIME):
        for row in rows:
            # A changed bit can make another type of it.
            yield ChainEntry(*row)._replace(hash=row[-1] if isinstance(row[-1], bytes) else b"")
        after = rows[-1][1]


def _find_action_damages(session: Session, *, newest: int | None) -> Iterator[Damage]:
    for action, differing in find_differences(session, newest=newest):
        yield Damage(writer="", seq=0, what=describe_difference(action, differing))


def _find_table_damages(session: Session) -> Iterator[Damage]:
    for writer, seq in session.fetch("entries_without_writer"):
        yield _build_damage(writer, seq, "has entries, but nobody by that name has written any")
    for writer, seq, action in session.fetch("entries_without_action"):
        yield _build_damage(writer, seq, f"has entry {seq} of action {action}, which is not there")


def _build_damage(writer: str, seq: int, what: str) -> Damage:
    return Damage(writer=writer, seq=seq, what=f"The journal of writer {writer} {what}.")


def _describe_lost(count: int) -> str:
    return "1 entry is lost" if count == 1 else f"{count} entries are lost"
