"""What servers list: tools, prompts and resources, of several servers as one list.

Pages stay pages: with several servers, one page has the next of each, and its cursor names them.
What is offered of a page is known from the whole list: it does not hang on what comes first. A
request is routed by what it is for, of all that is listed.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from mulligan.codec import decode_json, encode_json
from mulligan_gateway.peers import INTENT, Ends
from mulligan_gateway.protocol import (
    BAD_PARAMS,
    META,
    NO_METHOD,
    Frame,
    Raw,
    drop_misspelt,
    read_elements,
    read_fields,
    read_object,
    read_text,
    read_version,
    write_answer,
    write_error,
    write_result,
)
from mulligan_gateway.tools import (
    OWN_TOOLS,
    PROMPTS,
    RESOURCES,
    TEMPLATES,
    TOOLS,
    ListedItem,
    ListedTool,
    Refusals,
    claims,
    describe_item,
    find_overlaps,
    read_item,
)
from mulligan_gateway.upstream import ServerDownError, Upstream

Item = tuple[ListedItem, Raw]

PITFALLS = "mulligan/pitfalls"
"""Which pitfalls a description has, in the `_meta` of a tool: another text has another version."""
MOST_TOKENS = 200
"""Of the pitfalls in one description."""
_WHY = {
    "type": "string",
    "description": "One sentence: what this call is to achieve for the person.",
}


LISTS: Mapping[str, str] = {
    "tools/list": TOOLS,
    "prompts/list": PROMPTS,
    "resources/list": RESOURCES,
    "resources/templates/list": TEMPLATES,
}
_METHODS = {kind: method for method, kind in LISTS.items()}
_CLAIMING = (RESOURCES, TEMPLATES)
CHANGES: Mapping[str, tuple[str, ...]] = {
    "notifications/tools/list_changed": (TOOLS,),
    "notifications/prompts/list_changed": (PROMPTS,),
    "notifications/resources/list_changed": _CLAIMING,
}
"""What a server says has changed."""
MOST_PAGES = 1_000
MOST_LISTED: Mapping[str, int] = {TOOLS: 10_000, PROMPTS: 10_000, RESOURCES: 10_000, TEMPLATES: 200}
"""Of one server and kind; every resource is held against the templates of the other servers."""
NO_TOOLS = b'{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"private"}'
"""As later revisions want to hear it."""
NO_CURSOR = "The cursor is none of ours: list again from the beginning, without one."
UNAPPROVED = (
    "what it says of itself has changed since a person approved of it. The operator approves of "
    "it with `mulligan gateway --approve-tools`"
)

Page = dict[str, Any]


class Lists:
    """The lists of one session."""

    def __init__(self, ends: Ends) -> None:
        self._ends = ends

    def is_seen(self, method: str) -> bool:
        """Whether a list is looked into: resources only of several servers, or where pinned."""
        pinned = self._ends.shared.options.pin
        return LISTS[method] not in _CLAIMING or self._ends.only is None or pinned

    def forget(self, server: str, kinds: Iterable[str]) -> None:
        """A server has changed what it lists."""
        for kind in kinds:
            self._ends.known.pop((kind, server), None)
            self._ends.refused.pop(kind, None)
            self._ends.compared.discard(kind)

    async def find_tool(self, upstream: Upstream, name: str, *, meta: bytes | Raw) -> ListedTool:
        """A tool as its server lists it; without a description where it does not."""
        await self.learn(upstream, (TOOLS,), meta=meta)
        server = upstream.server.name
        found = self._ends.known.get((TOOLS, server), {}).get(name)
        return found if isinstance(found, ListedTool) else ListedTool(server=server, name=name)

    def lacks(self, server: str, name: str) -> bool:
        """Whether a server has listed its tools, and this one is not among them."""
        known = self._ends.known.get((TOOLS, server))
        return known is not None and name not in known

    def list_exposed(self) -> list[str]:
        """The tools that the client may call, as it knows them, of the lists that were read."""
        grant, names = self._ends.shared.find_grant(self._ends.principal), self._ends.names
        return [
            names.name_for_clients(item.server, item.name)
            for item in self._list_offered(TOOLS)
            if grant.allows(item.server, item.name) and not self.find_refusal(item)
        ]

    def find_refusal(self, item: ListedItem) -> str:
        """Why something of a list is neither shown nor used; empty where it is."""
        why = self._find_refusals(item.kind).get((item.server, item.name), "")
        return why or (UNAPPROVED if self._ends.shared.list_refused([item]) else "")

    async def find_listed(self, frame: Frame) -> list[ListedItem]:
        """What a request may be for: a prompt by its name, or resources and templates by an
        address, which they have or could be filled in to give."""
        params = read_fields(frame.params)
        meta = params.get(META, b"")
        if frame.method == COMPLETE:
            params = read_fields(params.get("ref", b""))
        if frame.method != GET and "uri" in params:
            await self._learn_claims(meta)
            listed = self._list_offered(RESOURCES) + self._list_offered(TEMPLATES)
            return [item for item in listed if claims(item, read_text(params["uri"]))]
        resolved = self._ends.names.resolve(read_text(params.get("name")))
        if resolved is None:
            return []
        server, name = resolved
        await self.learn(self._ends.upstreams[server], (PROMPTS,), meta=meta)
        found = self._ends.known.get((PROMPTS, server), {}).get(name)
        return [found or ListedItem(server=server, kind=PROMPTS, name=name)]

    async def learn(self, upstream: Upstream, kinds: Iterable[str], *, meta: bytes | Raw) -> None:
        """Read those lists of a server that were not asked for yet."""
        params: Page = {META: Raw(meta)} if meta else {}
        for kind in kinds:
            if (kind, upstream.server.name) not in self._ends.known:
                await self._learn_from(upstream, _METHODS[kind], params, None)

    async def report(self) -> None:
        """Tell the operator what is not offered of the lists that were read."""
        for kind in LISTS.values():
            refusals = self._find_refusals(kind)
            for item in self._list_known(kind):
                self._report_refusal(item, refusals)
        await self._report_claims()

    async def answer(self, frame: Frame) -> None:
        """Answer a request for a list."""
        only = self._ends.only
        if only is not None:
            await self._answer_one(only, frame)
            return
        params = read_fields(frame.params)
        cursors = read_cursor(read_text(params.get("cursor")))
        if cursors is None:
            self._ends.refuse(frame, code=BAD_PARAMS, said=NO_CURSOR)
            return
        params.pop("cursor", None)

        async def read(upstream: Upstream, params: Page) -> tuple[str, Page] | None:
            answer = await self._ask_page(upstream, frame.method, params)
            if answer is None or answer.error:
                return None
            fields = read_fields(answer.result)
            await self._learn_from(upstream, frame.method, params, fields)
            return upstream.server.name, fields

        asked = [
            read(upstream, _turn_page(params, cursors.get(name, "")))
            for name, upstream in self._list_there().items()
            if not cursors or name in cursors
        ]
        pages = await asyncio.gather(*asked)
        if LISTS[frame.method] in _CLAIMING:
            await self._learn_claims(params.get(META, b""))
            await self._report_claims()
        await self._answer_merged(frame, [page for page in pages if page is not None])

    def _list_there(self) -> dict[str, Upstream]:
        """The servers, less those that are still to come."""
        return {name: each for name, each in self._ends.upstreams.items() if not each.late}

    async def _answer_one(self, upstream: Upstream, frame: Frame) -> None:
        await upstream.start()
        answer = await upstream.ask_and_wait(frame.method, frame.params)
        client, kind = self._ends.client, LISTS[frame.method]
        own_tools = kind == TOOLS and self._ends.shared.options.own_tools
        if answer.error and own_tools and _has_no_list(answer):
            # A server without tools says so, and the gateway has some of its own all the same.
            answer = Frame(result=Raw(NO_TOOLS if read_version(frame) else b'{"tools":[]}'))
        if answer.error:
            client.send(write_error(frame.key, answer.error))
            return
        came = read_fields(answer.result)
        fields = drop_misspelt(came, (*LISTS.values(), "nextCursor", META))
        await self._learn_from(upstream, frame.method, read_fields(frame.params), fields)
        offered, more = self._choose_offered(kind, upstream.server.name, fields)
        shown = await self._show(kind, offered, last=not more)
        if shown != _read_all(kind, fields) or fields != came:
            answer = Frame(result=Raw(encode_json(fields | {kind: shown})))
        client.send(write_answer(frame.key, answer))

    async def _show(self, kind: str, items: list[Item], *, last: bool) -> list[Any]:
        """The elements of a page, with what the gateway adds to tools."""
        options, shown = self._ends.shared.options, list[Any]()
        for item, raw in items:
            more = kind == TOOLS and (options.pitfalls or options.intent)
            shown.append(await self._describe(item, raw) if more else raw)
        return [*shown, *OWN_TOOLS] if kind == TOOLS and last and options.own_tools else shown

    async def _describe(self, listed: ListedItem, raw: Raw) -> Raw:
        options, fields = self._ends.shared.options, read_fields(raw)
        if options.intent:
            schema = read_fields(fields.get("inputSchema", b""))
            properties = read_fields(schema.get("properties", b"")) | {INTENT: _WHY}
            fields["inputSchema"] = schema | {"properties": properties}
        if options.pitfalls:
            find = self._ends.shared.m.pitfalls
            told = await asyncio.to_thread(find, listed.name, tokens=MOST_TOKENS)
            if told:
                about = read_text(fields.get("description"))
                version = hashlib.sha256(told.encode()).hexdigest()[:12]
                fields["description"] = f"{about}\n\n{told}".strip()
                fields[META] = read_fields(fields.get(META, b"")) | {PITFALLS: version}
        return Raw(encode_json(fields))

    async def _answer_merged(self, frame: Frame, pages: list[tuple[str, Page]]) -> None:
        kind = LISTS[frame.method]
        items: list[Item] = []
        left = {}
        for server, fields in pages:
            offered, more = self._choose_offered(kind, server, fields)
            items += offered
            if more:
                left[server] = more
        shown = await self._show(kind, items, last=not left)
        first = pages[0][1] if pages else {}
        merged: dict[str, Any] = drop_misspelt(first, (*LISTS.values(), "nextCursor", META))
        merged.pop("nextCursor", None)
        merged[kind] = shown
        if left:
            merged["nextCursor"] = write_cursor(left)
        self._ends.client.send(write_result(frame.key, encode_json(merged)))

    def _choose_offered(self, kind: str, server: str, fields: Page) -> tuple[list[Item], str]:
        """The elements of a page that are offered, as clients know them; the next one's cursor."""
        known, refusals = self._ends.known.get((kind, server), {}), self._find_refusals(kind)
        read = [(read_item(kind, server, raw), raw) for raw in _read_all(kind, fields)]
        unapproved = {item.name for item in self._ends.shared.list_refused(i for i, _ in read)}
        grant = self._ends.shared.find_grant(self._ends.principal)
        if kind == TOOLS:
            read = [(item, raw) for item, raw in read if grant.allows(server, item.name)]
        offered = []
        for item, raw in read:
            found = known.get(item.name)
            if self._report_refusal(item, refusals) or item.name in unapproved:
                continue
            if found is None or found.digest != item.digest:
                continue  # it is another one than a moment ago, when the list was read
            if kind not in _CLAIMING and self._ends.only is None:
                exposed = self._ends.names.name_for_clients(server, item.name)
                raw = Raw(encode_json(read_fields(raw) | {"name": exposed}))
            offered.append((item, raw))
        return offered, read_text(fields.get("nextCursor"))

    def _list_known(self, kind: str) -> list[ListedItem]:
        known = self._ends.known
        return [i for (of, _), items in known.items() if of == kind for i in items.values()]

    def _list_offered(self, kind: str) -> list[ListedItem]:
        refusals = self._find_refusals(kind)
        return [i for i in self._list_known(kind) if (i.server, i.name) not in refusals]

    def _find_refusals(self, kind: str) -> Refusals:
        ends = self._ends
        if kind not in ends.refused:
            own_tools = ends.shared.options.own_tools
            listed = self._list_known(kind)
            ends.refused[kind] = ends.names.find_refusals(listed, own_tools=own_tools)
        return ends.refused[kind]

    def _report_refusal(self, item: ListedItem, refusals: Refusals) -> bool:
        why = refusals.get((item.server, item.name), "")
        if why:
            said = f"{item.server}: {describe_item(item)} is not offered: {why}."
            self._ends.shared.report_once(said)
        return bool(why)

    async def _report_claims(self) -> None:
        """Tell the operator which servers have resources that another could answer for."""
        if self._ends.compared.issuperset(_CLAIMING):
            return
        self._ends.compared.update(_CLAIMING)
        listed, templates = self._list_offered(RESOURCES), self._list_offered(TEMPLATES)
        # Of long lists, it takes longer than others may be kept waiting.
        overlaps = await asyncio.to_thread(find_overlaps, listed, templates)
        for (server, other), item in overlaps.items():
            first, second = sorted((server, other))
            self._ends.shared.report_once(
                f"{server}: {describe_item(item)} could be one of {other} as well. What "
                f"both {first} and {second} could answer for is read from neither.",
                about=(first, second),
            )

    async def _ask_page(self, upstream: Upstream, method: str, params: Page) -> Frame | None:
        """A page as its server has answered; `None` where it is not there."""
        try:
            await upstream.start()
        except ServerDownError:
            return None
        return await upstream.ask_and_wait(method, encode_json(params))

    async def _learn_claims(self, meta: bytes | Raw) -> None:
        """Know of every server which addresses are its own, before one of them is read."""
        await asyncio.gather(
            *(self.learn(each, _CLAIMING, meta=meta) for each in self._list_there().values())
        )

    async def _learn_from(
        self, upstream: Upstream, method: str, params: Page, page: Page | None
    ) -> None:
        """Read a list to its end, from its first page on where that is there already."""
        kind, server = LISTS[method], upstream.server.name
        if "cursor" in params:
            if (kind, server) in self._ends.known:
                return
            page, params = None, {name: each for name, each in params.items() if name != "cursor"}
        items: list[ListedItem] = []
        cursors = {""}
        while len(cursors) <= MOST_PAGES and len(items) <= MOST_LISTED[kind]:
            if page is None:
                answer = await self._ask_page(upstream, method, params)
                if answer is None or (answer.error and not _has_no_list(answer)):
                    return  # it may be there the next time
                page = read_fields(answer.result)
            items += [read_item(kind, server, raw) for raw in _read_all(kind, page)]
            cursor = read_text(page.get("nextCursor"))
            if cursor in cursors:
                break
            cursors.add(cursor)
            page, params = None, _turn_page(params, cursor)
        self._note(kind, upstream, items)

    def _note(self, kind: str, upstream: Upstream, items: list[ListedItem]) -> None:
        shared, server, most = self._ends.shared, upstream.server.name, MOST_LISTED[kind]
        if len(items) > most:
            shared.report_once(f"{server}: of its {kind}, only the first {most} are offered.")
        known: dict[str, ListedItem] = {}
        for item in items[:most]:
            if known.setdefault(item.name, item).digest != item.digest:
                # What is listed twice, in other words, has no words that count.
                known[item.name] = ListedItem(server=server, kind=kind, name=item.name)
        if known != self._ends.known.get((kind, server)):
            self.forget(server, (kind,))
        self._ends.known[kind, server] = known
        for item in known.values():
            if isinstance(item, ListedTool):
                shared.note_listed(item)
                upstream.schemas[item.name] = item.schema
        shared.note_pins(server, kind, list(known.values()))


def _has_no_list(answer: Frame) -> bool:
    return read_object(answer.error).get("code") == NO_METHOD


def _read_all(kind: str, page: Page) -> list[Raw]:
    return read_elements(page.get(kind, b"[]"))


def _turn_page(params: Page, cursor: str) -> Page:
    return params | {"cursor": cursor} if cursor else params


def write_cursor(left: Mapping[str, str]) -> str:
    """Where each server's list goes on, as one text that means nothing to others."""
    return base64.urlsafe_b64encode(encode_json(dict(left))).decode()


def read_cursor(written: str) -> dict[str, str] | None:
    """Where each server's list goes on; `None` where the cursor is not ours."""
    if not written:
        return {}
    try:
        read = decode_json(base64.urlsafe_b64decode(written.encode()))
    except ValueError:
        return None
    fine = isinstance(read, dict) and read and all(isinstance(each, str) for each in read.values())
    return read if fine else None


GET, COMPLETE = "prompts/get", "completion/complete"
LISTED = frozenset(
    {GET, COMPLETE, "resources/read", "resources/subscribe", "resources/unsubscribe"}
)
"""Requests for what a server lists, other than tools."""


def write_for_server(frame: Frame, item: ListedItem) -> bytes | Raw:
    """The parameters of a request in the words of the server that it is for."""
    if item.kind != PROMPTS:
        return frame.params
    params = read_fields(frame.params)
    holder = read_fields(params["ref"]) if frame.method == COMPLETE else params
    holder["name"] = item.name
    return encode_json(params | ({"ref": holder} if frame.method == COMPLETE else {}))
