"""Decides what of a call may be logged or shown: arguments, results, exceptions, advice."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from enum import StrEnum
from functools import lru_cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from mulligan.codec import encode_json
from mulligan.redaction.fast import FastWalk, build_compiled
from mulligan.redaction.names import looks_like_field
from mulligan.redaction.scrub import UNSURE, clip, scrub, scrub_only, scrub_value
from mulligan.redaction.secrets import hide_known
from mulligan.redaction.text import Hide
from mulligan.redaction.values import Keys, Stubs, format_class, is_open, remember_inside
from mulligan.redaction.walk import FAILED, FIELD_BYTES, ITEMS, NO_ENUM, ChangeText, Lean, Walk
from mulligan.types.display import Quoted, escape, format_value
from mulligan.types.errors import ConfigurationError
from mulligan.types.failure import Advice
from mulligan.types.finding import Finding
from mulligan.types.values import Identities, IdentityKind

if TYPE_CHECKING:
    from mulligan.redaction.mask import Masks


MESSAGE = 2_000
_WIDE = 8_192
_CODES = ("status_code", "status", "code", "errno", "sqlstate")
_MOST_CAUSES = 5
_MOST_FRAMES = 10_000
_MOST_PLACES = 30
"""Frames of a stack that are kept, the innermost: outer ones rarely explain the error."""
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
    """An attribute that may be a property, and fail."""
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


TEXT = 2_000
LABEL = 100
_FAILED_JSON = f'"{FAILED}"'
_MOST_LABELS = 1024
_ROOMS = (FIELD_BYTES - 8_192, FIELD_BYTES // 5)
"""Text that grows in JSON, such as quotes, is tried again with less room."""
_NO_ENUMS: Mapping[str, frozenset[str]] = {}
_NONE_ALLOWED: frozenset[str] = frozenset()
RedactArguments = Callable[[Mapping[str, object]], str]
"""Makes redacted JSON of a call's arguments."""


class Capture(StrEnum):
    """How much of a call is logged."""

    REDACTED = "redacted"
    """Numbers, booleans, enum values, ids and what is allowed by name; stubs of everything else."""
    FULL = "full"
    """Everything less secrets, for development."""


class Redactor:
    """Turns what a call was given and gave back into text without secrets. Never raises."""

    def __init__(
        self,
        *,
        key: bytes,
        identity_key: bytes | None = None,
        allow: Iterable[str] = (),
        capture: Capture = Capture.REDACTED,
        hide: Hide = Hide.PERSONAL,
        no_names: str = "",
        fast: bool = True,
    ) -> None:
        self._no_names = no_names
        """Why no name can be turned into an identity, where it cannot."""
        self.capture = capture
        self.hide = hide
        self._identities = Identities(key if identity_key is None else identity_key)
        self._allow = frozenset(allow)
        self._full = capture is Capture.FULL
        self._stubs = Stubs(key)
        self._keys = Keys(self._stubs)
        self._compiled = build_compiled(key, stubs=self._stubs, keys=self._keys) if fast else None
        lean = self._compiled or Lean(stubs=self._stubs, keys=self._keys)
        self._write = None if self._full else lean.write
        self._labels: dict[str, str] = {}

    def redact_parameters(
        self,
        arguments: Mapping[str, object],
        *,
        enums: Mapping[str, frozenset[str]] = _NO_ENUMS,
        allow: frozenset[str] = _NONE_ALLOWED,
    ) -> str:
        """Redacted JSON of a call's arguments; strings of a parameter's `enums` are shown."""
        allow = self._allow | allow if allow else self._allow
        try:
            closed = not enums and (not allow or allow.isdisjoint(arguments))
            if closed and self._write is not None:
                text = self._write(arguments)
                if text is not None:
                    return text
            for room in _ROOMS:
                shown = self._redact_arguments(arguments, enums=enums, allow=allow, room=room)
                encoded = encode_json(shown)
                if len(encoded) <= FIELD_BYTES:
                    return encoded.decode()
        except Exception:  # noqa: BLE001 - the call goes on, whatever it was given
            return _FAILED_JSON
        return _FAILED_JSON

    def prepare_parameters(
        self, *, enums: Mapping[str, frozenset[str]], allow: frozenset[str]
    ) -> RedactArguments:
        """`redact_parameters` for one tool, with what is the same in each call decided once."""
        write, redact = self._write, self.redact_parameters
        if write is None or enums or allow or self._allow:
            return partial(redact, enums=enums, allow=allow)
        return lambda arguments: write(arguments) or redact(arguments)

    def redact_result(self, value: object) -> str:
        """Redacted JSON of what a call gave back."""
        try:
            text = None if self._write is None else self._write(value)
            if text is not None:
                return text
            for room in _ROOMS:
                encoded = encode_json(self._show(value, room=room))
                if len(encoded) <= FIELD_BYTES:
                    return encoded.decode()
        except Exception:  # noqa: BLE001 - as above
            return _FAILED_JSON
        return _FAILED_JSON

    def redact_row(
        self,
        arguments: Mapping[str, object],
        result: object,
        *,
        enums: Mapping[str, frozenset[str]] = _NO_ENUMS,
        allow: frozenset[str] = _NONE_ALLOWED,
    ) -> tuple[str, str]:
        """Arguments and result in full capture; what either calls a secret is hidden in both."""
        with suppress(Exception):  # values of others may refuse anything
            for room in _ROOMS:
                known: set[str] = set()
                given = self._redact_arguments(
                    arguments, enums=enums, allow=self._allow | allow, room=room, known=known
                )
                got = self._show(result, room=room, known=known)
                texts = encode_json(hide_known(given, known)), encode_json(got)
                if max(map(len, texts)) <= FIELD_BYTES:
                    return texts[0].decode(), texts[1].decode()
        # One of them fails, or is too long: each for itself.
        alone = self.redact_parameters(arguments, enums=enums, allow=allow)
        return alone, self.redact_result(result)

    def redact_error(
        self,
        error: BaseException,
        *,
        arguments: Mapping[str, object],
        enums: Mapping[str, frozenset[str]] = _NO_ENUMS,
        allow: frozenset[str] = _NONE_ALLOWED,
    ) -> ErrorText:
        """What may be kept of an exception; the arguments it quotes become their names."""
        # Loaded for the first error: where none is met, none of it is needed.
        from mulligan.redaction.mask import Masks, Open

        try:
            opened = Open(self._allow | allow, enums, self._full)
            masks = Masks(arguments, keys=self._keys, opened=opened)
            return describe(error, masks=masks, hide=self.hide)
        except Exception:  # noqa: BLE001 - as above
            return ErrorText("Exception", FAILED, None, None)

    def redact_text(self, text: str) -> str:
        """Prose without secrets, truncated."""
        try:
            return clip(str.__str__(text), most=TEXT, hide=self.hide)
        except Exception:  # noqa: BLE001 - as above
            return FAILED

    def hash_text(self, text: str) -> str:
        """Its type, length and keyed hash, whatever else is shown: the same for the same text."""
        try:
            return self._stubs.hash_text(str.__str__(text))
        except Exception:  # noqa: BLE001 - as above
            return FAILED

    def redact_label(self, name: str) -> str:
        """The name of a tool, an agent or a server, on one line."""
        try:
            known = self._labels.get(name)
            if known is None:
                line = " ".join(str.__str__(name[:TEXT]).split())
                known = clip(line, most=TEXT, hide=self.hide)[:LABEL]
                if len(self._labels) >= _MOST_LABELS:
                    self._labels.clear()
                if len(name) <= LABEL:
                    self._labels[name] = known
        except Exception:  # noqa: BLE001 - as above
            return FAILED
        return known

    def identify(self, name: str, kind: IdentityKind) -> str:
        """The stored identity of a tenant's, a person's or an agent's name.

        The only method that may raise: a guess would find no one, or the wrong person.
        """
        if name and self._no_names:
            raise ConfigurationError(self._no_names)
        return self._identities.identify(name, kind)

    def redact_value(self, value: object) -> object:
        """The value less secrets, in JSON's own types: for a page, never for the log."""
        try:
            return self._show(value, room=FIELD_BYTES, full=True)
        except Exception:  # noqa: BLE001 - as above
            return FAILED

    def show_value(self, value: object) -> object:
        """The same with its ids, for a judge's question: there they are numbered."""
        try:
            hide = Hide.PERSONAL if self.hide is Hide.ALL else self.hide
            walk = Walk(stubs=self._stubs, keys=self._keys, full=True, hide=hide, ids=True)
            shown = walk.redact_value(value)
            return hide_known(shown, walk.known) if walk.known else shown
        except Exception:  # noqa: BLE001 - as above
            return FAILED

    def _show(
        self, value: object, *, room: int, full: bool = False, known: set[str] | None = None
    ) -> object:
        walk = self._make_walk(room, full=full, known=known)
        shown = walk.redact_value(value)
        return hide_known(shown, walk.known) if walk.full and walk.known else shown

    def _make_walk(self, room: int, *, full: bool = False, known: set[str] | None = None) -> Walk:
        bounds: dict[str, Any] = {
            "stubs": self._stubs,
            "keys": self._keys,
            "full": full or self._full,
            "room": room,
            "hide": self.hide,
            "known": known,
        }
        return FastWalk(self._compiled, **bounds) if self._compiled else Walk(**bounds)

    def _redact_arguments(
        self,
        arguments: Mapping[str, Any],
        *,
        enums: Mapping[str, frozenset[str]],
        allow: frozenset[str],
        room: int,
        known: set[str] | None = None,
    ) -> dict[str, object]:
        shown: dict[str, object] = {}
        opened = bool(allow or enums)
        walk = self._make_walk(room, known=known)
        for name, value in arguments.items():
            if len(shown) >= ITEMS or walk.room <= 0:
                shown["<…>"] = f"<… {len(arguments) - len(shown):,} more>"
                break
            if opened:
                walk.open(full=self._full or name in allow, enum=enums.get(name, NO_ENUM))
            walk.add_argument(name, value=value, shown=shown)
        if walk.known and (opened or self._full):
            return {name: hide_known(value, walk.known) for name, value in shown.items()}
        return shown


_PARTS = 1_000
_WIDEST = 4_096
"""Characters of a value that are looked at: far more than a sentence shows of it."""
_KEYS = Keys(Stubs(bytes(16)))
"""What names say: no stub of theirs is shown."""


def hide_secrets(text: str, *given: object) -> str:
    """A text less secrets, and less those that are named so in what a call was given."""
    return _prepare(given)(text)


def _prepare(given: tuple[object, ...]) -> ChangeText:
    """What hides secrets in texts, once what is named so was looked for."""
    known: set[str] = set()
    try:
        if not all(is_open(each, keys=_KEYS) for each in given):
            remember_inside(given, known, keys=_KEYS)
    except Exception:  # noqa: BLE001 - values of others may refuse anything, and the call goes on
        return lambda _: FAILED
    return partial(_hide, known=known)


def _hide(text: str, *, known: set[str]) -> str:
    try:
        left = hide_known(str.__str__(text), known)
        return scrub_value(left, prose=True, hide=Hide.SECRETS, ids=True)
    except Exception:  # noqa: BLE001 - as above
        return FAILED


def hide_in_arguments(arguments: Mapping[str, object]) -> dict[str, object]:
    """What a call was given, less secrets, for use in a sentence."""
    return {name: _hide_value(value, name) for name, value in arguments.items()}


def hide_in_advice(advice: Advice, *given: object) -> Advice:
    """What to do about a failed call, as it is told."""
    hide = _prepare(given)
    return replace(advice, why=hide(advice.why), ask=advice.ask and hide(advice.ask))


def hide_in_findings(findings: Iterable[Finding], *given: object) -> tuple[Finding, ...]:
    """Findings as they are told, stored and shown: no reviewer looks at them any more."""
    found = tuple(findings)
    hide = _prepare(given if found else ())
    return tuple(_hide_in_finding(each, hide) for each in found)


def _hide_in_finding(finding: Finding, hide: ChangeText) -> Finding:
    said, opinion = finding.correction, finding.opinion
    return replace(
        finding,
        issue=hide(finding.issue),
        correction=said and hide(said),
        quote=finding.quote and hide(str(finding.quote)),
        opinion=opinion and Quoted(hide(opinion.raw), opinion.origin),
    )


def _hide_value(value: object, name: str) -> object:
    if isinstance(value, list | tuple):
        return [_hide_value(each, name) for each in islice(value, _PARTS)]
    text = format_value(value)[:_WIDEST]
    shown = hide_secrets(text, {name: value})
    return value if shown == text else shown
