"""A glance at an object, for nearly every result of a tool is none of an error and looks alike.

What its fields are called is asked once for all results that look so; what is asked of each are the
few fields that could say that it did not work.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from mulligan.core.runtime.dataclass import dataclass
from mulligan.learning.errors.field_names import fold_name, fold_names
from mulligan.learning.results.evidence import KINDS, PASSING, SAID, STATES, TELLING, ends_as_error
from mulligan.learning.values.vocabulary import list_words

WRAPPERS = fold_names("content structuredContent result text body output response payload data")
"""Where an envelope holds what it is an envelope of."""
QUIET = list_words(
    "open closed ok success active inactive done completed pending new running paid shipped"
)
"""States in which most things are."""

_SEARCHED = (TELLING - STATES) | frozenset(WRAPPERS)
_KINDS = frozenset(KINDS)
_SAID = frozenset(SAID)


@dataclass(frozen=True, slots=True)
class Glance:
    """Which fields of an object to look at before it is passed over."""

    states: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    """Beside a message: if any of them holds something, the message is part of a record."""
    told: bool = False

    def passes(self, held: Mapping[str, object]) -> bool:
        """Whether an object of this shape cannot be an error, by what stands in these fields."""
        for name in self.states:
            state = held[name]
            if type(state) is not str or state not in QUIET:
                return False
        return not self.told or any(held[name] for name in self.others)


ALL = Glance()
"""Nothing need be looked at: no object with these fields can be an error."""


@lru_cache(maxsize=1024)
def find_glance(shape: tuple[object, ...]) -> Glance | None:
    """What to look at in objects with these fields; `None`: the whole of it."""
    names = {name: fold_name(name) for name in shape if isinstance(name, str)}
    folded = set(names.values())
    if not _SEARCHED.isdisjoint(folded) or any(map(ends_as_error, folded)):
        return None
    told = not _SAID.isdisjoint(folded)
    if told and not _KINDS.isdisjoint(folded):
        return None
    passing = _SAID | PASSING | STATES
    few = told and len(names) <= 4
    glance = Glance(
        states=tuple(name for name, fold in names.items() if fold in STATES),
        others=tuple(name for name, fold in names.items() if fold not in passing) if few else (),
        told=few,
    )
    return ALL if glance == ALL else glance
