"""Prove on somebody's own account that what the table says of a service is so.

Each operation is called in a scratch place and taken back: plainly, after a second person's edit,
with such an edit right before the call, and with its answer lost. What counts is what is there.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import httpx
from msgspec import Struct
from msgspec.structs import replace

from mulligan import Mulligan
from mulligan.loops.actions import Attempted
from mulligan.runtime.context import OpenTurn
from mulligan.types.action import Action, State
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Finding, Severity
from mulligan_packs.http.written import parse_sent
from mulligan_packs.services.service import Service, list_leaves
from mulligan_packs.services.table import (
    Operation,
    ProofCase,
    ProofStep,
    Route,
    ServiceTable,
    fill,
    fill_path,
    follow,
    list_routes,
)

PROVEN, DIFFERS, NOT_POSSIBLE = "proven", "differs", "not possible"
SCRATCH = "scratch"
"""What the name of a place must have in it, for a proof to write there."""
READS = frozenset({"GET", "HEAD", "OPTIONS"})
_ROOM = 1.0
"""Seconds beyond the time that a lost call has to land."""


class StepShown(Struct, frozen=True, kw_only=True):
    """What one step has shown."""

    operation: str
    step: str
    result: str
    what: str = ""


class PlaceGuard:
    """Lets through what writes to some places of a service, or to what it was let make there, and
    to nothing else: by the parts of a request in which the service's table names an object,
    whatever its text says."""

    def __init__(self, table: ServiceTable, *, base_url: httpx.URL, places: Sequence[str]) -> None:
        self._table = table
        self._routes = list_routes(table)
        self._base = base_url.path.rstrip("/")
        self._places = {*places}

    def allows(self, request: httpx.Request) -> bool:
        """Whether a request is for these places alone."""
        return self._find_route(request) is not None

    def learn(self, request: httpx.Request, answer: object) -> None:
        """Take in what a request has made."""
        route = self._find_route(request)
        if route is not None and route.makes:
            kind = self._table.objects[route.row.object]
            self._places.add(str(follow(follow(answer, kind.path_in_answer), kind.id)))

    def _find_route(self, request: httpx.Request) -> Route | None:
        path = request.url.path.removeprefix(self._base)
        with suppress(ValueError):
            request.read()
            body = parse_sent(request)
            given = {**(body if isinstance(body, dict) else {}), **request.url.params}
            if ".." not in path.split("/"):
                for route in self._routes:
                    named = route.read_named(path, given)
                    if (
                        route.send.startswith(f"{request.method} ")
                        and named is not None
                        and self._is_within(route, named)
                    ):
                        return route
        return None

    def _is_within(self, route: Route, named: list[object]) -> bool:
        """Whether a request names objects, and none but these. What makes something may name none,
        where a service has no place for it."""
        many = [one for some in named for one in (some if isinstance(some, list) else [some])]
        each = [one for one in many if one is not None]
        may = bool(each) or (route.makes and not named)
        return may and all(str(one) in self._places for one in each)


class ProvingTransport(httpx.BaseTransport):
    """Hands requests on to the service; loses an answer, or lets somebody in before a write."""

    def __init__(self, inner: httpx.BaseTransport) -> None:
        self._inner = inner
        self.guard: PlaceGuard | None = None
        """Which requests write only where they may; without one, none does."""
        self.loses = False
        self.before_write: Callable[[], object] | None = None
        self.writes = 0
        self.lost = b""
        """The last answer that was lost: what it has made is to be cleared away."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """One request."""
        if request.method in READS:
            return self._inner.handle_request(request)
        if self.guard is None or not self.guard.allows(request):
            raise ConfigurationError(f"{request.method} {request.url.path} is outside the place.")
        before, self.before_write = self.before_write, None
        loses, self.loses = self.loses, False
        if before is not None:
            before()
        self.writes += 1
        answer = self._inner.handle_request(request)
        content = answer.read()
        with suppress(ValueError):
            self.guard.learn(request, json.loads(content))
        if loses:
            self.lost = content
            answer.close()
            raise httpx.ReadTimeout("The answer was lost on purpose.", request=request)
        return answer

    def close(self) -> None:
        """Let go of the connections."""
        self._inner.close()


def reject(attempted: Attempted) -> Iterator[Finding]:
    """Call every change wrong."""
    if attempted.executions:
        yield Finding(rule="proof.wrong", severity=Severity.ERROR, issue="Undone on purpose.")


class ServiceProving:
    """A proof of one service in one place."""

    def __init__(
        self, service: Service, transport: ProvingTransport, *, place: str, other: str = ""
    ) -> None:
        self._service, self._transport = service, transport
        self._place, self._other = place, other
        self._proof = service.table.proof
        self._made: list[tuple[str, dict[str, Any]]] = []
        self._count = 0
        self._once: dict[str, Any] = {}

    def require_scratch(self) -> None:
        """Refuse a place whose own name does not say that it is for this."""
        if not self._place:
            raise ConfigurationError("A proof needs a place to write to: --in is empty.")
        for place in filter(None, (self._place, self._other)):
            try:
                found = self._service.read(fill_path(self._proof.place, {"place": place}))
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                status = getattr(getattr(error, "response", None), "status_code", "")
                said = f"HTTP {status}" if status else type(error).__name__
                raise ConfigurationError(
                    f"{place} cannot be read, so nothing was tried: {said}. Check its name, what "
                    "the token may see, and --base-url."
                ) from error
            named = str(follow(found, self._proof.named))
            if SCRATCH not in named.casefold():
                raise ConfigurationError(
                    f"{place} is called {named!r}. A proof writes and deletes there: name a place "
                    f"of its own, with {SCRATCH!r} in its name."
                )
            for name, wanted in self._proof.isolated.items():
                if follow(found, name) != wanted:
                    raise ConfigurationError(f"{place} is no place for a proof: its {name} is set.")
        places = [place for place in (self._place, self._other) if place]
        self._transport.guard = PlaceGuard(
            self._service.table, base_url=self._service.base_url, places=places
        )

    async def prove(self) -> list[StepShown]:
        """Every step of every case, and everything cleared away."""
        self.require_scratch()
        try:
            shown = [each for case in self._proof.cases for each in await self._try(case)]
        finally:
            left = self._clean()
        return shown + left

    async def _try(self, case: ProofCase) -> list[StepShown]:
        if case.not_possible:
            return [_show(case, "undone", NOT_POSSIBLE, case.not_possible)]
        if case.needs_other and not self._other:
            return [_show(case, "undone", NOT_POSSIBLE, "it needs a second place: --to")]
        steps: list[tuple[str, Callable[[ProofCase], Any]]] = [("undone", self._undo)]
        if case.edit is not None:
            steps += [("edited after it", self._edit_after)]
            if not case.needs_other and "{made}" not in str(case.edit.arguments):
                steps += [("edited right before it", self._edit_before)]
        steps += [("its answer lost", self._lose)]
        if case.held:
            steps += [("held", self._hold)]
        shown = []
        for name, step in steps:
            try:
                result, what = await step(case)
            except (httpx.HTTPError, ConfigurationError) as error:
                result, what = DIFFERS, f"{type(error).__name__}: {error}"
            shown.append(_show(case, name, result, what))
        return shown

    async def _undo(self, case: ProofCase) -> tuple[str, str]:
        names = self._set_up(case)
        before = self._look(case, names)
        row = self._service.table.operations[case.operation]
        may_be_missing = row.key or row.makes or row.adds or row.sole
        if case.setup and before is None and not may_be_missing:
            return DIFFERS, "a read right after a write does not show it"
        writes = self._transport.writes
        left, now = await self._act(case, names)
        if self._transport.writes < writes + 2 and not left:
            return DIFFERS, "the call was not made"
        if left:
            return DIFFERS, _describe(left)
        return (PROVEN, "") if now == before else (DIFFERS, _name_difference(before, now))

    async def _edit_after(self, case: ProofCase) -> tuple[str, str]:
        names = self._set_up(case)
        edited: list[object] = []

        def edit(names: dict[str, Any]) -> None:
            edited.append(self._look(case, names))
            self._edit(case, names)
            edited.append(self._look(case, names))

        left, now = await self._act(case, names, then=edit)
        if not edited:
            return DIFFERS, "the call or the edit was not made"
        if edited[0] == edited[-1]:
            return DIFFERS, "a read right after an edit does not show it"
        if now == edited[-1] and left:
            return PROVEN, ""
        return DIFFERS, "the edit is gone" if left else "it was called undone, over an edit"

    async def _edit_before(self, case: ProofCase) -> tuple[str, str]:
        names, edited, refused = self._set_up(case), list[object](), list[int]()

        def edit() -> None:
            try:
                self._edit(case, names)
            except httpx.HTTPStatusError as error:
                refused.append(error.response.status_code)
            edited.append(self._look(case, names))

        self._transport.before_write = edit
        left, now = await self._act(case, names)
        if not edited:
            return DIFFERS, "the call or the edit was not made"
        if refused:
            return NOT_POSSIBLE, f"the service takes no edit before it ({refused[0]})"
        if now == edited[-1]:
            return PROVEN, ""
        said = "the call is not refused"
        fate = "stays" if _keeps(case.edit, now) else "is gone"
        row = self._service.table.operations[case.operation]
        one = self._service.table.operations[row.each] if row.each else row
        if not self._service.table.objects[one.object].binds:
            return NOT_POSSIBLE, f"it compares no versions: {said}, and the edit {fate}"
        return DIFFERS, f"{said}, and the edit {fate}; {_describe(left) or 'undone'}"

    async def _lose(self, case: ProofCase) -> tuple[str, str]:
        names = self._set_up(case)
        before = self._look(case, names)
        self._transport.loses = True
        left, now = await self._act(case, names, settle=True)
        if self._transport.loses:
            return DIFFERS, "the call was not made"
        if self._is_made_twice(case, names):
            return DIFFERS, "asked for again by its key, it was made twice"
        if left:
            return PROVEN, "needs attention"
        return (PROVEN, "") if now == before else (DIFFERS, _name_difference(before, now))

    def _is_made_twice(self, case: ProofCase, names: Mapping[str, Any]) -> bool:
        """Whether the answer that was lost names something else than the one that came."""
        row, lost = self._service.table.operations[case.operation], self._transport.lost
        first = self._service.read_id(case.operation, json.loads(lost)) if row.makes else None
        if first is None or first == names.get("made"):
            return False
        self._note_made(case.operation, fill(case.arguments, names), first)
        return True

    async def _hold(self, case: ProofCase) -> tuple[str, str]:
        names, before = self._set_up(case), self._transport.writes
        left, _ = await self._act(replace(case, arguments={**case.arguments, **case.held}), names)
        written = self._transport.writes - before
        held = [each for each in left if each.state is State.HELD]
        return (PROVEN, "") if held and not written else (DIFFERS, f"{written} requests were sent")

    def _set_up(self, case: ProofCase) -> dict[str, Any]:
        self._count += 1
        self._transport.lost = b""
        number = f"{time.time_ns()}-{self._count}"
        names: dict[str, Any] = {"place": self._place, "other": self._other, "number": number}
        for step in case.setup:
            if step.once and step.saves in self._once:
                names[step.saves] = self._once[step.saves]
                continue
            made = self._step(step, names)
            if step.saves:
                names[step.saves] = self._service.read_id(step.operation, made)
                self._note_made(step.operation, fill(step.arguments, names), names[step.saves])
            if step.once:
                self._once[step.saves] = names[step.saves]
        return names

    def _step(self, step: ProofStep, names: Mapping[str, Any]) -> Any:
        return self._service.build_function(step.operation)(**fill(step.arguments, names))

    def _edit(self, case: ProofCase, names: Mapping[str, Any]) -> None:
        if case.edit is not None:
            row = self._service.table.operations[case.edit.operation]
            given = fill(case.edit.arguments, names)
            version = self._service.find_version(row, given) if row.bound_by else ""
            self._step(case.edit, {**names, "version": version})

    def _note_made(self, operation: str, arguments: Mapping[str, Any], made: object) -> None:
        kind = self._service.table.operations[operation].object
        self._made.append((kind, {**arguments, "(id)": made}))

    async def _act(
        self,
        case: ProofCase,
        names: dict[str, Any],
        *,
        then: Callable[[dict[str, Any]], None] | None = None,
        settle: bool = False,
    ) -> tuple[list[Action], object]:
        """Have an agent make the call, and Mulligan undo it: what is open, and what is there."""
        row = self._service.table.operations[case.operation]
        with Mulligan("memory:", checks=[reject], recover=False) as m:
            [tool] = self._service.tools(m, only=[case.operation])

            async def agent(turn: OpenTurn) -> str:
                if turn.attempt.number == 1:
                    with suppress(Exception):
                        made = tool(**fill(case.arguments, names))
                        if row.key or row.makes:
                            self._keep_made(case, names, made)
                    if then is not None and ("made" in names or not (row.key or row.makes)):
                        then(names)
                return "Done."

            await m.act("Prove it", agent)
            if settle:
                await self._settle(m)
            left = [*m.insights.open_list.actions()]
        if row.adds:
            self._note_made(case.operation, fill(case.arguments, names), None)
        if (row.key or row.makes) and "made" not in names and self._transport.lost:
            self._keep_made(case, names, json.loads(self._transport.lost))
        return left, self._look(case, names)

    async def _settle(self, m: Mulligan) -> None:
        late = self._service.table.lands_within
        end = time.monotonic() + late + _ROOM
        await asyncio.sleep(late)
        while time.monotonic() < end:
            await m.recover()
            if not any(each.state is State.UNKNOWN for each in m.insights.open_list.actions()):
                return
            await asyncio.sleep(_ROOM / 10)

    def _keep_made(self, case: ProofCase, names: dict[str, Any], made: object) -> None:
        named = self._service.read_id(case.operation, made)
        if named is None:
            return
        names["made"] = named
        self._note_made(case.operation, fill(case.arguments, names), names["made"])

    def _look(self, case: ProofCase, names: Mapping[str, Any]) -> object:
        row = self._service.table.operations[case.operation]
        given = fill(case.arguments, names)
        if row.each:
            [given] = self._service.table.list_elements(row, given)
            row = self._service.table.operations[row.each]
        made = row.key or row.makes
        if made and "made" not in names:
            return None
        return self._service.look(row, given | ({"(id)": names["made"]} if made else {}))

    def _clean(self) -> list[StepShown]:
        """Clear away what was made, wherever it is now: what could not be is named."""
        left = []
        for kind, given in reversed(self._made):
            step = self._proof.clean.get(kind)
            if step is None:
                continue
            for place in filter(None, (self._place, self._other)):
                values = {**given, "place": place, "made": given["(id)"]}
                named = fill(step.arguments, values)
                row = self._service.table.operations[step.operation]
                why = "it is still shown" if step.operation.startswith("delete_") else ""
                try:
                    if row.bound_by:
                        values["version"] = self._service.find_version(row, named)
                    self._step(step, values)
                except (httpx.HTTPError, ConfigurationError) as error:
                    why = type(error).__name__
                if why and self._may_be_there(row, named):
                    made = given["(id)"] or fill_path(row.send.partition(" ")[2], named)
                    what = f"{kind} {made} is left in {place}: {why}"
                    line = StepShown(operation=step.operation, step="cleared away", result=DIFFERS)
                    left.append(replace(line, what=what))
        return left

    def _may_be_there(self, row: Operation, given: Mapping[str, Any]) -> bool:
        try:
            return self._service.look(row, given) is not None
        except (httpx.HTTPError, ConfigurationError):
            return True


def _show(case: ProofCase, step: str, result: str, what: str) -> StepShown:
    named = f"{case.operation}, {case.of}" if case.of else case.operation
    return StepShown(operation=named, step=step, result=result, what=what)


def _describe(left: list[Action]) -> str:
    return "; ".join(f"{each.state}: {each.detail.get('why', '')}" for each in left)


def _name_difference(before: object, now: object) -> str:
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        names = [n for n in {*before, *now} if before.get(n) != now.get(n)]
        return f"it is not as before: {', '.join(sorted(names))}"
    return "it is still there" if before is None else "it is gone"


def _keeps(edit: ProofStep | None, now: object) -> bool:
    """Whether all is there that an edit has written."""
    said = [] if edit is None else [*list_leaves(edit.arguments)]
    written = {each for each in said if not str(each).startswith("{")}
    return written <= {*list_leaves(now)}
