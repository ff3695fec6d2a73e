"""Evidence of an error inside a result: an object's fields, the start of a text, an error page.

Evidence for an error: a flag, a status with a message, an error field with content, a problem
document, an error type or a stack trace. Other fields prove nothing, since services put anything
there. Evidence against it is requested content: records, counts, a report on a check, or a success
flag. A sign that ordinary records have too, such as the state of a job, counts only on its own.

Logs, pages and mails are full of errors that were requested. So plain words count only in a short
text, and never before a list or a log.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from mulligan.learning.closeness import compile_phrases, join_alternatives
from mulligan.learning.error_details import (
    EXITS,
    ErrorFields,
    fold_field,
    fold_fields,
    fold_object,
    looks_like_log,
)
from mulligan.types.failure import ErrorClass
from mulligan_dates.text import list_leaves, list_words

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
_ABOUT_ONE = (
    r"(?:the|an?|this|that|last|previous|recent|known|common|typical|fixed?|standard|mean) "
)
NAMED = compile_phrases(rf"""
    Traceback \(most recent call last\) | (?:fatal |internal |unexpected )?error{_AFTER}
    (?!{_ABOUT_ONE})[a-z]+ (?!{_ABOUT_ONE})(?:[a-z]+ )?error:\s
    exception\s?:\s | \[error\]:?\s | \(error\)\s
    (?:[A-Za-z_]\w*\.)*[A-Za-z]\w*(?:Error|Exception)\b\s*[:(]
    (?:[a-z]+ ){{0,2}}E(?:CONN[A-Z]+|NOTFOUND|TIMEDOUT|NOENT|ACCES|PERM|PIPE|HOSTUNREACH)\b
    [^\n]{{0,80}}(?:\[errno -?\d+\]|\bERR_[A-Z_]{{4,40}}\b) | msg \d+, level \d+,\s
    \((?:\w+\.)+\w*(?:error|exception|violation)\)\s
    (?:ssl|tls|certificate)\b[^\n:]{{0,40}} (?:problem|error|failed|failure):\s
    (?:get|post|put|patch|delete|head) "https?://[^"\n]{{1,400}}":\s
""")
"""Openings that only errors have."""

_PROGRAMS = r"""
    (?:fatal|panic|err|failure|e[a-z]{3,12}(?=: [a-z ]+, )|fehler|erreur|errore|erro) ?:
    npm err! | make(?:\[\d\])?: \*\*\* | rpc error: code =
    exception in thread " | thread '[^'\n]{0,100}' panicked at | uncaught (?:\w+error|exception)\b
    (?:ora|pls|tns|sql|dpi|ebs|ims|rman|ifx|db2)-?\d{4,6}[a-z]?: | sqlstate\[ | segmentation fault
    http/\d(?:\.\d)? [45]\d\d\b | mcp error -?\d | e: (?:unable|could not|package)
    [a-z][a-z0-9_.+/-]{0,40}: (?:line \d+: |\d+: )?(?:error|fatal):
    '[^'\n]{1,60}' is not recognized as an internal
"""
"""Openings of errors from shell programs."""
_PROGRAM = re.compile(
    r"(?!(?:note|todo|re|status|state|result|reminder)\b)(?:[a-z][\w.+/-]{0,40}|Message): "
    r"(?:\(\d+\) )?"
)
"""The name that a program writes before its error."""

_VERBS = (
    "find|open|read|write|connect|access|load|parse|resolve|locate|create|delete|update|fetch|get|"
    "retrieve|execute|process|complete|determine|decode|send|save|start|reach|move|copy|list|run|"
    "book|cancel|change|remove|modify|add|assign|convert|divide|allocate|bind|perform|use|set"
)
_UNABLE = rf"(?:couldn't|could not|can't|cannot|can not|unable to|not able to) (?:{_VERBS})\b"
_DOING = r"(?!(?:handl|manag|logg|track|report|monitor|bar|warn)ing)[a-z]{3,20}ing"
_OF_REQUESTS = (
    "request|search|call|operation|execution|query|command|lookup|upload|download|login|action|"
    "authentication|authori[sz]ation|connection|validation|verification|conversion|creation|update|"
    "deletion|fetch|import|export|tool|task|transaction|payment|card|invocation|navigation|"
    "compilation|build|installation|deployment|handshake|script|process|job|api|access|permission|"
    "token|session|link|(?:api )?key|certificate|code|quota|(?:rate )?limit|credential|password|"
    "username|user|account|ip"
)
_OF_PROGRAMS = (
    "parameter|argument|option|flag|field|value|property|input|header|body|payload|entity|json|xml|"
    "syntax|type|column|table|database|schema|index|entry|record|resource|endpoint|url|uri|route|"
    "path|file(?: format)?|directory|device|host|port|network|server|service|gateway|upstream|"
    "runtime|system|feature|method|function|module|id|identifier|uuid|e-?mail(?: address)?|address|"
    "date|element|page|browser|channel|model|captcha|version"
)
_NOUN = rf"(?:{_OF_REQUESTS}|{_OF_PROGRAMS})s?"
"""What programs speak of when they say that something did not work."""
_NAMED_SO = r"""(?: (?:['"`#<(][^\n]{1,80}|\S{0,40}[\d_]\S{0,40}|\S+(?=:)))?"""
_BAD = (
    "invalid|unknown|unsupported|unrecogni[sz]ed|incorrect|wrong|malformed|missing|insufficient|"
    "illegal|duplicate|unexpected|expired|no such"
)
_FAILED = (
    r"failed|denied|declined|refused|rejected|expired|revoked|exceeded|reached|blocked|suspended|"
    r"disabled|timed out|unavailable|unreachable|overloaded|missing|invalid|forbidden|aborted|"
    r"killed|crashed|lost|locked|reset|closed(?= by| unexpectedly)|rolled back|no longer valid|"
    r"too (?:large|long|short)|not (?:[a-z]+[ai]ble|found|allowed|permitted|supported|implemented|"
    r"valid|recogni[sz]ed|defined|unique|empty|logged in|authori[sz]ed|authenticated)|"
    r"(?:currently |temporarily )(?:unavailable|overloaded)|"
    r"cancell?ed(?= due to)|modified(?= by another)"
)
_THERE = r"(?: (?:has|have|is|was|are|were|had))?(?: been| being)?"
_CIRCUMSTANCES = (
    "to|for|by|on|with|when|while|because|from|at|in|after|as|since|due|until|within|during|of|that"
)
_CLOSE = (
    r"(?=\W{0,3}$|[.:!;,](?! ?(?:\d|none\b))| [(\"'`\u2013\u2014-]|"
    rf" (?:{_CIRCUMSTANCES})\b)"
)
"""Where a sentence ends, or goes on with the circumstances: no title goes on like that."""
_LOOKED_FOR = "(?:no|pattern|match(?:es)?|string|term|text|results?|word|phrase|keyword)"
_THING = rf"(?!{_LOOKED_FOR}\b)\S{{1,200}}(?: (?!{_LOOKED_FOR}\b)\S{{1,200}}){{0,3}}"
_MARKS = "*#>\u2502\u2577\u274c\u2717\u2718\u26d4\U0001f6ab\ufe0f \t\r\n"
"""Blanks and signs before an error message."""

_NO_QUESTION = r"(?!why|if|when|whether|how|what|which|who|tests?\b|failed\b)[\w'\"`-]{1,40}"
_SPELLED = r"(?=\S{0,60}[_'\"`])\S{1,200}+"
"""A word that is spelled as in a program, or quoted."""
_REQUIRED = r"(?:is |are )?required(?:[.!]?$| (?:to|for|but|by)\b)"
_STATUS = r"(?:(?:http |error |status(?: code)? |code ){0,3}[45]\d\d\W{1,3})"
_PLAIN = rf"""
    (?:failed|unable) to [a-z]+ | error {_DOING}\b | http [45]\d\d\b
    (?:failed|failure|aborted|killed|rejected|denied|forbidden|unauthori[sz]ed)[.!]*$
    (?:failed|failure|rejected|denied|conflict|forbidden|unauthori[sz]ed): (?!\d|none\b)
    (?:rejected|denied|blocked) by (?:[a-z]+ )?(?:policy|rule|guard|filter|firewall)
    (?:(?:you|we|i|(?:the|an?) [a-z]+) )?{_UNABLE}
    {_STATUS}?(?:unauthori[sz]ed|forbidden|not found|bad request|conflict)(?:[.!]?$|: )
    {_STATUS}(?:page |client error|server error|bad|method|request|payload|unprocessable|[45]\.\d)
    (?:too many (?:\w+ )?(?:requests|attempts|calls|connections)|(?:internal )?server error){_CLOSE}
    (?:bad gateway|gateway timeout|method not allowed|request entity too large){_CLOSE}
    (?:{_NO_QUESTION} ){{0,4}}?{_NOUN}{_NAMED_SO}{_THERE} (?:{_FAILED}){_CLOSE}
    not (?:authori[sz]ed|authenticated|logged in|implemented|supported){_CLOSE} | operation not \w+
    (?:{_NO_QUESTION} ){{0,3}}?{_NOUN}{_NAMED_SO} {_REQUIRED}
    (?:{_NO_QUESTION} ){{0,2}}?(?:{_NOUN}{_NAMED_SO}|{_SPELLED}) (?:must|should) (?:not )?be\b
    (?:the |an? |this |your )?(?:{_BAD}) (?:[\w'"`-]{{1,40}} ){{0,3}}?{_NOUN}{_NAMED_SO}{_CLOSE}
    invalid [a-z'"`]+(?: [a-z'"`]+){{0,3}}(?:[:.](?! ?(?:\d|none\b))|$)
    missing (?:\d+ )?required \S+ | no such [a-z]+\b
    no (?:permission|access|route)(?: (?:to|for)\b|$)
    no (?:\S+ )?{_NOUN} (?:supplied|provided|specified|given|configured){_CLOSE}
    (?:{_NO_QUESTION} ){{0,3}}?{_NOUN} \S{{1,200}} is not available
    {_THING} (?:was |could |is )?not (?:be )?(?:found|located|resolved)(?:$|[.:])
    (?:{_NO_QUESTION} ){{0,2}}?(?:{_NOUN}{_NAMED_SO}|{_SPELLED}) (?:does not|doesn't) exist{_CLOSE}
    {_THING} already (?:exists?|taken|in use|registered|booked)(?:$|[.:])
    \S{{1,60}} is not an? (?:valid|known|recogni[sz]ed) [a-z]+
    (?:{_NO_QUESTION} ){{0,3}}is an? required [a-z]+(?:$|[.:])
    expected [^\n]{{1,80}}[ ,](?:got|received|but found)\b
    (?:parse|syntax|parsing) error\b{_CLOSE}
    access to .{{1,200}} (?:is|was) (?:denied|forbidden|not (?:allowed|permitted))
    (?:an? |the )?(?:unexpected |internal |unknown )?error (?:has )?occurred
    (?:\w+[!,.] )?something went wrong
    (?:{_NO_QUESTION} ){{0,2}}error(?:$|[:.,](?! ?\d))(?<!the error)(?<!an error)
    (?:\W{{0,8}}(?:[a-z]+ )?timeout\W{{1,8}})?(?:{_NO_QUESTION} ){{0,2}}timed out\b
    (?:{_NO_QUESTION} ){{0,2}}timeout(?:[.!]?$|:(?! ?\d)| exceeded\b| after\b)
    out of (?:memory|disk space){_CLOSE} | division by zero | no space left
    device or resource busy
    insufficient (?:permissions?|funds|privileges?|stock)
    you (?:do not|don't) have (?:permission|access|the)\b
    you (?:are not|aren't) (?:authori[sz]ed|allowed|permitted|logged|subscribed)
    please (?:log|sign) ?in\b | please authenticate\b
    you must (?:be logged in|log in|provide|specify)\b
    (?:sorry|unfortunately|i'm sorry|we're sorry|my apologies)[,.!:]? [^.\n]{{0,40}}{_UNABLE}
    (?:zugriff|zugang) verweigert | fehler (?:bei|beim|in|im)\b | keine berechtigung\b
    (?:{_THING} )?(?:wurde |konnte )?nicht gefunden(?: werden)?(?:$|[.:!])
    (?:die |der |das )?{_THING} (?:existiert|gibt es) nicht\b | ungültiger? [a-zäöü]+
    accès (?:refusé|interdit) | (?:{_THING} )?(?:est )?introuvable(?:$|[.:!]) | acceso denegado
    no se (?:pudo|puede|ha podido|encontró) [a-z]+ | (?:{_THING} )?no encontrad[oa](?:$|[.:!])
    (?:\u9519\u8bef|\u932f\u8aa4|\u30a8\u30e9\u30fc|\uc624\ub958|\u043e\u0448\u0438\u0431\u043a\u0430)\s?[:\uff1a]
"""
"""Sentences that say on their own that it did not work."""

PROGRAMS = list_words("""
    thread exception uncaught npm segmentation mcp rpc http/1.0 http/1.1 http/2 fehler erreur errore
    erro fatal panic
""")
"""First words of program errors without a name and a colon."""

DENIED = compile_phrases(r"""
    (?<!\d )\bfail(?:ed|ure)?\b | \berrors?\b | \bdisabled\b | \bexpired\b | exceed(?:s|ed)\b
    \b(?:cannot|could not|unable to)\b | \bunavailable\b | \bunsupported\b | \binsufficient\b
    too many\b | \bimpossible\b | \bnot (?:[a-z]+ed(?! yet)|enough|valid)\b | \bmissing\b
    not ?found\b | not available\b | \balready (?:been )?(?:exists|taken|in use)\b
    exists with (?:the )?same | may not be\b
    \bduplicate (?:entry|id|key|name|order|record|request|value)\b | \bwrong\b
    (?:does|do)(?: not|n't) exist | n't find\b | \bno (?:such|longer|\w+ exists)\b
""")
"""Words that say of anything that it did not work; the rest are those of the error classes."""

_DEEDS = (
    "added|cancelled|canceled|changed|cleared|created|deleted|enabled|ignored|removed|resolved|"
    "refunded|restored|saved|scheduled|sent|updated"
)
"""What a message ends with that says what was done."""
ALL_WELL = compile_phrases(rf"""
    \bno (?:\w+ ){{0,2}}(?:errors?|failures?|problems?|issues?)\b | \b0 (?:errors?|failed)\b
    cannot be (?:undone|reversed) | (?<!not )(?<!n't )(?<!be )(?<!been )\b(?:{_DEEDS})\W*$
    success | without (?:an? )?(?:errors?|problems?)
""")


_FIGURE = re.compile(
    r"[^:\n]{1,60}:\s{1,3}(?:[~<>]?\s?(?![45]\d\d\b)[-+]?\d[\d.,]*\s?(?:%|[a-z]{1,20}\b(?<!error)(?<!errors))?"
    r"|(?:none|nil|empty|zero|n/?a|no|off|on|never|disabled|enabled|unlimited)\b)\s*"
    r"(?:$|[.;,()]|(?:over|in|of|per|since|for|on|this|today)\b)",
    re.IGNORECASE,
)
"""A label with a figure: requested content."""


def opens_as_error(text: str) -> bool:
    """Whether a text starts like an error."""
    start = text[:SHORT].lstrip(_MARKS)
    # The measure of something: a count, a rate, or that there is none.
    figure = not start[:6].casefold().startswith("error:") and _FIGURE.match(start)
    if NAMED.match(start):
        return len(text) <= LONG and not _goes_on(text) and not figure
    # Most texts begin like no program's error: the longer pattern is not tried for them.
    first = start[:60].split(None, 1)[0].casefold() if start else ""
    told = first[-1:] == ":" or first[:1] == "'" or first in PROGRAMS
    if told and _compile_programs().match(start):
        return len(text) <= LONG and not _goes_on(text)
    if len(text) > SHORT or not _is_plain_error(start):
        return False
    return not (_goes_on(start) or ALL_WELL.search(start) or figure)


@cache
def _compile_plain() -> re.Pattern[str]:
    """Compiled on first use: it is slow, and few programs need it."""
    return compile_phrases(_PLAIN)


@cache
def _compile_programs() -> re.Pattern[str]:
    return compile_phrases(_PROGRAMS)


def _is_plain_error(start: str) -> bool:
    """Whether a text begins with a sentence about a failure, perhaps after a program's name."""
    plain = _compile_plain()
    if plain.match(start):
        return True
    program = _PROGRAM.match(start)
    said = start[program.end() :].partition("\n")[0] if program else ""
    return any(plain.match(each) for each in (said, said.rpartition(": ")[2]) if each)


def says_failure(message: str) -> bool:
    """Whether a message that stands alone says that it did not work."""
    if len(message) > SHORT or ALL_WELL.search(message):
        return False
    if opens_as_error(message) or DENIED.search(message):
        return True
    # The words of errors are loaded with the first message that stands alone.
    from mulligan.learning.classify import REFUSING, classify_text

    return classify_text(message) in REFUSING


def _goes_on(text: str) -> bool:
    """A log, or a list of errors: requested content."""
    lines = [line for line in text.splitlines()[1 : MOST_LINES + 1] if line.strip()]
    again = sum(NAMED.match(line) is not None and line[:1] not in " \t" for line in lines)
    return looks_like_log(text) or (again >= 2 and 2 * again >= len(lines))


Fields = Mapping[str, object]
"""An object's fields, by their names in the one spelling."""

FLAGS = frozenset(fold_fields("is_error has_error has_errors is_failure is_failed is_exception"))
SUCCESS = frozenset(fold_fields("success ok succeeded is_success is_ok successful is_successful"))
STATES = frozenset(fold_fields("status state outcome result_status response_status result stat"))
STATUSES = fold_fields(
    "status status_code http_status http_status_code http_code response_code error"
)
ERROR = fold_fields("error error_message exception fault failure")
"""Fields that have content only after an error."""
THINGS = fold_fields("fault exception failure")
"""Those of them that name ordinary things in some domains: a geological fault, an exception."""
MANY = ("errors",)
"""The same in the plural, which reports of a check have too."""
CODED = "errorcode"
KINDS = fold_fields("type __type __typename name kind class class_name category error_type object")
STACKS = fold_fields("stack stack_trace trace traceback backtrace")
REFERENCE = "errorid"
"""The field in which a service names this one error, for its support."""
SAID = fold_fields("message detail")
"""Where a message for people stands."""
CODE_NAMES = frozenset(fold_fields("id key"))
"""Fields of a record's own name, in which some services have the code of an error."""
COMPLAINED_OF = frozenset(fold_fields("field param parameter property pointer loc property_path"))
"""Where a complaint says which field it is about."""
_TITLES = ("title", "name")
_EXPLAINS = fold_fields("summary description reason details title text status diagnostics")
"""Where a message for people stands beside a code, and much else without one."""
WORDS = (*SAID, *ERROR, *MANY, *fold_fields("reason description error_reason messages"))
WRITTEN = fold_fields("stdout stderr output command cmd")
"""The output and the command of a program that a tool ran."""
ENDS = frozenset(EXITS)

MARKS = frozenset({*FLAGS, *SUCCESS, *STATES, *STATUSES, *ERROR, *MANY, *STACKS, *ENDS})
MARKS |= frozenset((CODED, REFERENCE, "code", "type", "__type", "__typename", "object"))
TELLING = MARKS - frozenset(("type", "__type", "__typename", "object", "result"))
"""Fields of which any alone may say that it did not work; of the others, beside a message."""

SPEAKING = TELLING | frozenset(("detail", "title"))
_KINDS, _SAID = frozenset(KINDS), frozenset(SAID)
_ENDS = ("error", "errors", "exception")
_SETTING = re.compile(
    r"last|previous|(?:on|max|min|ignore|show|stopon|failon)(?:errors?|exception)$"
)

DATA = frozenset(fold_fields("data result results items rows records value values hits entries"))
REPORT = frozenset(fold_fields("warnings valid is_valid passed level logger"))
"""Fields of a report on something that was checked, or of a line in a log."""
ABOUT = frozenset(
    fold_fields("""
    message detail details reason description hint title path ts date jsonrpc instance help
    suggestion suggestions retryable retry_after documentation stdout stderr started_at
    completed_at finished_at created_at duration elapsed annotations meta extensions locations
    jsonapi fields field param parameter params context request method uri category domain cause
    causes source info more_info code codes severity retry service host warning_messages output
    command cmd args node language locale inner_error reference file line action global took
    diagnostics resource resource_type statement_handle problems violations issues
""")
)
"""Metadata fields around an answer."""

WELL = list_words("ok success succeeded successful completed complete done passed fine 200 201")
FALSE = list_words("false no n 0 failed failure fail error")
NOTHING = list_words("none null no false 0 ok success nil n/a -")
_FAILED_STATES = list_words("error errored fatal ko nok failed failure fail exception")
_ABOUT = re.compile(
    r"(?:request|trace|correlation|debug|log|span|event|response|error|incident|transaction|host)id$|"
    r"^(?:error|exception|fault|err|fehler)|(?:url|links?|parameters|version|timestamp|time|headers?|metadata)$"
)
_ERROR_TYPE = re.compile(r"(?:.*[.#:/\\])?(?:[A-Z]\w{0,80})?(?:Error|Exception|Fault)")
_JOINED = re.compile(r"\w[_-]\w")
_COUNTED = re.compile(
    r"(?:count|total|rate|ratio|percent|number|sum|size|[a-rt-z]s|[a-z]ed)$", re.ASCII
)
_MEASURE = re.compile(r"[\u00b1~<>+-]?\s?\d[\d.,]*\s?(?:%|[^\W\d]{1,10})?")
"""Fields for the size of an error."""
_NO_COUNT = re.compile(
    r"(?:status|seconds|secs|ms|millis|tries|retries|attempts|address|params|used)$"
)


def is_metadata(name: str) -> bool:
    """Whether a field is about an answer, and not what was asked for."""
    return name in ABOUT or _ABOUT.search(name) is not None


A_RECORD = 3
"""Fields beside an error, one of them a name, that make it a record of what went wrong."""
_NAMES = re.compile(r"(?:^(?:name|title|subject|url|key|number)|id)$")


def is_error(held: Fields, *, asked: bool = False) -> bool:
    """Whether an object is an error. `asked`: its tool reports on errors."""
    if SUCCESS.isdisjoint(held) and not _may_speak(held):
        # Fast path for most envelopes.
        return False
    if _is_flagged(held) or _is_answer_of_http(held):
        return True
    signs = _count_signs(held)
    if signs >= 2:
        return not (_speaks_against(held) or _is_record(held))
    return signs == 1 and not (asked or _speaks_against(held) or _has_payload(held))


def _is_record(held: Fields) -> bool:
    """Whether it is of something with a name of its own, and an error is one of its fields."""
    fields = list(_list_payload(held))
    stated = any(isinstance(held.get(name), str) for name in STATES)
    return len(fields) + stated >= A_RECORD and any(map(_NAMES.search, fields))


def _may_speak(held: Fields) -> bool:
    for name, value in held.items():
        if value and (name in SPEAKING or name.endswith(_ENDS)):
            return True
        if name in CODE_NAMES and _names_failure(held, name):
            return True
        if name in STATES and type(value) is str and value.casefold() in _FAILED_STATES:
            return True
        if name in _KINDS and (value == "error" or not _SAID.isdisjoint(held)):
            return True
    return False


_STOPS = (".", "!")
_PREDICATE = re.compile(
    r"(?:can't|cannot|must|should|may not|does not|doesn't|are (?:not|invalid)|is(?:n't| not|"
    r" invalid| required| missing| too| already| reserved)|has (?:already|expired))(?![\w-])",
    re.IGNORECASE,
)
MOST_ABOUT = 6
"""Fields that a message has around it."""


def is_only_message(held: Fields) -> bool:
    """Nothing but a message, and one that says that it did not work."""
    told = [n for n, value in held.items() if not (is_blank(value) or _lists_complaints(value))]
    said = [held[name] for name in held if name in SAID and not is_blank(held[name])]
    # What is false is the answer to a question: `{"available": false, "message": …}`.
    asked = any(
        value is False and name not in MARKS and not is_metadata(name)
        for name, value in held.items()
    )
    alone = not asked and bool(said)
    alone = alone and all(
        name in SAID or is_metadata(name) or _is_about_failure(held[name]) for name in told
    )
    if not alone:
        return _complains(held)
    return any(says_failure(m) if isinstance(m, str) else _lists_complaints(m) for m in said)


def _is_about_failure(value: object) -> bool:
    """Whether a field beside a message says again that it did not work."""
    if isinstance(value, str):
        return _JOINED.search(value) is not None and _is_code_of_failure(value)
    if not isinstance(value, Mapping) or len(value) > MOST_ABOUT:
        return False
    return bool(_weigh_kind(fold_object(value)))


def _is_complaint(text: str) -> bool:
    """A sentence, or one whose subject is the field that it stands in: `can't be blank`."""
    return text.endswith(_STOPS) or _PREDICATE.match(text) is not None


def may_complain(held: Mapping[str, object]) -> bool:
    """A quick test for what `{"email": ["Enter an address."]}` begins with."""
    first = next(iter(held.values()), None)
    told = first[0] if type(first) is list and first else None
    return type(told) is str and _is_complaint(told)


def _complains(held: Fields) -> bool:
    """Nothing but sentences on what is wrong, by the fields of a form."""
    return _lists_complaints(held) and all(
        isinstance(each, list) and all(_is_complaint(str(text)) for text in each)
        for each in held.values()
    )


def _lists_complaints(value: object) -> bool:
    """Whether it says of each field what is wrong with it, and nothing else."""
    return (
        isinstance(value, Mapping)
        and 0 < len(value) <= MOST_VALUES
        and all(_is_list_of_failures(each) for each in value.values())
    )


def _is_list_of_failures(value: object) -> bool:
    return (
        isinstance(value, list)
        and 0 < len(value) <= MOST_LINES
        and all(isinstance(t, str) and (_PREDICATE.match(t) or says_failure(t)) for t in value)
    )


def is_nothing_but_error(held: Fields) -> bool:
    """Whether an entry of a list is an error, not a record of one."""
    if "url" in held or _has_payload(held):
        return False
    said = next((held[name] for name in ERROR if name in held), None)
    telling = isinstance(said, Mapping) or (isinstance(said, str) and opens_as_error(said))
    coded = _has_code_of_error(held) or _is_answer_of_http(held)
    complaint = not COMPLAINED_OF.isdisjoint(held) and _complains_of(held.get("message"))
    return bool(telling or complaint or _weigh_code(held) or (coded and _has_words(held)))


def _complains_of(message: object) -> bool:
    # Of one field in particular, weaker words are enough: `must be in the future`.
    from mulligan.learning.classify import classify_text

    return isinstance(message, str) and classify_text(message[:SHORT]) is not ErrorClass.UNKNOWN


def is_blank(value: object, *, depth: int = 3) -> bool:
    """Nothing, or an object that holds nothing."""
    if value is None or value is False or value == "":
        return True
    if isinstance(value, Mapping):
        return (
            len(value) <= 20
            and depth > 0
            and all(is_blank(each, depth=depth - 1) for each in value.values())
        )
    return isinstance(value, list | tuple) and not value


_JSEND = frozenset(("status", "data", "message", "code"))
"""The fields of a convention in which `fail` comes with what is wrong as its data."""


def _is_flagged(held: Fields) -> bool:
    """A field that says outright whether it worked."""
    if any(held.get(name) is True for name in FLAGS):
        return True
    if any(_is_false(held, name) for name in SUCCESS if name in held):
        return True
    if held.get("status") in ("fail", "error") and _JSEND.issuperset(held):
        return True
    # An answer in the state of an error that lists what was wrong, also beside what it was given.
    listed = any(isinstance(held.get(name), list) and held[name] for name in MANY)
    if listed and held.get("status") == "error" and {"id", "name"}.isdisjoint(held):
        return True
    # A part of MCP content is flagged by itself by some servers.
    return held.get("error") is True and (
        "text" in held or _has_words(held) or not _has_payload(held)
    )


def _is_false(held: Fields, name: str) -> bool:
    """`False` in any spelling. Without a reason and beside data it is part of the data, as is 0."""
    value = held[name]
    if isinstance(value, str):
        return value.strip().casefold() in FALSE
    if value is False:
        return _has_words(held) or not any(_is_data(each, held[each]) for each in held)
    return value == 0 and _has_words(held) and not _speaks_against(held)


def _has_words(held: Fields) -> bool:
    """Whether anything says what happened, as text or in parts."""
    return any(_is_said(held.get(name)) for name in WORDS if held.get(name) is not True)


def _is_answer_of_http(held: Fields) -> bool:
    """A status that refuses, beside a message or a body: the answer of a service, or a problem."""
    names = (*STATUSES, *(("code",) if isinstance(held.get("error"), str) else ()))
    status = next((held[name] for name in names if _is_refusal(held.get(name))), None)
    if status is None:
        return False
    titles = (held.get(name) for name in _TITLES if "url" not in held)  # Of a page looked up.
    named = any(isinstance(each, str) and says_failure(each) for each in titles)
    beside = any(name in held for name in ("body", "text", "errors"))
    return named or beside or _has_words(held) or _explains_all(held)


def _explains_all(held: Fields) -> bool:
    """Whether everything beside the status says what is wrong, under the names of fields."""
    others = [name for name, value in held.items() if name not in MARKS and not is_blank(value)]
    told = [name for name in others if _is_explanation(held[name])]
    return bool(told) and all(name in told or is_metadata(name) for name in others)


def _is_explanation(value: object) -> bool:
    """What is wrong as text, with more of it beside: `{"summary": …, "detail": …}`."""
    entries = value if isinstance(value, list) else [value]
    return 0 < len(entries) <= MOST_LINES and all(
        isinstance(each, Mapping)
        and isinstance(each.get("detail"), str)
        and any(isinstance(each.get(name), str) for name in ("summary", "title", "message"))
        for each in entries
    )


def _holds_nothing(value: object) -> bool:
    """Whether what stands for the data is empty, a count of none, or says that it failed."""
    failed = isinstance(value, str) and value.casefold() in _FAILED_STATES
    return failed or is_blank(value) or value == 0 or _refuses_alone(value)


def _refuses_alone(value: object) -> bool:
    """Whether what stands for the data is only the status of a refusal: `{"status": 404}`."""
    if not isinstance(value, Mapping) or len(value) != 1:
        return False
    ((name, held),) = value.items()
    return name in STATUSES and _is_refusal(held)


def _is_refusal(code: object) -> bool:
    if isinstance(code, str) and code.isdecimal() and len(code) == 3:
        code = int(code)
    return type(code) is int and 400 <= code < 600


def _count_signs(held: Fields) -> int:
    """How many signs of an error there are: a record may have one, but not two."""
    if _names_error(held):
        return 2
    # `validationErrors`, `sync_error`; the last error of something is part of its record.
    some = (value for name, value in held.items() if name in MANY or ends_as_error(name))
    signs = int(any(map(_is_said, some)))
    signs += isinstance(held.get(REFERENCE), str) and bool(held[REFERENCE])
    signs += _has_code_of_error(held)
    return signs + _weigh_state(held) + _weigh_code(held) + _weigh_kind(held) + _weigh_exit(held)


def _names_error(held: Fields) -> bool:
    """A code or a stack beside words, what a validator found wrong, or a field that holds one."""
    stack = any(_is_said(held.get(name)) for name in STACKS)
    if (stack or _has_code_of_error(held)) and _has_words(held):
        return True
    emptied = [_holds_nothing(held[name]) for name in DATA if name in held]
    if emptied and all(emptied) and any(_is_said(held.get(name)) for name in MANY):
        return True
    listed = held.get("detail")
    first = listed[0] if isinstance(listed, list) and listed else None
    if isinstance(first, Mapping) and {"msg", "loc"} <= first.keys():
        return True
    for name in (name for name in ERROR if name in held):
        value = held[name]
        if name not in THINGS or not isinstance(value, str):
            if _is_said(value):
                return True
        # A possible name is an error only if it reads like one.
        elif _ERROR_TYPE.fullmatch(value[:200]) or says_failure(value):
            return True
    return False


def ends_as_error(name: str) -> bool:
    """Whether a field is named after an error, and not the last of several."""
    return name.endswith(_ENDS) and not _SETTING.match(name)


def _has_code_of_error(held: Fields) -> bool:
    for code in (held.get(CODED), held.get("sqlstate")):
        first = code[0] if isinstance(code, list) and code else code
        if isinstance(first, str) and first.strip().casefold() not in (*NOTHING, "", "00000"):
            return True
        if type(first) is int and first != 0:
            return True
    return type(held.get("error")) is int and held["error"] != 0


def _is_said(error: object) -> bool:
    if isinstance(error, str):
        said = error.strip()
        return bool(said) and said.casefold() not in NOTHING and not _MEASURE.fullmatch(said[:100])
    if isinstance(error, Mapping):
        counts = all(type(each) is int or type(each) is float for each in error.values())
        return not counts and not is_blank(error)
    return error is True or (isinstance(error, list) and bool(error))


def _weigh_state(held: Fields) -> int:
    """Whether the state of the answer is that of an error."""
    states = {
        str(held[name]).strip().casefold() for name in STATES if isinstance(held.get(name), str)
    }
    named = any(_names_failure(held, name) for name in STATES)
    return int(named or not states.isdisjoint(_FAILED_STATES))


def _weigh_code(held: Fields) -> int:
    """A code beside a message that reads like an error."""
    code = held.get("code")
    said = next((held[name] for name in SAID if isinstance(held.get(name), str)), None)
    if isinstance(code, bool) or not isinstance(code, int | str):
        return int(isinstance(said, str) and any(_names_failure(held, n) for n in CODE_NAMES))
    if not isinstance(said, str):
        other = next((held[name] for name in _EXPLAINS if isinstance(held.get(name), str)), "")
        named = isinstance(code, str) and _is_code_of_failure(code)
        return int(bool(other) and (named or (_is_refusal(code) and says_failure(str(other)))))
    if _is_refusal(code) or (isinstance(code, int) and code < -1):
        return 1
    named = isinstance(code, str) and _is_code_of_failure(code)
    well = str(code).casefold() in ("0", *WELL)
    return int(not well and (named or says_failure(said) or _complains_of(said)))


def _names_failure(held: Fields, name: str) -> bool:
    """Whether what names a record names a failure instead, as `{"id": "not_found"}` does."""
    value = held.get(name)
    return (
        isinstance(value, str) and _JOINED.search(value) is not None and _is_code_of_failure(value)
    )


def _is_code_of_failure(code: str) -> bool:
    """Whether a code for programs says that it did not work."""
    if says_failure(re.sub(r"[_.-]", " ", code)) or code.startswith(("E_", "ERR_")):
        return True
    # The words of errors are loaded with the first code that is met beside a message.
    from mulligan.learning.classify import UNDECIDED, classify_code

    return classify_code(code) not in UNDECIDED


def _weigh_kind(held: Fields) -> int:
    """A type that names an error, or an error class beside a message."""
    kinds = [kind for name in KINDS if isinstance(kind := held.get(name), str)]
    if any(kind.casefold() == "error" for kind in kinds):
        return 1
    said = next((held[n] for n in (*SAID, *_TITLES) if isinstance(held.get(n), str)), "")
    if not said:
        return 0
    named = [kind[:200] for kind in kinds if _names_error_kind(kind[:200])]
    if any(_ERROR_TYPE.fullmatch(kind) or _is_code_of_failure(kind) for kind in named):
        return 1
    return int(bool(named) and says_failure(str(said)))


def _names_error_kind(kind: str) -> bool:
    """Whether a name may be that of a kind of error: `ValueError`, `NOT_FOUND`, `Not Found`."""
    return _ERROR_TYPE.fullmatch(kind) is not None or _is_code_of_failure(kind)


def _weigh_exit(held: Fields) -> int:
    """A failing exit code; `grep` and `diff` exit with 1 for "no", without a message."""
    ended = next((code for name in ENDS if type(code := held.get(name)) is int and code), 0)
    silent = any(name in held and not held[name] for name in ("stderr", "error"))
    if not ended or (ended == 1 and silent):
        return 0
    return 1 + any(name in held for name in WRITTEN)


def _speaks_against(held: Fields) -> bool:
    """Whether there is requested content, or a success flag."""
    if any(held.get(name) is True or isinstance(held.get(name), list) for name in SUCCESS):
        return True
    if any(str(held[name]).casefold() in WELL for name in STATES if name in held):
        return True
    return _is_report(held) or any(
        _is_data(name, value)
        for name, value in held.items()
        if name not in MARKS and not ends_as_error(name)
    )


def _is_data(name: str, value: object) -> bool:
    if name in DATA:
        return not _holds_nothing(value)
    if is_metadata(name):
        return False
    counted = type(value) is int or type(value) is float
    if counted and value and _COUNTED.search(name) and not _NO_COUNT.search(name):
        return True
    if isinstance(value, list):
        return bool(value) and not isinstance(value[0], str)
    return isinstance(value, Mapping) and not is_blank(value)


def _has_payload(held: Fields) -> bool:
    """Whether there is anything but an error and metadata."""
    return _is_report(held) or any(True for _ in _list_payload(held))


def _is_report(held: Fields) -> bool:
    return any(held.get(name) is not None for name in REPORT)


def _list_payload(held: Fields) -> Iterator[str]:
    """The fields that are neither an error's nor metadata."""
    for name, value in held.items():
        about = name in MARKS or is_metadata(name) or ends_as_error(name)
        about = about or _is_about_error(name, held)
        if is_blank(value) or (about if name not in DATA else _holds_nothing(value)):
            continue
        kind = value if name in KINDS and isinstance(value, str) else ""
        if name in DATA or not (kind and _names_error_kind(kind[:200])):
            yield name


def _is_about_error(name: str, held: Fields) -> bool:
    """Whether a field that records have too says here which error it is, or what it means."""
    if name == "summary":
        return isinstance(held[name], str) and "code" in held
    numbered = type(held[name]) is int and held.get("type") == "error" and len(held) <= 4
    return name in CODE_NAMES and (numbered or _names_failure(held, name))


LONGEST_PAGE = 8_000
"""Characters; longer pages are content."""
START = 1_500
"""Characters at the start of a page that identify it."""
MOST_SAID = 300

_TITLE = re.compile(r"<(?:title|h1)\b[^<>]{0,200}>([^<]{1,200})<", re.IGNORECASE)
_FAULT = re.compile(
    r"<(?:[\w-]{1,40}:)?(Fault|Error|ErrorResponse|Exception|ServiceExceptionReport)\b[^<>]{0,300}>"
    r"\s{0,80}([^<\s][^<]{0,400})?",
    re.IGNORECASE,
)
_PART = re.compile(
    r"<(?:[\w-]{1,40}:)?(code|message|faultcode|faultstring|text|reason|value|detail)\b[^<>]{0,200}>"
    r"\s{0,80}([^<\s][^<]{0,400})<",
    re.IGNORECASE,
)
_AROUND = re.compile(r"(?:[\w-]{1,40}:)?(?:Envelope|Body|Header|\w{0,40}Response)\Z")
_TAG = re.compile(r"<(/?)((?:[\w-]{1,40}:)?[\w-]{1,60})[^<>]{0,400}>")


@cache
def _compile_titles() -> re.Pattern[str]:
    """Titles that are nothing but a refusal; a page about one says more."""
    return compile_phrases(r"""
        (?:http |error |status |code ){0,3}[#:]?[45]\d\d\b[^\w<]{0,5}[a-z '-]{0,60}[)!.1]{0,5}$
        (?:[45]\d\d )?(?:bad gateway|service (?:temporarily )?unavailable|internal server error)\s*$
        (?:access denied|forbidden|(?:page )?not found|unauthori[sz]ed)[.!]?\s*$
        gateway time-?out\s*$
        (?:[\w.-]{1,100} \| )[45]\d\d: [a-z ]{1,60}$ | attention required! \| cloudflare\s*$
        (?:application )?error\s*$ | (?:bad|invalid) request\s*$ | too many requests\s*$
    """)


def read_page(text: str) -> ErrorFields | None:
    """The error in an HTML or XML page; `None` where the page is requested content."""
    if len(text) > LONGEST_PAGE:
        return None
    start = text[:START]
    low = start[:200].casefold()
    if "<html" in low or "<!doctype html" in low:
        return _read_title(start)
    return _read_fault(text) if _FAULT.search(start) else None


def _read_title(start: str) -> ErrorFields | None:
    found = _TITLE.search(start)
    title = " ".join(found[1].split()) if found else ""
    if not _compile_titles().match(title):
        return None
    status = re.search(r"\b[45]\d\d\b", title)
    return ErrorFields(message=title, status=int(status[0]) if status else None)


def _read_fault(text: str) -> ErrorFields | None:
    """A fault as the only element; one among others is a record."""
    for tag in _TAG.finditer(text[:START]):
        if tag[1]:
            return None
        if _FAULT.match(text, tag.start()):
            break
        if not _AROUND.fullmatch(tag[2]):
            return None
    else:
        return None
    parts = {found[1].casefold(): found[2].strip() for found in _PART.finditer(text[:LONGEST_PAGE])}
    if not parts:
        said = " ".join(_TAG.sub(" ", text[tag.start() :]).split())
        return ErrorFields(message=said[:MOST_SAID]) if said else None
    names = ("message", "faultstring", "text", "reason", "detail", "code", "faultcode")
    said = next((parts[name] for name in names if name in parts), "")
    return ErrorFields(message=said[:MOST_SAID], code=parts.get("code", ""))


MOST_VALUES = 200
_LONGEST_ECHO = 20_000
SHORTEST_CUT = 12
"""Characters of a truncated value that are needed to recognise it."""


class Echoes:
    """The values of one call, as a result may repeat them."""

    def __init__(self, arguments: Mapping[str, object]) -> None:
        leaves = [value for _, value in list_leaves(arguments, most=MOST_VALUES)]
        self._texts = {_normalize(text) for text in leaves if isinstance(text, str) and text}
        self._numbers = {each for each in leaves if type(each) is int or type(each) is float}
        self._given = {
            fold_field(str(name)): value
            for name, value in arguments.items()
            if isinstance(value, bool)
        }

    def cover(self, name: str, value: object) -> bool:
        """Whether a field only repeats an argument of the call."""
        if isinstance(value, bool):
            return self._given.get(name) is value
        if isinstance(value, str):
            return self.cover_text(value)
        return (type(value) is int or type(value) is float) and value in self._numbers

    def cover_text(self, text: str) -> bool:
        """Whether a text is one of the call's own values, whole or truncated."""
        said = _normalize(text)
        if not said or said in self._texts:
            return bool(said)
        cut = said.rstrip(" .…")
        return len(cut) >= SHORTEST_CUT and any(each.startswith(cut) for each in self._texts)


def _normalize(text: str) -> str:
    return " ".join(text[:_LONGEST_ECHO].split()).casefold()
