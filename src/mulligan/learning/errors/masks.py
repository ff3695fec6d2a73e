"""What in an error's text is a value and not a kind: one pattern, tried at each place in order."""

from __future__ import annotations

import re

from mulligan.learning.values.vocabulary import join_alternatives

_BOUND_BEFORE = join_alternatives("""
    <= | >= | < | > | ≤ | ≥ | == | at most | at least | more than | less than | greater than
    fewer than | up to | exceeds? | max(?:imum)?(?: of| is)? | min(?:imum)?(?: of| is)?
    limit(?: of| is)? | between | or equal to | longer than | shorter than | exactly | one of
    multiple of | höchstens | mindestens | maximal | au plus | au moins | como máximo | como mínimo
""")
_CODE_BEFORE = r"(?:http(?:/\d\.\d)?|status(?: code)?|code|errno|error|exit code|rpc)"

MASKS: tuple[tuple[str, str], ...] = (
    (
        "keep",
        (
            rf"(?<!\w){_BOUND_BEFORE}\s*+:?\s*+-?\d++(?:\.\d++)?"
            r"(?:\s*+(?:and|to|-|\u2013|\u2014|,)\s*+-?\d++(?:\.\d++)?\b)?"
        ),
    ),
    (
        "keep",
        (
            r"\b(?:must|should) be(?: in| from)?\s++-?\d++(?:\.\d++)?\s*+"
            r"(?:\u2013|\u2014|-|to|\.\.\.?)\s*+-?\d++(?:\.\d++)?\b"
        ),
    ),
    (
        "keep",
        r"(?<![\w.])\d++(?: [a-z]++)? (?:maximum|minimum|max|min|at most|or (?:less|fewer|more))\b",
    ),
    ("keep", rf"\b{_CODE_BEFORE}\s*+[:=#]?\s*+[\[(]?-?[1-9]\d{{2,5}}\b(?!\.\d)"),
    ("keep", r"\berror \d{1,5}(?=:)"),
    (
        "keep",
        r"\b(?:failed|failure|error|refused|rejected|denied|response|request)\s*+\([45]\d\d\)",
    ),
    # The codes of databases and their like, and an error that is nothing but its code.
    ("keep", r"\b(?-i:[A-Z]{2,6})-\d{3,6}(?=:)|\b(?:ora|tns|pls|dpi)-\d{4,6}(?=:)"),
    ("keep", r"\A[a-z]{1,4}\d{3,5}\Z"),
    ("keep", r"(?<![\w.])[45]\d\d(?=\s++[A-Z][a-z])"),
    ("input", r"input_value=[^\]\n,]*+(?:,(?! input_type=)[^\]\n,]*+)*+"),
    ("url", r"\b[a-z][a-z0-9+.-]{1,10}://[^\s'\"<>)\]]++"),
    ("email", r"(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++"),
    ("id", r"\barn:[\w-]{1,20}:[^\s'\"<>)\],]++"),
    ("host", r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?+(?![\w.]\d)"),
    ("uuid", r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b"),
    (
        "time",
        r"\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d++)?)?(?:Z|[+-]\d{2}:?\d{2})?)?",
    ),
    ("time", r"\b\d{1,2}:\d{2}(?::\d{2}(?:\.\d++)?)?\b"),
    ("number", r"(?<![\w.])\d++(?:\.\d++)?(?:h|m|s|ms)(?:\s?\d++(?:\.\d++)?(?:m|s|ms))++\b"),
    ("number", r"(?<![\w.])-?\d++(?:\.\d++)?e[+-]?\d++\b"),
    ("hex", r"\b0x[0-9a-f]++\b"),
    ("path", r"(?<![\w/])(?:[a-z]:\\|\.{0,2}/)[\w.@%+-]++(?:[/\\][\w.@%+-]*+)*+"),
    # A dot counts only where the name goes on, so that the end of a sentence ends a path.
    (
        "path",
        (
            r"(?<![\w@%+/.-])[\w@%+-]++(?:/(?:[\w@%+-]++|\.(?=\.?[\w@%+/-]))++)++"
            r"(?:(?<=\.\w)|(?<=\.\w\w)|(?<=\.\w{3})|(?<=\.\w{4})|(?<=\.\w{5}))\b"
        ),
    ),
    (
        "file",
        (
            r"(?<![\w-])[\w-]++"
            r"\.(?:txt|csv|json|pdf|docx?|xlsx?|md|py|log|png|jpe?g|ya?ml|html?|zip|xml)\b"
        ),
    ),
    ("id", r"#\w++"),
    ("id", r"\b(?=[^\W\d]*+\d)(?=[^\Wa-z]*+[a-z])\w{4,}+\b"),
    (
        "number",
        r"[$€£]?(?<![\w.])-?\d++(?:,\d++)*+(?:\.\d++)?(?:e[+-]?\d++)?(?=[a-z%°]{0,3}\b)[a-z%°]{0,3}",
    ),
)
"""Kind and pattern. `keep`: a code or a bound, which tells errors apart that need other fixes."""

MASK = re.compile(
    "|".join(f"(?P<{name}_{at}>{mask})" for at, (name, mask) in enumerate(MASKS)), re.IGNORECASE
)

NAMED_BEFORE = re.compile(
    r"(?:argument|parameter|param|property|field|key|column|attribute|option|keyword|variable|name)s?"
    r"(?: named| called)?[:\s(]*+$",
    re.IGNORECASE,
)
"""What stands before a quoted name, as against a quoted value."""

NAMED_AFTER = re.compile(
    r"^\s*+(?:is a required|is required|field|argument|parameter|property|was unexpected)",
    re.IGNORECASE,
)
DOMAIN_BEFORE = re.compile(
    r"(?:one of|allowed|(?<!un)expected|valid (?:values|options)|should be|must be|supported"
    r"|choose from)[^.;]{0,200}$",
    re.IGNORECASE,
)
"""What stands before the values an argument may have, which are kept."""

FORMAT = re.compile(r"%[A-Za-z]|\b(?:YYYY|yyyy|DD|dd|MM|HH|hh)\b")
"""What only the form of a date or a time has in it: it is what the error asks for."""
REASON = re.compile(r"[a-z]+(?: [a-z]+){1,12}")
REASON_BEFORE = re.compile(
    r"(?:rejected|refused|denied|declined|failed|because|reason|due to)(?: is| was)?\W{0,3}$",
    re.IGNORECASE,
)
"""What stands before the reason of a refusal, which is no value though it is quoted."""

QUOTED = re.compile(r"'([^'\n]{0,300})'|\"([^\"\n]{0,300})\"|`([^`\n]{0,300})`")

SAME_BOUND: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("<= ", re.compile(r"(?:≤|<=|at most|no more than|less than or equal to)\s*+(?=-?\d)")),
    (">= ", re.compile(r"(?:≥|>=|at least|no less than|greater than or equal to)\s*+(?=-?\d)")),
)
"""What is one bound, however it is put; the text is in lower case by then."""

NAMED_THING = re.compile(
    r"\b(table|view|relation|column|function|property|dataset|database|schema|sheet|collection)"
    r"(:?\s++)(?![<'\"`])([\w.$:*-]{2,200})"
    r"(?=\s++(?:is|was|does|do|not|cannot|could|in|of)\b|[.,;:)]|$)",
    re.IGNORECASE,
)
"""A thing of the caller's own, by its name: what it is stays, which one does not."""

CLAUSE = re.compile(r"(?<=[;\n])\s*+|(?<=\.)\s++")
