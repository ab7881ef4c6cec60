"""The transition systems by name.

Each entry is a class to be called with `single_root=True` or `False`. Other packages add theirs
through an entry point of the group `spacy_transition_systems`.
"""

import catalogue

from spacy_npparse.transitions.arc_hybrid import ArcHybrid
from spacy_npparse.transitions.arc_hybrid_swap import ArcHybridSwap
from spacy_npparse.transitions.arc_standard_swap import ArcStandardSwap

transition_systems = catalogue.create("spacy", "transition_systems", entry_points=True)

transition_systems.register("arc_hybrid", func=ArcHybrid)
transition_systems.register("arc_hybrid_swap", func=ArcHybridSwap)
transition_systems.register("arc_standard_swap", func=ArcStandardSwap)
