"""The tools of docs/tools.md on one remote, each call with a title that the ledger knows it by."""

# No postponed annotations: the type of the context is the framework's, known when it is declared.

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from bench.hosts.frameworks import find_context_type
from mulligan import ConflictError, Effect, Mulligan, NothingDone, Repeat
from mulligan.runtime.declaration import Arguments, Remote
from mulligan.types.call import Record
from mulligan_testing.remote import FakeRemote, Item, RemoteError

SOON = timedelta(milliseconds=50)
"""How late a request may land on this remote: a test cannot wait for longer."""

SEATS = ("7A", "7B", "7C")

Struck = Callable[[], None]
"""Called inside a tool after its effect, where the process may be killed."""


def declare_tools(
    m: Mulligan, remote: FakeRemote, *, framework: str, struck: Struck = lambda: None
) -> dict[str, Callable[..., Any]]:
    """Everything that the page declares, with the context of a framework where tools have one."""
    page = _Page(m=m, remote=remote, context=find_context_type(framework), struck=struck)
    tools = [*page.declare_creates(), *page.declare_changes(), page.declare_hold()]
    return {tool.__name__: tool for tool in tools}


@dataclass
class _Page:
    """The tools, by what an undo of each needs."""

    m: Mulligan
    remote: FakeRemote
    context: Any
    struck: Struck

    @property
    def made(self) -> dict[str, Any]:
        """Of what is created: deleted by the id that came back, at the version it was left."""
        return {
            "read": lambda record: self.remote.get(_read_id(record)),
            "undo": self._remove,
            "version": read_version,
            "about": _read_id,
            "remote": Remote(lands_within=SOON),
        }

    def declare_creates(self) -> Iterator[Callable[..., Any]]:
        """Without a key and with one, async and not, with a context and without."""
        remote, context = self.remote, self.context
        keyed = self.made | {"probe": lambda record: remote.answer_to(record.key)}

        @self.m.tool(effect=Effect.REVERSIBLE, **self.made)
        async def create_event(title: str, day: str) -> dict:  # type: ignore[type-arg]
            """Put an event into the calendar."""
            return _as_dict(self._strike(remote.create({"title": title, "day": day})))

        @self.m.tool(effect=Effect.REVERSIBLE, **keyed, key="request_id")
        async def book_table(
            ctx: context,  # type: ignore[valid-type]  # noqa: ARG001 - as frameworks pass it
            title: str,
            people: int,
            request_id: str = "",
        ) -> Item:
            """Book a table."""
            return self._strike(remote.create({"title": title, "people": people}, key=request_id))

        @self.m.tool(effect=Effect.REVERSIBLE, **keyed, key="key", repeat=Repeat.KEYED)
        def add(title: str, key: str = "") -> Item:
            """Add to the list."""
            return self._strike(remote.create({"title": title}, key=key))

        yield from (create_event, book_table, add)

    def declare_changes(self) -> Iterator[Callable[..., Any]]:
        """Under a version, of several at once, and with a refusal before the write."""
        remote = self.remote

        @self.m.tool(**self._change("name"), if_version="if_version")
        async def move(title: str, name: str, day: str, if_version: str | None = None) -> Item:
            """Move an event to another day."""
            data = {"title": title, "day": day}
            return self._strike(remote.update(name, data, if_version=if_version))

        @self.m.tool(**self._change("names"), each="names")
        async def move_all(title: str, names: list[str], day: str) -> list[Item]:
            """Move several events to another day."""
            moved = [remote.update(name, {"title": title, "day": day}) for name in names]
            self.struck()
            return moved

        @self.m.tool(**self._change("seat"), refuses=KeyError)
        async def reserve(title: str, seat: str) -> Item:
            """Reserve a seat."""
            if remote.list_items()[seat].data["title"]:
                raise NothingDone(f"{seat} is taken.")
            return self._strike(remote.update(seat, {"title": title}))

        yield from (move, move_all, reserve)

    def declare_hold(self) -> Callable[..., Any]:
        """A tool that cannot be undone where there are guests."""
        context: Any = self.context

        @self.m.tool(effect=_choose_effect, arguments=Arguments(provide={"ctx": None}), **self.made)
        async def invite(
            ctx: context,  # noqa: ARG001 - as frameworks pass it
            title: str,
            guests: list[str],
        ) -> dict[str, Any]:
            """Plan an event; guests are sent a mail."""
            data = {"title": title, "guests": len(guests)}
            return _as_dict(self._strike(self.remote.create(data)))

        return invite

    def _change(self, name: str) -> dict[str, Any]:
        """Of what is changed: put back from the snapshot, at the version it was left."""
        return {
            "effect": Effect.REVERSIBLE,
            "before": lambda record: self.remote.get(str(record.arguments[name])),
            "undo": self._put_back,
            "version": read_version,
            "about": lambda record: record.arguments[name],
            "remote": Remote(lands_within=SOON),
        }

    def _strike(self, came: Item) -> Item:
        self.struck()
        return came

    def _remove(self, record: Record) -> None:
        made = _read_id(record)
        send_undo(lambda: self.remote.delete(made, if_version=record.version, by="undo"))

    def _put_back(self, record: Record) -> None:
        before: Any = record.before
        at = record.version
        send_undo(lambda: self.remote.update(before.id, before.data, if_version=at, by="undo"))


def send_undo(call: Callable[[], object]) -> None:
    """Say that somebody changed it as an undo has to say it."""
    try:
        call()
    except RemoteError as error:
        if error.status in (409, 412):
            raise ConflictError(str(error)) from error
        raise


def _choose_effect(record: Record) -> Effect:
    return Effect.IRREVERSIBLE if record.arguments["guests"] else Effect.REVERSIBLE


def _as_dict(item: Item) -> dict[str, Any]:
    """As a JSON API answers."""
    return {"id": item.id, "version": item.version, **item.data}


def _read_id(record: Record) -> str:
    result: Any = record.result
    return str(result["id"] if isinstance(result, dict) else result.id)


def read_version(record: Record) -> str:
    result: Any = record.result
    return str(result["version"] if isinstance(result, dict) else result.version)
