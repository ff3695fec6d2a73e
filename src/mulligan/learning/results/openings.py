"""Whether a text opens as errors do. A short one may do so in plain words; a long one hardly ever.

What a tool was asked to show is full of errors where it shows logs, pages or mails. So plain words
count only in a text that is short as a whole, and never where a list or a log goes on after them.
"""

from __future__ import annotations

import re
from functools import cache

from mulligan.core.runtime.late_pattern import compile_late
from mulligan.learning.errors.exits import looks_like_log
from mulligan.learning.values.vocabulary import compile_phrases, join_alternatives, list_words

SHORT = 600
"""Characters: a sentence or two, with a path or an address in them."""
LONG = 8_000
"""Characters: as much as an error with its trace has; more is a page."""
MOST_LINES = 12

_AFTER = join_alternatives(r"""
    \s?:\s | \s?:?\*\* | \s?:?\s*\n | !\s | \s[-\u2013\u2014]\s
    \b[^.\n\w]{0,4}[\d(\[][^\n]{0,80}?:\s
    \ (?:in|from|at|on|while|during|with|for|when|to)\b[^\n]{0,120}?:\s
    \ (?:response|code|message|occurred)\b[^\n]{0,120}?:\s
    \ (?!(?:handl|logg|track|report|monitor)ing)[a-z]{3,20}ing\b[^\n]{0,120}?:\s
""")
NAMED = compile_phrases(rf"""
    Traceback \(most recent call last\) | (?:fatal |internal |unexpected )?error{_AFTER}
    exception\s?:\s | \[error\]:?\s | \(error\)\s
    (?:[A-Za-z_]\w*\.)*[A-Za-z]\w*(?:Error|Exception)\b\s*[:(]
""")
"""What only an error begins with."""

_PROGRAMS = r"""
    (?:fatal|panic|err|failure|e[a-z]{3,12}(?=: [a-z ]+, )|fehler|erreur|errore|erro) ?:
    npm err! | make(?:\[\d\])?: \*\*\* | rpc error: code =
    exception in thread " | thread '[^'\n]{0,100}' panicked at | uncaught (?:\w+error|exception)\b
    (?:ora|pls|tns|sql|dpi|ebs|ims|rman|ifx|db2)-?\d{4,6}[a-z]?: | sqlstate\[ | segmentation fault
    http/\d(?:\.\d)? [45]\d\d\b | mcp error -?\d | e: (?:unable|could not|package)
    [a-z][a-z0-9_.+/-]{0,40}: (?:line \d+: |\d+: )?(?:error|fatal): | curl: \(\d+\)
    [a-z][a-z0-9_.+/-]{0,40}: (?:[^\n]{0,200}: )?(?:no such file or directory|command not found)
    [a-z][a-z0-9_.+/-]{0,40}: (?:[^\n]{1,200}: )(?:permission denied|not found|is a directory)\s*$
    [a-z][a-z0-9_.+/-]{0,40}: (?:[^\n]{1,200}: )(?:connection (?:refused|timed out)|not a directory)
    [a-z][a-z0-9_.+/-]{0,40}: cannot [a-z]+ (?:[a-z]+ ){0,3}['"\u2018/]
    [a-z]{1,20}: invalid option\b | [a-z]{1,20}: unrecognized option\b
    '[^'\n]{1,60}' is not recognized as an internal
"""
"""How the programs of a shell, and those that print what they were told, say it."""

_VERBS = (
    "find|open|read|write|connect|access|load|parse|resolve|locate|create|delete|update|fetch|get|"
    "retrieve|execute|process|complete|determine|decode|send|save|start|reach|move|copy|list|run"
)
_WORK = (
    "request|search|call|operation|execution|query|command|lookup|upload|download|login|action|"
    "authentication|connection|validation|conversion|creation|update|deletion|fetch|import|export|"
    "tool|task|transaction|payment|invocation|navigation|compilation|build|installation|api"
)
_UNABLE = rf"(?:couldn't|could not|can't|cannot|unable to|not able to) (?:{_VERBS})\b"
_DOING = (
    "fetching|reading|writing|executing|calling|parsing|loading|processing|creating|updating|deleting|"
    "connecting|running|searching|getting|opening|retrieving|sending|invoking|downloading|uploading"
)
_PLACES = "connection|network|authentication|authorization|validation|server|database|api|runtime"
_LOOKED_FOR = "(?:no|pattern|match(?:es)?|string|term|text|results?|word|phrase|keyword)"
_THING = rf"(?!{_LOOKED_FOR}\b)\S{{1,200}}(?: (?!{_LOOKED_FOR}\b)\S{{1,200}}){{0,3}}"
_MARKS = "*#>\u2502\u2577\u274c\u2717\u2718\u26d4\U0001f6ab\ufe0f \t\r\n"
"""Blanks, and signs that people put before what went wrong."""

_PLAIN = rf"""
    failed to [a-z]+ | unable to [a-z]+ | (?:could not|couldn't|cannot|can't|can not) (?:{_VERBS})\b
    (?:access|permission)(?: is| was)? denied\b(?! (?:events?|errors?|logs?|page))
    access to .{{1,200}} (?:is|was) (?:denied|forbidden|not (?:allowed|permitted))
    (?:[45]\d\d[ :-]{{1,3}})?(?:unauthori[sz]ed|forbidden|not found)(?:[.!]?$|: )
    (?:[45]\d\d[ :-]{{1,3}})?(?:bad request|conflict)(?:[.!]?$|: )
    [45]\d\d[ :-]{{1,3}}(?:page |client error|server error|bad|method|request|payload|unprocessable)
    (?:context )?deadline exceeded | method not allowed\b | (?:payload|request entity) too large
    (?:access |session |auth |id )?(?:token|session|link) (?:has |is )?(?:expired|invalid|revoked)\b
    you (?:have )?exceeded your\b
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
    (?:sorry|unfortunately|i'm sorry|we're sorry|my apologies)[,.!:]? [^.\n]{{0,40}}{_UNABLE}
    (?:you are being |you have been )rate.?limited
    (?:zugriff|zugang) verweigert
    (?:{_THING} )?(?:wurde |konnte )?nicht gefunden(?: werden)?(?:$|[.:!])
    (?:die |der |das )?{_THING} (?:existiert|gibt es) nicht\b | ungültiger? [a-zäöü]+
    keine berechtigung\b
    (?:die )?(?:anfrage|verbindung|anmeldung) (?:ist )?(?:fehlgeschlagen|abgelehnt)
    (?:\u9519\u8bef|\u932f\u8aa4|\u30a8\u30e9\u30fc|\uc624\ub958|\u043e\u0448\u0438\u0431\u043a\u0430)\s?[:\uff1a]
    accès (?:refusé|interdit) | (?:impossible|échec) (?:de|d'|du|lors)\b
    (?:{_THING} )?(?:est )?introuvable(?:$|[.:!]) | acceso denegado | no autorizado
    no se (?:pudo|puede|ha podido|encontró) [a-z]+ | (?:{_THING} )?no encontrad[oa](?:$|[.:!])
"""
"""How people write that it did not work, where they write nothing else."""

FIRST = list_words("""
    failed unable could couldn't cannot can't can access permission 401 403 404 429 500 502 503
    unauthorized unauthorised forbidden not bad too internal service gateway rate quota login
    api authentication authorization tool function method command endpoint unknown unsupported
    unrecognized missing invalid no security unexpected error http something timeout operation
    connection network validation server database runtime request you please parameter argument
    field property insufficient sorry unfortunately i'm we're my zugriff zugang ungültige
    ungültiger ungültiges keine accès impossible échec acceso anfrage verbindung
""")
"""What those begin with that do not say in so many words that it failed, or is not there."""

ARTICLES = list_words("a an the")
PROGRAMS = list_words("""
    thread exception uncaught npm segmentation mcp rpc http/1.0 http/1.1 http/2 fehler erreur errore
    erro fatal panic
""")
"""What programs begin with, where it is no name and a colon."""

DENIED = compile_phrases(r"""
    (?:does|do)(?: not|n't) exists?
    \bnot (?:found|available|supported|allowed|authorized|permitted)\b
    \bdisabled\b | \bdenied\b | \bforbidden\b | \bunauthori[sz]ed\b | \binvalid\b | \bfailed\b
    \berror\b | \bmust (?:not )?be\b | \bis required\b | \bmissing\b | \bunknown [a-z]+\b
    timed out
    nicht gefunden | existiert nicht | verweigert | fehlgeschlagen | introuvable | refusé
    no encontrad | denegado | no autorizado | no existe | rate.?limited | ratelimited
    \bfail(?:ure)?\b | not (?:authenticated|provided|valid|enough)\b | does not have
    too many requests | not subscribed | \b(?:cannot|could not|unable to)\b | \bexpired\b | exceeded
""")
"""What an object of a message and nothing else says when it is an error."""

ALL_WELL = compile_phrases(r"""
    \bno (?:\w+ ){0,2}(?:errors?|failures?|problems?|issues?)\b | \b0 (?:errors?|failed)\b
    success | without (?:an? )?(?:errors?|problems?)
""")


_FIGURE = compile_late(
    r"[^:\n]{1,60}:\s{0,3}(?:[~<>]?\s?(?![45]\d\d\b)[-+]?\d[\d.,]*\s?(?:%|[a-z]{1,20}\b(?<!error)(?<!errors))?"
    r"|(?:none|nil|empty|zero|n/?a|no|off|on|never|disabled|enabled|unlimited)\b)\s*"
    r"(?:$|[.;,()]|(?:over|in|of|per|since|for|on|this|today)\b)",
    re.IGNORECASE,
)
"""A label with a figure: somebody asked for it."""


def opens_as_error(text: str) -> bool:
    """Whether a text is an error by how it begins."""
    start = text[:SHORT].lstrip(_MARKS)
    if NAMED.match(start):
        return len(text) <= LONG and not _goes_on(text) and not _is_figure(start)
    first = start[:60].split(None, 1)[0].casefold() if start else ""
    if (first[-1:] == ":" or first in PROGRAMS or first[:1] == "'") and _compile_programs().match(
        start
    ):
        return len(text) <= LONG and not _goes_on(text)
    if len(text) > SHORT or not (_may_be_plain(first, start) and _compile_plain().match(start)):
        return False
    return not (_goes_on(start) or ALL_WELL.search(start) or _is_figure(start))


def _is_figure(start: str) -> bool:
    """Whether it only gives the measure of something: a count, a rate, or that there is none."""
    return not start[:6].casefold().startswith("error:") and _FIGURE.match(start) is not None


@cache
def _compile_plain() -> re.Pattern[str]:
    """It takes as long as all other patterns that are always loaded, and few programs need it."""
    return compile_phrases(_PLAIN)


@cache
def _compile_programs() -> re.Pattern[str]:
    return compile_phrases(_PROGRAMS)


def _may_be_plain(first: str, start: str) -> bool:
    """A glance by the first word, as nearly every text ends here at every call."""
    if first.strip(".:!,") in FIRST:
        return True
    low = start.casefold()
    if "failed" in low or "timed out" in low or " found" in low or "expired" in low:
        return True
    if first in ARTICLES:
        return "error" in low or "api key" in low
    return first[:1].isdigit() or _may_speak_otherwise(low)


def _may_speak_otherwise(low: str) -> bool:
    """The same in other languages."""
    if "nicht" in low or "introuvable" in low or "no encontrad" in low:
        return True
    return not low.isascii() and ("\uff1a" in low or ":" in low[:12])


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
