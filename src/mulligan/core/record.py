"""What a tool's own functions are told about one call of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from typing import TypedDict

from mulligan.core.runtime.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Image:
    """What was there before a call, as it was read: a pre-image that was taken."""

    state: object = field(repr=False)
    """`None`: it was looked, and nothing was there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One call of a tool, as its `before`, `undo`, `read`, `probe` and `version` get it."""

    arguments: Mapping[str, object] = field(repr=False)
    """By name. Of a bulk, one element stands where the list of them stood."""
    key: str = ""
    """What the remote may know this call by: the same on every try, and of no other call."""
    result: object = field(default=None, repr=False)
    """What the tool returned; for `version`, also what `read` or `before` returned."""
    image: Image | None = field(default=None, repr=False)
    """The pre-image; `None`: none was taken, and nobody knows what was there."""
    version: str | None = None
    """The version we wrote, as text whatever `version` returned: undo only what is still at it."""

    @property
    def before(self) -> object:
        """What was there before the call, where that was read; `None` also if nothing was."""
        return None if self.image is None else self.image.state


Told = Callable[[Record], object | Awaitable[object]]
"""A function of one record, sync or async."""


class DeclaredAbilities(TypedDict, total=False):
    """The functions that `@m.tool(…)` takes."""

    before: Told
    """Read what is there before the call: the pre-image."""
    undo: Told
    """Take the effect back, only if it is still at `record.version`; else raise `ConflictError`."""
    read: Told
    """Read what is there now, `None` if nothing is. By default `before` does it."""
    probe: Told
    """Find out whether a call landed that gave no answer: what it returned or would have, or `None`
    if it did not. `probe_by` says what it goes by."""
    version: Told
    """The version in `record.result`, such as an ETag."""
    refresh: Told
    """Get new credentials: run once after a 401, and the call is made again."""
    in_progress: Callable[[BaseException], bool]
    """Whether a conflict says that our own first call, under the same key, is still on its way:
    then it is asked for again, under that key."""
    same: Callable[[object, object], bool]
    """Whether two states are equal for all that matters. By default: equal but for the version."""
    about: Callable[[Record], object]
    """The object a call concerns, by its id, or a list of several: what is undone after what, and
    what is our own later work rather than a person's edit, goes by it. Undeclared, nothing is
    guessed. A plain function; it may need the result, as of a create."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """What a tool can do about its own effect: each of `DeclaredAbilities`, where it has one."""

    before: Told | None = None
    undo: Told | None = None
    read: Told | None = None
    probe: Told | None = None
    version: Told | None = None
    refresh: Told | None = None
    in_progress: Callable[[BaseException], bool] | None = None
    same: Callable[[object, object], bool] | None = None
    about: Callable[[Record], object] | None = None

    @property
    def reader(self) -> Told | None:
        """How the state is read back: `read`, else `before`, which reads the same thing."""
        return self.read or self.before
