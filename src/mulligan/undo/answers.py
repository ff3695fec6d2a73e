"""What the error of a read or an undo says, as HTTP clients like to put it."""

from __future__ import annotations

import errno
from collections.abc import Mapping

from mulligan.core.display.escape import format_value


def says_gone(error: BaseException) -> bool:
    """Whether a read failed because there is nothing, as HTTP clients like to put it.

    Where nothing was ever seen, it may as well be for want of permission.
    """
    return not _list_statuses(error).isdisjoint({404, 410})


def is_refusal(error: BaseException) -> bool:
    """Whether somebody has said no, who may from now on say so to a reader, too."""
    refused = not _list_statuses(error).isdisjoint({401, 403, 404, 407, 451})
    return refused or isinstance(error, PermissionError)


def is_silence(error: BaseException) -> bool:
    """Whether nobody has answered, so that it may have worked."""
    silent = any(status >= 500 for status in _list_statuses(error))
    return silent or isinstance(error, TimeoutError | ConnectionError)


def lacks_room(error: BaseException | None) -> bool:
    """Whether there was no room for it: on a disk, in a quota, or in a database."""
    while error is not None:
        origin = getattr(error, "orig", None) or error
        if any(getattr(origin, name, None) in codes for name, codes in _FULL.items()):
            return True
        if _INSUFFICIENT_STORAGE in _list_statuses(error):
            return True
        error = error.__cause__ or error.__context__
    return False


_INSUFFICIENT_STORAGE = 507
_FULL: Mapping[str, tuple[object, ...]] = {
    "errno": (errno.ENOSPC, errno.EDQUOT, errno.EFBIG),
    "sqlite_errorcode": (13,),  # SQLITE_FULL
    "sqlstate": ("53100",),  # disk_full of Postgres
}
"""By the attribute in which an error has its code."""


def _list_statuses(error: BaseException) -> set[int]:
    answers = (error, getattr(error, "response", None))
    said = (getattr(a, name, None) for a in answers for name in ("status", "status_code"))
    return {status for status in said if isinstance(status, int)}


def describe_error(error: BaseException) -> str:
    """An error in a few words."""
    return f"{type(error).__name__}: {format_value(error)}".rstrip(": .")
