"""`create_app`: the dashboard as an ASGI application."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from mulligan.app.insights import Insights
from mulligan.app.insights.views.views import Views
from mulligan.codec.json_text import encode_json
from mulligan.core.errors import ConfigurationError, MulliganError
from mulligan.dashboard.acts import ACTS
from mulligan.dashboard.openapi import build_openapi
from mulligan.dashboard.queries import parse_query
from mulligan.dashboard.responses import (
    answer_act,
    answer_error,
    answer_json,
    answer_refusal,
    find_status,
)
from mulligan.dashboard.sections import SECTIONS, SINGLE, Section
from mulligan.dashboard.security.guard import Guard, PageAccess, get_visitor, swap_token
from mulligan.dashboard.site import HERE, Site
from mulligan.dashboard.stream import Hub
from mulligan.dashboard.watcher import Watcher

CarryOut = Callable[[], object]
"""Has an application take up what was decided, here and now."""


def create_app(
    insights: Insights, *, access: PageAccess | None = None, carry_out: CarryOut | None = None
) -> ASGIApp:
    """The dashboard of one store. Without `access`, links come from nowhere and nobody gets in.

    `carry_out`: where the application is in this process, what it does about approvals and undos;
    else the application that runs elsewhere takes them up.
    """
    access = access or PageAccess()
    views, hub = Views(insights), Hub()
    watcher = Watcher(views, hub)
    site = Site(views, sealer=access.sealer, read_mark=watcher.read_mark)

    @asynccontextmanager
    async def live(_: Starlette) -> AsyncIterator[None]:
        watching = asyncio.create_task(watcher.run())
        yield
        watching.cancel()
        with suppress(asyncio.CancelledError):  # as it was told a line above
            await watching

    routes: list[BaseRoute] = [
        *(_build_page(site, section) for section in (*SECTIONS, *SINGLE)),
        *(Route(s.json_path, answer_json(views, s), methods=["GET"]) for s in (*SECTIONS, *SINGLE)),
        *(
            Route(act.path, answer_act(views, act, carry_out=carry_out), methods=["POST"])
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
        try:
            asked = parse_query(request.query_params, id_=request.path_params.get("id", ""))
            visitor = get_visitor(request.scope)
            page = await run_in_threadpool(site.render, section, asked, visitor=visitor)
        except MulliganError as error:
            status = 404 if section.one and isinstance(error, ConfigurationError) else None
            raise HTTPException(status or find_status(error), str(error)) from error
        return HTMLResponse(page)

    return Route(section.path, show, methods=["GET"])


def _build_enter(site: Site, access: PageAccess) -> Callable[[Request], Response]:
    def enter(request: Request) -> Response:
        entered = swap_token(access, request.query_params.get("token", ""))
        refused = site.render_plain("enter.html", wrong=True)
        return entered or HTMLResponse(refused, status_code=401)

    return enter


def _build_stream(hub: Hub, access: PageAccess) -> Callable[[Request], object]:
    async def listen(request: Request) -> ASGIApp:
        left = access.sealer.count_left(get_visitor(request.scope))
        return hub.answer(left=left, made_at=request.query_params.get("made_at"))

    return listen


def _describe(request: Request) -> Response:  # noqa: ARG001
    described = build_openapi(version("mulligan"))
    return Response(encode_json(described), media_type="application/json")
