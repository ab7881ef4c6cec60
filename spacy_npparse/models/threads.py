"""Small batches are computed on one thread.

The threads of OpenMP, which torch computes with, wait for each other at the end of each operation.
Where the cores are busy with other programs, an operation takes as long as the scheduler keeps the
last of them waiting, and a text of a few words takes hundreds of operations.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import torch

# Words. On an idle machine two threads compute larger batches in two thirds of the time, which for
# smaller ones saves milliseconds.
SMALL_BATCH = 1000


@contextmanager
def threads_for(n_words: int) -> Iterator[None]:
    """Let torch compute a batch on one thread if it is small; see `one_thread`.

    Args:
        n_words: Words of the batch.
    """
    if n_words > SMALL_BATCH:
        yield
    else:
        with one_thread():
            yield


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch compute on one thread within the context, in the Python thread that enters it.

    Other Python threads, and those that begin meanwhile, keep their number. That is why
    `torch.set_num_threads` does not serve: it also sets the number that threads begin with.
    """
    # Asking makes torch set the number of a thread that is new to it, which it would do later.
    before = torch.get_num_threads()
    if before == 1:
        yield
        return
    set_openmp, set_mkl = _setters()
    set_openmp(1)
    mkl_before = set_mkl(1)
    try:
        yield
    finally:
        set_openmp(before)
        set_mkl(mkl_before)


@cache
def _setters() -> tuple[Callable[[int], Any], Callable[[int], Any]]:
    """What set the number of threads of OpenMP and of MKL for the calling thread; the latter
    returns the number before."""
    library = ctypes.CDLL(torch._C.__file__)
    set_openmp = getattr(library, "omp_set_num_threads", None)
    # MKL follows OpenMP unless it has a number of its own, which `torch.set_num_threads` gives it.
    set_mkl = getattr(library, "MKL_Set_Num_Threads_Local", None)
    if set_openmp is None:
        # Windows does not look for functions in the libraries that a library depends on.
        return torch.set_num_threads, lambda _: 0
    return set_openmp, set_mkl or (lambda _: 0)
