"""Answers in JSON and CSV, and what is said where there is none."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from mulligan.app.insights.views.views import Views
from mulligan.codec.json_text import decode_json, encode_json
from mulligan.core.display.escape import escape_json
from mulligan.core.errors import ConfigurationError, JournalError, MulliganError, StoreError
from mulligan.dashboard.acts import ActOrder, ActRoute
from mulligan.dashboard.exporting import render_csv
from mulligan.dashboard.queries import LONGEST, parse_query
from mulligan.dashboard.sections import Section
from mulligan.dashboard.security.guard import get_visitor, refuse_role
from mulligan.dashboard.security.roles import Role
from mulligan.dashboard.site import Site

Endpoint = Callable[[Request], Awaitable[Response]]


def find_status(error: MulliganError) -> int:
    """What an error of ours is to a program that asked."""
    if isinstance(error, StoreError):
        return 503
    return 409 if isinstance(error, JournalError) else 400


def answer_json(views: Views, section: Section) -> Endpoint:
    """A view for programs, or its table for spreadsheets."""

    async def answer(request: Request) -> Response:
        try:
            asked = parse_query(request.query_params, id_=request.path_params.get("id", ""))
            asked = replace(asked, decides=get_visitor(request.scope).role.covers(Role.DECIDE))
            view = await run_in_threadpool(section.read, views, asked)
        except ConfigurationError as error:
            return _say(404 if section.one else 400, error)
        except MulliganError as error:
            return _say(find_status(error), error)
        if asked.read_word("format") == "csv" and section.rows:
            return _answer_csv(section, section.list_rows(view))
        return _encode(view)

    return answer


def answer_act(views: Views, act: ActRoute, *, carry_out: Callable[[], object] | None) -> Endpoint:
    """Carry an act out, for who may."""

    async def answer(request: Request) -> Response:
        refused = refuse_role(request.scope, act.role)
        if refused is not None:
            return refused
        words = _read_words(await request.body(), act)
        if words is None:
            return JSONResponse({"error": f"A JSON object of {act.words}."}, status_code=400)
        by = get_visitor(request.scope).name
        order = ActOrder(id=request.path_params["id"], by=by, words=words)
        try:
            done = await run_in_threadpool(act.run, views, order)
            if act.effect and carry_out is not None:
                await run_in_threadpool(carry_out)
                done = await run_in_threadpool(views.read_action, order.id, people=True)
        except ConfigurationError as error:
            return _say(409, error)
        except MulliganError as error:
            return _say(find_status(error), error)
        return _encode(done)

    return answer


def answer_error(site: Site) -> Callable[[Request, Exception], Response]:
    """What is said where nothing can be shown: a page to people, JSON to programs."""

    def answer(request: Request, error: Exception) -> Response:
        status = getattr(error, "status_code", 500)
        said = getattr(error, "detail", "")
        if request.url.path.startswith("/api/"):
            return JSONResponse({"error": said}, status_code=status)
        page = site.render_plain("error.html", status=status, said=said)
        return HTMLResponse(page, status_code=status)

    return answer


def answer_refusal(site: Site) -> ASGIApp:
    """The page for who is not known."""

    async def refuse(scope: Scope, receive: Receive, send: Send) -> None:
        page = site.render_plain("enter.html", wrong=False)
        await HTMLResponse(page, status_code=401)(scope, receive, send)

    return refuse


def _read_words(body: bytes, act: ActRoute) -> dict[str, str] | None:
    try:
        said: Any = decode_json(body or b"{}")
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict) or not said.keys() <= set(act.words):
        return None
    fitting = all(isinstance(each, str) and len(each) <= LONGEST for each in said.values())
    return said if fitting else None


def _answer_csv(section: Section, rows: Any) -> Response:
    name = f"attachment; filename=mulligan-{section.name}.csv"
    return Response(
        render_csv(rows),
        media_type="text/csv; charset=utf-8",
        headers={"content-disposition": name},
    )


def _encode(view: object) -> Response:
    text = escape_json(encode_json(view).decode("utf-8", "replace"))
    return Response(text.encode(), media_type="application/json")


def _say(status: int, error: object) -> JSONResponse:
    return JSONResponse({"error": str(error)}, status_code=status)
