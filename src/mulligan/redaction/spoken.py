"""Secrets that prose, commands and neighbours give away: `password is …`, `curl -u bob:…`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mulligan.redaction.edits import Edit, hide_matches
from mulligan.redaction.names import classify_name

_HIDDEN = "<hidden>"
_TEXT = r"""(?:"[^"<>]{1,256}"|'[^'<>]{1,256}'|[^\s"'<>,;(){}\[\]]{1,256})"""
_SPOKEN = re.compile(
    r"(?<![A-Za-z0-9<_])((?:pass(?:word|wd|phrase|code)|pwd|secret|token)[\"']?"
    r"(?:\s{1,3}(?:is|was))?\s{1,3}[\"'`]?)((?:&#x?[0-9A-Fa-f]{1,6};|[^\s\"'`<>,;:=()\[\]{}]){4,128})",
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
_REPORT = re.compile(r"(?:Error|Exception|Warning)\Z")


find_sql = hide_matches(_SQL, _HIDDEN, after=1)
"""What SQL calls a password."""

find_in_curl = hide_matches(_CURL, _HIDDEN, after=1)
find_in_mysql = hide_matches(_MYSQL, _HIDDEN, after=1)
find_in_sshpass = hide_matches(_SSHPASS, _HIDDEN, after=1)
"""The passwords of well-known commands whose flags do not say what they are."""


def find_spoken(text: str) -> Iterator[Edit]:
    """What prose calls a password, if it looks like one."""
    for found in _SPOKEN.finditer(text):
        word = found[2].rstrip(".!?")
        mixed = word[1:] != word[1:].lower() and word != word.upper()
        odd = mixed or any(map(str.isdigit, word))
        if odd and not _REPORT.search(word):
            yield Edit(found.start(2), found.end(), _HIDDEN)


def find_logins(text: str) -> Iterator[Edit]:
    """User and password in the links of Oracle, which are no URLs."""
    for found in _ORACLE.finditer(text):
        yield Edit(found.end(1), found.end() - 1, "<credentials>")


def find_in_tuples(text: str) -> Iterator[Edit]:
    """The second of two where the first is a secret name: `('X-Api-Key', '…')`."""
    return _find_after_names(_TUPLE, text)


def find_beside(text: str) -> Iterator[Edit]:
    """A value that its secret name stands before: `name="password" value="…"`."""
    return _find_after_names(_BESIDE, text)


def _find_after_names(pattern: re.Pattern[str], text: str) -> Iterator[Edit]:
    for found in pattern.finditer(text):
        if classify_name(found["name"]):
            yield Edit(found.end(1), found.end(), _HIDDEN)


def find_before(text: str) -> Iterator[Edit]:
    """A value that its secret name stands after: `value="…" name="password"`."""
    for found in _BEFORE.finditer(text):
        if classify_name(found["name"]):
            yield Edit(found.end(1), found.start("rest"), _HIDDEN)
