"""Classifies an error: by its code first, then its type, then its words.

Words are the weakest evidence: a class that only they give is marked so (`by_words`), and proves
nothing about an effect.
"""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import cache, lru_cache
from itertools import islice

from msgspec.structs import replace

from mulligan.learning.closeness import compile_phrases
from mulligan.learning.error_details import ErrorFields, ask, ask_text, read_error, read_exception
from mulligan.learning.values import print_value
from mulligan.types.call import Call, Failure
from mulligan.types.errors import ConflictError, NothingDone
from mulligan.types.failure import ErrorClass
from mulligan.types.interfaces import Classify
from mulligan.types.lesson import ErrorRule
from mulligan_dates.text import list_leaves, separate_words

MOST_TEXT = 4_000
MOST_VALUES = 100
SHORTEST_VALUE = 3

BROKEN = (ArithmeticError, AttributeError, MemoryError, NameError, SyntaxError)
"""What Python raises in a tool's own code, whatever it says."""

_PARSED = re.compile(
    r"time data |unconverted data remains|could not convert|invalid literal for|isoformat string"
)
"""What Python says of a value that it could not read."""

BY_NAME: Mapping[str, ErrorClass] = {
    name: each for each in ErrorClass for name in each.traits.exceptions
}
"""Exceptions by name, since most come from libraries we do not import; nearest class first."""


def classify(call: Call, error: BaseException) -> Failure:
    """The class of this error, and how long the remote asked us to wait."""
    wait = _read_retry_after(error)
    found = _classify_error(error, waits=wait is not None)
    if found is ErrorClass.TOOL_EXCEPTION:
        # The host refused the arguments before the tool was entered.
        cause = error.__cause__ if isinstance(error, NothingDone) else None
        refused = cause is not None and _classify_error(cause, waits=False)
        if refused is ErrorClass.VALIDATION or _refuses_argument(call, error):
            found = ErrorClass.VALIDATION
    said = found
    if found is ErrorClass.TOOL_EXCEPTION and not isinstance(error, NothingDone):
        said = _classify_message(error)
    answered = _read_status(error) is not None or isinstance(error, ConflictError)
    return Failure(
        error_class=said,
        error=error,
        by_words=said is not found,
        retry_after=wait,
        answered=answered,
    )


def _classify_message(error: BaseException) -> ErrorClass:
    """What an error says of itself, where its type says nothing."""
    if isinstance(error, BROKEN):
        return ErrorClass.TOOL_EXCEPTION
    said = ask_text(error)[:MOST_TEXT]
    told = classify_text(said)
    # Of a value that the call was not given: the remote's own is malformed.
    parsed = told is ErrorClass.VALIDATION and _PARSED.search(said) is not None
    return ErrorClass.TOOL_EXCEPTION if parsed or told is ErrorClass.UNKNOWN else told


def classify_by_rule(rules: Sequence[ErrorRule], *, tool: str, said: str) -> ErrorClass | None:
    """The class from the first of the user's rules that matches this error."""
    giving = (rule for rule in rules if rule.error_class is not None)
    ruled = (rule.error_class for rule in giving if rule.applies(tool, said[:MOST_TEXT]))
    return next(ruled, None)


def rules_out_effect(rules: Sequence[ErrorRule], *, tool: str, said: str) -> bool:
    """Whether the user's rules declare that such a failure has changed nothing."""
    giving = (rule for rule in rules if rule.nothing_done is True)
    return any(rule.applies(tool, said[:MOST_TEXT]) for rule in giving)


def build_classifier(rules: Sequence[ErrorRule], *, otherwise: Classify = classify) -> Classify:
    """A `Classify` that applies the user's rules first, in their order."""

    def classify_ruled(call: Call, error: BaseException) -> Failure:
        known = otherwise(call, error)
        said = f"{type(error).__name__}: {error}"
        ruled = classify_by_rule(rules, tool=call.tool, said=said)
        return replace(
            known,
            error_class=known.error_class if ruled is None else ruled,
            refused=rules_out_effect(rules, tool=call.tool, said=said),
        )

    return classify_ruled if rules else otherwise


def _classify_error(error: BaseException, *, waits: bool) -> ErrorClass:
    status = _read_status(error)
    if status == 503 and waits:
        return ErrorClass.RATE_LIMIT
    clear = _find_clear(read_exception(error))
    # Only the transport can prove that nothing was sent, not a word in a text.
    if clear is not None and clear is not ErrorClass.NOT_SENT:
        return clear
    if coded := BY_STATUS.get(status or 0):
        return coded
    named = (BY_NAME.get(kind.__name__) for kind in type(error).__mro__)
    if known := next(filter(None, named), None):
        return known
    match error:
        case ConnectionRefusedError() | socket.gaierror() | ssl.SSLCertVerificationError():
            return ErrorClass.NOT_SENT
        case TimeoutError() | ConnectionError() | EOFError():
            return ErrorClass.AMBIGUOUS
        case PermissionError():
            return ErrorClass.POLICY
        case FileNotFoundError():
            return ErrorClass.MISSING
        case Exception():
            return ErrorClass.TOOL_EXCEPTION
        case _:
            return ErrorClass.AMBIGUOUS


def _refuses_argument(call: Call, error: BaseException) -> bool:
    """Whether a plain Python error complains about one of the call's own arguments.

    The same call would fail again. A remote value may be malformed just as well, so the error must
    quote the argument's value or name.
    """
    if not isinstance(error, ValueError | TypeError):
        return False
    said = ask_text(error)[:MOST_TEXT]
    if classify_text(said) is not ErrorClass.VALIDATION:
        return False
    for name in islice(call.arguments, MOST_VALUES):
        begins = said.startswith(name) and not said[len(name) : len(name) + 1].isalnum()
        quoted = any(f"{quote}{name}{quote}" in said for quote in "'\"`")
        if quoted or (begins and len(name) >= SHORTEST_VALUE):
            return True
    # The unparsed end of a value.
    rest = said.rpartition("remains: ")[2] if "unconverted data remains: " in said else ""
    values = list_leaves(call.arguments, most=MOST_VALUES)
    told = (each for _, each in values if isinstance(each, str | int | float))
    texts = (print_value(each)[:MOST_TEXT] for each in told)
    return any(
        (len(text) >= SHORTEST_VALUE and text in said) or bool(rest and text.endswith(rest))
        for text in texts
    )


def _read_status(error: BaseException) -> int | None:
    for holder in (error, ask(error, "response"), ask(error, "error")):
        for name in ("status_code", "status", "code"):
            value = ask(holder, name)
            if type(value) is int:
                return value
    return None


def _read_retry_after(error: BaseException) -> timedelta | None:
    asked = ask(error, "retry_after")
    if asked is None:
        headers = ask(ask(error, "response"), "headers")
        asked = headers.get("Retry-After") if isinstance(headers, Mapping) else None
    if not isinstance(asked, int | float | str):
        return None
    try:
        seconds = float(asked)
    except (ValueError, OverflowError):
        # An HTTP date: rare, and our own backoff does no harm instead.
        return None
    return timedelta(seconds=seconds) if 0 <= seconds < 86_400 else None


BY_STATUS: Mapping[int, ErrorClass] = {
    status: each for each in ErrorClass for status in each.traits.statuses
}
"""HTTP statuses and JSON-RPC codes. 503 is a rate limit only when it comes with Retry-After."""

BY_SQLSTATE: Mapping[str, ErrorClass] = {
    start: each for each in ErrorClass for start in each.traits.sqlstates
}
"""Classes by the first characters of a SQLSTATE."""


@cache
def _compile_words() -> Mapping[ErrorClass, re.Pattern[str]]:
    """Classes and their words, in order of precedence; compiled at the first failure."""
    return {each: compile_phrases(each.traits.words) for each in ErrorClass if each.traits.words}


_TOOL_BROKE = r"""
    expecting (?:value|property name|'.' delimiter) | extra data: line | unterminated string
    index out of range | no module named | object has no attribute | nonetype | KeyError
    traceback | (?:is not valid|in) JSON\b(?: at|$) | unexpected end of JSON
    string indices must be | recursion depth | unsupported operand | name '\w+' is not defined
    (?:cannot|can't|failed to) allocate | out of memory | MemoryError | no space left
    disk (?:is )?full
    out of bounds | \bpanicked at\b
    cannot read propert(?:y|ies) of | is not a function\b | unhashable | null.?pointer
    (?:object )?is not (?:subscriptable|iterable|callable) | segmentation fault | stack overflow
"""
"""Errors that only the tool's own code raises, after its arguments were accepted."""


@cache
def _compile_broken() -> re.Pattern[str]:
    return compile_phrases(_TOOL_BROKE)


UNDECIDED = frozenset({ErrorClass.RULE, ErrorClass.TOOL_EXCEPTION, ErrorClass.UNKNOWN})
"""Classes whose words ordinary codes have too, as `before` and `limit`."""

REFUSING = frozenset(
    {
        ErrorClass.AUTH,
        ErrorClass.POLICY,
        ErrorClass.RATE_LIMIT,
        ErrorClass.NOT_SENT,
        ErrorClass.AMBIGUOUS,
        ErrorClass.VALIDATION,
    }
)
"""Classes whose words say on their own that a request was not met."""

REFUSALS = frozenset({ErrorClass.AUTH, ErrorClass.POLICY, ErrorClass.RATE_LIMIT})
"""Classes whose words are about who asks and how often, not about what is asked."""

VAGUE = frozenset(
    {ErrorClass.VALIDATION, ErrorClass.AMBIGUOUS, ErrorClass.TOOL_EXCEPTION, ErrorClass.UNKNOWN}
)
"""Codes that are too general; a status beside them says more."""


@lru_cache(maxsize=16)  # Each source of advice asks about the same failure.
def classify_text(error: str) -> ErrorClass:
    """The class of an error by its code, its status, then its words; else `UNKNOWN`."""
    said = read_error(error)
    text = said.message[:MOST_TEXT]
    # Services number their errors as databases do: the words of a refusal say more than a number.
    if said.code.isdigit() and _classify_prose(text) in REFUSALS:
        said = replace(said, code="")
    if (clear := _find_clear(said)) is not None:
        return clear
    if said.status is not None and said.status in BY_STATUS:
        return BY_STATUS[said.status]
    coded = [classify_code(each) for each in (said.code, said.reason)]
    vague = next((each for each in coded if each is not ErrorClass.UNKNOWN), ErrorClass.UNKNOWN)
    if vague not in UNDECIDED:
        return vague
    # Many services call every error an exception: that says least.
    words = _classify_prose(text)
    return vague if words is ErrorClass.UNKNOWN else words


def _classify_prose(text: str) -> ErrorClass:
    broken = _compile_broken().search(text) and "validation error" not in text.casefold()
    return ErrorClass.TOOL_EXCEPTION if broken else _classify_words(text)


def _find_clear(said: ErrorFields) -> ErrorClass | None:
    """The class that the code or the reason of an answer states."""
    coded = (classify_code(each) for each in (said.code, said.reason))
    return next((each for each in coded if each not in VAGUE), None)


def classify_code(code: str) -> ErrorClass:
    """The class that a code for programs names, as `TOO_MANY_REQUESTS` does; else `UNKNOWN`."""
    if re.fullmatch(r"[0-9][0-9A-Z]{4}|XX[0-9A-Z]{3}", code):
        starts = sorted((each for each in BY_SQLSTATE if code.startswith(each)), key=len)
        return BY_SQLSTATE[starts[-1]] if starts else ErrorClass.UNKNOWN
    return _classify_words(code[:100].replace("-", " "))


def find_likely_class(failure: Failure, error: str) -> ErrorClass:
    """The failure's class, or the one its text describes where only the type was known."""
    if failure.error is not None or not failure.error_class.traits.told_by_type_alone:
        return failure.error_class
    told = classify_text(error)
    return failure.error_class if told is ErrorClass.UNKNOWN else told


def _classify_words(text: str) -> ErrorClass:
    """The class by the words of a text, also inside identifiers: `channel_not_found`."""
    apart = separate_words(text).replace("_", " ")
    for each, words in _compile_words().items():
        if words.search(text) or (apart != text and words.search(apart)):
            return each
    return ErrorClass.UNKNOWN
