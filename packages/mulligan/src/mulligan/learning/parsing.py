"""Parses values as models write them: JSON, Python and mixtures of both, with one tolerant parser.

Callers try strict JSON first; this parser is for the rest: single quotes, Python constants,
trailing commas, comments, bare words, quotes inside quotes, truncated text.

Tool names may differ only in case and separators. An extra word makes another tool: `undo_delete`,
`dry_run_delete` and `staging/delete` are not `delete`.
"""

from __future__ import annotations

import ast
import json
import math
import operator
import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from msgspec import Struct, field

from mulligan_dates.text import split_name

_SUM = re.compile(r"[\d\s.+\-*/()eE_]*(?:(?:math\.|np\.|numpy\.)?pi[\d\s.+\-*/()eE_]*)?")
_LOOKS_LIKE_A_DATE = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}|\d{1,4}/\d{1,2}/\d{1,4}|\d-\d++-\d|\d\s++\d|^\s*+\d++-\d++\s*+$"
)
_OPERATIONS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_LONGEST_SUM = 60


def evaluate_sum(words: str) -> float | None:
    """The value of a plain arithmetic expression, or `None` for anything else."""
    if len(words) > _LONGEST_SUM or not _SUM.fullmatch(words) or _LOOKS_LIKE_A_DATE.search(words):
        return None
    try:
        tree = ast.parse(words.strip(), mode="eval")
        return _evaluate_node(tree.body)
    except (SyntaxError, ValueError, ZeroDivisionError, OverflowError, RecursionError):
        return None


def _evaluate_node(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_evaluate_node(inner)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            return _OPERATIONS[type(op)](_evaluate_node(left), _evaluate_node(right))
        case ast.Name(id="pi") | ast.Attribute(attr="pi"):
            return math.pi
        case _:
            raise ValueError("not a sum")


DEEPEST = 60
LONGEST_TEXT = 100_000
"""Characters; a longer text is not parsed at all."""

MOST_STEPS = 400_000
"""Characters parsed in all, repetitions included."""

CONSTANTS = {"true": True, "false": False, "null": None, "none": None, "undefined": None}
QUOTES = {'"': '"', "'": "'", "`": "`", "\u201c": "\u201d", "\u2018": "\u2019"}
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}

# Possessive throughout, so that there is no backtracking.
_BLANK = re.compile(r"(?:\s++|//[^\n]*+)*+")
_NAME = re.compile(r"[A-Za-z_][\w.\-]*+")
_NUMBER = re.compile(r"[+-]?(?:\d[\d_]*+(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?")
_AFTER_STRING = re.compile(r"\s*+(?:[,)\]}:;=>]|$|//|#)")
_KEYWORD = re.compile(r"['\"]?([A-Za-z_][\w.\-]*+)['\"]?\s*+=(?!=)")
_NEXT_KEYWORD = re.compile(r",\s*+[A-Za-z_]\w*+\s*+=(?!=)")
_KEY = re.compile(r"[^\s:=,{}\[\]()\"']++")
_PLAIN = {
    closing: re.compile(rf"[^\\{closing}]++") for closing in ('"', "'", "`", "\u201d", "\u2019")
}
"""The inside of a string, by its closing quote."""
_UNBROKEN = re.compile(r"[^\s,;()\[\]{}]++")
"""Characters that never end a bare value."""
_CODED = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}")
_PAIR = re.compile(r"\s*+([A-Za-z_]\w*+)=")
_KEY_END = re.compile(r"\s*+(?::|=>|=)\s*+")
_OPEN, _CLOSE = "([{", ")]}"


_JOINED = re.compile(r"\s*+(?:[+%*]|(?<=\s)[\"']|(?:if|or)\b|\.[A-Za-z_])")
"""After a string: part of an expression, or quotes inside quotes; ambiguous."""
_EXPRESSION = re.compile(r"[fFbBrRuU]{1,2}+[\"']|[A-Za-z_][\w.]*+[\[(]|\*")
_ADDS_TEXT = re.compile(r"\+\s*+[\"']")
_THOUSANDS = re.compile(r"(?:,\d{3}){1,5}+(?!\d)")


class GarbledError(ValueError):
    """There is no value at this place."""


class Formula(str):
    """Expressions whose value only the writer's program would know."""

    __slots__ = ()


class Named(Struct, frozen=True):
    """`name(values, key=value)`, as a model writes a call."""

    name: str
    values: list[object] = field(default_factory=list)
    keywords: dict[str, object] = field(default_factory=dict)


def read_pairs(text: str) -> dict[str, object]:
    """`key=value key=value`, as many Python objects print themselves; else nothing."""
    reader = Reader(text, cut=True)
    found: dict[str, object] = {}
    at = 0
    while pair := _PAIR.match(text, at):
        found[pair.group(1)], at = reader.parse_value(pair.end(), ends=" \n")
    return found


def list_expressions(value: object) -> list[str]:
    """The expressions inside a value, whose results are unknown."""
    match value:
        case Formula():
            return [str(value)]
        case dict():
            return [each for held in value.values() for each in list_expressions(held)]
        case list() | tuple():
            return [each for held in value for each in list_expressions(held)]
        case Named():
            return [value.name]
        case _:
            return []


class Reader:
    """Parser of one text. Every method takes a position and returns a value and the next position.

    `cut`: the text is known to be truncated, so an unterminated string is accepted. Otherwise it is
    refused: half a message must not be sent as if it were whole.
    """

    def __init__(self, text: str, *, cut: bool = False) -> None:
        if len(text) > LONGEST_TEXT:
            raise GarbledError(f"The text has {len(text)} characters; the most is {LONGEST_TEXT}.")
        self._text = text
        self._cut = cut
        self._steps_left = MOST_STEPS
        self._last_remark = text.rfind("*/")
        """Where the last remark ends; one that is opened after it has no end."""

    def parse_value(self, at: int, *, depth: int = 0, ends: str = ")]},;\n") -> tuple[object, int]:
        """Any value; `ends` are the signs that end one without quotes."""
        at = self._skip(at)
        if depth > DEEPEST or at >= len(self._text):
            raise GarbledError("Nothing to parse here.")
        sign = self._text[at]
        if sign in QUOTES:
            return self._parse_string(at)
        if sign == "{":
            return self._parse_mapping(at, depth=depth + 1)
        if sign in "[(":
            return self._parse_sequence(at, depth=depth + 1)
        named = _NAME.match(self._text, at)
        if named and self._text[named.end() : named.end() + 1] == "(":
            call, end = self.parse_arguments(named.end(), name=named.group(), depth=depth + 1)
            if call.name == "dict" and not call.values:
                return call.keywords, end
            alone = call.name in ("list", "tuple", "set") and len(call.values) == 1
            return (call.values[0] if alone else call), end
        return self._parse_bare(at, ends=ends)

    def parse_arguments(self, at: int, *, name: str, depth: int = 0) -> tuple[Named, int]:
        """From an opening parenthesis to its closing one."""
        call = Named(name)
        at = self._skip(at + 1)
        while self._check_end(at) < len(self._text) and self._text[at] != ")":
            keyword = _KEYWORD.match(self._text, at)
            if keyword:
                start = keyword.end()
                value, at = self._parse_argument(start, depth=depth)
                call.keywords[keyword.group(1)] = self._name_expression(
                    value, start, at, keyword=keyword.group(1)
                )
            else:
                start = at
                value, at = self.parse_value(at, depth=depth + 1, ends=",)")
                # A positional value cannot follow a keyword: it is a piece of that argument.
                stray = Formula(self._text[start:at].strip()) if call.keywords else value
                call.values.append(self._name_expression(stray, start, at))
            at = self._skip_comma(at, ")")
        return call, at + 1

    def _name_expression(self, value: object, start: int, end: int, *, keyword: str = "") -> object:
        """A nested call is not a value, and neither is `order_id=order_id`."""
        words = self._text[start:end].strip()
        variable = bool(keyword) and (words == keyword or words.endswith(f".{keyword}"))
        return Formula(words) if variable or isinstance(value, Named) else value

    def _parse_argument(self, at: int, *, depth: int) -> tuple[object, int]:
        """The value of a keyword; a bare one may hold commas, up to the next keyword."""
        at = self._skip(at)
        bare = at < len(self._text) and self._text[at] not in (*QUOTES, *_OPEN)
        named = _NAME.match(self._text, at)
        if not bare or (named and self._text[named.end() : named.end() + 1] == "("):
            value, end = self.parse_value(at, depth=depth + 1, ends=",)")
            if self._text[self._skip(end) : self._skip(end) + 1] in (",", ")", ""):
                return value, end
        return self._parse_bare_argument(at)

    def _parse_bare_argument(self, at: int) -> tuple[object, int]:
        level, end = 0, at
        while (end := self._skip_unbroken(end)) < len(self._text):
            sign = self._text[end]
            if sign in _CLOSE:
                level -= 1
                if level < 0:
                    break
            elif sign in _OPEN:
                level += 1
            elif sign == "," and level == 0 and _NEXT_KEYWORD.match(self._text, end):
                break
            end += 1
        words = self._text[at:end].strip().rstrip(",").strip()
        if not words or (end == len(self._text) and not self._cut):
            raise GarbledError("An argument has no end.")
        return parse_words(words), end

    def _parse_mapping(self, at: int, *, depth: int) -> tuple[object, int]:
        found: dict[str, object] = {}
        at = self._skip(at + 1)
        while self._check_end(at) < len(self._text) and self._text[at] != "}":
            key, at = self._parse_key(at)
            found[key], at = self.parse_value(at, depth=depth, ends=",}\n")
            at = self._skip_comma(at, "}")
        return found, at + 1

    def _parse_key(self, at: int) -> tuple[str, int]:
        if self._text[at] in QUOTES:
            key, at = self._parse_string(at)
        else:
            bare = _KEY.match(self._text, at)
            if not bare:
                raise GarbledError("A key was expected.")
            key, at = bare.group(), bare.end()
        end = _KEY_END.match(self._text, at)
        if not end:
            raise GarbledError(f"{key!r} has no value.")
        return key, end.end()

    def _parse_sequence(self, at: int, *, depth: int) -> tuple[object, int]:
        opened = self._text[at]
        closed = "]" if opened == "[" else ")"
        found: list[object] = []
        start, at = at, self._skip(at + 1)
        commas = 0
        while self._check_end(at) < len(self._text) and self._text[at] != closed:
            value, at = self.parse_value(at, depth=depth, ends="," + closed)
            found.append(value)
            at, before = self._skip_comma(at, closed), at
            commas += "," in self._text[before:at]
        if opened == "(" and len(found) == 1 and not commas:
            # Parentheses around one value group it; only a comma makes a tuple.
            place = self._skip(at + 1)
            if isinstance(found[0], int | float) and self._text[place : place + 1] in "+-*/":
                return self._parse_bare(start, ends=",]}\n")
            return found[0], at + 1
        return found, at + 1

    def _skip_comma(self, at: int, closed: str) -> int:
        """Past the comma after an item, up to the closing bracket. Truncated text ends here."""
        at = self._skip(at)
        sign = self._text[at : at + 1]
        if sign in (",", ";"):
            return self._skip(at + 1)
        if sign == closed:
            return at
        if not sign:
            return self._check_end(at)
        raise GarbledError(f"{sign!r} stands where a comma was expected.")

    def _parse_string(self, at: int) -> tuple[str, int]:
        opening = self._text[at]
        closing = QUOTES[opening]
        if self._text.startswith(opening * 3, at):
            end = self._text.find(opening * 3, at + 3)
            if end >= 0:
                return self._text[at + 3 : end], end + 3
        read: list[str] = []
        start, at = at, at + 1
        while at < len(self._text):
            plain = _PLAIN[closing].match(self._text, at)
            if plain:
                read.append(plain.group())
                at = self._count_steps(at, plain.end())
                continue
            self._count_steps(at, at + 1)
            sign = self._text[at]
            if sign == "\\" and at + 1 < len(self._text):
                letter, at = self._decode_escape(at + 1)
                read.append(letter)
                continue
            if sign == closing and _AFTER_STRING.match(self._text, at + 1):
                return "".join(read), at + 1
            if sign == closing and _JOINED.match(self._text, at + 1):
                return self._parse_joined(start)
            read.append(sign)
            at += 1
        return "".join(read), self._check_end(at)

    def _parse_joined(self, at: int) -> tuple[str, int]:
        """An expression that begins with a string, as it was written, up to where it ends."""
        quote, level, end = "", 0, at
        while end < len(self._text):
            sign = self._text[end]
            if quote:
                quote = "" if sign == quote and self._text[end - 1] != "\\" else quote
            elif sign in "\"'":
                quote = sign
            elif level == 0 and sign in ",)]};\n":
                break
            else:
                level += (sign in _OPEN) - (sign in _CLOSE)
            end = self._count_steps(end, end + 1)
        return Formula(self._text[at : self._check_end(end)].strip()), end

    def _decode_escape(self, at: int) -> tuple[str, int]:
        letter = self._text[at]
        coded = _CODED.match(self._text, at - 1)
        if coded:
            # Surrogate pairs form one character.
            return coded.group().encode().decode("unicode_escape").encode(
                "utf-16", "surrogatepass"
            ).decode("utf-16", "replace"), coded.end()
        return ESCAPES.get(letter, letter), at + 1

    def _parse_bare(self, at: int, *, ends: str) -> tuple[object, int]:
        level, end = 0, at
        while (end := self._skip_unbroken(end)) < len(self._text):
            sign = self._text[end]
            if level == 0 and sign in ends:
                break
            level += (sign in _OPEN) - (sign in _CLOSE)
            end += 1
        end = self._skip_thousands(at, end)
        words = self._text[at:end].strip()
        broken_off = end == len(self._text) and level > 0 and not self._cut
        if not words or words[0] in ",)]}:" or broken_off:
            raise GarbledError("A value was expected.")
        return parse_words(words), end

    def _skip_thousands(self, at: int, end: int) -> int:
        """Past `,000`: no value begins with such zeros, so that the number before goes on."""
        grouped = _THOUSANDS.match(self._text, end)
        if (
            grouped
            and ",0" in grouped.group()
            and re.fullmatch(r"[+-]?\d{1,3}", self._text[at:end])
        ):
            return grouped.end()
        return end

    def _check_end(self, at: int) -> int:
        """A place that may be the text's end, if the text is known to be cut off there."""
        if at >= len(self._text) and not self._cut:
            raise GarbledError("The text is truncated.")
        return at

    def _count_steps(self, start: int, end: int) -> int:
        """Bounds the work: a text built to cause repeated parsing is given up."""
        self._steps_left -= end - start
        if self._steps_left < 0:
            raise GarbledError("The text takes too long to parse.")
        return end

    def _skip_unbroken(self, at: int) -> int:
        """Past what cannot end a bare value; the sign after it is the caller's to look at."""
        run = _UNBROKEN.match(self._text, at)
        end = run.end() if run else at
        return self._count_steps(at - 1, end)

    def _skip(self, at: int) -> int:
        """Past blanks and remarks."""
        while True:
            blank = _BLANK.match(self._text, at)
            end = blank.end() if blank else at
            if not self._text.startswith("/*", end) or end + 2 > self._last_remark:
                return end
            at = self._count_steps(end, self._text.index("*/", end + 2) + 2)


def parse_words(words: str) -> object:
    """What words without quotes stand for: a constant, a number, a sum, or themselves."""
    words = words.split("//")[0].strip() if " //" in words else words
    if words.lower() in CONSTANTS:
        return CONSTANTS[words.lower()]
    number = _NUMBER.fullmatch(words)
    if number and re.match(r"[+-]?0\d", words):
        # Zeros in front belong to a code; a number has none.
        return words
    if number:
        digits = words.replace("_", "")
        whole = re.fullmatch(r"[+-]?\d{1,300}", digits)
        return int(digits) if whole else float(digits)
    computed = evaluate_sum(words)
    if computed is None:
        known = not _EXPRESSION.match(words) and not _ADDS_TEXT.search(words)
        return words if known else Formula(words)
    return computed


_SAYS_MORE = re.compile(r"\w")


def read_whole(text: str) -> object:
    """The value of a text, as JSON or a dialect of it; a `GarbledError` if there is more."""
    strict, value = read_json(text)
    if strict:
        return value
    if len(text) > LONGEST_TEXT:
        raise GarbledError(f"{len(text)} characters are too many for the tolerant parser.")
    try:
        value, end = Reader(text.strip()).parse_value(0)
    except RecursionError:
        raise GarbledError("The text is nested too deeply.") from None
    if _SAYS_MORE.search(text.strip(), end):
        raise GarbledError("There is more than one value.")
    return value


def read_json(text: str) -> tuple[bool, object]:
    """Whether a text is JSON, and its value."""
    try:
        return True, json.loads(text)
    except (ValueError, RecursionError):
        return False, None


NAMESPACES = ("functions", "default_api", "tools")
"""Prefixes that hosts put before every tool's name."""
_LONGEST_NAME = 200

_BETWEEN = re.compile(r"(?<=[^\W_])[\s_./:\-]{1,3}(?=[^\W_])")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[\s_./:\-]{1,3}(?=\d)")


@lru_cache(maxsize=1_024)
def normalize_spelling(text: str) -> str:
    """A text without case and separators; separators between digits stay."""
    plain = _BETWEEN_DIGITS.sub("\0", text.strip(" _").casefold())
    return _BETWEEN.sub("", plain)


def match_tool_name(name: str, names: Sequence[str]) -> str | None:
    """The name itself, or the only other spelling of it."""
    if name in names:
        return name
    plain = normalize_spelling(name) if len(name) <= _LONGEST_NAME else ""
    found = [each for each in names if plain and normalize_spelling(each) == plain]
    return found[0] if len(found) == 1 else None


def match_tool(name: str, tools: Sequence[str]) -> str | None:
    """The tool of that name, also with a host's namespace before it."""
    space, dot, rest = name.strip().partition(".")
    inner = match_tool_name(rest, tools) if dot and space in NAMESPACES else None
    return match_tool_name(name.strip(), tools) or inner


def is_like(name: str, tools: Sequence[str]) -> bool:
    """Whether a name is a tool's with extra or missing words: worth a remark, but not a call."""
    mine = set(split_name(name[:_LONGEST_NAME]))
    others = (set(split_name(tool[:_LONGEST_NAME])) for tool in tools)
    return any(mine and theirs and (mine <= theirs or theirs <= mine) for theirs in others)
