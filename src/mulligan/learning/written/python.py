"""Calls in valid Python, read by Python's own parser: what is written right is read as written."""

from __future__ import annotations

import ast
import re

from mulligan.learning.written.literal import Named

LONGEST = 20_000
_WARNS = re.compile(r"\\|\d(?:and|or|if|in|is|else|not|for)\b")
"""What Python's parser would print a warning about; the tolerant reader has no such habit."""


def parse_python(text: str) -> list[Named]:
    """The calls of a text that is a call, or a list of calls, and nothing else; else none."""
    if len(text) > LONGEST or not text.rstrip().endswith((")", "]")) or _WARNS.search(text):
        return []
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        parts = tree.elts if isinstance(tree, ast.List | ast.Tuple) else [tree]
        return [_read_call(part) for part in parts]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _read_call(part: ast.expr) -> Named:
    if not isinstance(part, ast.Call) or any(each.arg is None for each in part.keywords):
        raise ValueError("not a call of a tool")
    if any(_has_many_zeros(each) for each in ast.walk(part)):
        raise ValueError("not a number: `1,000` would be two")
    values = [_normalize_value(ast.literal_eval(each)) for each in part.args]
    keywords = {
        str(each.arg): _normalize_value(ast.literal_eval(each.value)) for each in part.keywords
    }
    return Named(_read_name(part.func), values, keywords)


def _has_many_zeros(node: ast.AST) -> bool:
    if not isinstance(node, ast.Constant) or type(node.value) is not int or node.value:
        return False
    return (node.end_col_offset or 0) - node.col_offset > 1


def _read_name(function: ast.expr) -> str:
    """`weather.get`, also where the name was put in quotes."""
    match function:
        case ast.Name(id=name) | ast.Constant(value=str() as name):
            return name
        case ast.Attribute(value=holder, attr=name):
            return f"{_read_name(holder)}.{name}"
        case _:
            raise ValueError("not the name of a tool")


def _normalize_value(value: object) -> object:
    """As JSON has it: tuples and sets are lists."""
    match value:
        case list() | tuple() | set():
            return [_normalize_value(each) for each in value]
        case dict():
            return {str(key): _normalize_value(each) for key, each in value.items()}
        case _:
            return value
