"""Numbers for ids that a judge may not read: the same id, the same number, within one question."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar, cast

from mulligan.core.runtime.late_pattern import compile_late

T = TypeVar("T")

_WRITTEN = compile_late(r"<(token|uuid) ([0-9]+)>")


class StandIns:
    """The ids that one question names, and what stands for each of them."""

    def __init__(self) -> None:
        self._numbered: dict[str, str] = {}

    def number(self, value: str, *, kind: str) -> str:
        """What stands for an id, such as `<token 1>`."""
        return self._numbered.setdefault(value, f"<{kind} {len(self._numbered) + 1}>")

    def restore(self, answer: T) -> T:
        """An answer, or a part of one, with the ids where their stand-ins are."""
        if not self._numbered:
            return answer
        found: Any = answer
        if isinstance(found, str):
            meant = {shown: value for value, shown in self._numbered.items()}
            found = _WRITTEN.sub(lambda written: meant.get(written[0], written[0]), found)
        elif isinstance(found, list | tuple):
            found = type(found)(map(self.restore, found))
        elif dataclasses.is_dataclass(found) and not isinstance(found, type):
            parts = {each.name: getattr(found, each.name) for each in dataclasses.fields(found)}
            changed = {name: self.restore(part) for name, part in parts.items()}
            found = found if changed == parts else dataclasses.replace(found, **changed)
        return cast("T", found)


def deface(text: str) -> str:
    """Text of others without what would read as one of our stand-ins."""
    return _WRITTEN.sub(r"<\1 … \2>", text)
