"""Why an attempt was rejected: its rules for the journal, what was found for the vault.

A finding quotes arguments and the person's own words. The journal outlives those by months, so it
has the names of the rules alone; the text lives and ends with the action, like its other values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Self

from mulligan.core.action import Kept, Opening
from mulligan.core.finding import Finding
from mulligan.core.interfaces import Vault

_NAME = "findings"


class Rejection(str):
    """Reads as the names of the rules; whoever keeps it asks for what was found.

    A string, so that wherever a reason is written, joined or logged, no more than these names is.
    """

    __slots__ = ("found",)

    found: str
    """Quotes what was said and done."""

    def __new__(cls, findings: Iterable[Finding]) -> Self:
        """Say it in one line each way."""
        listed = list(findings)
        rejection = super().__new__(cls, "; ".join(dict.fromkeys(each.rule for each in listed)))
        rejection.found = "; ".join(f"{each.rule}: {each.describe()}" for each in listed)
        return rejection

    def with_lead(self, lead: str) -> Self:
        """The same behind a sentence that quotes nothing."""
        led = str.__new__(type(self), f"{lead} {self}")
        led.found = f"{lead} {self.found}"
        return led


def keep_findings(
    why: str,
    moved: Iterable[tuple[str, Opening, int]],
    *,
    scrub: Callable[[str], str],
    until: datetime,
) -> Sequence[Kept]:
    """What is kept of a rejection of actions, each with its opening and the number of its entry.

    Of a bulk once, and then until a time of its own.
    """
    if not isinstance(why, Rejection):
        return ()
    value = scrub(why.found).encode("utf-8", "replace")
    owners = {
        (opening.parent or action, version): opening.parent is not None
        for action, opening, version in moved
    }
    return [
        Kept(
            owner=owner,
            name=f"{_NAME} {version}",
            value=value,
            expires_at=until if shared else None,
        )
        for (owner, version), shared in owners.items()
    ]


def load_findings(vault: Vault, action: str, *, opening: Opening, version: int) -> str | None:
    """What was found, for the entry with that number; `None` when there was nothing or it ended."""
    kept = vault.get(opening.parent or action, f"{_NAME} {version}")
    return None if kept is None else kept.decode()
