from spacy_npparse.decoding.transition_based.scoring import Scorer
from spacy_npparse.transitions.system import KernelSystem

class ScoreCache:
    def __init__(self, system: KernelSystem, scorer: Scorer) -> None: ...
