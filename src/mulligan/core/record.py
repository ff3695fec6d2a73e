"""What a tool's own functions are told about one call of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One call of a tool, as its `before`, `undo`, `read`, `probe` and `version` get it."""

    arguments: Mapping[str, object] = field(repr=False)
    """By name. Of a bulk, one element stands where the list of them stood."""
    key: str = ""
    """What the remote may know this call by: the same on every try, and of no other call."""
    result: object = field(default=None, repr=False)
    """What the tool returned; for `version`, also what `read` or `before` returned."""
    before: object = field(default=None, repr=False)
    """The pre-image, where the tool takes one."""
    version: str | None = None
    """The version we wrote: undo only what is still at this one."""


Told = Callable[[Record], object | Awaitable[object]]
"""A function of one record, sync or async."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """What a tool can do about its own effect, as its author declared it."""

    before: Told | None = None
    """Read what is there before the call: the pre-image."""
    undo: Told | None = None
    """Take the effect back, only if it is still at `record.version`; else raise `ConflictError`."""
    read: Told | None = None
    """Read what is there now; `None` means that it is not there."""
    probe: Told | None = None
    """Find out whether the call landed: what it returned or would have, or `None` if it did not."""
    version: Told | None = None
    """The version in `record.result`, such as an ETag."""
    refresh: Told | None = None
    """Get new credentials, once the remote has refused the old ones."""
    in_progress: Callable[[BaseException], bool] | None = None
    """Whether a conflict says that our own first call, under the same key, is still on its way."""
    same: Callable[[object, object], bool] | None = None
    """Whether two states are equal for all that matters. By default: equal but for the version."""

    @property
    def reader(self) -> Told | None:
        """How the state is read back: `read`, else `before`, which reads the same thing."""
        return self.read or self.before
