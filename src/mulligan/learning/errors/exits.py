"""How a program ended that a tool ran, where the tool says so in what it returns.

A line of its own, at the end of what the program wrote or right at the start: `Return code: 1`. The
same words in a log are about other programs, and say nothing of the call.
"""

from __future__ import annotations

import re

from mulligan.core.runtime.late_pattern import compile_late

END = 300
"""Characters at the end of a text in which a tool tells how the program ended …"""
START = 100
"""… or at its start."""
NEAR = 2_000
"""Characters that tell whether it is a log."""
MOST_LINES = 8

_ENDED = compile_late(
    r"[\[(<*#=\s]{0,8}(?:(?:the )?(?:command|process|program|script|execution|job)\b[\w ]{0,40}? )?"
    r"(?:(?:exit|return)(?:ed)?[ _-]?(?:code|status|value)|"
    r"exited with(?: (?:code|status|exit code))?|returncode)"
    r"\s{0,3}[:=]?\s{0,3}(-?\d{1,10})[\])>*.=\s]{0,8}",
    re.IGNORECASE,
)
_STAMPED = compile_late(
    r"\s{0,8}(?:\[?\d{4}-\d\d-\d\d[T ]\d\d|\[?\d{1,2}:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:)"
)
_LEVELLED = compile_late(
    r"\s{0,8}(?:\[|##\[|level=)?"
    r"(?:trace|debug|info|notice|warn(?:ing)?|error|fatal|critical)\b[\]:| ]",
    re.IGNORECASE,
)


def find_exit(text: str) -> int | None:
    """The exit code a tool reports of a program that failed; `None`: none, zero, or a log's."""
    return read_exit(text) or None


def read_exit(text: str) -> int | None:
    """The exit code a tool reports of the program it ran, zero too; `None`: it reports none."""
    last = _find_last(text[-END:], slice(-MOST_LINES, None))
    if last is not None:
        return None if looks_like_log(text[-NEAR:]) else last
    first = _find_last(text[:START], slice(2)) if len(text) > END else None
    return None if first is None or looks_like_log(text) else first


def looks_like_log(text: str) -> bool:
    """Whether several lines begin as a log's do: with a time, or with a level."""
    lines = [line for line in text[:NEAR].splitlines() if line.strip()]
    stamped = sum(_STAMPED.match(line) is not None for line in lines)
    levelled = sum(_LEVELLED.match(line) is not None for line in lines)
    enough = stamped >= 2 or levelled >= 3
    return enough and 2 * max(stamped, levelled) >= len(lines)


def _find_last(text: str, lines: slice) -> int | None:
    low = text.lower()
    if "exit" not in low and "return" not in low:
        # Nearly every text ends here, at every call.
        return None
    looked = text.splitlines()[lines]
    found = [int(ended[1]) for line in looked if (ended := _ENDED.fullmatch(line[:200]))]
    return found[-1] if found else None
