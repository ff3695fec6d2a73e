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
from mulligan.core.failures.error_class import ErrorClass
from mulligan.core.failures.suggestion import ErrorRule, Pattern
from mulligan.learning.errors.dumps import mask_dumps
from mulligan.learning.errors.fields import read_error
from mulligan.learning.errors.masks import (
    CLAUSE,
    DOMAIN_BEFORE,
    FORMAT,
    MASK,
    NAMED_AFTER,
    NAMED_BEFORE,
    NAMED_THING,
    QUOTED,
    REASON,
    REASON_BEFORE,
    SAME_BOUND,
)
from mulligan.learning.values.leaves import list_leaves, print_value

FINGERPRINT_VERSION = 3
LONGEST = 4_000
"""Characters of an error that count; what comes later is a trace or a dump."""
MOST_VALUES = 200
MOST_TEXT = 20_000
LONG_TEXT = 12
"""Characters of a text that may hold names of its own, and is not merely one."""
SHORTEST_VALUE = 3
_WORDS = frozenset(("ID", "OK", "NO", "IS", "IP", "DB", "AN", "IN", "TO", "OF"))
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


def mask_error(error: str, arguments: Mapping[str, object]) -> str:
    """The error's text with its values masked."""
    text = mask_dumps(read_error(error).render()[:LONGEST])
    text = _mask_own_values(text, arguments)
    own = _OwnWords(arguments)
    text = QUOTED.sub(lambda found: _mask_quoted(found, own), text)
    text = NAMED_THING.sub(lambda found: _mask_thing(found, own), text)
    text = MASK.sub(_mask_match, text)
    text = re.sub(r"(<\w+>)(?:[\s,]*<\w+>)+", r"\1", text)
    text = " ".join(_drop_repeats(text).casefold().split())
    for sign, words in SAME_BOUND:
        text = words.sub(sign, text)
    return text


def _drop_repeats(text: str) -> str:
    """Each complaint once: three arguments that are wrong alike are wrong in one way."""
    return " ".join(dict.fromkeys(part.strip() for part in CLAUSE.split(text)))


class _OwnWords:
    """Names that stand inside the call's own texts: a query's tables, a page's properties."""

    def __init__(self, arguments: Mapping[str, object]) -> None:
        self.parameters = arguments
        leaves = list_leaves(arguments, most=MOST_VALUES)
        self._texts = [
            text[:MOST_TEXT]
            for _, text in leaves
            if isinstance(text, str) and len(text) > LONG_TEXT
        ]

    def hold(self, name: str) -> bool:
        """Whether a name is one of the caller's own, and none of the tool's parameters."""
        if name in self.parameters or len(name) < SHORTEST_VALUE:
            return False
        return any(name in text for text in self._texts)


def _mask_thing(found: re.Match[str], own: _OwnWords) -> str:
    name = found[3]
    telling = own.hold(name) or re.search(r"[\w*][.:]\w|_\w*_|\*\*", name)
    return f"{found[1]}{found[2]}<name>" if telling else found[0]


def compute_fingerprint(tool: str, masked: str) -> str:
    """The name of a pattern: the same for the same tool and template, with the version in it."""
    digest = hashlib.sha256(f"{tool}\n{masked}".encode("utf-8", "replace")).hexdigest()
    return f"{FINGERPRINT_VERSION}:{digest[:16]}"


def renew_fingerprint(fingerprint: str, *, tool: str, template: str) -> str:
    """The name that a pattern of older masks has today; that of today's is its own."""
    version, _, digest = fingerprint.partition(":")
    if not digest or not version.isdigit() or int(version) == FINGERPRINT_VERSION:
        return fingerprint
    # A pattern that the user has named is that name, and no text that was masked.
    named = template != template.casefold()
    return compute_fingerprint(tool, template if named else mask_error(template, {}))


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
        print_value(value)
        for _, value in list_leaves(arguments, most=MOST_VALUES)
        if isinstance(value, str | int | float) and not isinstance(value, bool)
    }
    telling = [value for value in found if _is_telling(value) and value not in arguments]
    for value in sorted(telling, key=len, reverse=True):
        if value.casefold() in text.casefold():
            if _UNSPACED.search(value):
                # Its script puts no blanks between words.
                text = text.replace(value, "<value>")
                continue
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
        # "B7" is a seat, "LA" a place and "王伟" a person; "is" and "12" may be anything.
        if not value.isascii() or (value.isalpha() and value.isupper()):
            return len(value) == 2 and value not in _WORDS
        return value.isalnum() and not value.isalpha() and not value.isdigit()
    return not value.isdigit() or len(value) > SHORTEST_VALUE


def _mask_quoted(found: re.Match[str], own: _OwnWords) -> str:
    inner = next((group for group in found.groups() if group is not None), "")
    before = found.string[max(0, found.start() - 240) : found.start()]
    after = found.string[found.end() : found.end() + 40]
    is_name = NAMED_BEFORE.search(before) or NAMED_AFTER.search(after)
    is_name = is_name and re.fullmatch(r"[A-Za-z_][\w.-]*", inner)
    if inner in own.parameters or (is_name and not own.hold(inner)):
        return inner
    if REASON_BEFORE.search(before) and REASON.fullmatch(inner):
        return inner
    return inner if DOMAIN_BEFORE.search(before) or FORMAT.search(inner) else "<text>"


def _mask_match(found: re.Match[str]) -> str:
    kind = (found.lastgroup or "value").rsplit("_", 1)[0]
    return found.group() if kind == "keep" else f"<{kind}>"
