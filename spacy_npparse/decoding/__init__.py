"""Scores in, trees out: greedy decoding and oracle-guided roll-outs."""

from spacy_npparse.decoding.exploration import Exploration
from spacy_npparse.decoding.greedy import decode_greedy
from spacy_npparse.decoding.results import GreedyResult, RollOut
from spacy_npparse.decoding.rollout import roll_out
from spacy_npparse.decoding.tables import ScoreTables

__all__ = ["Exploration", "GreedyResult", "RollOut", "ScoreTables", "decode_greedy", "roll_out"]
