"""Notion: pages, rows, blocks, databases and comments; a trash, and no versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from mulligan_testing.simulations.core import (
    ApiAnswer,
    ApiRequest,
    Refused,
    Simulation,
    State,
    Thing,
    require,
    route,
)

HOME, SCRATCH = (f"0000000{n}-0000-4000-8000-000000000000" for n in (1, 2))
COMPUTED = ("last_edited_time", "last_edited_by", "formula", "rollup")
"""Types of properties that no request can set."""
EMPTY: Mapping[str, Any] = {"title": [], "rich_text": [], "people": [], "files": [], "relation": []}
_PLAIN = dict.fromkeys(("bold", "italic", "strikethrough", "underline", "code"), False)
_STAMP = "2026-11-19T00:00:00.000Z"


class Notion(Simulation):
    """A workspace with two pages that an integration was given."""

    base = "/v1"
    pages = "https://developers.notion.com/reference"
    simulates: ClassVar[Mapping[str, str]] = {
        "a version of the API with each request": "versioning",
        "pages and rows that go to the trash and come back": "trash-page",
        "times rounded to the minute, so that nothing has a version": "changelog/"
        "last-edited-time-is-now-rounded-to-the-nearest-minute",
        "properties, of which a change names some": "patch-page",
        "properties that the service computes": "page-property-values",
        "rich text, written out by the service": "rich-text",
        "blocks, added at the end, and trashed": "patch-block-children",
        "what is in the trash takes no change": "status-codes",
        "databases, their tables, and rows of these": "data-source",
        "pages that move": "move-page",
        "comments that one's own connection may change and delete": "update-a-comment",
        "notices to who is mentioned or assigned": "rich-text#mention",
        "429 with Retry-After": "request-limits",
    }
    differences: ClassVar[Mapping[str, str]] = {
        "no-trash": "what is deleted is gone for good",
        "lag": "reads show what was there before the last write",
        "forgets": "a change clears what it does not name",
    }

    def build_state(self) -> State:
        """Two pages with nothing in them."""
        state: State = {"pages": {}, "blocks": {}, "databases": {}, "data_sources": {}}
        for name, title in ((HOME, "House"), (SCRATCH, "Scratch")):
            page = self._make(name, parent={"type": "workspace", "workspace": True}, by="base")
            text = _write_text([{"text": {"content": title}}])
            state["pages"][name] = page | {"properties": {"title": text}}
        return state | {"comments": {}}

    def describe_error(self, refused: Refused) -> ApiAnswer:
        """As Notion says it."""
        limited = refused.reason == "rateLimitExceeded"
        code = "rate_limited" if limited else refused.reason
        body = {"object": "error", "status": refused.status, "code": code, "message": str(refused)}
        headers = {"Retry-After": "1"} if limited else {}
        return ApiAnswer(status=refused.status, body=body, headers=headers)

    def is_read(self, request: ApiRequest) -> bool:
        """Also what asks by POST."""
        return super().is_read(request) or request.path.endswith(("/query", "/search"))

    def answer(self, request: ApiRequest) -> ApiAnswer:
        """Refuse what does not say which version of the API it means."""
        if "notion-version" not in request.headers:
            return self.describe_error(Refused(400, "missing_version"))
        return super().answer(request)

    def list_left(self) -> list[object]:
        """What is there of what can be cleared away."""
        kinds = ("pages", "blocks", "databases")
        made = [(n, each) for kind in kinds for n, each in self.state[kind].items()]
        there = [n for n, each in made if not is_trashed(self.state, each)]
        return [n for n in there if n not in (HOME, SCRATCH)] + list(self.state["comments"])

    @route("GET", "/{kind}/{id}")
    def get(self, request: ApiRequest, state: State) -> Thing:
        """One of them, also from the trash."""
        kind = request.names["kind"]
        return _SHOWN[kind](state, _find(state, kind, request.names["id"]))

    @route("POST", "/pages")
    def create_page(self, request: ApiRequest, state: State) -> Thing:
        """In a page, or as a row of a table."""
        parent = _read_parent(request.body["parent"])
        over = _find_any(state, parent)
        page = self._make(self._name(), parent=parent, by=request.by)
        types = _list_types(state, page)
        empty = {name: EMPTY.get(kind) for name, kind in types.items()}
        page["properties"] = empty
        self._set_properties(page, request.body.get("properties", {}), types)
        state["pages"][page["id"]] = page
        _touch(state, over, request.by)
        for each in request.body.get("children", ()):
            self._add_block(state, {"type": "page_id", "page_id": page["id"]}, each, request.by)
        return _show_page(state, page)

    @route("PATCH", "/pages/{id}")
    def update_page(self, request: ApiRequest, state: State) -> Thing:
        """Some properties; into the trash, and out of it."""
        page = self._open(state, "pages", request)
        if "properties" in request.body:
            types = _list_types(state, page)
            if "forgets" in self.differs:
                page["properties"] = {name: EMPTY.get(kind) for name, kind in types.items()}
            self._set_properties(page, request.body["properties"], types)
        _touch(state, page, request.by)
        return _show_page(state, page)

    @route("POST", "/pages/{id}/move")
    def move_page(self, request: ApiRequest, state: State) -> Thing:
        """To another parent."""
        page = _find(state, "pages", request.names["id"])
        _require_there(state, page)
        parent = _read_parent(request.body["parent"])
        _require_there(state, _find_any(state, parent))
        page["parent"] = parent
        _touch(state, page, request.by)
        return _show_page(state, page)

    @route("PATCH", "/blocks/{id}")
    def update_block(self, request: ApiRequest, state: State) -> Thing:
        """What it says; into the trash, and out of it."""
        block = self._open(state, "blocks", request)
        content = request.body.get(block["type"])
        if content is not None:
            was = {} if "forgets" in self.differs else block["content"]
            block["content"] = was | self._write_content(content)
        _touch(state, block, request.by)
        return _show_block(state, block)

    @route("DELETE", "/blocks/{id}")
    def delete_block(self, request: ApiRequest, state: State) -> Thing:
        """Into the trash."""
        block = _find(state, "blocks", request.names["id"])
        _require_there(state, block)
        _touch(state, block, request.by)
        self._trash(state, "blocks", block, in_trash=True)
        return _show_block(state, block)

    @route("GET", "/blocks/{id}/children")
    def list_blocks(self, request: ApiRequest, state: State) -> Thing:
        """What is in a page or a block, in its order."""
        name = request.names["id"]
        if name not in state["pages"]:
            _find(state, "blocks", name)
        found = [_show_block(state, each) for each in _list_children(state, name)]
        return {"object": "list", "results": found, "has_more": False}

    @route("PATCH", "/blocks/{id}/children")
    def append(self, request: ApiRequest, state: State) -> Thing:
        """Blocks at the end."""
        name = request.names["id"]
        kind = "page_id" if name in state["pages"] else "block_id"
        parent = {"type": kind, kind: name}
        over = _find_any(state, parent)
        _require_there(state, over)
        made = [
            self._add_block(state, parent, each, request.by) for each in request.body["children"]
        ]
        _touch(state, over, request.by)
        return {"object": "list", "results": [_show_block(state, each) for each in made]}

    @route("POST", "/databases")
    def create_database(self, request: ApiRequest, state: State) -> Thing:
        """With its first table."""
        body = request.body
        database = self._make(self._name(), parent=_read_parent(body["parent"]), by=request.by)
        _require_there(state, _find_any(state, database["parent"]))
        database |= {"title": self._text(body.get("title", ())), "description": []}
        state["databases"][database["id"]] = database
        self._add_table(state, database, body["initial_data_source"]["properties"], request.by)
        return _show_database(state, database)

    @route("PATCH", "/databases/{id}")
    def update_database(self, request: ApiRequest, state: State) -> Thing:
        """Its title, its description; into the trash, and out of it."""
        database = self._open(state, "databases", request)
        if "forgets" in self.differs and {"title", "description"} & {*request.body}:
            database |= {"title": [], "description": []}
        for name in ("title", "description"):
            if name in request.body:
                database[name] = self._text(request.body[name])
        _touch(state, database, request.by)
        return _show_database(state, database)

    @route("POST", "/data_sources")
    def create_table(self, request: ApiRequest, state: State) -> Thing:
        """Another table of a database."""
        database = _find(state, "databases", request.body["parent"]["database_id"])
        _require_there(state, database)
        table = self._add_table(state, database, request.body["properties"], request.by)
        return _show_table(state, table)

    @route("POST", "/data_sources/{id}/query")
    def query(self, request: ApiRequest, state: State) -> Thing:
        """Its rows."""
        name = request.names["id"]
        _find(state, "data_sources", name)
        rows = [p for p in state["pages"].values() if p["parent"].get("data_source_id") == name]
        found = [_show_page(state, each) for each in rows if not is_trashed(state, each)]
        return {"object": "list", "results": found, "has_more": False}

    @route("POST", "/comments")
    def create_comment(self, request: ApiRequest, state: State) -> Thing:
        """On a page."""
        _require_there(state, _find_any(state, request.body["parent"]))
        parent = _read_parent(request.body["parent"])
        comment = self._make(self._name(), parent=parent, by=request.by)
        comment["rich_text"] = self._text(request.body["rich_text"])
        state["comments"][comment["id"]] = comment
        return _show_comment(state, comment)

    @route("PATCH", "/comments/{id}")
    def update_comment(self, request: ApiRequest, state: State) -> Thing:
        """Its text, by whom it is of."""
        comment = _find_own(state, request)
        comment["rich_text"] = self._text(request.body["rich_text"])
        return _show_comment(state, comment)

    @route("DELETE", "/comments/{id}")
    def delete_comment(self, request: ApiRequest, state: State) -> Thing:
        """For good, by whom it is of."""
        comment = _find_own(state, request)
        del state["comments"][comment["id"]]
        return _show_comment(state, comment)

    def _name(self) -> str:
        self.serial += 1
        return f"{self.serial + 15:08x}-0000-4000-8000-000000000000"

    def _make(self, name: str, *, parent: Thing, by: str) -> Thing:
        return {"id": name, "parent": parent, "in_trash": False, "author": by, "by": by}

    def _add_block(self, state: State, parent: Thing, said: Thing, by: str) -> Thing:
        block = self._make(self._name(), parent=parent, by=by)
        kind = said.get("type") or next(name for name in said if name != "object")
        content = dict(said.get(kind, {}))
        children = content.pop("children", ())
        block |= {"type": kind, "content": {"color": "default", **self._write_content(content)}}
        state["blocks"][block["id"]] = block
        for each in children:
            below = {"type": "block_id", "block_id": block["id"]}
            self._add_block(state, below, each, by)
        return block

    def _add_table(self, state: State, database: Thing, schema: Thing, by: str) -> Thing:
        parent = {"type": "database_id", "database_id": database["id"]}
        table = self._make(self._name(), parent=parent, by=by)
        table["properties"] = {
            name: {"id": name, "name": name, "type": next(iter(each)), **each}
            for name, each in schema.items()
        }
        state["data_sources"][table["id"]] = table
        return table

    def _set_properties(self, page: Thing, given: Thing, types: Mapping[str, str]) -> None:
        for name, said in given.items():
            kind = types.get(name)
            if kind is None or kind in COMPUTED or not isinstance(said, dict) or kind not in said:
                raise Refused(400, "validation_error", f"{name} cannot be set so.")
            value = said[kind]
            if kind in ("title", "rich_text"):
                value = self._text(value)
            if kind == "people":
                self.told += [each["id"] for each in value]
            page["properties"][name] = value

    def _write_content(self, content: Thing) -> Thing:
        texts = {"rich_text": self._text(content["rich_text"])} if "rich_text" in content else {}
        return {**content, **texts}

    def _text(self, said: Any) -> list[Thing]:
        mentions = [each["mention"]["user"]["id"] for each in said if "user" in _mentioned(each)]
        self.told += mentions
        return _write_text(said)

    def _open(self, state: State, kind: str, request: ApiRequest) -> Thing:
        """What a request changes, which may move it to the trash, or out of it."""
        thing = _find(state, kind, request.names["id"])
        if "in_trash" in request.body:
            self._trash(state, kind, thing, in_trash=bool(request.body["in_trash"]))
        else:
            _require_there(state, thing)
        return thing

    def _trash(self, state: State, kind: str, thing: Thing, *, in_trash: bool) -> None:
        thing["in_trash"] = in_trash
        if in_trash and "no-trash" in self.differs:
            del state[kind][thing["id"]]


def _mentioned(text: Thing) -> Thing:
    found: Thing = text.get("mention") or {}
    return found


def _write_text(said: Any) -> list[Thing]:
    """Rich text as the service shows it."""
    return [_write_piece(each) for each in said]


def _write_piece(said: Thing) -> Thing:
    marks = {**_PLAIN, "color": "default", **said.get("annotations", {})}
    if _mentioned(said):
        kind = said["mention"].get("type") or next(iter(said["mention"]))
        plain = f"@{said['mention'][kind].get('id')}"
        mention = {"type": kind, kind: {"object": kind, **said["mention"][kind]}}
        content = {"type": "mention", "mention": mention}
    else:
        plain = said["text"]["content"]
        content = {"type": "text", "text": {"content": plain, "link": said["text"].get("link")}}
    return {**content, "annotations": marks, "plain_text": plain, "href": None}


def _read_parent(said: Thing) -> Thing:
    kind = said.get("type") or next(iter(said))
    return {"type": kind, kind: said[kind]}


def _find(state: State, kind: str, name: str) -> Thing:
    found = state.get(kind, {}).get(name)
    return require(found, 404, "object_not_found", f"Could not find {kind} with ID: {name}.")


def _find_any(state: State, parent: Thing) -> Thing:
    """What is said to be a parent."""
    kind = {"page_id": "pages", "block_id": "blocks", "database_id": "databases"}
    named = parent.get("type") or next(iter(parent))
    return _find(state, kind.get(named, "data_sources"), parent[named])


def _find_own(state: State, request: ApiRequest) -> Thing:
    comment = _find(state, "comments", request.names["id"])
    if comment["author"] != request.by:
        raise Refused(404, "object_not_found")
    return comment


def _list_over(state: State, thing: Thing) -> Iterator[Thing]:
    """A thing, and all that it is in."""
    while True:
        yield thing
        if thing["parent"]["type"] == "workspace":
            return
        try:
            thing = _find_any(state, thing["parent"])
        except Refused:
            yield {**thing, "in_trash": True}
            return


def is_trashed(state: State, thing: Thing) -> bool:
    """Whether it, or what it is in, is in the trash."""
    return any(each["in_trash"] for each in _list_over(state, thing))


def _require_there(state: State, thing: Thing) -> None:
    if is_trashed(state, thing):
        said = "Can't edit block that is archived. You must unarchive the block before editing."
        raise Refused(400, "validation_error", said)


def _touch(state: State, thing: Thing, by: str) -> None:
    """Note who was there last, up to the page that it is in."""
    for each in _list_over(state, thing):
        each["by"] = by
        if each["id"] in state["pages"]:
            return


def _list_types(state: State, page: Thing) -> dict[str, str]:
    """The types of the properties that a page has, by their names."""
    table = page["parent"].get("data_source_id")
    if table is None:
        return {"title": "title"}
    schema = _find(state, "data_sources", table)["properties"]
    return {name: each["type"] for name, each in schema.items()}


def _list_children(state: State, name: str) -> list[Thing]:
    all_there = [*state["blocks"].values(), *state["pages"].values()]
    inside = [
        e for e in all_there if name in (e["parent"].get("page_id"), e["parent"].get("block_id"))
    ]
    return [each for each in inside if not each["in_trash"]]


def _show(thing: Thing, kind: str) -> Thing:
    """What everything has."""
    return {
        "object": kind,
        "id": thing["id"],
        "parent": thing["parent"],
        "created_time": _STAMP,
        "last_edited_time": _STAMP,
        "created_by": {"object": "user", "id": thing["author"]},
        "last_edited_by": {"object": "user", "id": thing["by"]},
        "in_trash": thing["in_trash"],
    }


def _show_page(state: State, page: Thing) -> Thing:
    types = _list_types(state, page)
    computed = {"last_edited_time": _STAMP, "last_edited_by": {"object": "user", "id": page["by"]}}
    shown = {
        name: {"id": name, "type": kind, kind: computed.get(kind, page["properties"].get(name))}
        for name, kind in types.items()
    }
    link = {"url": f"https://www.notion.so/{page['id'].replace('-', '')}", "public_url": None}
    return _show(page, "page") | {"icon": None, "cover": None, "properties": shown, **link}


def _show_block(state: State, block: Thing) -> Thing:
    if block["id"] in state["pages"]:
        title = "".join(each["plain_text"] for each in block["properties"].get("title", ()))
        content = {"type": "child_page", "child_page": {"title": title}, "has_children": True}
        return _show(block, "block") | content
    inside = bool(_list_children(state, block["id"]))
    content = {"type": block["type"], block["type"]: block["content"], "has_children": inside}
    return _show(block, "block") | content


def _show_database(state: State, database: Thing) -> Thing:
    tables = state["data_sources"].values()
    own = [t for t in tables if t["parent"]["database_id"] == database["id"]]
    named = {"data_sources": [{"id": each["id"], "name": "Table"} for each in own]}
    texts = {name: database[name] for name in ("title", "description")}
    return _show(database, "database") | texts | named


def _show_table(_: State, table: Thing) -> Thing:
    return _show(table, "data_source") | {"properties": table["properties"]}


def _show_comment(_: State, comment: Thing) -> Thing:
    return _show(comment, "comment") | {"rich_text": comment["rich_text"]}


_SHOWN = {
    "pages": _show_page,
    "blocks": _show_block,
    "databases": _show_database,
    "data_sources": _show_table,
    "comments": _show_comment,
}
"""By its kind, how each is shown."""
