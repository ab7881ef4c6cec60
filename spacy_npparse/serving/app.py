"""The web application: its routes and their description, limits and access control."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Awaitable, Iterator, Sequence
from email.message import Message
from email.parser import BytesHeaderParser
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

from pydantic import ValidationError
from pydantic.json_schema import models_json_schema
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

import spacy_npparse
from spacy_npparse.errors import UserError
from spacy_npparse.serving.editor import Editor, TreeChange
from spacy_npparse.serving.parsing import ParseRequest
from spacy_npparse.serving.pipelines import RequestError, ServedPipeline
from spacy_npparse.serving.udpipe import ProcessRequest, capabilities, find_model
from spacy_npparse.visualisation.page import render, static

# The largest body of a request in bytes, as in UDPipe 2.
MOST_BYTES = 4 * 2**20
# Seconds that a request may take to arrive, and that its annotation may take.
ARRIVAL = 20.0
ANSWER = 120.0
_MOST_FIELDS = 100
_URLENCODED, _MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"
# The page may load only its own script.
_POLICY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; connect-src 'self'; "
    "style-src 'unsafe-inline'; img-src blob: data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
}
_ADDRESS = re.compile(r"([\d.]+|\[[\da-f:.]+\])(:\d+)?", re.IGNORECASE)
T = TypeVar("T")


def make_app(
    pipelines: Sequence[ServedPipeline],
    host: str,
    origins: Sequence[str] = (),
    editor: Editor | None = None,
) -> Starlette:
    """Make the application.

    Args:
        pipelines: The pipelines to serve. The first one is the default.
        host: The host name or address that the server listens on.
        origins: The origins of other web pages that may send requests, for CORS.
        editor: The editor for correcting a treebank; None if there is none.

    Returns:
        The application, for an ASGI server.
    """
    models = {one.name: capabilities(one) for one in pipelines}
    listed = {"models": models, "default_model": pipelines[0].name}

    async def process(request: Request) -> Response:
        asked = ProcessRequest.model_validate(await _form(request))
        pipeline = find_model(pipelines, asked.model)
        pieces = await asyncio.to_thread(asked.pieces, models[pipeline.name])
        found = await _within(ANSWER, pipeline.annotate(pieces), 503)
        result = await asyncio.to_thread(asked.result, found)
        source = [f"spacy_npparse {spacy_npparse.__version__}"]
        return JSONResponse({"model": pipeline.name, "acknowledgements": source, "result": result})

    async def parse(request: Request) -> Response:
        asked = ParseRequest.model_validate_json(await _json(request))
        pipeline = find_model(pipelines, asked.model)
        [found] = await _within(ANSWER, pipeline.annotate([asked.piece()]), 503)
        sentences = await asyncio.to_thread(asked.result, found)
        return JSONResponse({"model": pipeline.name, "sentences": sentences})

    def page(_: Request) -> Response:
        title = "Parse" if editor is None else f"Correct {editor.file.path.name}"
        summary = ", ".join(models)
        content = render("server.html", title=title, summary=summary, models=models, editor=editor)
        return HTMLResponse(content, headers=_POLICY)

    routes = [
        Route("/", page),
        Route("/server.js", lambda _: Response(static("server.js"), media_type="text/javascript")),
        Route("/openapi.json", lambda _: JSONResponse(_description())),
        Route("/models", lambda _: JSONResponse(listed), methods=["GET", "POST"]),
        Route("/process", process, methods=["GET", "POST"]),
        Route("/parse", parse, methods=["POST"]),
        *([] if editor is None else [_editor_route(editor)]),
    ]
    hosts = {host, "localhost", socket.gethostname()}
    hosts |= {urlsplit(origin).hostname or "" for origin in origins}
    middleware = [
        Middleware(_KnownHosts, allowed_hosts=sorted(hosts)),
        Middleware(CORSMiddleware, allow_origins=origins, allow_methods=["GET", "POST"]),
    ]
    kinds = (UserError, OSError, ValidationError, ClientDisconnect)
    return Starlette(False, routes, middleware, dict.fromkeys(kinds, _refused))


def _editor_route(editor: Editor) -> Route:
    async def sentence(request: Request) -> Response:
        number, width = (request.path_params[name] for name in ("number", "width"))
        if request.method == "POST":
            change = TreeChange.model_validate_json(await _json(request))
            number = await _within(ANSWER, asyncio.to_thread(editor.change, number, change), 503)
        return JSONResponse(await asyncio.to_thread(editor.show, number, max(100, width)))

    return Route("/editor/{number:int}/{width:int}", sentence, methods=["GET", "POST"])


def _description() -> dict[str, Any]:
    """Describe the requests by OpenAPI, from the models that validate them."""
    references, schemas = models_json_schema(
        [(ProcessRequest, "validation"), (ParseRequest, "validation")],
        ref_template="#/components/schemas/{model}",
    )
    responses = {"200": {"description": "JSON"}, "4XX": {"description": "The reason, as text"}}

    def posted(kind: type, *content: str) -> dict[str, Any]:
        schema = {"schema": references[kind, "validation"]}
        body = {"required": True, "content": dict.fromkeys(content, schema)}
        return {"post": {"summary": kind.__doc__, "requestBody": body, "responses": responses}}

    return {
        "openapi": "3.1.0",
        "info": {"title": "spacy_npparse", "version": spacy_npparse.__version__},
        "paths": {
            "/models": {"get": {"summary": "The models", "responses": responses}},
            "/process": posted(ProcessRequest, _MULTIPART, _URLENCODED),
            "/parse": posted(ParseRequest, "application/json"),
        },
        "components": {"schemas": schemas["$defs"]},
    }


async def _within(seconds: float, waited_for: Awaitable[T], status: int) -> T:
    try:
        return await asyncio.wait_for(waited_for, seconds)
    except asyncio.TimeoutError:
        reason = f"This takes more than {seconds:.0f} seconds. Send less at once, or try again."
        raise HTTPException(status, reason) from None


async def _received(request: Request) -> bytearray:
    """Receive the body of a request, up to `MOST_BYTES`."""
    body = bytearray()
    async for part in request.stream():
        # Clients read the response only after they have sent the whole body.
        if len(body) <= MOST_BYTES:
            body += part
    if len(body) > MOST_BYTES:
        raise HTTPException(413, f"The request has more than {MOST_BYTES:,} bytes.")
    return body


async def _json(request: Request) -> bytearray:
    """Receive a request in JSON, a content type that forms of other web pages cannot send."""
    body = await _within(ARRIVAL, _received(request), 408)
    kind = request.headers.get("Content-Type", "").partition(";")[0]
    if kind.strip().lower() != "application/json":
        raise RequestError("Send JSON, with the Content-Type application/json.")
    return body


async def _form(request: Request) -> dict[str, str]:
    """Read the parameters in the URL and in a form."""
    body = await _within(ARRIVAL, _received(request), 408)
    try:
        sent = await asyncio.to_thread(_fields, body, request.headers.get("Content-Type", ""))
    except ValueError as error:
        raise RequestError(f"The form cannot be read: {error}.") from None
    return {**request.query_params, **sent}


def _fields(body: bytearray, content: str) -> dict[str, str]:
    """Read the fields of a form by name. Starlette would write large ones to the disk."""
    if not body:
        return {}
    if content.startswith(_URLENCODED):
        return dict(parse_qsl(body.decode(), True, errors="strict", max_num_fields=_MOST_FIELDS))
    if not content.startswith(_MULTIPART):
        raise ValueError(f"{content!r} is not the Content-Type of a form")
    parts: list[Any] = list(_parts(body, content))
    names = [part.get_param("name", header="Content-Disposition") for part in parts]
    values = [part.get_payload(decode=True).decode() for part in parts]
    return dict(zip(map(str, names), values, strict=True))


def _parts(body: bytearray, content: str) -> Iterator[Message]:
    """Divide a form into its parts. The parser of emails would look for parts of parts, in time
    that grows with their depth."""
    header = Message()
    header["Content-Type"] = content
    boundary = re.escape((header.get_boundary() or "").encode())
    _, *parts = re.split(rb"\r?\n--%s(?=--|[ \t]*\r?\n)" % boundary, b"\n" + body)
    if not boundary or not parts or not parts[-1].startswith(b"--"):
        raise ValueError("its parts are malformed")
    if len(parts) > _MOST_FIELDS:
        raise ValueError(f"it has more than {_MOST_FIELDS} fields")
    for part in parts[:-1]:
        yield BytesHeaderParser().parsebytes(part.partition(b"\n")[2])


async def _refused(_: Request, error: Exception) -> Response:
    """Respond with the reason in plain text, as clients of UDPipe expect."""
    if isinstance(error, ValidationError):
        places = [[*map(str, one["loc"]), one["msg"]] for one in error.errors()[:3]]
        return PlainTextResponse("\n".join(map(": ".join, places)), 400)
    return PlainTextResponse(str(error), 400)


class _KnownHosts(TrustedHostMiddleware):
    """Accepts numerical addresses as well. DNS rebinding needs the host name of another page, which
    is never a numerical address."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _ADDRESS.fullmatch(Request(scope).headers.get("host", "")):
            await self.app(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)
