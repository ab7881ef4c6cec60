"""`serve`: an HTTP server for parsers."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from spacy_npparse.cli._app import app, fail, user_errors
from spacy_npparse.cli._pipeline import Code, GpuId, Treebank, load_parser
from spacy_npparse.cli._threads import Threads
from spacy_npparse.extras import STARLETTE, UVICORN, optional_module

Models = Annotated[
    list[str],
    typer.Argument(
        metavar="MODEL",
        help="Folders of trained pipelines (DIR/model-best), or installed packages; the first is "
        "the default.",
    ),
]
Host = Annotated[
    str, typer.Option(help="Address to listen on. By default, only this machine can connect.")
]
Port = Annotated[
    int, typer.Option(min=0, max=65535, help="Port to listen on; 0 selects a free port.")
]
Edit = Annotated[
    Path | None,
    typer.Option(metavar="FILE.conllu", help="Treebank to correct on the page."),
]
Origins = Annotated[
    list[str] | None,
    typer.Option(
        "--origin",
        help="Also accept requests from web pages of this origin; repeat the option for more.",
    ),
]


@app.command()
@user_errors
def serve(
    model: Models,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    edit: Edit = None,
    origin: Origins = None,
    gpu_id: GpuId = -1,
    threads: Threads = 1,
    treebank: Treebank = None,
    code: Code = None,
) -> None:
    """Serve pipelines over HTTP.

    The server provides a page that draws trees, the REST interface of UDPipe, and parsing with
    constraints under /parse. Requests select a MODEL by the name of its training folder or of its
    package. With --edit, you can correct a treebank on the page; after each correction, the first
    MODEL parses again what you have not confirmed. To stop the server, press Ctrl-C or send
    SIGTERM.

    Examples:

    \b
      python -m spacy_npparse serve training/gothic/model-best
      python -m spacy_npparse serve training/gothic/model-best --edit got-ud-dev.conllu
      curl -F data=@news.txt -F tokenizer= -F tagger= -F parser= localhost:8000/process
    """
    origins = [_checked_origin(one) for one in origin or []]
    uvicorn = optional_module(UVICORN)
    optional_module(STARLETTE)
    from spacy_npparse.serving.app import make_app
    from spacy_npparse.serving.editor import Editor
    from spacy_npparse.serving.pipelines import ServedPipeline

    # Kernels that torch compiles for each new length of a batch would fill the memory.
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "128")
    # The name `model-best` does not tell models apart.
    paths = [Path(os.path.abspath(one)) for one in model]
    names = [path.parent.name if path.name.startswith("model-") else path.name for path in paths]
    if len({*names}) < len(names):
        fail(f"Models have the same name. Give links with other names to their folders: {names}")
    _check_port(host, port)
    loaded = [load_parser(one, gpu_id, code, treebank) for one in model]
    served = [ServedPipeline(name, nlp) for name, nlp in zip(names, loaded, strict=True)]
    editor = None if edit is None else Editor(edit, served[0])
    uvicorn.run(
        make_app(served, host, origins, editor),
        host=host,
        port=port,
        access_log=False,
        server_header=False,
        limit_concurrency=200,
        timeout_graceful_shutdown=10,
    )


def _check_port(host: str, port: int) -> None:
    """Check that the server can listen on a port, before pipelines are loaded."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        reason = f"Cannot listen on {host}, port {port}: {error.strerror}"
        fail(f"{reason}. Give another --host or --port.")


def _checked_origin(origin: str) -> str:
    """Check that a browser can send an origin, and write it as browsers do."""
    parts = urlsplit(origin.removesuffix("/"))
    if origin != "*" and (not parts.netloc or parts.geturl() != f"{parts.scheme}://{parts.netloc}"):
        fail(f"--origin {origin}: Give SCHEME://HOST or SCHEME://HOST:PORT, as browsers send it.")
    return parts.geturl().lower()
