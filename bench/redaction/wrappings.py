"""How secrets are wrapped, how each wrapping is seen through, and where they stand in a call."""

from __future__ import annotations

import base64
import html
import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from urllib.parse import quote, unquote

from mulligan.redaction import Capture, Redactor

_FORMAT = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
_SHOWN = re.compile(r"\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|\\U([0-9a-f]{8})")
_RUN = re.compile(r"[A-Za-z0-9+/_-]{8,}")
_PRINTED = re.compile(r"(?:=[0-9A-F]{2})+")
_ENOUGH, _SHARE = 6, 0.6


def _join(sign: str) -> Callable[[str], str]:
    return lambda text: sign.join(text)


def _widen(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


def _embolden(text: str) -> str:
    """In the bold letters and digits of mathematics."""
    shown = []
    for c in text:
        first = "A" if c.isupper() else "a" if c.islower() else "0"
        block = {"A": 0x1D400, "a": 0x1D41A, "0": 0x1D7CE}[first]
        shown.append(chr(block + ord(c) - ord(first)) if c.isascii() and c.isalnum() else c)
    return "".join(shown)


ENCODINGS: Mapping[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "zero-width space": _join("\u200b"),
    "word joiner": _join("\u2060"),
    "soft hyphen": _join("\u00ad"),
    "variation selector": _join("\ufe0f"),
    "bidi mark": _join("\u200e"),
    "fullwidth": _widen,
    "bold letters": _embolden,
    "percent": lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    "percent where it must": lambda text: quote(text, safe=""),
    "percent twice": lambda text: "".join(f"%25{byte:02X}" for byte in text.encode()),
    "entities": lambda text: "".join(f"&#{ord(c)};" for c in text),
    "entities in hex": lambda text: "".join(f"&#x{ord(c):x};" for c in text),
    "json escapes": lambda text: "".join(f"\\u{ord(c):04x}" for c in text),
    "code escapes": lambda text: "".join(f"\\x{ord(c):02x}" for c in text),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "hex": lambda text: text.encode().hex(),
}

_KEY = bytes(range(32))
_LOG = Redactor(key=_KEY)
_FULL = Redactor(key=_KEY, capture=Capture.FULL)

FRAMES: Mapping[str, str] = {
    "alone": "{}", "in a sentence": "could not use {} for it", "at the start": "{} is not valid",
    "at the end": "not valid: {}", "in quotes": "got '{}' instead", "in brackets": "[{}] failed",
    "on a line": "first\n{}\nlast", "after an arrow": "retry -> {}", "in a tuple": "({},)",
    "in a list": "expected one of a, {}, b",
}  # fmt: skip

_LONG = "It was not there, so we looked for it again. " * 100


def _raise(text: str) -> str:
    return "\n".join(map(str, _LOG.redact_error(ValueError(text), arguments={})))


def _frame(show: Callable[[str], str], frame: str, text: str) -> str:
    return show(frame.format(text))


def _nest(text: str, depth: int) -> object:
    value: object = text
    for level in range(depth):
        value = {"inner": value} if level % 2 else [value]
    return value


def _log_full(value: object) -> str:
    return _FULL.redact_parameters({"value": value})


PLACES: Mapping[str, Callable[[str], str]] = {
    **{f"error: {name}": partial(_frame, _raise, frame) for name, frame in FRAMES.items()},
    **{f"text: {name}": partial(_frame, _LOG.redact_text, frame) for name, frame in FRAMES.items()},
    "label": _LOG.redact_label,
    "error: after a long text": lambda t: _raise(f"{_LONG[:1_500]} {t}"),
    "text: before a long text": lambda t: _LOG.redact_text(f"{t} {_LONG}"),
    "logged: argument": lambda t: _LOG.redact_parameters({"value": t}),
    "logged: nested": lambda t: _LOG.redact_parameters({"value": _nest(t, 3)}),
    "logged: result": lambda t: _LOG.redact_result({"items": [t]}),
    "logged: key": lambda t: _LOG.redact_result({t: 1}),
    "allowed argument": lambda t: _LOG.redact_parameters({"a": t}, allow=frozenset({"a"})),
    "full: argument": _log_full,
    "full: in a sentence": lambda t: _log_full(f"please use {t} for it"),
    "full: on a line": lambda t: _log_full(f"first\n{t}\nlast"),
    "full: list": lambda t: _log_full(["a", t]),
    "full: nested 2": lambda t: _log_full(_nest(t, 2)),
    "full: nested 6": lambda t: _log_full(_nest(t, 6)),
    "full: set": lambda t: _log_full({t}),
    "full: key": lambda t: _log_full({t: 1}),
    "full: result": lambda t: _FULL.redact_result({"note": t}),
    "full: text": _FULL.redact_text,
    "full: error": lambda t: "\n".join(map(str, _FULL.redact_error(KeyError(t), arguments={}))),
    "full: json in a string": lambda t: _log_full(json.dumps({"note": t}, ensure_ascii=False)),
    "for a judge": lambda t: str(_LOG.redact_value({"note": t})),
    "for a judge: list": lambda t: str(_LOG.redact_value([t, [t]])),
}


def is_leaked(shown: str, secret: str, wrapped: str) -> bool:
    """Whether most of a secret can be read from what is shown, whatever it is wrapped in."""
    if wrapped in shown:
        return True
    size = max(_ENOUGH, round(len(secret) * _SHARE))
    parts = {secret[at : at + size] for at in range(max(1, len(secret) - size + 1))}
    return any(part in view for view in _read(shown) for part in parts)


def _read(shown: str) -> list[str]:
    """What someone reads who undoes every wrapping there is."""
    plain = _SHOWN.sub(lambda found: chr(int(found[1] or found[2] or found[3], 16)), shown)
    plain = _SHOWN.sub(
        lambda found: chr(int(found[1] or found[2] or found[3], 16)), plain.replace("\\\\", "\\")
    )
    plain = unicodedata.normalize("NFKC", _FORMAT.sub("", plain))
    plain = html.unescape(unquote(unquote(plain)))
    plain = _PRINTED.sub(
        lambda found: bytes.fromhex(found[0].replace("=", "")).decode("latin-1"), plain
    )
    return [shown, plain, *(_decode(run) for run in _RUN.findall(plain))]


def _decode(run: str) -> str:
    body = run.replace("-", "+").replace("_", "/")
    texts = []
    with suppress(ValueError):  # it is no hex
        texts.append(bytes.fromhex(run))
    with suppress(ValueError):  # it is no base64
        whole = body[: len(body) - (len(body) % 4 == 1)]
        texts.append(base64.b64decode(whole + "=" * (-len(whole) % 4)))
    return " ".join(text.decode("latin-1") for text in texts)
