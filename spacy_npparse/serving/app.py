"""The web application: routes, limits, and who may ask."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import re
import socket
from collections.abc import Sequence
from email.message import Message
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

import spacy_npparse
from spacy_npparse.errors import UserError
from spacy_npparse.serving import udpipe
from spacy_npparse.serving.desk import Desk
from spacy_npparse.serving.parsing import ParseRequest
from spacy_npparse.serving.pipelines import BusyError, Piece, RequestError, ServedPipeline
from spacy_npparse.visualisation.page import render, static

# That of UDPipe 2, in bytes.
MOST_BYTES = 4 * 2**20
# Seconds until a request has to have arrived, and until it is answered.
ARRIVAL = 20.0
ANSWER = 120.0
# The page loads its own script, and nothing else.
_POLICY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; connect-src 'self'; "
    "style-src 'unsafe-inline'; img-src blob: data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
}
_FORM = "application/x-www-form-urlencoded"
_MULTIPART = "multipart/form-data"


def make_app(
    pipelines: Sequence[ServedPipeline],
    host: str,
    origins: Sequence[str] = (),
    desk: Desk | None = None,
) -> Starlette:
    """Make the application.

    Args:
        pipelines: All, that by default first.
        host: Of the address that it is served at.
        origins: Of other web pages that may ask, such as https://example.org.
        desk: Where a treebank is corrected; None if none is.

    Returns:
        The application, for an ASGI server.
    """

    async def models(_: Request) -> Response:
        return JSONResponse(udpipe.models(pipelines))

    async def process(request: Request) -> Response:
        parameters = await _parameters(request)
        pipeline = udpipe.find_model(pipelines, parameters.get("model"))
        asked = udpipe.Request.of(parameters, udpipe.capabilities(pipeline))
        found = await _annotated(pipeline, await run_in_threadpool(asked.pieces))
        return JSONResponse(
            {
                "model": pipeline.name,
                "acknowledgements": [f"spacy_npparse {spacy_npparse.__version__}"],
                "result": await run_in_threadpool(asked.result, found),
            }
        )

    async def parse(request: Request) -> Response:
        given = await json_of(request)
        name = given.pop("model", None) if isinstance(given, dict) else None
        pipeline = udpipe.find_model(pipelines, name)
        [found] = await _annotated(pipeline, [ParseRequest.of(given)])
        return JSONResponse({"model": pipeline.name, "sentences": found})

    async def openapi(_: Request) -> Response:
        return Response(_openapi(), media_type="application/json")

    async def page(_: Request) -> Response:
        names = [one.name for one in pipelines]
        return HTMLResponse(render("server.html", **_page(names, desk)), headers=_POLICY)

    async def script(_: Request) -> Response:
        return Response(static("tooltips.js") + static("server.js"), media_type="text/javascript")

    routes = [
        Route("/", page),
        Route("/server.js", script),
        Route("/openapi.json", openapi),
        Route("/parse", parse, methods=["POST"]),
        Route("/models", models, methods=["GET", "POST"]),
        Route("/process", process, methods=["GET", "POST"]),
    ]
    if desk is not None:
        routes += _desk_routes(desk)
    hosts = {host.lower(), "localhost", socket.gethostname().lower()}
    hosts |= {urlsplit(origin).hostname or "" for origin in origins}
    middleware = [Middleware(_OnlyOwnPages, hosts=hosts, origins=frozenset(origins))]
    if origins:
        allowed: dict[str, Any] = {
            "allow_origins": list(origins),
            "allow_methods": ["GET", "POST"],
            "allow_headers": ["Content-Type"],
        }
        middleware.insert(0, Middleware(CORSMiddleware, **allowed))
    return Starlette(
        routes=routes,
        middleware=middleware,
        exception_handlers={
            UserError: _refused,
            HTTPException: _refused,
            ClientDisconnect: _refused,
            Exception: _refused,
        },
    )


def _page(names: Sequence[str], desk: Desk | None) -> dict[str, Any]:
    """What the page is made of."""
    title = "Parse" if desk is None else f"Correct {desk.file.path.name}"
    return {
        "title": title,
        "summary": ", ".join(names),
        "models": names,
        "labels": None if desk is None else desk.labels,
    }


def _desk_routes(desk: Desk) -> list[Route]:
    async def overview(_: Request) -> Response:
        return JSONResponse(await run_in_threadpool(desk.overview))

    async def show(request: Request) -> Response:
        number, width = int(request.path_params["number"]), request.path_params["width"]
        return JSONResponse(await run_in_threadpool(desk.show, number, max(100, width)))

    async def act(request: Request) -> Response:
        given = await json_of(request)
        if not isinstance(given, dict):
            raise RequestError("Send a JSON object.")
        width = max(100, request.path_params["width"])
        try:
            return JSONResponse(await run_in_threadpool(desk.act, given, width))
        except (UserError, OSError) as error:
            shown = await run_in_threadpool(desk.show, given.get("sentence"), width)
            return JSONResponse({**shown, "problem": str(error)})

    return [
        Route("/desk", overview),
        Route("/desk/{number:int}/{width:int}", show),
        Route("/desk/{width:int}", act, methods=["POST"]),
    ]


async def _annotated(pipeline: ServedPipeline, pieces: Sequence[Piece]) -> list[Any]:
    """What a pipeline finds, unless it takes too long."""
    answer = asyncio.wrap_future(pipeline.submit(pieces))
    try:
        return await asyncio.wait_for(answer, ANSWER)
    except asyncio.TimeoutError:
        raise HTTPException(
            503, f"No answer within {ANSWER:.0f} seconds. Send less at once, or try again later."
        ) from None


async def body_of(request: Request) -> bytes:
    """Receive the body of a request.

    Args:
        request: The request.

    Raises:
        HTTPException: It is too large, or takes too long.
    """

    async def receive() -> bytes:
        body, size = bytearray(), 0
        async for part in request.stream():
            size += len(part)
            # Clients do not read an answer before they have sent all.
            if size <= MOST_BYTES:
                body += part
        if size > MOST_BYTES:
            raise HTTPException(413, f"The request has more than {MOST_BYTES:,} bytes.")
        return bytes(body)

    try:
        return await asyncio.wait_for(receive(), ARRIVAL)
    except asyncio.TimeoutError:
        raise HTTPException(
            408, f"The request has not arrived within {ARRIVAL:.0f} seconds."
        ) from None


async def json_of(request: Request) -> Any:
    """Receive a request in JSON.

    Args:
        request: The request.

    Raises:
        HTTPException: See `body_of`.
        RequestError: It is no JSON, or is not said to be.
    """
    body = await body_of(request)
    if request.headers.get("Content-Type", "").partition(";")[0] != "application/json":
        raise RequestError("Send JSON, with the Content-Type application/json.")
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RequestError(f"The request is no JSON: {error}.") from None


@cache
def _openapi() -> str:
    description = files(spacy_npparse.serving) / "openapi.json"
    return description.read_text(encoding="utf-8").replace("VERSION", spacy_npparse.__version__)


async def _parameters(request: Request) -> dict[str, str]:
    """Those of the address, and those of a form."""
    found = dict(parse_qsl(request.url.query, keep_blank_values=True))
    if request.method != "POST":
        return found
    body = await body_of(request)
    content = Message()
    content["Content-Type"] = request.headers.get("Content-Type", "")
    try:
        if content.get_content_type() == _MULTIPART:
            boundary = str(content.get_boundary(""))
            found |= await run_in_threadpool(_fields, body, boundary.encode())
        elif content.get_content_type() == _FORM:
            pairs = parse_qsl(
                body.decode(), keep_blank_values=True, errors="strict", max_num_fields=100
            )
            found |= dict(pairs)
        elif body:
            raise RequestError(
                f"The Content-Type {content['Content-Type']!r} is not supported. Send {_MULTIPART} "
                f"or {_FORM}."
            )
    except UnicodeDecodeError:
        raise RequestError("The request is not in UTF-8.") from None
    except ValueError as error:
        raise RequestError(f"The form cannot be read: {error}.") from None
    return found


def _fields(body: bytes, boundary: bytes) -> dict[str, str]:
    """The fields of a form, by name.

    Source: RFC 7578, and RFC 2046, section 5.1.1.
    """
    if not boundary:
        raise ValueError("the Content-Type has no boundary")
    first, *parts = (b"\r\n" + body).split(b"\r\n--" + boundary)
    if not parts or not parts.pop().startswith(b"--"):
        raise ValueError("its end is missing")
    found = {}
    for part in parts:
        head, separator, value = part.partition(b"\r\n\r\n")
        name = re.search(rb'(?i)^content-disposition:.*?\bname="?([^";\r\n]*)', head, re.MULTILINE)
        if not separator or not name:
            raise ValueError("a part has no name")
        found[name[1].decode()] = value.decode()
    return found


async def _refused(request: Request, error: Exception) -> Response:
    """Say why there is no answer. UDPipe's clients expect plain text."""
    if isinstance(error, HTTPException):
        return PlainTextResponse(error.detail, error.status_code, error.headers)
    if isinstance(error, BusyError):
        return PlainTextResponse(str(error), 503, {"Retry-After": "10"})
    if isinstance(error, UserError):
        return PlainTextResponse(str(error), 400)
    if isinstance(error, ClientDisconnect):
        return PlainTextResponse("The request was cut off.", 400)
    return PlainTextResponse("An internal error occurred; the log of the server has more.", 500)


class _OnlyOwnPages:
    """Answers no web page but those of this server: its address may be known to others, and their
    own names may lead here (DNS rebinding).

    Args:
        app: The application.
        hosts: Names by which the server may be called; so may be its numerical addresses.
        origins: Of other pages that may ask.
    """

    def __init__(self, app: ASGIApp, hosts: set[str], origins: frozenset[str]) -> None:
        self.app = app
        self._hosts = hosts
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (problem := self._problem(Request(scope))):
            await PlainTextResponse(problem, 403)(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _problem(self, request: Request) -> str:
        """Why a request is refused; empty if it is not."""
        host = request.headers.get("Host", "")
        name = urlsplit(f"//{host}").hostname or ""
        if name not in self._hosts and not _is_address(name):
            return f"This server is not called {name!r}."
        origin = request.headers.get("Origin")
        if origin in self._origins:
            return ""
        is_foreign = origin is not None and urlsplit(origin).netloc != host
        # Without an origin come pictures and links; a link to the page is fine.
        site = request.headers.get("Sec-Fetch-Site")
        if is_foreign or (site == "cross-site" and request.url.path != "/"):
            return f"Pages of {origin or 'other sites'} may not ask this server."
        return ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
