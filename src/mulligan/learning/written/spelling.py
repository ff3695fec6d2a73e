"""Names of tools and of their arguments: the same in another spelling, or another name.

Only case and the signs between words may differ. A word more is another tool: `undo_delete`,
`dry_run_delete` and `staging/delete` are not `delete`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

NAMESPACES = ("functions", "default_api", "tools")
"""What hosts put before every tool's name as they offer it, which is no part of the name."""
LONGEST = 200

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_BETWEEN = re.compile(r"(?<=[^\W_])[\s_./:\-]{1,3}(?=[^\W_])")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[\s_./:\-]{1,3}(?=\d)")
_WORD = re.compile(r"[^\W_]+")


@lru_cache(maxsize=1_024)
def normalize_spelling(text: str) -> str:
    """A text without its case and the signs between its words; between digits they stay."""
    plain = _BETWEEN_DIGITS.sub("\0", text.strip(" _").casefold())
    return _BETWEEN.sub("", plain)


def match_name(name: str, names: Sequence[str]) -> str | None:
    """The name itself, or the only one that is spelled another way."""
    if name in names:
        return name
    plain = normalize_spelling(name) if len(name) <= LONGEST else ""
    found = [each for each in names if plain and normalize_spelling(each) == plain]
    return found[0] if len(found) == 1 else None


def match_tool(name: str, tools: Sequence[str]) -> str | None:
    """The tool that a name is, also where a host's namespace stands before it."""
    space, dot, rest = name.strip().partition(".")
    inner = match_name(rest, tools) if dot and space in NAMESPACES else None
    return match_name(name.strip(), tools) or inner


def is_like(name: str, tools: Sequence[str]) -> bool:
    """Whether a name is a tool's with words more or words less: worth a word, and no call of it."""
    mine = set(_split_words(name))
    return any(mine and (mine <= theirs or theirs <= mine) for theirs in _list_words(tools))


def _list_words(tools: Sequence[str]) -> list[set[str]]:
    return [words for tool in tools if (words := set(_split_words(tool)))]


def _split_words(name: str) -> list[str]:
    return _WORD.findall(_CAMEL.sub(" ", name[:LONGEST]).casefold())
