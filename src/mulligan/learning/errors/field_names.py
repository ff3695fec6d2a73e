"""The names of fields, however a service spells them."""

from __future__ import annotations

from functools import lru_cache

_JOINTS = str.maketrans("", "", "_- .@:")


@lru_cache(maxsize=4096)
def fold_name(name: str) -> str:
    """One spelling for `error_code`, `errorCode`, `Error-Code` and `errorcode`."""
    folded = name.translate(_JOINTS).casefold()
    # `__type` is a name of its own.
    return f"__{folded}" if name.startswith("__") else folded


def fold_names(text: str) -> tuple[str, ...]:
    """Names with blanks between them, each in that one spelling and in their order."""
    return tuple(fold_name(name) for name in text.split())
