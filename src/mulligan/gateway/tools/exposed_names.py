"""What clients call the tools, prompts and resources of servers, and which names are not offered.

One server: as it calls them itself. Several: `server_tool`, always, so that a name stays the same
when another server is added. Whose a name is follows from the servers' names alone: nobody gains
one by being first, and what two could mean is neither's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from mulligan.gateway.tools.offered import OWN_TOOLS
from mulligan.gateway.tools.shown_list import (
    MOST_NAME,
    NOUNS,
    PROMPTS,
    TEMPLATES,
    TOOLS,
    ListedItem,
)

SEPARATOR = "_"
_NAME = re.compile(r"[A-Za-z0-9_./-]{1,128}")
"""Names as MCP wants those of tools; in other alphabets they can look like each other's."""
_URI = re.compile(rf"[!-~]{{1,{MOST_NAME}}}")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_EXPRESSION = re.compile(r"\{[^{}]*\}")
_ALIKE = str.maketrans("01i", "oll", "_-./")

Refusals = dict[tuple[str, str], str]
"""Why something is not offered, by its server and the name that it has there."""


class Names:
    """Names of the servers of one gateway, in both directions."""

    def __init__(self, servers: Sequence[str]) -> None:
        self.servers = tuple(servers)
        self.only = servers[0] if len(servers) == 1 else None
        self._by_length = sorted(servers, key=len, reverse=True)

    def name_for_clients(self, server: str, name: str) -> str:
        """What clients call it."""
        return name if self.only is not None else f"{server}{SEPARATOR}{name}"

    def resolve(self, exposed: str) -> tuple[str, str] | None:
        """The server of a name, and what it is called there; `None`: nobody's."""
        if self.only is not None:
            return self.only, exposed
        for server in self._by_length:
            if exposed.startswith(f"{server}{SEPARATOR}"):
                return server, exposed[len(server) + len(SEPARATOR) :]
        return None

    def list_overlaps(self) -> Iterator[tuple[str, str]]:
        """Servers, and others among whose names some of theirs would fall."""
        for server in self.servers:
            for other in self.servers:
                if other.startswith(f"{server}{SEPARATOR}"):
                    yield server, other

    def find_refusals(self, items: Iterable[ListedItem], *, own_tools: bool) -> Refusals:
        """What is not offered of the lists of one kind, of all servers."""
        refused: Refusals = {}
        alike: dict[str, list[ListedItem]] = {}
        for item in items:
            why = self._find_fault(item, own_tools=own_tools)
            if why:
                refused[item.server, item.name] = why
            elif item.kind in (TOOLS, PROMPTS):
                folded = fold_name(self.name_for_clients(item.server, item.name))
                alike.setdefault(folded, []).append(item)
        for group in alike.values():
            if len(group) > 1:
                both = " and ".join(f"{item.name!r} of {item.server}" for item in group[:2])
                said = f"{both} could be taken for one another"
                refused |= {(item.server, item.name): said for item in group}
        return refused

    def _find_fault(self, item: ListedItem, *, own_tools: bool) -> str:
        if item.kind in (TOOLS, PROMPTS):
            why = self._find_name_fault(item, own_tools=own_tools and item.kind == TOOLS)
        elif not _URI.fullmatch(item.name):
            why = "its address has characters that no URI has"
        elif item.kind == TEMPLATES and self.only is None and not _SCHEME.match(item.name):
            why = "it would fit the resources of every server"
        else:
            why = ""
        unread = "" if item.digest else "what is listed of it cannot be read, or says two things"
        return why or unread

    def _find_name_fault(self, item: ListedItem, *, own_tools: bool) -> str:
        if not _NAME.fullmatch(item.name):
            return "its name has more in it than ASCII letters, digits and _ - . /"
        exposed = self.name_for_clients(item.server, item.name)
        owner, _ = self.resolve(exposed) or ("", "")
        if owner != item.server:
            return f"clients would call it {exposed!r}, which is for {owner} to name"
        if own_tools and (fold_name(item.name).startswith(_RESERVED) or fold_name(exposed) in _OWN):
            return "its name looks like one of the gateway's own"
        return ""


def fold_name(name: str) -> str:
    """One for all ASCII names that a reader could take for one another."""
    return name.lower().translate(_ALIKE).replace("rn", "m").replace("vv", "w")


_RESERVED = fold_name("mulligan")
_OWN = frozenset(fold_name(tool["name"]) for tool in OWN_TOOLS)


def claims(item: ListedItem, uri: str) -> bool:
    """Whether a resource is the one at an address, or a template may be filled in to give it.

    An expression of a template is taken for any text, so nothing that fits is missed.
    """
    if item.kind != TEMPLATES or item.name == uri:
        return item.name == uri
    first, *rest = _split_template(item.name)
    if not rest:
        return False
    *between, last = rest
    at = len(first)
    if not uri.startswith(first) or not uri.endswith(last):
        return False
    for part in between:
        found = uri.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return at <= len(uri) - len(last)


@lru_cache(maxsize=10_000)
def _split_template(template: str) -> tuple[str, ...]:
    return tuple(_EXPRESSION.split(template))


def find_overlaps(
    resources: Sequence[ListedItem], templates: Sequence[ListedItem]
) -> dict[tuple[str, str], ListedItem]:
    """By every two servers: something of the first that the second could answer for as well."""
    owners: dict[str, set[str]] = {}
    for item in resources:
        owners.setdefault(item.name, set()).add(item.server)
    found: dict[tuple[str, str], ListedItem] = {}
    for item in (*resources, *templates):
        claimed = {each.server for each in templates if claims(each, item.name)}
        for other in sorted((claimed | owners.get(item.name, set())) - {item.server}):
            if (other, item.server) not in found:
                found.setdefault((item.server, other), item)
    return found


def describe_item(item: ListedItem) -> str:
    """What an operator reads of it: every character that hides is shown."""
    noun, name = NOUNS.get(item.kind, ""), ascii(item.name[:100])[1:-1]
    return f"the {noun} “{name}”" if noun else f"its {item.kind} text"
