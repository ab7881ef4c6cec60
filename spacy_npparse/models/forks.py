"""A safeguard against deadlocks of `nlp.pipe(n_process=2)` where processes are forked."""

from __future__ import annotations

import os
from functools import cache
from typing import Any
from weakref import WeakSet

import torch
from typing_extensions import Self

_users: WeakSet[ForkSafe] = WeakSet()


class ForkSafe:
    """A part of a thinc model that runs torch on the CPU. While one exists, forked children run
    torch on one thread.

    A child process inherits the OpenMP pool of its parent without its threads, and would wait for
    them forever. A single thread needs no pool.
    """

    def __new__(cls, *_arguments: Any, **_settings: Any) -> Self:
        # Unpickling and copying create objects without calling `__init__`.
        user = super().__new__(cls)
        _users.add(user)
        _register_at_fork()
        return user


@cache
def _register_at_fork() -> None:
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_use_one_thread)


def _use_one_thread() -> None:
    if _users:
        torch.set_num_threads(1)
