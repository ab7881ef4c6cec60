"""Work on several processes or machines, and its clean end. This package does not depend on
parsing."""

from spacy_npparse.scaling.ray_cluster import ClusterError
from spacy_npparse.scaling.ray_tasks import RayTasks
from spacy_npparse.scaling.tasks import Executor, LostProcessError
from spacy_npparse.scaling.termination import cleaning_up_on_termination
from spacy_npparse.scaling.workers import Workers

__all__ = [
    "ClusterError",
    "Executor",
    "LostProcessError",
    "RayTasks",
    "Workers",
    "cleaning_up_on_termination",
]
