"""Markdown as a reader takes it: what is prose, and what is code, a table or a link."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from mulligan.checks.text.blocks import TABLE, BlockKind, split_blocks
from mulligan.checks.text.fold import fold
from mulligan.checks.text.inline import choose_steps, strip_markup
from mulligan.core.runtime.dataclass import dataclass

CODE = BlockKind.CODE
RECENT = 8
"""Pages that are remembered, so that all checks of one reply read it once."""


class Block(NamedTuple):
    """One block of a page, as it reads; code as it stands. A tuple: a page has many of them."""

    kind: BlockKind
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A text read as Markdown."""

    blocks: tuple[Block, ...]
    links: tuple[str, ...]
    """Where its links lead, in order, bare addresses too."""
    prose: str
    """What it says in words, each block on its own line: no code, no tables, no addresses."""
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
