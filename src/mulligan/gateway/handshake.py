"""The first words between a client and its servers: which revision they speak, and what they can.

The gateway speaks no revision of its own. A session speaks what its servers speak: with several,
the newest that all of them do.
"""

from __future__ import annotations

import asyncio
from typing import Any

from mulligan.codec import encode_json
from mulligan.gateway.peers import Ends, read_error
from mulligan.gateway.protocol import (
    META,
    NO_METHOD,
    SERVER_ERROR,
    Frame,
    Raw,
    drop_misspelt,
    read_fields,
    read_object,
    write_answer,
    write_request,
    write_result,
)
from mulligan.gateway.tools import INSTRUCTIONS, describe_item, read_greeting
from mulligan.gateway.upstream import ServerDownError, Upstream

NAME = "mulligan"


class Greeting:
    """What was agreed between a client and its servers."""

    def __init__(self, ends: Ends) -> None:
        self._ends = ends
        self._params = b""
        """What the client said of itself; empty before it did."""
        self._initialized = b""

    async def answer(self, frame: Frame) -> None:
        """Answer `initialize` or `server/discover` with what the servers say."""
        ends = self._ends
        if frame.method == "initialize":
            self._params = bytes(frame.params)
            self._ends.said = read_object(frame.params)
        only = ends.only
        if only is not None:
            await only.start()
            answer = await only.ask_and_wait(frame.method, frame.params)
            self._note_greeting(only, frame)
            if not answer.error:
                result = self._check_words(only, answer.result)
                own_tools = ends.shared.options.own_tools
                answer = Frame(result=Raw(_offer_tools(result) if own_tools else bytes(result)))
            ends.client.send(write_answer(frame.key, answer))
            return
        results = await asyncio.gather(
            *(self._ask_one(upstream, frame) for upstream in ends.upstreams.values())
        )
        self._answer_merged(frame, results)

    def _answer_merged(self, frame: Frame, results: list[dict[str, Any] | None]) -> None:
        ends, found = self._ends, [each for each in results if each is not None]
        if frame.method != "initialize" and len(found) < len(results):
            # One of them is of an earlier revision, so all of them speak that.
            ends.refuse(frame, code=NO_METHOD, said="Method not found")
        elif not found:
            ends.refuse(frame, code=SERVER_ERROR, said="None of the servers could be started.")
        else:
            merged = merge_greetings(found, version=ends.shared.version)
            ends.client.send(write_result(frame.key, encode_json(merged)))

    def note_initialized(self, frame: Frame) -> None:
        """The client has heard what the servers said."""
        self._initialized = bytes(frame.params) or b"{}"

    async def _ask_one(self, upstream: Upstream, frame: Frame) -> dict[str, Any] | None:
        try:
            await upstream.start()
        except ServerDownError as error:
            self._ends.shared.report(str(error))
            return None
        answer = await upstream.ask_and_wait(frame.method, frame.params)
        self._note_greeting(upstream, frame)
        if not answer.error:
            return read_object(self._check_words(upstream, answer.result))
        if frame.method == "initialize":
            said = bytes(answer.error)[:500].decode(errors="replace")
            self._ends.shared.report(f"{upstream.server.name} refused its client: {said}")
        return None

    def _check_words(self, upstream: Upstream, result: Raw) -> bytes | Raw:
        """What a server greets with, less instructions that are not what was approved."""
        shared, server = self._ends.shared, upstream.server.name
        item = read_greeting(server, result)
        shared.note_pins(server, item.kind, [item])
        fields = read_fields(result)
        kept = drop_misspelt(fields, _OF_GREETINGS)
        if item.digest and not shared.list_refused([item]) and kept == fields:
            return result
        if not item.digest:
            shared.report_once(f"{server}: {describe_item(item)} cannot be read: left out.")
        if not item.digest or shared.list_refused([item]):
            kept.pop(INSTRUCTIONS, None)
        return encode_json(kept)

    def _note_greeting(self, upstream: Upstream, frame: Frame) -> None:
        """From now on, a new life of the server begins with the same words."""
        if frame.method == "initialize":
            upstream.greet = self._greet_again

    async def _greet_again(self, upstream: Upstream) -> None:
        answer = await upstream.ask_and_wait("initialize", self._params)
        if answer.error:
            raise ServerDownError(str(read_error(answer))[:200])
        if self._initialized:
            params = b"" if self._initialized == b"{}" else self._initialized
            upstream.send(write_request(b"", "notifications/initialized", params=params))


_OF_GREETINGS = (INSTRUCTIONS, "capabilities", "protocolVersion", "serverInfo", META)


def _offer_tools(result: bytes | Raw) -> bytes:
    """The server's own words; one without tools has those of the gateway now."""
    fields = read_fields(result)
    can = read_fields(fields.get("capabilities", b"{}"))
    if "tools" in can:
        return bytes(result)
    return encode_json(fields | {"capabilities": can | {"tools": {}}})


def merge_greetings(found: list[dict[str, Any]], *, version: str) -> dict[str, Any]:
    """What several servers say of themselves, as one would."""
    merged: dict[str, Any] = {}
    if all("protocolVersion" in each for each in found):
        merged["protocolVersion"] = min(str(each["protocolVersion"]) for each in found)
    if all("supportedVersions" in each for each in found):
        first, *rest = (each["supportedVersions"] for each in found)
        shared = [each for each in first if all(each in other for other in rest)]
        merged = {"resultType": "complete", "supportedVersions": shared}
        merged |= {name: found[0][name] for name in ("ttlMs", "cacheScope") if name in found[0]}
    merged["capabilities"] = merge_capabilities([each.get("capabilities") for each in found])
    merged["capabilities"].setdefault("tools", {})
    merged["serverInfo"] = {"name": NAME, "version": version}
    told = [each["instructions"] for each in found if isinstance(each.get("instructions"), str)]
    if told:
        merged["instructions"] = "\n\n".join(told)
    return merged


def merge_capabilities(found: list[Any]) -> dict[str, Any]:
    """What at least one of them can do."""
    merged: dict[str, Any] = {}
    for each in found:
        for name, value in (each or {}).items() if isinstance(each, dict) else ():
            known = merged.get(name)
            both = isinstance(known, dict) and isinstance(value, dict)
            merged[name] = known | value if both else known or value
    return merged
