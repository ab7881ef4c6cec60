"""Connections to clusters of Ray."""

from __future__ import annotations

import logging
import signal
import socket
import threading

from spacy_npparse.errors import UserError
from spacy_npparse.extras import RAY, optional_module

logger = logging.getLogger(__name__)

# The time in seconds that a cluster may take to answer.
_PATIENCE = 10


class ClusterError(UserError, RuntimeError):
    """A cluster that cannot be reached. The message has the remedy."""


class Cluster:
    """A connection to a Ray cluster.

    Args:
        address: The address of the cluster, as in `ray.init`; None for the cluster that this
            machine belongs to, or a new one of this machine alone. An existing connection is used.
        cpus: The number of cores that each worker needs. If no machine has them, a warning says so.
        gpus: The number of GPUs that each worker needs.

    Attributes:
        ray: The module `ray`.

    Raises:
        ClusterError: There is no cluster at the address.
        MissingExtraError: Ray is not installed.
    """

    def __init__(self, address: str | None, cpus: int, gpus: float) -> None:
        self.ray = optional_module(RAY)
        self._is_own = not self.ray.is_initialized()
        if self._is_own:
            self._connect(address)
        machines = [machine["Resources"] for machine in self.ray.nodes() if machine["Alive"]]
        if not any(one.get("CPU", 0) >= cpus and one.get("GPU", 0) >= gpus for one in machines):
            logger.warning(
                "No machine of the Ray cluster has %d CPUs and %g GPUs, as each worker needs. The "
                "work waits until one joins the cluster.",
                cpus,
                gpus,
            )

    def close(self) -> None:
        """Close the connection, unless it existed before."""
        if self._is_own:
            self.ray.shutdown()

    def _connect(self, address: str | None) -> None:
        handler = signal.getsignal(signal.SIGTERM)
        try:
            if address is not None:
                _check(address)
            self.ray.init(address, logging_level=logging.WARNING, log_to_driver=False)
        except (OSError, RuntimeError, ValueError) as error:
            raise ClusterError(
                f"There is no Ray cluster at {address} ({error}). Start one with `ray start "
                "--head`, or give no address: Ray then uses this machine."
            ) from error
        finally:
            # Ray has replaced our signal handler with its own.
            if threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGTERM, handler)


def _check(address: str) -> None:
    """Raise an OSError if the cluster does not answer. Ray would try for ten minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if port.isdecimal():
        socket.create_connection((host, int(port)), _PATIENCE).close()
