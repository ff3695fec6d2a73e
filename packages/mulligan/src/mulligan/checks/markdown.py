"""Markdown as a reader sees it: its blocks, what is prose, and what is code, a table or a link."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct

from mulligan_dates.text import fold


class BlockKind(StrEnum):
    """What a block is."""

    PARAGRAPH = "paragraph"
    HEADING = "heading"
    ITEM = "item"
    QUOTE = "quote"
    TABLE = "table"
    CODE = "code"


ITEM, PARAGRAPH, TABLE = BlockKind.ITEM, BlockKind.PARAGRAPH, BlockKind.TABLE
_FENCES = ("```", "~~~")
_BULLETS = frozenset({"- ", "* ", "+ ", "• "})
"""How nearly every point of a list begins; `_ITEM` knows the others."""
# The full-width marks are those of Chinese and Japanese lists.
_ITEM = re.compile(
    "(?:[-*+•‣◦▪●○·]\\s+|\\d{1,9}[.)]\\s+|\\d{1,9}[、\uff0e\uff09]\\s*|[a-z]\\)\\s+"
    "|<li\\b[^<>]{0,200}>)"
)
_HEADING = re.compile(r"#{1,6}(?:\s+|$)")
_UNDERLINE = re.compile(r"(?:=+|-{2,})$")
_BREAK = re.compile(r"(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$")
_TABLE_RULE = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?$")


def split_blocks(text: str) -> list[tuple[BlockKind, str]]:
    """The blocks of a page, their markers gone and nothing inside them touched."""
    reader = _Reader()
    # One sign is found many times faster than three.
    if ("`" in text or "~" in text) and any(fence in text for fence in _FENCES):
        for line in text.splitlines():
            reader.take(line)
        reader.finish()
        return reader.blocks
    for chunk in text.split("\n\n"):
        reader.take_chunk(chunk)
    return reader.blocks


class _Reader:
    """Takes a page line by line."""

    def __init__(self) -> None:
        self.blocks: list[tuple[BlockKind, str]] = []
        self._kind = BlockKind.PARAGRAPH
        self._lines: list[str] = []
        self._fence = ""

    def take_chunk(self, chunk: str) -> None:
        """Add what stands between two blank lines. Most of it is one line of prose."""
        lines = chunk.splitlines()
        if len(lines) == 1 and chunk[:1].isalpha() and chunk[1:2] != ")":
            self.blocks.append((PARAGRAPH, chunk.strip()))
            return
        plain = [line[:2] in _BULLETS and line[2:3].isalnum() for line in lines]
        if all(plain):
            self.blocks += [(ITEM, line[2:]) for line in lines]
            return
        for line, is_point in zip(lines, plain, strict=True):
            if is_point:
                self._begin(ITEM, line[2:])
            else:
                self.take(line)
        self.finish()

    def take(self, line: str) -> None:
        """Add one line to the block at hand, or let it begin another."""
        said = line.strip()
        if self._fence:
            self._take_code(line, said)
        elif not said:
            self.finish()
        elif said.startswith(_FENCES):
            self._begin(BlockKind.CODE)
            self._fence = said[: len(said) - len(said.lstrip(said[0]))]
        elif self._kind is TABLE and "|" in said:
            self._lines.append(said)
        else:
            if self._kind is TABLE:
                self.finish()
            self._take_prose(line, said)

    def finish(self) -> None:
        """End the block at hand."""
        if self._lines:
            self.blocks.append((self._kind, "\n".join(self._lines)))
            self._lines = []
        self._kind, self._fence = PARAGRAPH, ""

    def _begin(self, kind: BlockKind, *lines: str) -> None:
        if self._lines:
            self.finish()
        self._kind, self._lines = kind, list(lines)

    def _take_code(self, line: str, said: str) -> None:
        if said.startswith(self._fence) and not said.strip(self._fence[0]):
            self.finish()
        else:
            self._lines.append(line)

    def _take_prose(self, line: str, said: str) -> None:
        first = said[0]
        if not self._lines and line.startswith(("    ", "\t")) and not self._is_in_list():
            self._begin(BlockKind.CODE, line)
            self.finish()
        elif first.isalpha() and said[1:2] != ")":
            self._lines.append(said)
        elif (item := _ITEM.match(said)) and not _BREAK.match(said):
            self._begin(BlockKind.ITEM, said[item.end() :])
        elif first == "#" and (heading := _HEADING.match(said)):
            self._begin(BlockKind.HEADING, said[heading.end() :].rstrip("# "))
            self.finish()
        elif first == ">":
            if self._kind is not BlockKind.QUOTE:
                self._begin(BlockKind.QUOTE)
            self._lines.append(said.lstrip("> "))
        elif first in "-=_*|:" and _is_rule(said):
            self._take_rule(said)
        else:
            self._lines.append(said)

    def _take_rule(self, said: str) -> None:
        """A line of dashes: under a row a table begins, under a line that line is a heading."""
        if "|" in said and self._lines and "|" in self._lines[-1]:
            header = self._lines.pop()
            self._begin(BlockKind.TABLE, header)
            return
        if self._lines and self._kind is BlockKind.PARAGRAPH and _UNDERLINE.match(said):
            self._kind = BlockKind.HEADING
        self.finish()

    def _is_in_list(self) -> bool:
        return bool(self.blocks) and self.blocks[-1][0] is BlockKind.ITEM


def _is_rule(said: str) -> bool:
    table = "|" in said and _TABLE_RULE.match(said) is not None
    return table or bool(_UNDERLINE.match(said)) or bool(_BREAK.match(said))


# Each pattern stops at its own opening or at a bound: no text can make one look twice as far.
_CODE_SPAN = re.compile(r"(?<!`)(`{1,3})(?!`)[^`]++\1")
_LINK = re.compile(r"\[([^\[\]]*+)\]\(\s{0,3}<?([^()\s<>]*+)>?[^()]{0,300}+\)")
_LINK_OR_PICTURE = re.compile(f"!?{_LINK.pattern}")
"""Slower to look for, because it may begin in two ways."""
_CITATION = re.compile(r"(?:\[\d{1,3}\])++(?!\()")
_REFERENCE = re.compile(r"\[([^\[\]]*+)\]\[[^\[\]]*+\]")
_ADDRESS = re.compile(r"<?\b((?:https?://|www\.)[^\s<>\"'`|]++)>?", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z!][^<>]{0,200}+>")
_UNDERSCORES = re.compile(r"(?<!\w)_++|(?<!_)_++(?!\w)")
_AFTER_ADDRESS = ".,;:!?)]}*_。，；：！？"  # noqa: RUF001 - the marks of other scripts are meant


Clean = Callable[[str, list[str]], str]
"""Takes a block's text, and a list to which it adds where links lead."""


def choose_steps(text: str) -> list[tuple[str, Clean]]:
    """What a text with these marks calls for, in order: mostly little."""
    # One sign is found many times faster than several: mostly its last is not there at all.
    return [(mark, step) for mark, step in _STEPS if mark[-1] in text and mark in text]


def strip_markup(text: str, *, steps: list[tuple[str, Clean]], links: list[str]) -> str:
    """A block as it reads. Where its links lead is added to `links`."""
    for mark, step in steps:
        if mark in text:
            text = step(text, links)
    return text.strip()


def _strip_code(text: str, _: list[str]) -> str:
    return _CODE_SPAN.sub(" ", text)


def _strip_links(text: str, links: list[str]) -> str:
    pattern = _LINK_OR_PICTURE if "![" in text else _LINK
    return pattern.sub(lambda link: _collect_link(link, links), text)


def _strip_addresses(text: str, links: list[str]) -> str:
    return _ADDRESS.sub(lambda found: _collect_address(found, links), text)


_STEPS: tuple[tuple[str, Clean], ...] = (
    ("`", _strip_code),
    ("](", _strip_links),
    ("[", lambda text, _: _CITATION.sub(" ", text)),
    ("][", lambda text, _: _REFERENCE.sub(r"\1", text)),
    ("://", _strip_addresses),
    ("www.", _strip_addresses),
    ("<", lambda text, _: _TAG.sub(" ", text)),
    ("&", lambda text, _: html.unescape(text)),
    ("*", lambda text, _: text.replace("*", "")),
    ("_", lambda text, _: _UNDERSCORES.sub("", text)),
)
"""What each mark calls for, in order. Without its mark a step has nothing to do."""


def _collect_link(link: re.Match[str], links: list[str]) -> str:
    if link[2]:
        links.append(link[2])
    # A picture is not prose, whatever its caption says.
    return "" if link[0].startswith("!") else link[1]


def _collect_address(found: re.Match[str], links: list[str]) -> str:
    address = found[1].rstrip(_AFTER_ADDRESS)
    links.append(address)
    return f" {found[1][len(address) :]}"


CODE = BlockKind.CODE
RECENT = 8
"""Pages that are remembered, so that all checks of one reply read it once."""


class Block(NamedTuple):
    """One block of a page, as it reads; code unchanged. A tuple: a page has many of them."""

    kind: BlockKind
    text: str


class Page(Struct, frozen=True, kw_only=True):
    """A text read as Markdown."""

    blocks: tuple[Block, ...]
    links: tuple[str, ...]
    """Where its links lead, in order, bare addresses too."""
    prose: str
    """Its prose, each block on its own line: no code, no tables, no addresses."""
    folded: str
    """The prose as words are looked up in it."""

    def list_blocks(self, *kinds: BlockKind) -> list[Block]:
        """The blocks of these kinds, in order."""
        return [block for block in self.blocks if block.kind in kinds]


@lru_cache(maxsize=RECENT)
def read_page(text: str) -> Page:
    """Read a text as Markdown, in time linear in its length."""
    links: list[str] = []
    steps = choose_steps(text)
    blocks = [
        Block(kind, raw if kind is CODE else strip_markup(raw, steps=steps, links=links))
        for kind, raw in split_blocks(text)
    ]
    prose = "\n".join([said for kind, said in blocks if kind is not CODE and kind is not TABLE])
    return Page(blocks=tuple(blocks), links=tuple(links), prose=prose, folded=fold(prose))
