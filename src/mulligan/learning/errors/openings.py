"""Whether a text opens as errors do. A short one may do so in plain words; a long one hardly ever.

What a tool was asked to show is full of errors where it shows logs, pages or mails. So plain words
count only in a text that is short as a whole, and never where a list or a log goes on after them.
"""

from __future__ import annotations

import re
from functools import cache

from mulligan.learning.errors.exits import looks_like_log
from mulligan.learning.values.vocabulary import compile_phrases, list_words

SHORT = 600
"""Characters: a sentence or two, with a path or an address in them."""
LONG = 8_000
"""Characters: as much as an error with its trace has; more is a page."""
MOST_LINES = 12

NAMED = compile_phrases(r"""
    \s*Traceback \(most recent call last\)
    \s*(?:fatal |internal |unexpected )?error\b[^.\n]{0,80}?:\s
    \s*(?:[A-Za-z_]\w*\.)*[A-Za-z]\w*(?:Error|Exception)\b\s*[:(]
""")
"""What only an error begins with."""

_VERBS = (
    "find|open|read|write|connect|access|load|parse|resolve|locate|create|delete|update|fetch|get|"
    "retrieve|execute|process|complete|determine|decode|send|save|start|reach|move|copy|list|run"
)
_WORK = (
    "request|search|call|operation|execution|query|command|lookup|upload|download|login|action|"
    "authentication|connection|validation|conversion|creation|update|deletion|fetch|import|export|"
    "tool|task|transaction|payment|invocation|navigation|compilation|build|installation|api"
)
_DOING = (
    "fetching|reading|writing|executing|calling|parsing|loading|processing|creating|updating|deleting|"
    "connecting|running|searching|getting|opening|retrieving|sending|invoking|downloading|uploading"
)
_PLACES = "connection|network|authentication|authorization|validation|server|database|api|runtime"
_LOOKED_FOR = "(?:no|pattern|match(?:es)?|string|term|text|results?|word|phrase|keyword)"
_THING = rf"(?!{_LOOKED_FOR}\b)\S{{1,200}}(?: (?!{_LOOKED_FOR}\b)\S{{1,200}}){{0,3}}"
_MARKS = "\u274c\u2717\u2718\u26d4\U0001f6ab\ufe0f \t\r\n"
"""Blanks, and signs that people put before what went wrong."""

_PLAIN = rf"""
    failed to [a-z]+ | unable to [a-z]+ | (?:could not|couldn't|cannot|can't|can not) (?:{_VERBS})\b
    (?:access|permission)(?: is| was)? denied\b(?! (?:events?|errors?|logs?|page))
    access to .{{1,200}} (?:is|was) (?:denied|forbidden|not (?:allowed|permitted))
    (?:401 |403 |404 |429 |500 |502 |503 )?(?:unauthori[sz]ed|forbidden|not found|bad request)[.!]?$
    (?:too many requests|internal server error|service unavailable|gateway timeout|bad gateway)\b
    (?:rate limit|quota)(?: was| has been)? (?:exceeded|reached)
    not (?:authorized|authenticated)\b
    (?:authentication|authorization|login|a valid api key) (?:is )?(?:required|failed)
    (?:an? )?api key (?:is )?(?:required|missing|invalid)
    (?:tool|function|method|command|endpoint) \S+ (?:was )?(?:not found|does not exist)
    (?:tool|function|method|command|endpoint) \S+ is not available
    (?:unknown|unsupported|unrecognized) (?:tool|function|method|command)\b
    (?:unknown|unsupported|unrecognized) (?:parameter|argument|option)\b
    missing (?:\d+ )?required (?:\S+ )?(?:parameter|argument|field|property|key)s?\b
    (?:[a-z]+ ){{0,4}}(?:{_WORK}) (?:has )?failed(?:$|[:.](?! ?(?:\d|none\b))| with | because )
    (?:an? |the )?(?:unexpected |internal |unknown )?error (?:has )?occurred | something went wrong
    error (?:{_DOING})\b | (?:http )?error [45]\d\d\b | http [45]\d\d\b
    (?:{_PLACES}) error(?:$|[:.,]) | (?:connection|request) (?:refused|reset|timed out|denied)
    timeout(?:$|[:.]| exceeded\b| after\b) | operation not permitted | not implemented\b
    you (?:do not|don't) have (?:permission|access|the)\b | insufficient (?:permissions?|funds)
    you (?:are not|aren't) (?:authorized|allowed|permitted|logged|subscribed) | rate limited\b
    you must (?:be logged in|log in|provide|specify)\b | please provide (?:an? )?valid\b
    (?:parameter|argument|field|property) \S+ (?:is (?:required|missing|invalid)|must|cannot)\b
    (?:{_THING}) (?:was |could )?not (?:be )?found(?:$|[.:])
    invalid [a-z'"`]+(?: [a-z'"`]+){{0,3}}(?:[:.](?! ?(?:\d|none\b))|$)
    (?:\W{{0,8}}(?:[a-z]+ )?timeout\W{{1,8}})?(?:(?:the )?(?:{_WORK}) )?timed out\b
    no such (?:file|directory|table|column|key|bucket|host|tool)\b | security violation\b
"""
"""How people write that it did not work, where they write nothing else."""

FIRST = list_words("""
    failed unable could couldn't cannot can't can access permission 401 403 404 429 500 502 503
    unauthorized unauthorised forbidden not bad too internal service gateway rate quota login a an
    api authentication authorization tool function method command endpoint unknown unsupported
    unrecognized missing invalid no security the unexpected error http something timeout operation
    connection network validation server database runtime request you please parameter argument
    field property insufficient
""")
"""What those begin with that do not say in so many words that it failed, or is not there."""

DENIED = compile_phrases(r"""
    (?:does|do)(?: not|n't) exists?
    \bnot (?:found|available|supported|allowed|authorized|permitted)\b
    \bdisabled\b | \bdenied\b | \bforbidden\b | \bunauthori[sz]ed\b | \binvalid\b | \bfailed\b
    \berror\b | \bmust (?:not )?be\b | \bis required\b | \bmissing\b | \bunknown [a-z]+\b
    timed out
    too many requests | not subscribed | \b(?:cannot|could not|unable to)\b | \bexpired\b | exceeded
""")
"""What an object of a message and nothing else says when it is an error."""

ALL_WELL = compile_phrases(r"""
    \bno (?:\w+ ){0,2}(?:errors?|failures?|problems?|issues?)\b | \b0 (?:errors?|failed)\b
    success | without (?:an? )?(?:errors?|problems?)
""")


def opens_as_error(text: str) -> bool:
    """Whether a text is an error by how it begins."""
    start = text[:SHORT].lstrip(_MARKS)
    if NAMED.match(start):
        return len(text) <= LONG and not _goes_on(text)
    if len(text) > SHORT or not (_may_be_plain(start) and _compile_plain().match(start)):
        return False
    return not (_goes_on(start) or ALL_WELL.search(start))


@cache
def _compile_plain() -> re.Pattern[str]:
    """It takes as long as all other patterns that are always loaded, and few programs need it."""
    return compile_phrases(_PLAIN)


def _may_be_plain(start: str) -> bool:
    """A glance by the first word, as nearly every text ends here at every call."""
    low = start.casefold()
    first = low.split(None, 1)[0].strip(".:!,") if low else ""
    return first in FIRST or "failed" in low or "timed out" in low or _says_nothing_is_there(low)


def _says_nothing_is_there(low: str) -> bool:
    return "not found" in low or "not be found" in low


def says_failure(message: str) -> bool:
    """Whether a message that stands alone says that it did not work."""
    if len(message) > SHORT or ALL_WELL.search(message):
        return False
    return opens_as_error(message) or DENIED.search(message) is not None


def _goes_on(text: str) -> bool:
    """A log, or a list of errors: somebody asked for them."""
    lines = [line for line in text.splitlines()[1 : MOST_LINES + 1] if line.strip()]
    again = sum(NAMED.match(line) is not None and line[:1] not in " \t" for line in lines)
    return looks_like_log(text) or (again >= 2 and 2 * again >= len(lines))
