"""What an exception says in parts: each library keeps a remote's answer in a place of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mulligan.learning.errors.fields import ErrorFields, read_structure
from mulligan.learning.errors.strangers import ask, ask_text

BODIES = ("body", "json_body", "response", "error", "error_details", "details")
"""Where libraries keep the answer itself."""
CODES = ("sqlstate", "pgcode", "error_code", "code")
LONGEST = 4_000


def read_exception(error: BaseException) -> ErrorFields:
    """The parts of an exception that its library has kept; its message is its own text."""
    held = (ask(error, name) for name in BODIES)
    kept = next((each for each in held if isinstance(each, Mapping | list) and each), None)
    said = (read_structure(kept) if kept is not None else None) or ErrorFields(message="")
    ended = ask(error, "returncode")
    return replace(
        said,
        message=ask_text(error)[:LONGEST],
        code=_read_code(error) or said.code,
        exit_code=ended if type(ended) is int and ended else said.exit_code,
    )


def _read_code(error: BaseException) -> str:
    for name in CODES:
        code = ask(error, name)
        if callable(code) and _is_of_grpc(error):
            code = ask(_call(code), "name")
        if isinstance(code, str) and code:
            return code
    return ""


def _is_of_grpc(error: BaseException) -> bool:
    """Its code is a method; those of others may do anything."""
    return any(kind.__module__.partition(".")[0] == "grpc" for kind in type(error).__mro__)


def _call(function: object) -> object:
    try:
        return function() if callable(function) else None
    except Exception:  # noqa: BLE001 - as with any stranger
        return None
