"""The people that the person named, as a directory knows them."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence

from mulligan.core.call import Call
from mulligan.core.finding import Fact
from mulligan.core.interfaces import Gather
from mulligan.core.turn import Turn
from mulligan.core.waiting.awaiting import await_value

PERSON = "person.address"
"""The kind of fact: a name that the person used, and an address the directory has for it."""

_WORD = re.compile(r"[^\W\d_]{2,}")


def people_named(
    directory: Callable[[], Iterable[str] | Awaitable[Iterable[str]]],
) -> Gather:
    """Resolve names in the message to the addresses that a directory has for them.

    A name of two people gives both: which of them is meant is not for a fact to say.
    """

    async def gather(turn: Turn, _calls: Sequence[Call]) -> Iterable[Fact]:
        spoken = set(_WORD.findall(turn.message.casefold()))
        return [
            Fact(
                kind=PERSON,
                subject=name,
                value=address,
                about=f"The directory has {address} for {name!r}.",
            )
            for address in await await_value(directory())
            for name in split_names(address)
            if name in spoken
        ]

    return gather


def split_names(address: str) -> list[str]:
    """The words before the @: what somebody is likely to be called."""
    return _WORD.findall(address.casefold().partition("@")[0])
