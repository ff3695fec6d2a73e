"""What stands inside a block of Markdown: code spans, links, addresses, emphasis, tags."""

from __future__ import annotations

import html
import re

# Each pattern stops at its own opening or at a bound: no text can make one look twice as far.
_CODE_SPAN = re.compile(r"(?<!`)(`{1,3})(?!`)[^`]++\1")
_LINK = re.compile(r"!?\[([^\[\]]*+)\]\(\s{0,3}<?([^()\s<>]*+)>?[^()]{0,300}+\)")
_REFERENCE = re.compile(r"\[([^\[\]]*+)\]\[[^\[\]]*+\]")
_ADDRESS = re.compile(r"<?\b((?:https?://|www\.)[^\s<>\"'`|]++)>?", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z!][^<>]{0,200}+>")
_UNDERSCORES = re.compile(r"(?<!\w)_++|(?<!_)_++(?!\w)")
_AFTER_ADDRESS = ".,;:!?)]}*_。，；：！？"  # noqa: RUF001 - the marks of other scripts are meant


def plain(text: str, *, links: list[str]) -> str:
    """A block as it reads. Where its links lead is added to `links`."""
    if "`" in text:
        text = _CODE_SPAN.sub(" ", text)
    if "](" in text or "][" in text:
        text = _LINK.sub(lambda link: _follow(link, links), text)
        text = _REFERENCE.sub(r"\1", text)
    if "://" in text or "www." in text:
        text = _ADDRESS.sub(lambda found: _bare(found, links), text)
    if "<" in text:
        text = _TAG.sub(" ", text)
    if "&" in text:
        text = html.unescape(text)
    if "*" in text:
        text = text.replace("*", "")
    if "_" in text:
        text = _UNDERSCORES.sub("", text)
    return text.strip()


def _follow(link: re.Match[str], links: list[str]) -> str:
    if link[2]:
        links.append(link[2])
    # A picture is not prose, whatever its caption says.
    return "" if link[0].startswith("!") else link[1]


def _bare(found: re.Match[str], links: list[str]) -> str:
    address = found[1].rstrip(_AFTER_ADDRESS)
    links.append(address)
    return f" {found[1][len(address) :]}"
