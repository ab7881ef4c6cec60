"""The transition systems by name.

Each entry is a class to be called with `single_root=True` or `False`. Other packages add theirs
through an entry point of the group `spacy_transition_systems`.
"""

import catalogue

from spacy_npparse.transitions.arc_eager import (
    ArcEager,
    NonmonotonicArcEager,
    NonmonotonicLeftArcEager,
    NonmonotonicReduceArcEager,
)
from spacy_npparse.transitions.arc_hybrid import ArcHybrid
from spacy_npparse.transitions.arc_hybrid_swap import ArcHybridSwap
from spacy_npparse.transitions.arc_standard import ArcStandard
from spacy_npparse.transitions.arc_standard_swap import ArcStandardSwap
from spacy_npparse.transitions.attardi import Attardi, AttardiDegree3
from spacy_npparse.transitions.covington import Covington, NonmonotonicCovington
from spacy_npparse.transitions.mh4 import MH4
from spacy_npparse.transitions.stay_eager_swap import StayEagerSwap
from spacy_npparse.transitions.two_planar import TwoPlanar

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
