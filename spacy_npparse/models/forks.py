"""What keeps `nlp.pipe(n_process=2)` from a deadlock where processes are forked."""

from __future__ import annotations

import os
from functools import cache
from typing import Any
from weakref import WeakSet

import torch
from typing_extensions import Self

_users: WeakSet[ForkSafe] = WeakSet()


class ForkSafe:
    """Part of a thinc model that runs torch on the CPU. As long as there is one, forked children
    run torch with one thread.

    A child inherits the OpenMP pool of its parent without the threads, for which it would wait
    forever; one thread needs no pool.
    """

    def __new__(cls, *_arguments: Any, **_settings: Any) -> Self:
        # Unpickling and copying create objects without `__init__`.
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
