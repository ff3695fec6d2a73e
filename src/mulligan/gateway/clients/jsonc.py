"""JSON as clients have it in files: comments, trailing commas, and where each value stands."""

from __future__ import annotations

import json
import re
from dataclasses import field

from mulligan.core.errors import ConfigurationError
from mulligan.core.runtime.dataclass import dataclass

DEEPEST = 64
_BLANK = re.compile(r"(?:[ \t\r\n\ufeff]++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)*+")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*+"')
_SCALAR = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A value and the stretch of text that it was read from."""

    value: object
    start: int
    end: int
    members: dict[str, Node] = field(default_factory=dict)
    """Of an object."""


def parse_jsonc(text: str) -> Node:
    """Read a text; `ConfigurationError` says where it cannot be read."""
    scan = _Scan(text)
    node = scan.read_value(scan.skip_blank(0), depth=0)
    end = scan.skip_blank(node.end)
    if end != len(text):
        raise scan.fail(end, "there is more after the end of the value")
    return node


class _Scan:
    def __init__(self, text: str) -> None:
        self.text = text

    def fail(self, at: int, why: str) -> ConfigurationError:
        line = self.text.count("\n", 0, at) + 1
        column = at - (self.text.rfind("\n", 0, at) + 1) + 1
        return ConfigurationError(f"Line {line}, column {column}: {why}.")

    def skip_blank(self, at: int) -> int:
        found = _BLANK.match(self.text, at)
        end = at if found is None else found.end()
        if self.text.startswith("/*", end):
            raise self.fail(end, "the comment has no end")
        return end

    def read_value(self, at: int, *, depth: int) -> Node:
        if depth > DEEPEST:
            raise self.fail(at, f"values are nested more than {DEEPEST} deep")
        opening = self.text[at : at + 1]
        if opening == "{":
            return self._read_object(at, depth)
        if opening == "[":
            return self._read_array(at, depth)
        if opening == '"':
            return self._read_string(at)
        found = _SCALAR.match(self.text, at)
        if found is None:
            raise self.fail(at, f"{opening!r} begins no value" if opening else "a value is missing")
        return Node(value=json.loads(found[0]), start=at, end=found.end())

    def _read_string(self, at: int) -> Node:
        found = _STRING.match(self.text, at)
        if found is None:
            raise self.fail(at, "a text in double quotes is expected, on one line")
        try:
            value = json.loads(found[0])
        except ValueError as error:
            raise self.fail(at, f"the text cannot be read ({error})") from error
        return Node(value=value, start=at, end=found.end())

    def _read_object(self, start: int, depth: int) -> Node:
        members: dict[str, Node] = {}
        at = self.skip_blank(start + 1)
        while not self.text.startswith("}", at):
            name = self._read_string(at)
            at = self.skip_blank(name.end)
            if not self.text.startswith(":", at):
                raise self.fail(at, f"a colon is expected after {name.value!r}")
            if name.value in members:
                raise self.fail(
                    name.start, f"{name.value!r} stands there twice, and programs differ on which"
                )
            node = self.read_value(self.skip_blank(at + 1), depth=depth + 1)
            members[str(name.value)] = node
            at = self._go_on(node.end, "}")
        plain = {key: node.value for key, node in members.items()}
        return Node(value=plain, start=start, end=at + 1, members=members)

    def _read_array(self, start: int, depth: int) -> Node:
        values = []
        at = self.skip_blank(start + 1)
        while not self.text.startswith("]", at):
            node = self.read_value(at, depth=depth + 1)
            values.append(node.value)
            at = self._go_on(node.end, "]")
        return Node(value=values, start=start, end=at + 1)

    def _go_on(self, at: int, closing: str) -> int:
        """After one element: where the next one begins, or the end."""
        at = self.skip_blank(at)
        if self.text.startswith(",", at):
            return self.skip_blank(at + 1)
        if not self.text.startswith(closing, at):
            raise self.fail(at, f"a comma or {closing} is expected")
        return at
