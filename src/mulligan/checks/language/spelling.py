"""How long names are misspelt: a letter left out, doubled, or swapped with the next one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

V = TypeVar("V")

_SHORTEST = 6
"""One slip in a shorter name too often makes another word."""


def with_slips(groups: Mapping[V, str]) -> dict[V, str]:
    """The groups of a table, with the usual slips in every long name."""
    names = {value: [each.strip() for each in words.split("|")] for value, words in groups.items()}
    taken = {name for each in names.values() for name in each}
    return {
        value: " | ".join(
            [*each, *sorted({slip for name in each for slip in _list_slips(name)} - taken)]
        )
        for value, each in names.items()
    }


def _list_slips(name: str) -> Iterator[str]:
    """The first letter is always right, and one that is left out is not the last."""
    if len(name) < _SHORTEST or not name.isalpha():
        return
    for i in range(1, len(name) - 1):
        yield name[:i] + name[i + 1 :]
        yield name[:i] + name[i + 1] + name[i] + name[i + 2 :]
    for i in range(1, len(name)):
        yield name[:i] + name[i] + name[i:]
