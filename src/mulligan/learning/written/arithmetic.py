"""Sums a model left for someone else to work out, such as `2 * 3.14` or `1/6`."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable

from mulligan.core.runtime.late_pattern import compile_late

_SUM = compile_late(r"[\d\s.+\-*/()eE_]*(?:(?:math\.|np\.|numpy\.)?pi[\d\s.+\-*/()eE_]*)?")
_LOOKS_LIKE_A_DATE = compile_late(
    r"\d{4}-\d{1,2}-\d{1,2}|\d{1,4}/\d{1,2}/\d{1,4}|\d-\d++-\d|\d\s++\d|^\s*+\d++-\d++\s*+$"
)
_OPERATIONS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
LONGEST = 60


def evaluate_sum(words: str) -> float | None:
    """The value of a plain sum, or `None` for anything that is not surely one."""
    if len(words) > LONGEST or not _SUM.fullmatch(words) or _LOOKS_LIKE_A_DATE.search(words):
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
