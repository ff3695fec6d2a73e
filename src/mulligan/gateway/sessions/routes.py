"""Which server a request is for, and what it is called there."""

from __future__ import annotations

from mulligan.codec.json_text import encode_json
from mulligan.core.runtime.dataclass import dataclass
from mulligan.gateway.protocol.frames import (
    Frame,
    Raw,
    read_fields,
    read_text,
    write_fields,
)
from mulligan.gateway.tools.exposed_names import Names

BY_URI = frozenset({"resources/read", "resources/subscribe", "resources/unsubscribe"})
BY_NAME = frozenset({"prompts/get", "tools/call"})


@dataclass(frozen=True, slots=True)
class Route:
    """Where a request goes, with its parameters in the words of its server."""

    server: str
    params: bytes | Raw


def find_route(frame: Frame, names: Names) -> Route | None:
    """The way of a request; `None` where it cannot be told whose it is."""
    if names.only is not None:
        return Route(names.only, frame.params)
    params = read_fields(frame.params)
    if frame.method in BY_URI:
        owner = names.find_owner(read_text(params.get("uri")))
        return None if owner is None else Route(owner, frame.params)
    if frame.method in BY_NAME:
        found = names.resolve(read_text(params.get("name")))
        if found is None:
            return None
        params["name"] = Raw(encode_json(found[1]))
        return Route(found[0], write_fields(params))
    if frame.method == "completion/complete":
        return _find_completion(params, names)
    return None


def _find_completion(params: dict[str, Raw], names: Names) -> Route | None:
    """Of a prompt by its name, of a resource by its form."""
    ref = read_fields(params.get("ref", b""))
    if "uri" in ref:
        owner = names.find_owner(read_text(ref["uri"]).partition("{")[0])
        return None if owner is None else Route(owner, write_fields(params))
    found = names.resolve(read_text(ref.get("name")))
    if found is None:
        return None
    ref["name"] = Raw(encode_json(found[1]))
    params["ref"] = Raw(write_fields(ref))
    return Route(found[0], write_fields(params))
