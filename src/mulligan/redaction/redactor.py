"""Decides what of a call may be written down."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from enum import StrEnum
from functools import partial
from typing import Any

from mulligan.codec.json_text import encode_json
from mulligan.core.errors import ConfigurationError
from mulligan.core.storage.identity import Identities, IdentityKind
from mulligan.redaction.error import ErrorText, describe
from mulligan.redaction.scrub import clip
from mulligan.redaction.secrets.hide import Hide
from mulligan.redaction.secrets.known import hide_known
from mulligan.redaction.values.fast import FastWalk, build_compiled
from mulligan.redaction.values.keys import Keys
from mulligan.redaction.values.lean import Lean
from mulligan.redaction.values.stub import Stubs
from mulligan.redaction.values.walk import FAILED, FIELD_BYTES, ITEMS, NO_ENUM, Walk

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
        """`redact_parameters` for one tool: most open nothing, which each call need not ask."""
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
        """Prose without secrets, cut to a bearable length."""
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
        """Whom a tenant's, a person's or an agent's name stands for: what is kept goes by this.

        The one question that may be refused: guessed, it would find nobody, or somebody else.
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
