"""What the log keeps of an exception: no locals, no arguments, no secrets."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from mulligan.core.display.escape import escape
from mulligan.redaction.scrub import UNSURE, scrub, scrub_only
from mulligan.redaction.secrets.hide import Hide
from mulligan.redaction.secrets.names import looks_like_field
from mulligan.redaction.values.stub import format_class

if TYPE_CHECKING:
    from mulligan.redaction.mask import Masks

MESSAGE = 2_000
_WIDE = 8_192
_CODES = ("status_code", "status", "code", "errno", "sqlstate")
_MOST_CAUSES = 5
_MOST_FRAMES = 10_000
_MOST_PLACES = 30
"""Frames of a stack that are kept, the innermost; what called those is rarely why."""
BETWEEN = " < "
_LARGEST_CODE = 1_000_000

_traceback_of: Any = BaseException.__dict__["__traceback__"].__get__
_cause_of: Any = BaseException.__dict__["__cause__"].__get__
_context_of: Any = BaseException.__dict__["__context__"].__get__
_suppressed: Any = BaseException.__dict__["__suppress_context__"].__get__


class ErrorText(NamedTuple):
    """An exception as the log keeps it."""

    type: str
    message: str
    code: str | None
    at: str | None
    """`file:line` of every frame, the innermost first; no values."""


def describe(error: BaseException, *, masks: Masks, hide: Hide = Hide.PERSONAL) -> ErrorText:
    """Read an exception without trusting it."""
    told = _read_message(error, masks, hide)
    causes = "".join(_describe_causes(error))
    return ErrorText(
        format_class(type(error)),
        told[: MESSAGE - len(causes)] + causes,
        _read_code(error, masks),
        BETWEEN.join(_list_places(error)) or None,
    )


def _read_message(error: BaseException, masks: Masks, hide: Hide) -> str:
    try:
        text = str.__str__(str(error))
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - it is the tool's code, and may raise anything
        return "<message failed>"
    wide = text[:_WIDE]
    told = escape(masks.insert_names(scrub_only(masks.put(wide), hide=hide)))
    if len(wide) < len(text):
        told = told[:-UNSURE]
    if len(told) > MESSAGE:
        told = told[: MESSAGE - 40] + "…"
    return told if len(wide) == len(text) else f"{told}<… {len(text) - len(wide):,} more>"


def _describe_causes(error: BaseException) -> Iterator[str]:
    """The types and places of what led to it; their messages stay out."""
    if issubclass(type(error), BaseExceptionGroup):
        kinds = [format_class(type(part)) for part in error.exceptions[:_MOST_CAUSES]]  # type: ignore[attr-defined]
        yield f" (holds {', '.join(kinds)})"
    seen = {id(error)}
    for _ in range(_MOST_CAUSES):
        cause = _cause_of(error) or (None if _suppressed(error) else _context_of(error))
        if cause is None or id(cause) in seen:
            return
        seen.add(id(cause))
        place = next(iter(_list_places(cause)), None)
        yield f" (caused by {format_class(type(cause))}{f' at {place}' if place else ''})"
        error = cause


def _read_code(error: BaseException, masks: Masks) -> str | None:
    for holder in (error, _ask(error, "response")):
        for name in _CODES:
            code = _format_code(_ask(holder, name))
            if code is not None:
                return None if masks.hold(code) else code
    return None


def _ask(holder: object, name: str) -> object:
    """An attribute that may be a property of the tool's own, and fail."""
    try:
        return getattr(holder, name, None)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - as above
        return None


def _format_code(code: Any) -> str | None:
    kind = type(code)
    if issubclass(kind, int) and kind is not bool:
        number = int.__int__(code)
        return str(number) if -_LARGEST_CODE < number < _LARGEST_CODE else None
    if issubclass(kind, str):
        text = str.__str__(code)
        short = text.isalnum() and text.isascii() and len(text) <= 8
        if text and (short or looks_like_field(text)) and scrub(text) == text:
            return text
    return None


def _list_places(error: BaseException) -> list[str]:
    """Where it was raised, and the frames that called it, the innermost first."""
    places: deque[tuple[str, int]] = deque(maxlen=_MOST_PLACES)
    trace = _traceback_of(error)
    for _ in range(_MOST_FRAMES):
        if trace is None:
            break
        places.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    return [_format_place(path, line) for path, line in reversed(places)]


@lru_cache(maxsize=1024)
def _format_place(path: str, line: int) -> str:
    short = "/".join(path.replace("\\", "/").split("/")[-2:])
    return f"{scrub(short)[-100:]}:{line}"
