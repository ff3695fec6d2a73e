"""Holds chains, marks and the rows of actions against the entries they must add up to."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from mulligan.codec import decode_json, encode_json
from mulligan.stores.crypto import (
    GENESIS,
    ChainEntry,
    HashLink,
    Signer,
    find_breaks,
    follows,
    hash_plainly,
)
from mulligan.stores.database import Row, Session, UnreadableError, fetch_one
from mulligan.stores.encoding import decode_entry
from mulligan.stores.relational.signing import find_unsigned, read_accepted, sign_emptied
from mulligan.stores.relational.transaction import Head, decode_head
from mulligan.stores.relational.vault import Keyring
from mulligan.stores.watermarks import Watermark, Watermarks
from mulligan.types.action import SETTLED, Entry
from mulligan.types.errors import StoreDamagedError
from mulligan.types.interfaces import Damage


def read_history(session: Session, action: str, *, keyring: Keyring) -> list[Entry]:
    """Every entry of an action, oldest first; `UnreadableError` where one is not what was written.

    Except where the damage was accepted.
    """
    rows = session.fetch_where("history", ["of_action"], action=action)
    _refuse_broken(session, action, rows, keyring=keyring)
    return [decode_entry(row[:5]) for row in rows]


def refuse_unsigned(session: Session, actions: Collection[str], *, keyring: Keyring) -> None:
    """Refuse actions with an entry that was not written with the store's key."""
    if not actions or keyring.find_signer(session) is None:
        # Without the key this cannot be checked; damage shows when the history is read.
        return
    names = encode_json(sorted(actions)).decode()
    rows = session.fetch_where("history", ["of_actions"], actions=names)
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
        # The links are made with a missing key, or the entries before are not visible, so that
        # only a gap shows.
        broken = [(number, row) for number, row in broken if row[:2] != (action, number)]
    if broken:
        said = read_accepted(session, signer)
        accepted = {(writer, seq) for writer, seq, _ in said}
        for number, row in broken:
            writer, seq, _, previous = row[5:9]
            # An accepted loss leaves a gap, too, and everything after it has another number.
            if previous is None and any(by == writer and at < seq for by, at in accepted):
                continue
            if not accepted or (row[1] == number and row[5:7] not in accepted):
                raise UnreadableError(
                    f"Entry {number} of action {action} is not what was written, because the store "
                    "is damaged: see what is left with `mulligan doctor`, or restore it from a "
                    "backup."
                )


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
    """The writer of the latest entry."""


def read_actions(
    session: Session, filters: Sequence[str], *, keyring: Keyring, **values: object
) -> list[Row]:
    """Actions as `decode_action` wants them; one that its entries contradict is refused.

    Except where the difference was accepted.
    """
    pairs = [_Pair(*row) for row in session.fetch_where("actions_and_entries", filters, **values)]
    refuse_unsigned(session, {pair.id for pair in pairs}, keyring=keyring)
    for pair in pairs:
        differing = list(_compare_pair(pair))
        if not differing:
            continue
        what = describe_difference(pair.id, differing)
        accepted = read_accepted(session, keyring.find_signer(session))
        if not any(said == what for _, _, said in accepted):
            raise UnreadableError(
                f"{what} The store is damaged: see what is left with `mulligan doctor`, or restore "
                "it from a backup."
            )
    return [(*pair[:1], *pair[2:4], *pair[5:9], pair.writer) for pair in pairs]


def describe_difference(action: str, differing: Sequence[str]) -> str:
    """The message for an action that differs from its entries."""
    return f"Action {action} is not what its entries say: look at its {', '.join(differing)}."


def _find_action_damages(session: Session, *, newest: int | None) -> Iterator[Damage]:
    """Every action that differs from its entries, with the differences."""
    try:
        found = [
            (row[0], list(_compare_pair(_Pair(*row)))) for row in _read_rows(session, newest=newest)
        ]
    except UnreadableError:
        found = [(name, _compare_one(session, name)) for (name,) in session.fetch("action_ids")]
    for action, differing in found:
        if differing:
            yield Damage(writer="", seq=0, what=describe_difference(action, differing))


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
    try:
        tenant = decode_json(str(pair.first_body))["opening"]["tenant"]
    except (ValueError, LookupError, TypeError):
        tenant = None
    if pair.tenant != tenant:
        yield "tenant"
    if not str(pair.last_body).endswith(f',"detail":{pair.detail}}}'):
        yield "detail"


_ACTIONS_CHECKED = 2000
"""How many of the newest actions a look with a budget compares with their entries."""


def audit(
    session: Session, marks: Watermarks, *, keyring: Keyring, budget: int | None = None
) -> list[Damage]:
    """Every damage that is not accepted yet. A budget looks at the newest entries only.

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
        damages += [
            _build_damage(writer, seq, "has entries, but there is no such writer")
            for writer, seq in session.fetch("entries_without_writer")
        ]
        damages += [
            _build_damage(writer, seq, f"has entry {seq} of action {action}, which is not there")
            for writer, seq, action in session.fetch("entries_without_action")
        ]
    accepted = set(read_accepted(session, signer))
    damages = [e for e in damages if (e.writer, e.seq, e.what) not in accepted]
    if signer is not None:
        damages += find_unsigned(session, signer, keyring=keyring, whole=whole)
    return damages


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
    session: Session, known: dict[str, Head], *, marks: Watermarks, signer: Signer | None
) -> Iterator[Damage]:
    for mark in marks.found.values():
        head = known.get(mark.writer)
        at, seq = (head.seq + 1, head.seq) if head else (1, 0)
        if signer is not None and mark.signed and not mark.is_signed(signer):
            at, what = seq, "has a mark that was not written with the key"
        elif seq < mark.seq:
            lost = mark.seq - seq
            entries = "1 entry is" if lost == 1 else f"{lost} entries are"
            what = f"ends at entry {seq}, but its mark says {mark.seq}: {entries} lost"
        elif head is None:
            # A mark is written after its writer was: the file is another one, or an earlier one.
            what = "is not in this file, but its mark is beside it: the file was replaced"
        elif head.commits < mark.commits:
            lost = mark.commits - head.commits
            what = f"has lost {lost} of its {mark.commits} transactions, which held kept values"
        elif not _proves(session, mark, signer):
            at, what = mark.seq, f"has another entry {mark.seq} than it wrote"
        else:
            continue
        yield _build_damage(mark.writer, at, what)


def _proves(session: Session, mark: Watermark, signer: Signer | None) -> bool:
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
                signer = self._signer if line.body is None else None
                # Only retention may have emptied it.
                if signer is not None and sign_emptied(line, signer) != line.emptied:
                    hollow.append(line.seq)
                yield line

        try:
            for seq, what in find_breaks(
                track_entries(), after=after, previous=previous, hash_link=self._hash_link
            ):
                yield _build_damage(head.writer, seq, f"does not hold: {what}")
        except UnreadableError:
            what = f"has an entry after entry {last[0]} that cannot be read"
            yield _build_damage(head.writer, last[0] + 1, what)
            return
        for seq in hollow:
            what = f"does not hold: entry {seq} was emptied, and not by retention"
            yield _build_damage(head.writer, seq, what)
        if last != (head.seq, head.hash):
            what = f"ends at entry {last[0]} instead of {head.seq}"
            yield _build_damage(head.writer, last[0] + 1, what)


def _read_entries(session: Session, writer: str, *, after: int) -> Iterator[ChainEntry]:
    while rows := session.fetch("lines_after", writer=writer, after=after, most=_AT_A_TIME):
        for row in rows:
            # A changed bit can make another type of it.
            line = ChainEntry(*row)
            yield line._replace(hash=line.hash if isinstance(line.hash, bytes) else b"")
        after = rows[-1][1]


def _build_damage(writer: str, seq: int, what: str) -> Damage:
    return Damage(writer=writer, seq=seq, what=f"The journal of writer {writer} {what}.")
