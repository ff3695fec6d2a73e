"""Holds every writer's chain, and its mark, against what the tables hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mulligan.core.errors import StoreDamagedError
from mulligan.core.interfaces import Damage
from mulligan.stores.database.driver import Session, UnreadableError, fetch_one
from mulligan.stores.disk.mark import Mark, Marks
from mulligan.stores.keys.chain import GENESIS, ChainEntry, HashLink, find_breaks, hash_plainly
from mulligan.stores.keys.signer import Signer
from mulligan.stores.relational.audit.comparison import describe_difference, find_differences
from mulligan.stores.relational.signing.keyring import Keyring
from mulligan.stores.relational.signing.signatures import find_unsigned, read_accepted, sign_emptied
from mulligan.stores.relational.writing.head import Head, decode_head

_AT_A_TIME = 2000
_ACTIONS_CHECKED = 2000
"""How many of the newest actions a look with a budget compares with their entries."""


def audit(
    session: Session, marks: Marks, *, keyring: Keyring, budget: int | None = None
) -> list[Damage]:
    """Every damage nobody has accepted yet. A budget looks at the newest entries only.

    The marks must have been read before the session's snapshot began.
    """
    whole = budget is None
    found = read_heads(session)
    known = {head.writer: head for head in found}
    signer = keyring.find_signer(session)
    damages = list(_find_mark_damages(session, known, marks=marks, signer=signer))
    chains = _Chains(session, signer, signed=keyring.is_signed(session))
    for head in found:
        after, previous = chains.find_start(head, budget=budget)
        damages += chains.find_damages(head, after=after, previous=previous)
        if budget is not None:
            budget -= head.seq - after
    damages += _find_action_damages(session, newest=None if whole else _ACTIONS_CHECKED)
    if whole:
        damages += _find_table_damages(session)
    accepted = {(writer, seq, what) for writer, seq, what in read_accepted(session, signer)}
    found_damages = [e for e in damages if (e.writer, e.seq, e.what) not in accepted]
    if signer is not None:
        found_damages += find_unsigned(session, signer, keyring=keyring, whole=whole)
    return found_damages


def refuse_damages(found: Sequence[Damage], *, store: str) -> None:
    """Refuse a store whose journal is not what was written."""
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise StoreDamagedError(
            f"{store} is damaged. {found[0].what}{more} See what is left with `mulligan doctor`; "
            "go on from it with `mulligan doctor --accept-damage NOTE`."
        )


def read_heads(session: Session) -> list[Head]:
    """Where every writer's chain ends, the newest writer first."""
    return [decode_head(row)[0] for row in session.fetch("writers")]


def _find_mark_damages(
    session: Session, known: dict[str, Head], *, marks: Marks, signer: Signer | None
) -> Iterator[Damage]:
    for mark in marks.found.values():
        head = known.get(mark.writer)
        seq = head.seq if head else 0
        commits = head.commits if head else 0
        if signer is not None and mark.signed and not mark.is_signed(signer):
            yield _build_damage(mark.writer, seq, "has a mark that nobody with the key has written")
        elif seq < mark.seq:
            lost = mark.seq - seq
            what = f"ends at entry {seq}, but its mark says {mark.seq}: {_describe_lost(lost)}"
            yield _build_damage(mark.writer, seq + 1, what)
        elif head is None:
            # A mark is written after its writer was: the file is another one, or an earlier one.
            what = "is not in this file, but its mark is beside it: the file was replaced"
            yield _build_damage(mark.writer, seq + 1, what)
        elif commits < mark.commits:
            lost = mark.commits - commits
            what = f"has lost {lost} of its {mark.commits} transactions, which held kept values"
            yield _build_damage(mark.writer, seq + 1, what)
        elif not _proves(session, mark, signer):
            yield _build_damage(
                mark.writer, mark.seq, f"has another entry {mark.seq} than it wrote"
            )


def _proves(session: Session, mark: Mark, signer: Signer | None) -> bool:
    if signer is not None and not mark.signed:
        # From before there was a key: the store's health says that it is not signed.
        return True
    row = fetch_one(session, "hash_at", writer=mark.writer, seq=mark.seq)
    # Without a row, retention has taken the entry or there never was one; the chain will tell.
    return row is None or mark.proves(bytes(row[0]))


class _Chains:
    """The chains of one store, each held against its own links."""

    def __init__(self, session: Session, signer: Signer | None, *, signed: bool) -> None:
        self._session = session
        self._signer = signer
        self._hash_link: HashLink | None = hash_plainly
        if signed:
            # Without the key, only what is missing shows.
            self._hash_link = signer.hash_link if signer else None

    def find_start(self, head: Head, *, budget: int | None) -> tuple[int, bytes]:
        """Where to take a chain up: at its beginning, or as far back as the budget goes."""
        anchor = fetch_one(self._session, "anchor", writer=head.writer)
        after, previous = (anchor[0], bytes(anchor[1])) if anchor else (0, GENESIS)
        if budget is not None and head.seq - after > budget:
            start = fetch_one(self._session, "hash_at", writer=head.writer, seq=head.seq - budget)
            if start is not None:
                return head.seq - budget, bytes(start[0])
        return after, previous

    def find_damages(self, head: Head, *, after: int, previous: bytes) -> Iterator[Damage]:
        """Every place where a chain does not hold."""
        last = (after, previous)
        hollow: list[int] = []

        def track_entries() -> Iterator[ChainEntry]:
            nonlocal last
            for line in _read_entries(self._session, head.writer, after=after):
                last = (line.seq, line.hash)
                if line.body is None and not self._was_emptied(line):
                    hollow.append(line.seq)
                yield line

        try:
            for where in find_breaks(
                track_entries(), after=after, previous=previous, hash_link=self._hash_link
            ):
                yield _build_damage(head.writer, where.seq, f"does not hold: {where.what}")
        except UnreadableError:
            what = f"has an entry after entry {last[0]} that cannot be read"
            yield _build_damage(head.writer, last[0] + 1, what)
            return
        yield from _list_emptied(head.writer, hollow)
        if last != (head.seq, head.hash):
            yield _build_damage(
                head.writer, last[0] + 1, f"ends at entry {last[0]} instead of {head.seq}"
            )

    def _was_emptied(self, line: ChainEntry) -> bool:
        """Whether retention emptied an entry, and nobody else."""
        return self._signer is None or sign_emptied(line, self._signer) == line.emptied


def _list_emptied(writer: str, hollow: Sequence[int]) -> Iterator[Damage]:
    for seq in hollow:
        yield _build_damage(
            writer, seq, f"does not hold: entry {seq} was emptied, and not by retention"
        )


def _read_entries(session: Session, writer: str, *, after: int) -> Iterator[ChainEntry]:
    while rows := session.fetch("lines_after", writer=writer, after=after, most=_AT_A_TIME):
        for row in rows:
            # A changed bit can make another type of it.
            line = ChainEntry(*row)
            yield line._replace(hash=line.hash if isinstance(line.hash, bytes) else b"")
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
