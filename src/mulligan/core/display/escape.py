"""Makes text from elsewhere show what it holds: nothing hidden, nothing that drives a terminal."""

from __future__ import annotations

import re
from functools import lru_cache

from mulligan.core.runtime.late_pattern import compile_late

NAME = compile_late(r"[^\W\d][\w.$-]{0,63}")
"""What can be the name of an argument or a tool: one word, and no sentence."""

_UNSAFE = compile_late(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u2800\u3164\ufe00-\ufe0f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)

_JOINED = "\u0600-\u08ff\u0900-\u0dff\u0e80-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc"
"""Scripts that are written with joiners: Arabic, Persian, those of India, Khmer, Mongolian."""
_PICTURES = "\u00a9\u00ae\u203c-\u27ff\u2801-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_SPELLED = compile_late(
    rf"(?<=[{_JOINED}])[\u200c\u200d](?=[{_JOINED}\s]|$)"
    rf"|(?<=[{_PICTURES}])[\ufe0e\ufe0f]|(?<=[0-9#*])\ufe0f(?=\u20e3)"
    rf"|(?<=[{_PICTURES}\ufe0f])\u200d(?=[{_PICTURES}])"
)
"""Characters without a shape of their own where writing needs them: they hide nothing."""


_JOINERS = frozenset("\u200c\u200d\ufe0e\ufe0f")


def _escape_character(found: re.Match[str]) -> str:
    if found[0] in _JOINERS and _SPELLED.match(found.string, found.start()):
        return found[0]
    return _write_escape(found[0])


@lru_cache(maxsize=1_024)
def _write_escape(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def escape(text: str) -> str:
    """Escape what could drive a terminal, hide text, or not be stored as UTF-8."""
    return _UNSAFE.sub(_escape_character, text)


def format_value(value: object) -> str:
    """What a value of somebody else's prints as; one that refuses is named by its type."""
    try:
        return str(value)
    except Exception:  # noqa: BLE001 - its own code may raise anything
        if type(value) is int:  # of more digits than Python writes in decimal
            return hex(value)
        return f"<{type(value).__name__} that cannot be shown>"


def escape_json(text: str) -> str:
    """JSON text with the same characters as escapes of JSON: who decodes it gets them back."""
    return _UNSAFE.sub(_escape_in_json, text)


def _escape_in_json(found: re.Match[str]) -> str:
    pairs = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{pairs[place : place + 4]}" for place in range(0, len(pairs), 4))


def quote_name(name: str) -> str:
    """A name as data in a sentence of ours; what can be no name is not shown."""
    return f"`{name}`" if NAME.fullmatch(name) else "`…`"


def show_name(name: str) -> str:
    """A name as it reads in a sentence of ours, without marks; what can be no name is not shown."""
    return name if NAME.fullmatch(name) else "`…`"


def format_one_line(text: str, *, most: int) -> str:
    """Text from elsewhere as one line of ours: escaped, its white space folded, cut."""
    # Cut first as well: nobody wants to fold ten megabytes for the sake of a line.
    line = escape(" ".join(text[: most * 4].split()))
    return line if len(line) <= most else f"{line[: most - 1]}…"
