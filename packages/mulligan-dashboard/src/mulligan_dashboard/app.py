"""`create_app`: the dashboard as an ASGI application, and its answers in JSON and CSV."""

from __future__ import annotations

import asyncio
import csv
import io
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import datetime
from enum import Enum
from importlib.metadata import version
from typing import Any
from urllib.parse import quote, unquote

from msgspec import Struct
from msgspec.structs import asdict, replace
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from mulligan.codec import decode_typed, encode_json
from mulligan.insights.filters import EVERY_ROW, ActOrder, ViewRequest
from mulligan.insights.insights import Insights
from mulligan.types.display import escape, escape_json
from mulligan.types.errors import ConfigurationError, JournalError, MulliganError, StoreError
from mulligan_dashboard.live import Hub, Watcher
from mulligan_dashboard.openapi import build_openapi
from mulligan_dashboard.sections import (
    ACTS,
    SECTIONS,
    SINGLE,
    ActRoute,
    Section,
    find_longest,
    parse_query,
)
from mulligan_dashboard.security import (
    Guard,
    PageAccess,
    Role,
    get_visitor,
    refuse_role,
    swap_token,
)
from mulligan_dashboard.site import HERE, Site

_FORMULA = ("=", "+", "-", "@", "\N{FULLWIDTH EQUALS SIGN}", "\N{FULLWIDTH PLUS SIGN}",
    "\N{FULLWIDTH HYPHEN-MINUS}", "\N{FULLWIDTH COMMERCIAL AT}")  # fmt: skip
"""What begins a formula, to some programs after white space too."""


def render_csv(rows: Sequence[Any]) -> str:
    """A line for each row, under the names of its fields; a share stands under its own."""
    flat = [_flatten(row) for row in rows]
    names = list(dict.fromkeys(name for row in flat for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, restval="")
    writer.writeheader()
    writer.writerows(flat)
    return text.getvalue()


def _flatten(row: Any, *, under: str = "") -> dict[str, str]:
    cells: dict[str, str] = {}
    for name, value in asdict(row).items():
        if isinstance(value, Struct):
            cells |= _flatten(value, under=f"{under}{name}.")
        else:
            cells[f"{under}{name}"] = _format_cell(value)
    return cells


def list_all(asked: ViewRequest) -> ViewRequest:
    """The same request for every row: a table is not cut into pages."""
    return replace(asked, page=1, size=EVERY_ROW)


def _format_cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool | int | float):
        return str(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, Mapping | tuple | list):
        return escape_json(encode_json(value).decode())
    text = escape(str(value))
    return f"'{text}" if text.lstrip().startswith(_FORMULA) or text[:1] == "\t" else text


WANTED = "mulligan_wanted"
"""The cookie with the page that a person asked for before they were signed in."""

CarryOut = Callable[[], object]
"""Makes an application carry out decisions immediately."""
Endpoint = Callable[[Request], Awaitable[Response]]


@contextmanager
def _refuse(wrong: int) -> Iterator[None]:
    """Our errors as HTTP responses; `wrong`: the status for invalid input."""
    statuses = ((ConfigurationError, wrong), (StoreError, 503), (JournalError, 409))
    try:
        yield
    except MulliganError as error:
        status = next((status for kind, status in statuses if isinstance(error, kind)), 400)
        raise HTTPException(status, str(error)) from error


def answer_json(insights: Insights, section: Section) -> Endpoint:
    """A view for programs, or its table for spreadsheets."""

    async def answer(request: Request) -> Response:
        with _refuse(404 if section.one else 400):
            asked = parse_query(request.query_params, id_=request.path_params.get("id", ""))
            asked = replace(asked, decides=get_visitor(request.scope).role.covers(Role.DECIDE))
            as_table = asked.read_word("format") == "csv" and bool(section.rows)
            asked = list_all(asked) if as_table else asked
            view = await run_in_threadpool(section.read, insights, asked)
        if as_table:
            name = f"attachment; filename=mulligan-{section.name}.csv"
            return Response(
                render_csv(getattr(view, section.rows)),
                media_type="text/csv; charset=utf-8",
                headers={"content-disposition": name},
            )
        return _encode(view)

    return answer


def answer_act(insights: Insights, act: ActRoute, *, carry_out: CarryOut | None) -> Endpoint:
    """Carry out an act, if the visitor may."""

    async def answer(request: Request) -> Response:
        refused = refuse_role(request.scope, act.role)
        if refused is not None:
            return refused
        words = _read_words(await request.body(), act)
        if words is None:
            of = f" of {', '.join(act.words)}" if act.words else ""
            raise HTTPException(400, f"The body must be a JSON object{of}; it may be {{}}.")
        by = get_visitor(request.scope).name
        order = ActOrder(act=act.name, id=request.path_params["id"], by=by, words=words)
        with _refuse(409):
            done = await run_in_threadpool(act.run, insights, order)
            if act.again is not None and carry_out is not None:
                await run_in_threadpool(carry_out)
                done = await run_in_threadpool(act.again, insights, order)
        return _encode(done)

    return answer


def answer_error(site: Site) -> Callable[[Request, Exception], Response]:
    """An error response: a page for people, JSON for programs."""

    def answer(request: Request, error: Exception) -> Response:
        status = getattr(error, "status_code", 500)
        said = getattr(error, "detail", "")
        if request.url.path.startswith("/api/"):
            return JSONResponse({"error": said}, status_code=status)
        page = site.render_plain("error.html", status=status, said=said)
        return HTMLResponse(page, status_code=status)

    return answer


def answer_refusal(site: Site) -> ASGIApp:
    """The page for an unknown visitor."""

    async def refuse(scope: Scope, receive: Receive, send: Send) -> None:
        page = site.render_plain("enter.html", wrong=False)
        answer = HTMLResponse(page, status_code=401)
        wanted = Request(scope).url
        answer.set_cookie(
            WANTED,
            quote(f"{wanted.path}?{wanted.query}"),
            max_age=600,
            httponly=True,
            samesite="lax",
        )
        await answer(scope, receive, send)

    return refuse


def _read_words(body: bytes, act: ActRoute) -> dict[str, str] | None:
    try:
        # An empty body decides nothing: what was to be said may have been lost on its way.
        said: Any = decode_typed(body.decode())
    except ValueError:
        return None
    if not isinstance(said, dict) or not said.keys() <= set(act.words):
        return None
    fitting = all(isinstance(e, str) and len(e) <= find_longest(n) for n, e in said.items())
    return said if fitting else None


def _encode(view: object) -> Response:
    text = escape_json(encode_json(view).decode("utf-8", "replace"))
    return Response(text.encode(), media_type="application/json")


def create_app(
    insights: Insights, *, access: PageAccess | None = None, carry_out: CarryOut | None = None
) -> ASGIApp:
    """The dashboard of one store. Without `access` every request is refused.

    `carry_out`: where the application is in this process, what it does about approvals and undos;
    else the application that runs elsewhere takes them up.
    """
    access = access or PageAccess()
    hub = Hub()
    watcher = Watcher(insights, hub)
    site = Site(insights, sealer=access.sealer, read_mark=watcher.read_mark)

    @asynccontextmanager
    async def live(_: Starlette) -> AsyncIterator[None]:
        watching = asyncio.create_task(watcher.run())
        yield
        watching.cancel()
        with suppress(asyncio.CancelledError):  # as set one line above
            await watching

    routes: list[BaseRoute] = [
        *(_build_page(site, section) for section in (*SECTIONS, *SINGLE)),
        *(
            Route(s.json_path, answer_json(insights, s), methods=["GET"])
            for s in (*SECTIONS, *SINGLE)
        ),
        *(
            Route(act.path, answer_act(insights, act, carry_out=carry_out), methods=["POST"])
            for act in ACTS
        ),
        Route("/api/v1/openapi.json", _describe, methods=["GET"]),
        Route("/stream", _build_stream(hub, access), methods=["GET"]),
        Route("/enter", _build_enter(site, access), methods=["GET"]),
        Mount("/static", StaticFiles(directory=HERE / "static")),
    ]
    app = Starlette(routes=routes, lifespan=live)
    app.add_exception_handler(HTTPException, answer_error(site))
    tenant = insights.tenant or ""
    return Guard(app, access=access, refusal=answer_refusal(site), tenant=tenant)


def _build_page(site: Site, section: Section) -> Route:
    async def show(request: Request) -> Response:
        with _refuse(404 if section.one else 400):
            asked = parse_query(request.query_params, id_=request.path_params.get("id", ""))
            visitor = get_visitor(request.scope)
            page = await run_in_threadpool(site.render, section, asked, visitor=visitor)
        return HTMLResponse(page)

    return Route(section.path, show, methods=["GET"])


def _build_enter(site: Site, access: PageAccess) -> Callable[[Request], Response]:
    def enter(request: Request) -> Response:
        asked = request.query_params
        to = asked.get("next") or unquote(request.cookies.get(WANTED, "/"))
        entered = swap_token(access, asked.get("token", ""), to=to)
        if entered is None:
            return HTMLResponse(site.render_plain("enter.html", wrong=True), status_code=401)
        if WANTED in request.cookies:
            entered.delete_cookie(WANTED)
        return entered

    return enter


def _build_stream(hub: Hub, access: PageAccess) -> Callable[[Request], object]:
    async def listen(request: Request) -> ASGIApp:
        left = access.sealer.count_left(get_visitor(request.scope))
        return hub.answer(left=left, made_at=request.query_params.get("made_at"))

    return listen


def _describe(request: Request) -> Response:  # noqa: ARG001
    described = build_openapi(version("mulligan"))
    return Response(encode_json(described), media_type="application/json")
