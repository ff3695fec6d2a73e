"""Fingerprints of failures: an error's text with its values masked, and the hash of it.

The call's own values are masked first, since they are certain; then what looks like a value. Codes,
bounds, allowed values and parameter names stay: errors that differ in these need different fixes.
A fingerprint is a pure function of the call and the text. A change of the masks is a new version,
and patterns of two versions are never mixed. A row of the log is enough: its values were masked
before it was written.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from operator import itemgetter

from msgspec.structs import replace

from mulligan.codec import decode_json
from mulligan.learning.closeness import join_alternatives, stem_words
from mulligan.learning.error_details import read_error, read_structure
from mulligan.learning.values import print_value
from mulligan.types.call import Call, Failure, LogRow
from mulligan.types.failure import ErrorClass
from mulligan.types.interfaces import Similarity
from mulligan.types.lesson import Alike, ErrorRule, Pattern
from mulligan_dates.text import list_leaves

SHORTEST = 12
"""Characters of a masked set of allowed values."""
MOST_DUMPS = 5

_START = re.compile(r"""\{\s?['"]\w|\[\s*+\{""")
_TELLS = frozenset(
    {"message", "msg", "error", "code", "reason", "errors", "detail", "errormessages"}
)
_SIGNS = re.compile(r"[{}\[\]]")


def mask_dumps(text: str) -> str:
    """A text with each structure in it masked, or rendered as words where it is an error."""
    kept, at = [], 0
    for _ in range(MOST_DUMPS):
        found = _START.search(text, at)
        if found is None:
            break
        start = found.start()
        said, end = _read_dump(text, start)
        kept += [text[at:start], said]
        at = end
    return "".join(kept) + text[at:]


def _read_dump(text: str, start: int) -> tuple[str, int]:
    """The replacement for the structure that starts here, and where it ends."""
    try:
        value, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        # Where the brackets close that open here; the end of the text where they never do.
        depth, end, value = 0, len(text), None
        for sign in _SIGNS.finditer(text, start):
            depth += 1 if sign[0] in "{[" else -1
            if depth == 0:
                end = sign.end()
                break
    first = value[0] if isinstance(value, list) and value else value
    if isinstance(first, Mapping) and _TELLS & {str(name).casefold() for name in first}:
        read = read_structure(value)
        if read is not None and read.message:
            return read.render(), end
    return ("<data>" if end - start >= SHORTEST else text[start:end]), end


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
"""Kind and pattern. `keep`: a code or a bound, which separates errors that need different fixes."""


@cache
def compile_mask() -> re.Pattern[str]:
    """All masks as one pattern, compiled at the first failure: it is slow."""
    return re.compile(
        "|".join(f"(?P<{name}_{at}>{mask})" for at, (name, mask) in enumerate(MASKS)),
        re.IGNORECASE,
    )


NAMED_BEFORE = re.compile(
    r"(?:argument|parameter|param|property|field|key|column|attribute|option|keyword|variable|name)s?"
    r"(?: named| called)?[:\s(]*+$",
    re.IGNORECASE,
)
"""Words before a quoted name, as opposed to a quoted value."""

NAMED_AFTER = re.compile(
    r"^\s*+(?:is a required|is required|field|argument|parameter|property|was unexpected)",
    re.IGNORECASE,
)
DOMAIN_BEFORE = re.compile(
    r"(?:one of|allowed|(?<!un)expected|valid (?:values|options)|should be|must be|supported"
    r"|choose from)[^.;]{0,200}$",
    re.IGNORECASE,
)
"""Words before allowed values, which are kept."""

FORMAT = re.compile(r"%[A-Za-z]|\b(?:YYYY|yyyy|DD|dd|MM|HH|hh)\b")
"""Date format codes: a stated format is kept."""
REASON = re.compile(r"[a-z]+(?: [a-z]+){1,12}")
REASON_BEFORE = re.compile(
    r"(?:rejected|refused|denied|declined|failed|because|reason|due to)(?: is| was)?\W{0,3}$",
    re.IGNORECASE,
)
"""Words before a quoted reason, which is kept."""

QUOTED = re.compile(r"'([^'\n]{0,300})'|\"([^\"\n]{0,300})\"|`([^`\n]{0,300})`")

SAME_BOUND: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("<= ", re.compile(r"(?:≤|<=|at most|no more than|less than or equal to)\s*+(?=-?\d)")),
    (">= ", re.compile(r"(?:≥|>=|at least|no less than|greater than or equal to)\s*+(?=-?\d)")),
)
"""Different phrasings of one bound; the text is in lower case by then."""

NAMED_THING = re.compile(
    r"\b(table|view|relation|column|function|property|dataset|database|schema|sheet|collection)"
    r"(:?\s++)(?![<'\"`])([\w.$:*-]{2,200})"
    r"(?=\s++(?:is|was|does|do|not|cannot|could|in|of)\b|[.,;:)]|$)",
    re.IGNORECASE,
)
"""A named thing of the caller: its kind is kept, its name is masked."""

CLAUSE = re.compile(r"(?<=[;\n])\s*+|(?<=\.)\s++")


FINGERPRINT_VERSION = 3
LONGEST = 4_000
"""Characters of an error that are used; the rest is a trace or a dump."""
MOST_VALUES = 200
MOST_TEXT = 20_000
LONG_TEXT = 12
"""Characters of a text that may hold names of its own, and is not merely one."""
SHORTEST_VALUE = 3
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
"""Letters of scripts that put no blanks between words."""
_WORDS = frozenset(("ID", "OK", "NO", "IS", "IP", "DB", "AN", "IN", "TO", "OF"))


def mask_error(error: str, arguments: Mapping[str, object]) -> str:
    """The error's text with its values masked."""
    own = _OwnWords(arguments)

    def mask_thing(found: re.Match[str]) -> str:
        telling = own.hold(found[3]) or re.search(r"[\w*][.:]\w|_\w*_|\*\*", found[3])
        return f"{found[1]}{found[2]}<name>" if telling else found[0]

    def mask_kind(found: re.Match[str]) -> str:
        kind = (found.lastgroup or "value").rsplit("_", 1)[0]
        return found[0] if kind == "keep" else f"<{kind}>"

    text = mask_dumps(read_error(error).render()[:LONGEST])
    text = _mask_own_values(text, arguments)
    text = QUOTED.sub(lambda found: _mask_quoted(found, own), text)
    text = compile_mask().sub(mask_kind, NAMED_THING.sub(mask_thing, text))
    text = re.sub(r"(<\w+>)(?:[\s,]*<\w+>)+", r"\1", text)
    # Each complaint once: three arguments with the same mistake are one pattern.
    text = " ".join(dict.fromkeys(part.strip() for part in CLAUSE.split(text)))
    text = " ".join(text.casefold().split())
    for sign, words in SAME_BOUND:
        text = words.sub(sign, text)
    return text


class _OwnWords:
    """Names inside the call's own texts: a query's tables, a page's properties."""

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


def compute_fingerprint(tool: str, masked: str) -> str:
    """The name of a pattern: a hash of tool and template, with the version of the masks."""
    digest = hashlib.sha256(f"{tool}\n{masked}".encode("utf-8", "replace")).hexdigest()
    return f"{FINGERPRINT_VERSION}:{digest[:16]}"


def renew_fingerprint(fingerprint: str, *, tool: str, template: str) -> str:
    """The current name of a pattern made by older masks."""
    version, _, digest = fingerprint.partition(":")
    if not digest or not version.isdigit() or int(version) == FINGERPRINT_VERSION:
        return fingerprint
    # A pattern named by the user is that name, not a masked text.
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
    ruled = (rule.pattern for rule in rules if rule.pattern and rule.applies(call.tool, said))
    masked = next(ruled, None) or mask_error(error, call.arguments)
    return Pattern(
        fingerprint=compute_fingerprint(call.tool, masked),
        tool=call.tool,
        error_class=error_class,
        template=masked,
        count=1,
    )


def _mask_own_values(text: str, arguments: Mapping[str, object]) -> str:
    """Values of the call itself, the longest first, as whole words."""
    found = {
        print_value(value)
        for _, value in list_leaves(arguments, most=MOST_VALUES)
        if isinstance(value, str | int | float) and not isinstance(value, bool)
    }
    telling = [value for value in found if _is_telling(value) and value not in arguments]
    for value in sorted(telling, key=len, reverse=True):
        if value.casefold() not in text.casefold():
            continue
        if _UNSPACED.search(value):
            text = text.replace(value, "<value>")
            continue
        # A path and a bare name fail in the same words and are repaired in different ways.
        path = "<path>" if "/" in value or "\\" in value else "<value>"
        mask = "<number>" if re.fullmatch(r"-?[\d.,]+", value) else path
        # Tools change the case of names and codes; a single word may belong to the error.
        case = re.NOFLAG if value.isalpha() else re.IGNORECASE
        text = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", mask, text, flags=case)
    return text


def _is_telling(value: str) -> bool:
    """Whether a value is specific, and not a word the error would use anyway."""
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


LEAST = 0.5
"""The similarity below which there is no match."""
MOST_PATTERNS = 500
"""Patterns that one process remembers of one person."""
MOST_PEOPLE = 200
"""People whose patterns one process remembers: the most recent."""

Whose = tuple[str, str]
"""The identities of a tenant and a principal; empty where none is named."""


def score_shared_words(text: str, others: Sequence[str]) -> list[float]:
    """The share of words that two texts have in common."""
    mine = stem_words(text)
    theirs = map(stem_words, others)
    return [len(mine & each) / len(mine | each) if mine | each else 0.0 for each in theirs]


def find_alike(
    pattern: Pattern, known: Iterable[Pattern], *, similarity: Similarity = score_shared_words
) -> Alike | None:
    """For a pattern without a known class: the most similar one that has one."""
    if _is_understood(pattern):
        return None
    understood = [
        each for each in known if _is_understood(each) and each.fingerprint != pattern.fingerprint
    ]
    scores = similarity(pattern.template, [each.template for each in understood])
    best = max(zip(scores, understood, strict=True), key=itemgetter(0), default=None)
    return Alike(pattern=best[1], score=float(best[0])) if best and best[0] >= LEAST else None


def _is_understood(pattern: Pattern) -> bool:
    """Whether more is known of it than that something was raised."""
    found = pattern.error_class
    return found is not ErrorClass.UNKNOWN and not found.traits.told_by_type_alone


class KnownPatterns:
    """The patterns that an application has seen in this process, separately for each person.

    A pattern is a remote's text: one person's errors are never shown to another.
    """

    def __init__(self, similarity: Similarity = score_shared_words) -> None:
        self._similarity = similarity
        self._met: dict[Whose, dict[str, Pattern]] = {}

    def meet(self, pattern: Pattern, *, whose: Whose = ("", "")) -> Alike | None:
        """Remember a pattern; returns a similar one where its own class is unknown."""
        met = self._met.pop(whose, {})
        before = met.pop(pattern.fingerprint, pattern)
        count = before.count + 1 if before is not pattern else 1
        met[pattern.fingerprint] = replace(pattern, count=count)
        self._met[whose] = met
        if len(met) > MOST_PATTERNS:
            del met[next(iter(met))]
        if len(self._met) > MOST_PEOPLE:
            del self._met[next(iter(self._met))]
        return find_alike(pattern, list(met.values()), similarity=self._similarity)


NONE_SHOWN: frozenset[str] = frozenset()


def recognize(
    row: LogRow, *, rules: Sequence[ErrorRule] = (), shown: frozenset[str] | None = NONE_SHOWN
) -> Pattern:
    """The pattern of a failed row; the user's rules come first.

    A row of the log is enough: the call's own values were masked before it was written, and those
    of `shown` arguments are in the row as they are in the error.
    """
    error_class = row.error_class or ErrorClass.UNKNOWN
    said = (row.tool, row.error_message or "", error_class, row.error_type or "")
    try:
        held = decode_json(row.parameters) if shown or shown is None else {}
    except ValueError:
        held = {}  # Cut short.
    values = held if isinstance(held, dict) else {}
    texts = (values.get(name) for name in (values if shown is None else sorted(shown)))
    own = tuple(text for text in texts if isinstance(text, str))
    return _recognize(said, tuple(rules), own)


# Most failures repeat an error that was masked before.
@lru_cache(maxsize=1024)
def _recognize(
    said: tuple[str, str, str, str], rules: tuple[ErrorRule, ...], shown: tuple[str, ...]
) -> Pattern:
    tool, error, error_class, error_type = said
    return build_pattern(
        Call(id="", tool=tool, arguments={"": shown}),
        error=error,
        error_class=ErrorClass(error_class),
        error_type=error_type,
        rules=rules,
    )


def classify_pattern(pattern: Pattern) -> Pattern:
    """A pattern with the class of its words, where the log had only a type."""
    from mulligan.learning.classify import find_likely_class

    failure = Failure(error_class=pattern.error_class)
    return replace(pattern, error_class=find_likely_class(failure, pattern.template))
