"""Secrets that can be told by their form, as rules over text in the order they are applied.

Every pattern takes time linear in the text: quantifiers are bounded, possessive, or start only
where a run starts.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from mulligan.redaction.names import classify_name
from mulligan.redaction.pairs import HIDDEN, hide_pairs
from mulligan.redaction.seed_phrases import hide_phrases
from mulligan.redaction.spoken import (
    hide_beside,
    hide_cards,
    hide_in_commands,
    hide_in_tuples,
    hide_logins,
    hide_spoken,
)

Rule = Callable[[str], str]
Found = re.Match[str]

MASKS = "\ue000-\uf8ff"
"""Stand-ins for masked arguments. They count as part of a secret they lie in."""

_XML = re.compile(r"<([A-Za-z][\w:.-]{0,63})((?:\s[^<>]{0,200})?>)[^<]++(?=</)", re.ASCII)
_PEM = re.compile(
    r"(?<!-)-{4,}+ ?BEGIN .*?(?:(?<!-)-{4,}+ ?END[^-]{0,64}(?:-{4,}+|\Z)|\Z)", re.DOTALL
)
_URL = re.compile(r'(:\\?/\\?/)([^\s"<>]+)')
_QUERY = re.compile(r'\?[\w.~%\[\]-]{1,64}=[^\s"<>]*', re.ASCII)
_FLAG = re.compile(r"""(?<![\w-])--([A-Za-z][\w-]{1,40})["']?[,\s]\s{0,3}""", re.ASCII)
_FLAG_VALUE = re.compile(r"""<hidden>|"[^"]*+"?|'[^']*+'?|[^\s"'-][^\s"']*+""")
_SCHEME = re.compile(
    r"(?<![A-Za-z])((bearer|basic)(?:\s|%20){1,4})([A-Za-z0-9+/_=.~-]{4,})",
    re.ASCII | re.IGNORECASE,
)
_JWT = re.compile(r"(?<![A-Za-z0-9])eyJ[\w-]{13,}(?:\.[\w-]*)*", re.ASCII)
# Each has a run of at least 16 letters, digits, `_` and `-`: the prefilter counts on it.
_VENDOR = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AIPA|ANPA|ANVA|APKA|AROA)[A-Z0-9]{12,}"
    r"|(?:gh[oprsu]|npm|hf)_\w{13,}|github_pat_\w{12,}|gl[a-z]{2,6}-[\w-]{12,}"
    r"|(?:xox[a-z]|xapp|pypi)-[\w-]{11,}|sk-[\w-]{13,}|[prs]k_(?:live|test|prod)_\w{8,}"
    r"|whsec_\w{10,}|AIza[\w-]{12,}|GOCSPX-[\w-]{9,}|AGE-SECRET-KEY-[A-Z0-9]{2,}"
    r"|(?:dop_v1|doo_v1|glsa|shp[a-z]{2}|sq0[a-z]{3}|rubygems|sntrys|lin_api|dckr_pat|figd|tskey"
    r"|PMAK|nvapi|pplx|gsk|xai)[-_][\w-]{12,}"
    r"|(?:SG|ya29|hv[brs])\.[\w-]{16,}(?:\.[\w-]*)*)",
    re.ASCII,
)
_LOCAL = re.compile(r"""[^\s@<>"'(),:;=\[\]{}\\|/?&]+""")
_DOMAIN = re.compile(rf"\[?[\w{MASKS}-]++(?:\.[\w{MASKS}-]++)*+\]?")
_LONGEST_LOCAL = 128
_ENCODED_EMAIL = re.compile(r"(?<![\w.%+-])[\w.%+-]+%40[\w.%-]+", re.ASCII)
_IBAN = re.compile(
    r"[A-Z]{2}[0-9]{2}(?<![A-Za-z0-9].{4})(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?"
    r"(?![A-Za-z0-9])"
)
_TOKEN = re.compile(rf"(?<![A-Za-z0-9+/_={MASKS}-])[A-Za-z0-9+/_={MASKS}-]{{20,}}+")
_BETWEEN = " .()_\u00a0\u2000-\u2015\u202f\u2060\ufeff-"
_NUMBER = re.compile(
    rf"\+[{_BETWEEN}]{{0,3}}\d(?:[{_BETWEEN}]{{0,3}}\d){{6,}}|\d(?:[{_BETWEEN}]{{0,3}}\d){{8,}}"
)
_DIGIT = re.compile(r"[0-9]")
_LETTER = re.compile(r"[A-Za-z]")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
# `python3/site-packages`, `HTTP_STATUS_404`: one case, few digits, all at the end of a word.
_WORDS = re.compile(
    r"(?:[a-z]*[0-9]{0,3}[/_-])+[a-z]*[0-9]{0,3}|(?:[A-Z]*[0-9]{0,3}[/_-])+[A-Z]*[0-9]{0,3}"
)
_LONG_WORD = re.compile(r"[A-Za-z]{6}")
_MOST_DIGITS_IN_WORDS = 3
_DATE_AND_HOUR = re.compile(
    r"(?:19|20)[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])(?: (?:[01][0-9]|2[0-3]))?"
)
_TALK = frozenset({"auth", "authentication", "authorization", "credentials", "format", "header"})
_TALK_OF_TOKENS = _TALK | {"realm", "scheme", "token", "tokens", "type"}

_IBAN_DIGITS = 9
"""The fewest that any country's IBAN has."""


def _hide_xml(found: Found) -> str:
    name, close = found[1], found[2]
    return f"<{name}{close}{HIDDEN}" if classify_name(name) else found[0]


def _hide_in_urls(text: str) -> str:
    found = _URL.search(text)
    if found is None:
        return text
    if found.end() == len(text):
        return text[: found.start()] + _hide_url(found)
    return _URL.sub(_hide_url, text)


def _hide_url(found: Found) -> str:
    link = found[0]
    if "@" in link:
        link = found[1] + _hide_credentials(found[2])
    query, fragment = link.find("?"), link.find("#")
    if query < 0 or 0 <= fragment < query:
        query = fragment
    return f"{link[:query]}?<query>" if 0 <= query < len(link) - 1 else link


def _hide_credentials(rest: str) -> str:
    authority = rest.partition("/")[0]
    at = authority.rfind("@")
    if at < 0 and ":" in authority and not authority.partition(":")[2].isdigit():
        # A password with a slash in it, and not a port.
        at = rest.rfind("@")
    return f"<credentials>{rest[at:]}" if at >= 0 else rest


def _hide_queries(text: str) -> str:
    return _QUERY.sub("?<query>", text) if "=" in text else text


def _hide_flags(text: str) -> str:
    """Only the value of a secret flag is passed over: another may hold a command of its own."""
    shown: list[str] = []
    done = 0
    for flag in _FLAG.finditer(text):
        value = _FLAG_VALUE.match(text, flag.end()) if classify_name(flag[1]) else None
        if value and flag.start() >= done:
            shown += (text[done : value.start()], HIDDEN)
            done = value.end()
    return "".join([*shown, text[done:]]) if shown else text


def _hide_scheme(found: Found) -> str:
    lead, scheme, value = found.groups()
    if scheme.lower() == "bearer":
        secret = value.lower().rstrip(".") not in _TALK_OF_TOKENS
    else:
        secret = bool(_DIGIT.search(value)) or "=" in value or value[1:] != value[1:].lower()
    return f"{lead}<token>" if secret else found[0]


def _hide_emails(text: str) -> str:
    """Work outwards from each `@`: far faster than to try every word."""
    shown: list[str] = []
    done = 0
    at = text.find("@")
    while at >= 0:
        before = _LOCAL.match(text[max(done, at - _LONGEST_LOCAL) : at][::-1])
        after = _DOMAIN.match(text, at + 1) if before else None
        if before and after:
            shown += (text[done : at - before.end()], "<email>")
            done = after.end()
        at = text.find("@", max(done, at + 1))
    return "".join([*shown, text[done:]]) if shown else text


def _hide_iban(found: Found) -> str:
    return "<iban>" if len(_DIGIT.findall(found[0])) >= _IBAN_DIGITS else found[0]


def _hide_token(found: Found) -> str:
    run = found[0]
    digits = len(_DIGIT.findall(run))
    if not digits or not _LETTER.search(run):
        return run
    if digits <= _MOST_DIGITS_IN_WORDS and _WORDS.fullmatch(run) and _LONG_WORD.search(run):
        return run
    return "<uuid>" if _UUID.fullmatch(run) else "<token>"


def _hide_number(found: Found) -> str:
    run = found[0]
    if _DATE_AND_HOUR.fullmatch(run):
        return run
    if run[0] == "+":
        return "<phone>"
    digits = sum(map(str.isdigit, run))
    return "<card>" if 13 <= digits <= 19 else "<number>"


def _make_rule(pattern: re.Pattern[str], replacement: str | Callable[[Found], str]) -> Rule:
    def apply(text: str) -> str:
        return pattern.sub(replacement, text)

    return apply


(
    XML,
    PEM,
    URL,
    QUERY,
    PAIRS,
    FLAG,
    SCHEME,
    VENDOR,
    EMAIL,
    ENCODED_EMAIL,
    IBAN,
    TOKEN,
    NUMBER,
    SEED,
    SPOKEN,
    COMMAND,
    TUPLE,
    BESIDE,
) = (1 << n for n in range(18))

RULES: tuple[tuple[int, Rule], ...] = (
    (XML, _make_rule(_XML, _hide_xml)),
    (PEM, _make_rule(_PEM, "<pem>")),
    (URL, _hide_in_urls),
    (QUERY, _hide_queries),
    (BESIDE, hide_beside),
    (TUPLE, hide_in_tuples),
    (PAIRS, hide_pairs),
    (FLAG, _hide_flags),
    (COMMAND, hide_in_commands),
    (SPOKEN, hide_spoken),
    (SCHEME, _make_rule(_SCHEME, _hide_scheme)),
    (VENDOR, _make_rule(_JWT, "<jwt>")),
    (VENDOR, _make_rule(_VENDOR, "<key>")),
    (EMAIL, hide_logins),
    (EMAIL, _hide_emails),
    (ENCODED_EMAIL, _make_rule(_ENCODED_EMAIL, "<email>")),
    (IBAN, _make_rule(_IBAN, _hide_iban)),
    (TOKEN, _make_rule(_TOKEN, _hide_token)),
    (NUMBER, hide_cards),
    (NUMBER, _make_rule(_NUMBER, _hide_number)),
    (SEED, hide_phrases),
)
"""Each with the bit that the prefilter sets where it may apply."""
