"""The option `--threads` of all commands that compute."""

from __future__ import annotations

import os
from typing import Annotated

import torch
import typer

_ENVIRONMENT = "OMP_NUM_THREADS"


def _use(context: typer.Context, number: int) -> int:
    """Set the number of torch's threads until the command ends, in this process and in those that
    it starts."""
    before, inherited = torch.get_num_threads(), os.environ.get(_ENVIRONMENT)

    def restore() -> None:
        torch.set_num_threads(before)
        if inherited is None:
            del os.environ[_ENVIRONMENT]
        else:
            os.environ[_ENVIRONMENT] = inherited

    torch.set_num_threads(number)
    os.environ[_ENVIRONMENT] = str(number)
    context.call_on_close(restore)
    return number


Threads = Annotated[
    int,
    typer.Option(
        min=1,
        callback=_use,
        help="Threads per process. More than one helps only if that many cores are idle.",
    ),
]
