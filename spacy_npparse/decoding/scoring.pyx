"""Scores of transitions from precomputed rows."""

import numpy as np

from spacy_npparse.transitions.system cimport TransitionSystem


cdef class Scorer:
    """The transition scorer over one batch: a hidden layer whose first part is precomputed.

    The hidden layer of a configuration is ReLU of the sum, over its positions, of the table row
    of the word at that position; its scores are the output layer on top.

    Arguments as for `decode_greedy`. Raises ValueError unless their shapes fit each other.
    """

    def __init__(
        self,
        TransitionSystem system,
        const float[:, :, ::1] table,
        const float[:, ::1] output_weights,
        const float[::1] output_bias,
        const int[::1] lengths,
    ):
        cdef int width = <int>table.shape[2]
        name = type(system).__name__
        if table.shape[1] != system.n_positions or width == 0:
            raise ValueError(
                f"the score table has {table.shape[1]} positions of {width} hidden units, but "
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
        words_of = np.asarray(lengths)
        if words_of.size and words_of.min() < 0:
            raise ValueError("a sentence has a negative number of words")
        self.n_words = int(words_of.sum())
        self.padding_row = self.n_words + <int>lengths.shape[0]
        if table.shape[0] != self.padding_row + 1:
            raise ValueError(
                f"the score table has {table.shape[0]} rows, but the sentences need "
                f"{self.padding_row + 1}: one per word, one root per sentence, one for padding"
            )
        self.table = table
        self.output_weights = output_weights
        self.output_bias = output_bias
        self.hidden.resize(width)
        self.rows.resize(system.n_positions)
        self.scores.resize(system.n_transitions)
