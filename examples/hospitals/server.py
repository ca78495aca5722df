"""The coordinator's side of the network: who may send, how much, and what is answered.

Every answer but the page and the metrics is JSON, unless uvicorn itself gives it. A refusal is one sentence:
``{"error": "..."}``.
"""

import asyncio
import contextlib
import signal
import sqlite3
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from examples.hospitals.coordinator import Coordinator
from examples.hospitals.metrics import TYPE, metrics
from examples.hospitals.page import HEADERS, page
from examples.hospitals.reading import RefusedError, read_mark, read_report, read_week

LARGEST = 1000
"""Bytes of the largest body that is read."""

SLOWEST = 5.0
"""Seconds within which a body must have come."""

_NOT_KEPT = {"Cache-Control": "no-store"}
_NOT_STORED = "The coordinator could not write to its disk and counted nothing: send the report again later."


def application(coordinator: Coordinator, owner: Callable[[str], str | None]) -> Starlette:
    """Return the web application of a coordinator; `owner` tells whose a token is."""
    woken, promise = asyncio.Event(), coordinator.setting.promise()
    answers: Counter[int] = Counter()  # by status

    async def report(request: Request) -> Response:
        hospital = _sender(request, owner)
        said = read_report(await _body(request), coordinator.setting, hospital)
        # Nothing waits between the look and the writing, so no other report comes between them.
        answer = coordinator.accept(hospital, said)
        woken.set()
        return JSONResponse({"answer": answer})

    async def week(request: Request) -> Response:
        latest = coordinator.choices(1)[-1]
        facts = {"week": latest.week, "choice": latest.hospital, "of": coordinator.setting.weeks, "promise": promise}
        if "authorization" in request.headers:
            facts["reported"] = coordinator.reported(_sender(request, owner))
        return JSONResponse(facts, headers=_NOT_KEPT)

    async def held(request: Request) -> Response:
        return JSONResponse({"held": coordinator.held(_sender(request, owner))}, headers=_NOT_KEPT)

    async def draw(request: Request) -> Response:
        hospital = _sender(request, owner)
        return JSONResponse({"answer": coordinator.begin_draw(hospital, *read_mark(await _body(request)))})

    async def ahead(request: Request) -> Response:
        hospital = _sender(request, owner)
        said = read_week(await _body(request))
        before, answer = coordinator.put_back, coordinator.ahead(hospital, said)
        if coordinator.put_back > before:
            print(
                f"coordinator: {hospital} has reports of weeks after {said}, the open one. If the database was put "
                "back, this is as it should be: hospitals send again what is missing",
                file=sys.stderr, flush=True,
            )  # fmt: skip
        woken.set()
        return JSONResponse({"answer": answer})

    async def shown(request: Request) -> Response:
        return HTMLResponse(page(coordinator, answers), headers=HEADERS)

    async def measured(request: Request) -> Response:
        return Response(metrics(coordinator, answers), headers=_NOT_KEPT, media_type=TYPE)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        closing = asyncio.create_task(_close_weeks(coordinator, woken))
        closing.add_done_callback(_end_with)
        yield
        closing.cancel()

    app = Starlette(
        routes=[
            Route("/reports", report, methods=["POST"]),
            Route("/draws", draw, methods=["POST"]),
            Route("/ahead", ahead, methods=["POST"]),
            Route("/week", week, methods=["GET"]),
            Route("/held", held, methods=["GET"]),
            Route("/", shown, methods=["GET"]),
            Route("/metrics", measured, methods=["GET"]),
        ],
        exception_handlers={
            RefusedError: _refused,
            HTTPException: _no_such,
            ClientDisconnect: _gone,
            sqlite3.Error: _not_stored,
            Exception: _failed,
        },
        middleware=[Middleware(_Counting, answers)],
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    app.state.answers = answers
    return app


class _Counting:
    """Counts the answers of an application by their status."""

    def __init__(self, app: ASGIApp, answers: Counter[int]) -> None:
        self._app, self._answers = app, answers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._answers[message["status"]] += 1
            await send(message)

        await self._app(scope, receive, counted)


async def _close_weeks(coordinator: Coordinator, woken: asyncio.Event) -> None:
    """Close each week when it is due. A report may make it due."""
    while True:
        try:
            while coordinator.close_if_due():
                pass
            wait = coordinator.wait()
        except sqlite3.Error as error:  # nothing has changed; the disk may have room again in a second
            print(f"coordinator: nothing can be written ({error}); trying again", file=sys.stderr, flush=True)
            wait = 1.0
        woken.clear()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(woken.wait(), min(max(wait, 0.0), 3600.0))


def _end_with(closing: "asyncio.Task[None]") -> None:
    """End the process when weeks are closed no more, so that it is started again."""
    if not closing.cancelled():
        print(f"coordinator: weeks are closed no more ({closing.exception()!r})", file=sys.stderr, flush=True)
        signal.raise_signal(signal.SIGTERM)


def _sender(request: Request, owner: Callable[[str], str | None]) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    hospital = owner(token.strip()) if scheme.lower() == "bearer" else None
    if hospital is None:
        raise RefusedError(401, "No hospital has this token: send the header Authorization: Bearer <token>.")
    return hospital


async def _body(request: Request) -> bytes:
    body = bytearray()
    try:
        async with asyncio.timeout(SLOWEST):
            async for chunk in request.stream():
                body += chunk
                if len(body) > LARGEST:
                    raise RefusedError(413, f"The body is too large: a report has at most {LARGEST} bytes.")
    except TimeoutError:
        raise RefusedError(408, f"The body did not come within {SLOWEST:g} seconds: send it again.") from None
    return bytes(body)


def _error(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    return JSONResponse({"error": sentence}, status, headers)


async def _refused(request: Request, refusal: Any) -> Response:
    headers = {"WWW-Authenticate": "Bearer"} if refusal.status == 401 else {}
    if refusal.status in (408, 413):  # what is left of the body is not read
        headers["Connection"] = "close"
    return _error(refusal.status, refusal.sentence, headers)


async def _no_such(request: Request, error: Any) -> Response:
    sentence = "There is nothing here: POST /reports, /draws, /ahead, and GET /week, /held, /metrics, / are answered."
    return _error(error.status_code, sentence, error.headers)


async def _gone(request: Request, error: Exception) -> Response:
    return _error(400, "The body broke off: send the report again.")  # nobody may be there to read it


async def _not_stored(request: Request, error: Exception) -> Response:
    print(f"coordinator: {error}", file=sys.stderr, flush=True)
    return _error(503, _NOT_STORED)


async def _failed(request: Request, error: Exception) -> Response:
    request.app.state.answers[500] += 1  # it is not counted with the others, as it comes from further outside
    return _error(500, "The coordinator has an error of its own: send the report again later.")
