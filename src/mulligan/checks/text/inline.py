"""What stands inside a block of Markdown: code spans, links, addresses, emphasis, tags."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

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
