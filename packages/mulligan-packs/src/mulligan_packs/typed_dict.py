"""`TypedDict` as pydantic takes it: hosts read what tools take and return with that."""

from __future__ import annotations

import sys
import typing
from typing import TYPE_CHECKING

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from typing import TypedDict
else:
    try:
        # pydantic brings this, and only its users need it.
        from typing_extensions import TypedDict
    except ModuleNotFoundError:
        TypedDict = typing.TypedDict

__all__ = ["TypedDict"]
