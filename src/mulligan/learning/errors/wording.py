"""Which class of error a text describes, by the words errors of that class have in any trade.

The weakest of witnesses: a code or an exception's type is asked first (`classify`), and what a text
says is used for advice alone, never to call again what may have landed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from mulligan.core.call import ErrorClass, Failure
from mulligan.learning.errors.classify import BY_STATUS
from mulligan.learning.errors.messages import extract_message
from mulligan.learning.values.vocabulary import compile_phrases

LONGEST = 4_000
WEAK = frozenset({ErrorClass.UNKNOWN, ErrorClass.TOOL_EXCEPTION})
"""Classes that an exception's type alone gives; the text may know better."""

WORDS: Mapping[ErrorClass, re.Pattern[str]] = {
    ErrorClass.AUTH: compile_phrases(r"""
        unauthori[sz]ed | unauthenticated | not authenticated | logged in
        log ?in (?:first|required|to)
        invalid (?:access |api |auth\w* )?(?:token|credentials?|api key) | missing (?:api key|token)
        (?:token|session) (?:has )?expired | authentication (?:failed|required)
    """),
    ErrorClass.POLICY: compile_phrases(r"""
        forbidden | permission denied | access denied | not permitted | not allowed to
        insufficient (?:permissions?|privileges?|scope) | violates? (?:the )?policy
    """),
    ErrorClass.RATE_LIMIT: compile_phrases(r"""
        rate.?limit | too many requests | quota exceeded | throttl | retry.after | slow down
        requests? too (?:quickly|fast|often)
    """),
    ErrorClass.NOT_SENT: compile_phrases(r"""
        connection refused | could not connect | failed to connect | name resolution | no such host
        getaddrinfo | certificate verify | host unreachable | network is unreachable
        ECONNREFUSED | ENOTFOUND
    """),
    ErrorClass.AMBIGUOUS: compile_phrases(r"""
        service unavailable | temporarily unavailable | time[d ]?.?out | deadline exceeded
        bad gateway
        connection (?:reset|aborted|closed|issue|error) | internal (?:server )?error
        server error
        try again later | overloaded | ECONNRESET | broken pipe | fetch failed
    """),
    ErrorClass.CONFLICT: compile_phrases(r"""
        \bconflict | already exists | file exists | duplicate | version mismatch | etag
        modified since
        already (?:been )?(?:taken|in use|booked|registered) | precondition failed
        being (?:edited|processed)
    """),
    ErrorClass.VALIDATION: compile_phrases(r"""
        validation errors? | is a required property | field required | missing \d* ?required
        required (?:positional |keyword.only )?arguments? | missing (?:argument|parameter|field)
        unexpected (?:keyword|argument|parameter|field|property) | got an unexpected
        unknown (?:argument|parameter|field|option) | takes \d+ positional | is not of type
        not a valid | invalid (?:type|value|arguments?|parameters?|format|date|input|email|url)
        invalid (?:enum|json|characters?|mode|syntax) | does not match (?:the )?(?:pattern|format)
        must be (?:one of|an? |of type|>|<|at |between|positive|greater|less|in )
        should be (?:one of|a valid|an? |>|<|at |greater|less|in ) | is not one of
        expected (?:type|string|int|number|bool|array|object|one of|str|list|dict)
        cannot (?:be )?(?:parse|convert) | could not convert | unrecognized | additional propert
        malformed | is required\b | cannot be (?:empty|null|blank) | out of range
    """),
    ErrorClass.MISSING: compile_phrases(r"""
        not found | no such | does(?: not|n't) exist
        unknown (?:id|user|tool|action|function|method)
        could(?: not|n't) (?:be )?f(?:ind|ound) | cannot find | not available
        nonexistent | ENOENT
        no (?:\w+ ){0,3}(?:found|available|exists?) | no longer exists
        unable to (?:find|locate|retrieve)
    """),
    ErrorClass.RULE: compile_phrases(r"""
        cannot | can not | can't | must | should | needs? to be | not enough | insufficient
        not allowed | exceeds? | only | before | does(?: not|n't) (?:match|add up)
        not (?:eligible|supported|possible|enabled) | limit | balance | already | too many
    """),
    ErrorClass.TOOL_EXCEPTION: compile_phrases(
        "traceback | exception | error executing | division by zero | assertion"
    ),
}
"""Class and words, by the precedence of the one list."""

TOOL_BROKE = compile_phrases(r"""
    expecting (?:value|property name|'.' delimiter) | extra data: line | unterminated string
    list index out of range | no module named | object has no attribute | nonetype | KeyError
    traceback
""")
"""What only the tool's own code can have tripped over: its arguments had been read by then."""

_STATUS = re.compile(
    r"(?:status(?: code)?|http(?:/\d\.\d)?|code|error)\s*[:=]?\s*\(?(-?\d{3,5})\b|"
    r"(?<![\w.$])([45]\d\d)(?=\s+[A-Z][a-z])"
)


def classify_text(error: str) -> ErrorClass:
    """The class an error's text describes; `UNKNOWN` when it uses none of the words."""
    text = extract_message(error)[:LONGEST]
    if TOOL_BROKE.search(text) and "validation error" not in text.casefold():
        return ErrorClass.TOOL_EXCEPTION
    for status in _find_statuses(text):
        if status in BY_STATUS:
            return BY_STATUS[status]
    return next((each for each, words in WORDS.items() if words.search(text)), ErrorClass.UNKNOWN)


def find_likely_class(failure: Failure, error: str) -> ErrorClass:
    """What the failure is classed as, or what its text describes where only its type was known."""
    return classify_text(error) if failure.error_class in WEAK else failure.error_class


def _find_statuses(text: str) -> Iterator[int]:
    for found in _STATUS.finditer(text):
        yield int(found[1] or found[2])
