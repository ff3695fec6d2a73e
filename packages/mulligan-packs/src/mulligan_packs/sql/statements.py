"""What a statement writes to, read from its text: a tool's own, a library's, or SQLAlchemy's.

What a function does that a `SELECT` calls is not seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from msgspec import Struct
from sqlalchemy import Connection, Dialect

_PLACEHOLDER = r"%\(\w+\)s|%s|::?\w+|@\w+|\$\d+"
_STRICT = rf"""
    (?P<space>\s+|--[^\n]*|/\*.*?\*/)
    |(?P<string>[eE]'(?:[^'\\]|''|\\.)*'|'[^']*(?:''[^']*)*'|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$)
    |(?P<quoted>"[^"]*(?:""[^"]*)*"|`[^`]*(?:``[^`]*)*`|\[[^\]']*\])
    |(?P<sign>{_PLACEHOLDER})|(?P<open>(?:/\*|['"`]|\$\w*\$).*)|(?P<word>[^\W\d][\w$]*)|(?P<other>.)"""
_BACKSLASHED = rf"""
    (?P<space>\s+|--[^\n]*|\#[^\n]*|/\*(?!!).*?\*/)
    |(?P<string>'(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*")
    |(?P<quoted>`[^`]*(?:``[^`]*)*`)
    |(?P<sign>{_PLACEHOLDER})|(?P<open>(?:/\*(?!!)|['"`]).*)|(?P<word>[^\W\d][\w$]*)|(?P<other>.)"""
_SIGNS = {
    backslashes: re.compile(pattern, re.VERBOSE | re.DOTALL)
    for backslashes, pattern in ((False, _STRICT), (True, _BACKSLASHED))
}
_HARMLESS = frozenset(
    {
        "SELECT", "WITH", "VALUES", "TABLE", "SHOW", "EXPLAIN", "DESCRIBE", "DESC", "PRAGMA",
        "SET", "RESET", "USE", "LOCK", "UNLOCK", "ANALYZE", "SAVEPOINT", "RELEASE", "ROLLBACK",
        "ABORT", "BEGIN", "START", "DECLARE", "FETCH", "MOVE", "CLOSE", "LISTEN", "UNLISTEN",
        "NOTIFY", "DISCARD", "DEALLOCATE", "ATTACH", "DETACH",
    }
)  # fmt: skip
"""What a statement may begin with that changes no row, unless one inside of it does."""
_VERBS = frozenset({"INSERT", "REPLACE", "UPDATE", "DELETE", "MERGE", "TRUNCATE", "COPY"})
_UPSERTS = (("ON", "CONFLICT"), ("ON", "DUPLICATE"), ("OR", "IGNORE"), ("INSERT", "IGNORE"))
_NO_VERBS = frozenset({"FOR", "ON", "DO", "KEY", "THEN"})
"""After these such a word is part of another clause: `FOR UPDATE`, `ON DELETE`, `DO UPDATE`."""
_BETWEEN = frozenset(
    {
        "OR", "ABORT", "FAIL", "IGNORE", "ROLLBACK", "REPLACE", "INTO", "ONLY", "LOW_PRIORITY",
        "HIGH_PRIORITY", "DELAYED", "QUICK", "TABLE",
    }
)  # fmt: skip
"""What may stand between a verb and the name of its table."""
_STOPS = frozenset(
    {"SET", "WHERE", "FROM", "USING", "RETURNING", "ORDER", "LIMIT", "VALUES", "SELECT", ";"}
)
"""What ends a list of tables, or of assignments."""
_ON_KEY = ["KEY", "UPDATE"]
_LONG = 10_000
"""Characters of a statement that is not remembered."""


class TableName(NamedTuple):
    """A table as a statement names it."""

    schema: str
    name: str

    def is_named(self, declared: str, *, default: str | None, spelling: Spelling) -> bool:
        """Whether it is the table of a declaration; without a schema it may be of any."""
        schema, _, name = declared.rpartition(".")
        if self.name != spelling.fold(name, quoted=True):
            return False
        meant = schema or default or ""
        return not self.schema or not meant or self.schema == spelling.fold(meant, quoted=True)

    def __str__(self) -> str:
        return f"{self.schema}.{self.name}" if self.schema else self.name


class Spelling(Struct, frozen=True, kw_only=True):
    """How a database reads names and strings."""

    folds: bool = True
    """`Task` and `task` are one name."""
    folds_quoted: bool = True
    """So are `"Task"` and `"task"`."""
    backslashes: bool = False
    """A backslash in a string keeps the sign after it."""

    def fold(self, name: str, *, quoted: bool) -> str:
        """A name as it is compared."""
        return name.casefold() if (self.folds_quoted if quoted else self.folds) else name


_ANY_CASE = Spelling()


def name_table(connection: Connection, table: object) -> TableName:
    """A table of a statement that SQLAlchemy has built, in the schema that it really goes to."""
    spelling, schema = find_spelling(connection.dialect), getattr(table, "schema", None)
    moved = connection.get_execution_options().get("schema_translate_map") or {}
    parts = (moved.get(schema, schema) or "", str(getattr(table, "name", "")))
    return TableName(*(spelling.fold(part, quoted=True) for part in parts))


def read_name(connection: Connection, name: str) -> TableName:
    """A table as its catalog names it, with its schema before a dot where that is said."""
    spelling = find_spelling(connection.dialect)
    schema, _, bare = name.rpartition(".")
    return TableName(*(spelling.fold(part, quoted=True) for part in (schema, bare)))


def is_declared(connection: Connection, written: TableName, *declared: str) -> bool:
    """Whether a table that is written to is one of a declaration."""
    spelling, default = find_spelling(connection.dialect), connection.dialect.default_schema_name
    return any(written.is_named(each, default=default, spelling=spelling) for each in declared)


def find_spelling(dialect: Dialect) -> Spelling:
    """How the database of a connection reads."""
    if dialect.name == "postgresql":
        return Spelling(folds_quoted=False)
    if dialect.name in ("mysql", "mariadb"):
        # It depends on the system that the server runs on; SQLAlchemy has asked it.
        folds = bool(getattr(dialect, "_casing", 0))
        return Spelling(folds=folds, folds_quoted=folds, backslashes=True)
    return Spelling()


class Statement(Struct, frozen=True, kw_only=True):
    """What a statement does, as far as its text says."""

    tables: frozenset[TableName] = frozenset()
    """Those that it writes to."""
    untold: frozenset[str] = frozenset()
    """What it begins with where its writes are unknown: `call buy`, `alter table`."""
    deletes: bool = False
    """It can take a row away, rather than give it another key."""
    commits: bool = False
    """It ends the transaction, or hands it to another."""
    upserts: bool = False
    """Where a row is in its way, it does something else than to fail."""
    replaces: bool = False
    """It may take away what is in its way."""
    truncates: bool = False
    assigns: frozenset[str] | None = frozenset()
    """Columns that it gives a value in a row that is there, in small letters; `None`: any."""
    returns: bool = False
    """It makes rows, and what it returns are columns of theirs by their names."""
    plain: bool = False
    """It is one statement, and what it says it has written is all that it has."""

    @property
    def writes(self) -> bool:
        """Whether it changes something."""
        return bool(self.tables or self.untold)

    def writes_to(self, connection: Connection, declared: str) -> bool:
        """Whether it names the table of a declaration."""
        return any(is_declared(connection, table, declared) for table in self.tables)


class _Token(NamedTuple):
    kind: str
    text: str
    key: str
    """In capitals, of a word."""


def read_statement(statement: str, spelling: Spelling) -> Statement:
    """What a statement writes to."""
    if len(statement) > _LONG:
        return _read(statement, spelling)
    return _read_remembered(statement, spelling)


@lru_cache(maxsize=512)
def _read_remembered(statement: str, spelling: Spelling) -> Statement:
    return _read(statement, spelling)


def _read(statement: str, spelling: Spelling) -> Statement:
    tokens = [
        _Token(kind, found[kind], found[kind].upper() if kind == "word" else found[kind])
        for found in _SIGNS[spelling.backslashes].finditer(statement)
        if (kind := _find_kind(found)) != "space"
    ]
    verbs, tables, untold = set[str](), set[TableName](), set[str]()
    if any(token.kind == "open" for token in tokens):
        untold.add("what is opened and never closed")
    for at, token in enumerate(tokens):
        if not _is_verb(tokens, at):
            continue
        found = list(_list_targets(tokens, at, spelling))
        if found:
            verbs.add(token.key)
            tables.update(found)
    starts = [at for at in range(len(tokens)) if _is_start(tokens, at)]
    for at in starts:
        if tokens[at].kind == "word" and tokens[at].key not in _HARMLESS | _VERBS | _COMMITS:
            words = [each.text.lower() for each in tokens[at : at + 2] if each.kind == "word"]
            untold.add(" ".join(words))
        if tokens[at].key in ("SELECT", "WITH") and _makes_table(tokens[at:]):
            untold.add("select into")
    pairs = {(a.key, b.key) for a, b in pairwise(tokens)}
    plain = len(starts) == 1 and not untold and tokens[0].key in _VERBS
    replaces = "REPLACE" in verbs or ("OR", "REPLACE") in pairs
    return Statement(
        tables=frozenset(tables),
        untold=frozenset(untold),
        deletes=bool(untold) or bool(verbs - {"INSERT", "UPDATE"}),
        commits=any(_commits(tokens[at : at + 5], spelling) for at in starts),
        upserts=replaces or "MERGE" in verbs or any(pair in pairs for pair in _UPSERTS),
        replaces=replaces,
        truncates="TRUNCATE" in verbs,
        assigns=None
        if untold or replaces or verbs - {"INSERT", "UPDATE", "DELETE"}
        else frozenset(_list_columns(tokens)),
        returns=plain and tokens[0].key == "INSERT" and _returns_columns(tokens),
        plain=plain,
    )


_COMMITS = frozenset({"COMMIT", "END", "XA"})
_COMMITS_ON_MYSQL = frozenset({"BEGIN", "START", "LOCK", "UNLOCK", "ANALYZE"})


def _commits(tokens: Sequence[_Token], spelling: Spelling) -> bool:
    """Whether a statement ends the transaction, or hands it to another."""
    words = [token.key.lstrip("@").upper() for token in tokens]
    if words[0] in ("ROLLBACK", "ABORT") and "TO" not in words:
        return True
    if words[0] in _COMMITS or words[:2] == ["PREPARE", "TRANSACTION"]:
        return True
    mysql = spelling.backslashes
    return mysql and (
        words[0] in _COMMITS_ON_MYSQL or (words[0] == "SET" and "AUTOCOMMIT" in words)
    )


def _returns_columns(tokens: Sequence[_Token]) -> bool:
    """Whether what a statement returns goes by the names of columns, and by no other."""
    at = next((at for at, token in enumerate(tokens) if token.key == "RETURNING"), len(tokens))
    told = [token for token in tokens[at + 1 :] if token.key != ";"]
    names = [token.kind in ("word", "quoted") for token in told]
    others = {token.key for token in told if token.kind not in ("word", "quoted")}
    return bool(told) and others <= {".", ",", "*"} and (True, True) not in pairwise(names)


def _makes_table(tokens: Sequence[_Token]) -> bool:
    """Whether a query puts what it finds into a table: `SELECT … INTO t FROM …`."""
    for at, token in enumerate(tokens):
        if token.key == ";":
            return False
        if token.key == "INTO" and not (at and tokens[at - 1].key in _VERBS | _BETWEEN):
            return True
    return False


def _find_kind(found: re.Match[str]) -> str:
    # Of the groups that matched the last one closed is the outer one; a string may have a tag.
    return "string" if found.lastgroup == "tag" else str(found.lastgroup)


def _is_start(tokens: Sequence[_Token], at: int) -> bool:
    return tokens[at].key != ";" and (at == 0 or tokens[at - 1].key == ";")


def _is_verb(tokens: Sequence[_Token], at: int) -> bool:
    """Whether a word begins a statement that writes, also inside of another."""
    token = tokens[at]
    if token.kind != "word" or token.key not in _VERBS:
        return False
    if _is_start(tokens, at):
        return True
    if tokens[at - 1].key in _NO_VERBS or tokens[at - 1].key == ".":
        return False
    after = tokens[at + 1].key if at + 1 < len(tokens) else ""
    return {"UPDATE": True, "DELETE": after == "FROM"}.get(token.key, after == "INTO")


def _list_targets(tokens: Sequence[_Token], at: int, spelling: Spelling) -> Iterator[TableName]:
    """The tables of a verb. Where it names several, those it assigns to, as far as that is said."""
    verb, at = tokens[at].key, at + 1
    named: list[TableName] = []
    if verb == "DELETE" and at < len(tokens) and tokens[at].key != "FROM":
        # MySQL: the tables, or what they are called further on, and only then where they are from.
        named = [name for name, _ in _read_tables(tokens, at, spelling)]
    if verb == "DELETE":
        words = range(at, len(tokens))
        at = next((each + 1 for each in words if tokens[each].key == "FROM"), at)
    tables = list(_read_tables(tokens, at, spelling))
    if verb == "UPDATE" and len(tables) > 1:
        named = [TableName("", each) for each in _list_assigned(tokens, at, spelling)]
    if not named:
        several = verb in ("UPDATE", "TRUNCATE", "DELETE")
        yield from (name for name, _ in (tables if several else tables[:1]))
        return
    called = {alias: name for name, alias in tables} | {name.name: name for name, _ in tables}
    yield from (called.get(each.name, each) for each in named)


def _read_tables(
    tokens: Sequence[_Token], at: int, spelling: Spelling
) -> Iterator[tuple[TableName, str]]:
    """Tables one after the other, each with what it is called from there on."""
    depth, wanted = 0, True
    while at < len(tokens):
        key = tokens[at].key
        depth += (key == "(") - (key == ")")
        if depth < 0 or (depth == 0 and key in _STOPS):
            return
        at += 1
        if depth > 0 or key == ")":
            wanted = False  # a query takes the place of a table
        elif wanted and key not in _BETWEEN:
            parts, at = _read_name(tokens, at - 1, spelling)
            if not parts:
                return
            at += at < len(tokens) and tokens[at].key == "AS"
            alias, _ = _read_name(tokens, at, spelling)
            yield TableName("".join(parts[-2:-1]), parts[-1]), alias[-1] if alias else ""
            wanted = False
        elif key == "," or key.endswith("JOIN"):
            wanted = True


def _read_name(tokens: Sequence[_Token], at: int, spelling: Spelling) -> tuple[list[str], int]:
    """A name with what stands before its dots; nothing if there is none."""
    parts: list[str] = []
    while at < len(tokens) and tokens[at].kind in ("word", "quoted", "string"):
        token = tokens[at]
        quoted = token.kind != "word"
        text = token.text[1:-1] if quoted else token.text
        text = text.replace(token.text[-1] * 2, token.text[-1]) if quoted else text
        parts.append(spelling.fold(text, quoted=quoted))
        at += 1
        if at >= len(tokens) or tokens[at].key != ".":
            break
        at += 1
    return parts, at


def _list_columns(tokens: Sequence[_Token]) -> Iterator[str]:
    """The columns after each `SET`, or `ON DUPLICATE KEY UPDATE`, one by one or several in
    brackets."""
    for start, token in enumerate(tokens):
        if token.key != "SET" and [each.key for each in tokens[start - 1 : start + 1]] != _ON_KEY:
            continue
        depth, wanted, listed = 0, True, False
        for at in range(start + 1, len(tokens)):
            key = tokens[at].key
            listed = (listed or wanted) and (key == "(" or depth == 1) and key != ")"
            depth += (key == "(") - (key == ")")
            if depth < 0 or (depth == 0 and key in _STOPS):
                break
            if (wanted or listed) and tokens[at].kind in ("word", "quoted"):
                parts, _ = _read_name(tokens, at, _ANY_CASE)
                yield parts[-1]
            wanted = depth == 0 and key == ","


def _list_assigned(tokens: Sequence[_Token], at: int, spelling: Spelling) -> Iterator[str]:
    """What stands before the dots of columns that are assigned to; nothing if one has none."""
    depth, found, begun = 0, list[str](), False
    for place in range(at, len(tokens)):
        key = tokens[place].key
        depth += (key == "(") - (key == ")")
        if depth == 0 and (key == "SET" or (begun and key == ",")):
            begun = True
            parts, _ = _read_name(tokens, place + 1, spelling)
            if len(parts) < 2:
                return
            found.append(parts[-2])
        elif depth == 0 and begun and key in _STOPS:
            break
    yield from found
