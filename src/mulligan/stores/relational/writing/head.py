"""Where a writer's chain ends: its row, its signature, and its mark outside the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from mulligan.core.runtime.dataclass import dataclass
from mulligan.stores.database.driver import Changed, Row, Session
from mulligan.stores.disk.mark import Mark, sign_mark
from mulligan.stores.keys.signer import WRITER, Signer
from mulligan.stores.relational.writing.account import Account, decode_account


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Where a writer's chain ends."""

    writer: str
    commits: int
    seq: int
    hash: bytes
    account: Account = field(default_factory=Account)

    def to_mark(self, signer: Signer | None) -> Mark:
        """The same, for outside the database."""
        mark = Mark(writer=self.writer, commits=self.commits, seq=self.seq, proof=self.hash[:24])
        return mark if signer is None else sign_mark(mark, signer)

    def sign(self, signer: Signer | None) -> dict[str, object]:
        """What else the row has: the account, and the signature of all of it."""
        if signer is None:
            return {"account": "", "seal": None}
        account = self.account.encode()
        return {"account": account, "seal": signer.sign(WRITER, *self._list_parts(), account)}

    def is_signed(self, signer: Signer | None, seal: object) -> bool:
        """Whether the row is what its writer signed; without a signer nobody can tell."""
        if signer is None:
            return True
        return signer.holds(seal, WRITER, *self._list_parts(), self.account.encode())

    def _list_parts(self) -> tuple[object, ...]:
        return self.writer, self.commits, self.seq, self.hash


def decode_head(row: Row) -> tuple[Head, object]:
    """A head and its signature from the columns id, commits, seq, hash, account, seal."""
    writer, commits, seq, found, account, seal = row
    hash_ = bytes(found) if isinstance(found, (bytes, memoryview)) else b""
    head = Head(
        writer=writer, commits=commits, seq=seq, hash=hash_, account=decode_account(account)
    )
    return head, seal


def list_before(head: Head, signer: Signer | None) -> dict[str, object]:
    """What a writer's row has to be for it to be moved on."""
    row = {"commits": head.commits, "seq": head.seq, "hash": head.hash, **head.sign(signer)}
    return {f"was_{name}": value for name, value in row.items()}


def move_head(
    session: Session, head: Head, *, signer: Signer | None, was: Mapping[str, object]
) -> Changed:
    """Move a writer's row on, if it is exactly what it was and nobody has given the writer up."""
    return session.run_later(
        "move_head",
        writer=head.writer,
        commits=head.commits,
        seq=head.seq,
        hash=head.hash,
        **head.sign(signer),
        **was,
    )
