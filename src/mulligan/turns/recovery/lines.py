"""Which undos must be made one after the other: those that may touch each other's objects."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from mulligan.turns.journal.live_action import LiveAction, read_order

_ANYTHING = "anything"
"""What is concerned by an action whose tool does not say what it is about."""


def split_lines(actions: Iterable[LiveAction]) -> list[list[LiveAction]]:
    """The actions in lines, the newest of each first; nothing of one line concerns another.

    They may come from several turns, so that none of them was told to wait for the others.
    """
    joined = _Joined()
    ordered = sorted(actions, key=read_order, reverse=True)
    for action in ordered:
        joined.join([action.id, *action.after, *(action.objects or [_ANYTHING])])
    lines: dict[Hashable, list[LiveAction]] = {}
    for action in ordered:
        lines.setdefault(joined.find(action.id), []).append(action)
    return list(lines.values())


class _Joined:
    """Names that belong together, found by one of them."""

    def __init__(self) -> None:
        self._above: dict[Hashable, Hashable] = {}

    def find(self, name: Hashable) -> Hashable:
        """The one name that stands for all that it was joined with."""
        while (above := self._above.setdefault(name, name)) != name:
            self._above[name] = self._above[above]
            name = above
        return name

    def join(self, names: Sequence[Hashable]) -> None:
        """From now on these stand for each other."""
        first = self.find(names[0])
        for name in names[1:]:
            self._above[self.find(name)] = first
