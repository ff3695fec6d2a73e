"""Which failures are the same: an error's text without its values, and the hash of it.

The call's own values go first, for they are certain; then what looks like a value. Codes, bounds,
the values an argument may have and the names of parameters stay: errors that differ in these need
different fixes. Everything is a function of the call and the text, so it can be computed again;
a change of the rules is a new version, and patterns of two versions are never mixed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence

from mulligan.core.call import Call
from mulligan.core.error_class import ErrorClass
from mulligan.core.suggestion import ErrorRule, Pattern
from mulligan.learning.errors.masks import (
    DOMAIN_BEFORE,
    MASK,
    NAMED_AFTER,
    NAMED_BEFORE,
    QUOTED,
)
from mulligan.learning.errors.messages import extract_message
from mulligan.learning.values.leaves import list_leaves

FINGERPRINT_VERSION = 1
LONGEST = 4_000
"""Characters of an error that count; what comes later is a trace or a dump."""
MOST_VALUES = 200
SHORTEST_VALUE = 3


def mask_error(error: str, arguments: Mapping[str, object]) -> str:
    """The error's text with its values masked."""
    text = extract_message(error)[:LONGEST]
    text = _mask_own_values(text, arguments)
    text = QUOTED.sub(lambda found: _mask_quoted(found, arguments), text)
    text = MASK.sub(_mask_match, text)
    text = re.sub(r"(<\w+>)(?:[\s,]*<\w+>)+", r"\1", text)
    return " ".join(text.casefold().split())


def compute_fingerprint(tool: str, masked: str) -> str:
    """The name of a pattern: the same for the same tool and template, with the version in it."""
    digest = hashlib.sha256(f"{tool}\n{masked}".encode("utf-8", "replace")).hexdigest()
    return f"{FINGERPRINT_VERSION}:{digest[:16]}"


def build_pattern(
    call: Call,
    *,
    error: str,
    error_class: ErrorClass,
    error_type: str = "",
    rules: Sequence[ErrorRule] = (),
) -> Pattern:
    """The pattern a failure belongs to. The user's rules are asked first, in their order."""
    said = f"{error_type}: {error[:LONGEST]}" if error_type else error[:LONGEST]
    masked = next(_match_rules(call.tool, said, rules), None)
    masked = mask_error(error, call.arguments) if masked is None else masked
    return Pattern(
        fingerprint=compute_fingerprint(call.tool, masked),
        tool=call.tool,
        error_class=error_class,
        template=masked,
        count=1,
    )


def _match_rules(tool: str, said: str, rules: Sequence[ErrorRule]) -> Iterator[str]:
    naming = (rule for rule in rules if rule.pattern)
    yield from (rule.pattern for rule in naming if rule.applies(tool, said))


def _mask_own_values(text: str, arguments: Mapping[str, object]) -> str:
    """Values of the call itself, the longest first, as whole words."""
    found = {
        str(value)
        for _, value in list_leaves(arguments, most=MOST_VALUES)
        if isinstance(value, str | int | float) and not isinstance(value, bool)
    }
    telling = [value for value in found if _is_telling(value) and value not in arguments]
    for value in sorted(telling, key=len, reverse=True):
        if value.casefold() in text.casefold():
            whole = re.compile(rf"(?<!\w){re.escape(value)}(?!\w)", _choose_case(value))
            text = whole.sub(_choose_mask(value), text)
    return text


def _choose_case(value: str) -> re.RegexFlag:
    """Tools write names and codes in a case of their own; one word may be one of the error's."""
    return re.NOFLAG if value.isalpha() else re.IGNORECASE


def _choose_mask(value: str) -> str:
    """A path and a bare name fail in the same words and are mended in different ways."""
    if re.fullmatch(r"-?[\d.,]+", value):
        return "<number>"
    return "<path>" if "/" in value or "\\" in value else "<value>"


def _is_telling(value: str) -> bool:
    """Whether a value is its own and not a word the error would use anyway."""
    if len(value) > LONGEST:
        return False
    if len(value) < SHORTEST_VALUE:
        # "B7" is a seat; "is" and "12" may be anything.
        return value.isalnum() and not value.isalpha() and not value.isdigit()
    return not value.isdigit() or len(value) > SHORTEST_VALUE


def _mask_quoted(found: re.Match[str], arguments: Mapping[str, object]) -> str:
    inner = next((group for group in found.groups() if group is not None), "")
    before = found.string[max(0, found.start() - 240) : found.start()]
    after = found.string[found.end() : found.end() + 40]
    is_name = NAMED_BEFORE.search(before) or NAMED_AFTER.search(after)
    if inner in arguments or (is_name and re.fullmatch(r"[A-Za-z_][\w.-]*", inner)):
        return inner
    return inner if DOMAIN_BEFORE.search(before) else "<text>"


def _mask_match(found: re.Match[str]) -> str:
    kind = (found.lastgroup or "value").rsplit("_", 1)[0]
    return found.group() if kind == "keep" else f"<{kind}>"
