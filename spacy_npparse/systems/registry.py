"""The registry of transition systems.

An entry is a subclass of `KernelSystem`, which is called with `single_root=True` or `False`. Other
packages add entries with the entry point group `spacy_transition_systems`.
"""

from __future__ import annotations

import catalogue

from spacy_npparse.systems.arc_eager import ArcEager
from spacy_npparse.systems.arc_hybrid import ArcHybrid
from spacy_npparse.systems.arc_hybrid_swap import ArcHybridSwap
from spacy_npparse.systems.arc_standard import ArcStandard
from spacy_npparse.systems.arc_standard_swap import ArcStandardSwap
from spacy_npparse.systems.attardi import Attardi, AttardiDegree3
from spacy_npparse.systems.covington import Covington
from spacy_npparse.systems.mh4 import MH4
from spacy_npparse.systems.nonmonotonic_arc_eager import (
    NonmonotonicArcEager,
    NonmonotonicLeftArcEager,
    NonmonotonicReduceArcEager,
)
from spacy_npparse.systems.nonmonotonic_covington import NonmonotonicCovington
from spacy_npparse.systems.stay_eager_swap import StayEagerSwap
from spacy_npparse.systems.two_planar import TwoPlanar
from spacy_npparse.transitions.interface import TransitionSystem

transition_systems = catalogue.create("spacy", "transition_systems", entry_points=True)

transition_systems.register("arc_standard", func=ArcStandard)
transition_systems.register("arc_eager", func=ArcEager)
transition_systems.register("arc_hybrid", func=ArcHybrid)
transition_systems.register("nonmonotonic_arc_eager", func=NonmonotonicArcEager)
transition_systems.register("nonmonotonic_arc_eager_left", func=NonmonotonicLeftArcEager)
transition_systems.register("nonmonotonic_arc_eager_reduce", func=NonmonotonicReduceArcEager)
transition_systems.register("arc_standard_swap", func=ArcStandardSwap)
transition_systems.register("arc_hybrid_swap", func=ArcHybridSwap)
transition_systems.register("stay_eager_swap", func=StayEagerSwap)
transition_systems.register("attardi", func=Attardi)
transition_systems.register("attardi_3", func=AttardiDegree3)
transition_systems.register("covington", func=Covington)
transition_systems.register("nonmonotonic_covington", func=NonmonotonicCovington)
transition_systems.register("mh4", func=MH4)
transition_systems.register("two_planar", func=TwoPlanar)


def get_transition_system(name: str, single_root: bool = True) -> TransitionSystem:
    """Find a transition system by its name in the registry.

    Args:
        name: The name of a system, one of `transition_systems`.
        single_root: Whether the root has exactly one dependent. False for the system of the paper,
            which has no such precondition.

    Raises:
        ValueError: No system has this name.
    """
    try:
        make = transition_systems.get(name)
    except catalogue.RegistryError:
        known = ", ".join(sorted(transition_systems.get_all()))
        raise ValueError(f"no transition system {name!r}; choose one of: {known}") from None
    return TransitionSystem(name, make(single_root=single_root))
