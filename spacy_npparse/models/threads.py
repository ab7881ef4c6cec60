"""Computation of small batches on one thread.

The OpenMP threads of torch wait for each other at the end of each operation. If the cores are busy
with other programs, each operation takes until the scheduler has run the last thread, and a text of
a few words takes hundreds of operations.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import torch

# The number of words up to which a batch is small. On an idle machine, two threads compute larger
# batches in two thirds of the time. For smaller ones, they would save only milliseconds.
SMALL_BATCH = 1000


@contextmanager
def threads_for(n_words: int) -> Iterator[None]:
    """Let torch compute a batch on one thread if it is small; see `one_thread`.

    Args:
        n_words: The number of words in the batch.
    """
    if n_words > SMALL_BATCH or torch.get_num_threads() == 1:
        yield
    else:
        with one_thread():
            yield


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch compute on one thread within the context, in the Python thread that enters it.

    Other Python threads, including new ones, keep their number of threads. `torch.set_num_threads`
    would also change the number for new threads.
    """
    # Torch sets the number of a new thread when it is first asked for it.
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
    """Find the functions that set the number of threads of OpenMP and of MKL for the calling
    thread. The latter returns the previous number."""
    library = ctypes.CDLL(torch._C.__file__)
    set_openmp = getattr(library, "omp_set_num_threads", None)
    # MKL uses the number of OpenMP unless `torch.set_num_threads` has given it one of its own.
    set_mkl = getattr(library, "MKL_Set_Num_Threads_Local", None)
    if set_openmp is None:
        # Windows does not find functions in the libraries that a library depends on.
        return torch.set_num_threads, lambda _: 0
    return set_openmp, set_mkl or (lambda _: 0)
