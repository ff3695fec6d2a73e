"""Objects of other people's making, asked politely: a property of theirs may raise anything."""

from __future__ import annotations


def ask(holder: object, name: str) -> object:
    """An attribute, or `None` if there is none or it cannot be had."""
    try:
        return getattr(holder, name, None)
    except BaseException:  # noqa: BLE001 - the tool's own outcome must not be replaced by this one
        return None


def ask_text(error: BaseException) -> str:
    """What an exception says of itself, or nothing if it cannot be had."""
    try:
        return str(error)
    except BaseException:  # noqa: BLE001 - as above
        return ""
