"""The scorer of transitions, from precomputed tables."""

import numpy as np

from spacy_npparse.transitions.system cimport KernelSystem

from spacy_npparse.decoding.score_shapes import check_arc_shapes


cdef class Scorer:
    """A feed-forward network over the configurations of a batch, whose first layer is precomputed.

    The hidden layer is the ReLU of the sum of the rows of the words at all positions of a
    configuration, plus the scores of the candidate arcs times their weights. The output layer
    scores the transitions.

    Args:
        system: A transition system.
        tables: The tables of scores, ScoreTables.
        lengths: int32 [n_sentences], the number of words of each sentence.

    Raises:
        ValueError: The shapes do not fit.

    Source: Chen and Manning (2014) for the precomputed first layer. The scores of arcs are our
    addition.
    """

    def __init__(self, KernelSystem system, tables, const int[::1] lengths):
        cdef const float[:, :, ::1] words = tables.words
        cdef const float[:, :, ::1] arcs = tables.arcs
        cdef const float[:, ::1] arc_weights = tables.arc_weights
        cdef const float[:, ::1] output_weights = tables.output_weights
        cdef const float[::1] output_bias = tables.output_bias
        cdef int width = <int>words.shape[2]
        cdef CandidateArc arc
        name = type(system).__name__
        words_of = np.asarray(lengths)
        check_arc_shapes(tables.arcs, words_of)
        if words.shape[1] != system.n_positions or width == 0:
            raise ValueError(
                f"the table of words has {words.shape[1]} positions of {width} hidden units, but "
                f"{name} looks at {system.n_positions}: {', '.join(system.position_names)}"
            )
        if (
            output_weights.shape[0] != system.n_transitions
            or output_weights.shape[1] != width
            or output_bias.shape[0] != system.n_transitions
        ):
            raise ValueError(
                f"output weights [{output_weights.shape[0]}, {output_weights.shape[1]}] and bias "
                f"[{output_bias.shape[0]}] do not fit the {system.n_transitions} transitions of "
                f"{name} and {width} hidden units"
            )
        if arc_weights.shape[0] != system.n_candidate_arcs or arc_weights.shape[1] != width:
            raise ValueError(
                f"arc weights [{arc_weights.shape[0]}, {arc_weights.shape[1]}] do not fit the "
                f"{system.n_candidate_arcs} candidate arcs of {name} and {width} hidden units"
            )
        self.n_words = int(words_of.sum())
        self.padding_row = self.n_words + <int>words_of.size
        if words.shape[0] != self.padding_row + 1:
            raise ValueError(
                f"the table of words has {words.shape[0]} rows, but the sentences need "
                f"{self.padding_row + 1}: one per word, one root per sentence, one for padding"
            )
        for dependent, head in system.candidate_arcs:
            arc.dependent = system.position_names.index(dependent)
            arc.head = system.position_names.index(head)
            self.candidate_arcs.push_back(arc)
        # The tables point into these arrays, which have to stay alive.
        self.arrays = (words, arcs, arc_weights, output_weights, output_bias)
        self.tables.words = &words[0, 0, 0]
        self.tables.arcs = &arcs[0, 0, 0]
        self.tables.arc_weights = &arc_weights[0, 0]
        self.tables.output_weights = &output_weights[0, 0]
        self.tables.output_bias = &output_bias[0]
        self.tables.n_positions = system.n_positions
        self.tables.n_arcs = system.n_candidate_arcs
        self.tables.n_transitions = system.n_transitions
        self.tables.width = width
        self.arcs_per_word = arcs.shape[2]
        self.arcs_per_sentence = arcs.shape[1] * arcs.shape[2]
        self.rows.resize(system.n_positions)
        self.arc_indices.resize(system.n_candidate_arcs)
        self.hidden.resize(width)
        self.scores.resize(system.n_transitions)
