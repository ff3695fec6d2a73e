"""Secrets that prose, commands and neighbours give away: `password is …`, `curl -u bob:…`."""

from __future__ import annotations

import re

from mulligan.redaction.names import classify_name

_HIDDEN = "<hidden>"
_TEXT = r"""(?:"[^"<>]{1,256}"|'[^'<>]{1,256}'|[^\s"'<>,;(){}\[\]]{1,256})"""
_SPOKEN = re.compile(
    r"(?<![A-Za-z0-9<_])((?:pass(?:word|wd|phrase|code)|pwd|secret|token)[\"']?"
    r"(?:\s{1,3}(?:is|was))?\s{1,3}[\"'`]?)([^\s\"'`<>,;:=()\[\]{}]{4,128})",
    re.ASCII | re.IGNORECASE,
)
_SQL = re.compile(
    rf"(?<![A-Za-z])(identified\s{{1,3}}(?:with\s{{1,3}}\S{{1,40}}\s{{1,3}})?(?:by|as)\s{{1,3}}"
    rf"(?:password\s{{1,3}})?){_TEXT}",
    re.ASCII | re.IGNORECASE,
)
_GAP = r"""[\s"',]{1,5}"""
_REST = r"""[^\s"'<>,][^\s"'<>]{0,255}"""
_CURL = re.compile(
    rf"(?<!\w)(curl{_GAP}(?:[^\n|;]{{0,200}}?{_GAP})?(?:-u|--user)[\s\"',=]{{0,5}}+[^\s\"':<>]{{1,64}}:)"
    rf"{_REST}",
    re.ASCII,
)
_MYSQL = re.compile(
    rf"(?<!\w)((?:mysql|mariadb)[a-z-]{{0,10}}{_GAP}(?:[^\n|;]{{0,200}}?{_GAP})?-p[\"']?){_REST}",
    re.ASCII,
)
_SSHPASS = re.compile(
    rf"(?<!\w)(sshpass{_GAP}(?:-[a-z]{_GAP})?-p[\s\"',]{{0,5}}+){_REST}", re.ASCII
)
_ORACLE = re.compile(r"((?:thin|oci8?):)[^\s@<>]{1,128}@", re.ASCII | re.IGNORECASE)
_TUPLE = re.compile(
    rf"""(\(\s{{0,3}}[bu]?(?P<q>["'])(?P<name>[\w .-]{{2,60}})(?P=q)\s{{0,3}},\s{{0,3}}[bu]?)"""
    rf"""{_TEXT}(?=\s{{0,3}}\))""",
    re.ASCII,
)
_NAMED = (
    r"""(?:[Nn]ame|NAME|[Kk]ey|KEY|id)["']?\s{0,3}[:=]\s{0,3}["']?(?P<name>[\w .-]{2,60})["']?"""
)
_VALUE = r"""(?:[Vv]alue|VALUE)["']?\s{0,3}[:=]\s{0,3}"""
_BESIDE = re.compile(
    rf"(?<![A-Za-z])({_NAMED}[\s,;][^<>{{}}]{{0,80}}?(?<![A-Za-z]){_VALUE}){_TEXT}",
    re.ASCII,
)
_BEFORE = re.compile(
    rf"(?<![A-Za-z])({_VALUE}){_TEXT}(?P<rest>[\s,;]{{1,4}}[\"']?{_NAMED})",
    re.ASCII,
)
_CARD = re.compile(
    r"(?<![0-9])[0-9]{4}[/\t ]{1,3}[0-9]{4,6}[/\t ]{1,3}[0-9]{4,5}"
    r"(?:[/\t ]{1,3}[0-9]{1,7})?(?![0-9])"
)
_REPORT = re.compile(r"(?:Error|Exception|Warning)\Z")
_CARD_DIGITS = 13


def hide_spoken(text: str) -> str:
    """Hide what prose and SQL call a password, if it looks like one."""
    return _SQL.sub(rf"\1{_HIDDEN}", _SPOKEN.sub(_hide_password, text))


def _hide_password(found: re.Match[str]) -> str:
    word = found[2].rstrip(".!?")
    mixed = word[1:] != word[1:].lower() and word != word.upper()
    odd = mixed or any(map(str.isdigit, word))
    return f"{found[1]}{_HIDDEN}" if odd and not _REPORT.search(word) else found[0]


def hide_in_commands(text: str) -> str:
    """Hide the passwords of well-known commands whose flags do not say what they are."""
    for command in (_CURL, _MYSQL, _SSHPASS):
        text = command.sub(rf"\1{_HIDDEN}", text)
    return text


def hide_logins(text: str) -> str:
    """Hide user and password in the links of Oracle, which are no URLs."""
    return _ORACLE.sub(r"\1<credentials>@", text)


def hide_in_tuples(text: str) -> str:
    """Hide the second of two where the first is a secret name: `('X-Api-Key', '…')`."""
    return _TUPLE.sub(lambda m: f"{m[1]}{_HIDDEN}" if classify_name(m["name"]) else m[0], text)


def hide_beside(text: str) -> str:
    """Hide a value beside a secret name: `name="password" value="…"`."""
    text = _BESIDE.sub(lambda m: f"{m[1]}{_HIDDEN}" if classify_name(m["name"]) else m[0], text)
    return _BEFORE.sub(
        lambda m: f"{m[1]}{_HIDDEN}{m['rest']}" if classify_name(m["name"]) else m[0], text
    )


def hide_cards(text: str) -> str:
    """Hide card numbers whose groups stand apart by slashes or tabs."""
    return _CARD.sub(_hide_card, text)


def _hide_card(found: re.Match[str]) -> str:
    return "<card>" if sum(map(str.isdigit, found[0])) >= _CARD_DIGITS else found[0]
