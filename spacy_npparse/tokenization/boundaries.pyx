"""The ends of tokens by a GRU over characters, window by window as in UDPipe 1.

The network reads windows of at most `window` characters, where a run of white space counts as one.
A full window decides on its characters up to the last end of a token that is not among its last
five characters, if this end is in its second half, otherwise on its first half. The next window
begins where these decisions end. At each beginning of a token, the program first looks for an
address.

Source: Straka and Straková (2017, section 2.1), as implemented by UDPipe 1.
"""

import numpy as np

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from spacy_npparse.tokenization.addresses import ADDRESS_CHARACTERS, LONGEST_ADDRESS, address_end


cdef extern from "gru.h" namespace "npparse" nogil:
    cdef struct GruWeights:
        const float* inputs
        const float* gates
        const float* candidates
        const float* outputs
        const float* bias
    void find_ends(
        const GruWeights& w, int size, const int32_t* rows, int n, float* states, uint8_t* is_end
    )

cdef enum:
    # The row of white space.
    _SPACE = 1
    # The last characters of a full window, on which it does not decide.
    _UNDECIDED = 5
    _ASCII = 128
    _FULL_STOP = 46
    _NEWLINE = 10
    _RETURN = 13

cdef Py_ssize_t _longest_address = LONGEST_ADDRESS
# The characters that may be in addresses, and those of them that are letters or digits.
cdef uint8_t[_ASCII] _in_addresses
cdef uint8_t[_ASCII] _alphanumeric
for _code, _char in enumerate(map(chr, range(_ASCII))):
    _in_addresses[_code] = _char in ADDRESS_CHARACTERS
    _alphanumeric[_code] = _char.isalnum()


cdef class BoundaryNetwork:
    """A trained network.

    Args:
        inputs, gates, candidates, outputs, bias: float32 arrays, see `GruWeights` in gru.h. The
            second row of `inputs` is that of white space.
        window: The length of a window.
        allow_spaces: Whether tokens may have white space inside.
        no_addresses: Strings in lower case that look like addresses, but are tokenized by the
            network.
    """

    cdef const float[:, :, :, ::1] inputs
    cdef const float[:, :, :, ::1] gates
    cdef const float[:, :, ::1] candidates
    cdef const float[:, :, ::1] outputs
    cdef const float[::1] bias
    cdef GruWeights weights
    cdef int size
    cdef int window
    cdef bint allow_spaces
    cdef frozenset no_addresses

    def __init__(
        self, inputs, gates, candidates, outputs, bias, int window, bint allow_spaces, no_addresses
    ):
        self.inputs, self.gates, self.candidates = inputs, gates, candidates
        self.outputs, self.bias = outputs, bias
        self.weights.inputs = &self.inputs[0, 0, 0, 0]
        self.weights.gates = &self.gates[0, 0, 0, 0]
        self.weights.candidates = &self.candidates[0, 0, 0]
        self.weights.outputs = &self.outputs[0, 0, 0]
        self.weights.bias = &self.bias[0]
        self.size = candidates.shape[1]
        self.window, self.allow_spaces = window, allow_spaces
        self.no_addresses = no_addresses

    def tokens(self, str text, const uint32_t[::1] codes, const int32_t[::1] rows):
        """Find the tokens of a text.

        Args:
            text: The text.
            codes: uint32 [n_characters], its characters.
            rows: int32 [n_characters], the row of `inputs` for each character.

        Returns:
            int32 [n_tokens, 2], the start and the end (exclusive) of each token. Together, the
            tokens contain all characters that are not white space.
        """
        cdef vector[int32_t] bounds
        cdef _Window window = _Window(self, codes, rows)
        while window.end < codes.shape[0]:
            window.begin_piece(window.end)
            window.find_tokens(text, bounds)
        found = np.empty((bounds.size() // 2, 2), dtype=np.int32)
        cdef int32_t[:, ::1] result = found
        if bounds.size():
            memcpy(&result[0, 0], bounds.data(), bounds.size() * sizeof(int32_t))
        return found


cdef class _Window:
    """The window of a text that the network has read last."""

    cdef BoundaryNetwork network
    cdef const uint32_t[::1] codes
    cdef const int32_t[::1] rows
    # The beginning of the piece of text that is being read.
    cdef int32_t begin
    cdef int32_t end
    # For each character, its place in the text, its row, and whether it ends a token. The last
    # entry is the place where the window ends, and the row of white space at the end of a piece.
    cdef vector[int32_t] places
    cdef vector[int32_t] window_rows
    cdef vector[uint8_t] is_end
    cdef vector[float] states
    # The next character, and the first on which the window does not decide.
    cdef int next
    cdef int n_decided

    def __init__(self, BoundaryNetwork network, codes, rows):
        self.network, self.codes, self.rows = network, codes, rows
        self.places.resize(network.window + 1)
        self.window_rows.resize(network.window + 1)
        self.is_end.resize(network.window + 1)
        self.states.resize((network.window + 1) * 2 * network.size)
        self.end = 0

    cdef void begin_piece(self, int32_t begin) noexcept:
        """Read the piece from a place up to the end of the text, or to the next cut."""
        cdef int32_t run = 0
        self.begin = self.end = begin
        self.next = self.n_decided = 0
        while self.end < self.codes.shape[0]:
            run = run + 1 if _is_in_addresses(self.codes[self.end]) else 0
            if run > _longest_address:
                break
            self.end += 1

    cdef void find_tokens(self, str text, vector[int32_t]& bounds) except *:
        """Append the bounds of the tokens of the piece."""
        cdef int32_t place = self.begin, start
        while place < self.end and self.rows[place] == _SPACE:
            place += 1
        while place < self.end:
            if self.rows[place] == _SPACE:
                self.advance(&place)
                continue
            start = place
            if self.may_begin_address(place):
                place = address_end(text, place, self.end)
                if text[start:place].lower() in self.network.no_addresses:
                    place = start
            if place > start:
                self.skip_to(place)
            else:
                while not self.advance(&place) and place < self.end:
                    pass
            bounds.push_back(start)
            bounds.push_back(place)

    cdef bint may_begin_address(self, int32_t place) noexcept:
        """Check whether all characters may be in an address up to a full stop between letters or
        digits."""
        cdef int32_t i
        for i in range(place, self.end - 1):
            if not _is_in_addresses(self.codes[i]):
                return False
            if self.codes[i] == _FULL_STOP and i > place and _is_alphanumeric(self.codes[i - 1]):
                if _is_alphanumeric(self.codes[i + 1]):
                    return True
        return False

    cdef bint advance(self, int32_t* place) noexcept:
        """Move to the next character. Returns whether the current one ends a token."""
        if self.next >= self.n_decided:
            self.read(place[0])
        self.next += 1
        place[0] = self.places[self.next]
        return self.is_end[self.next - 1]

    cdef void skip_to(self, int32_t place) noexcept:
        """Skip an address."""
        while self.next < self.n_decided and self.places[self.next] < place:
            self.next += 1

    cdef void read(self, int32_t place) noexcept:
        """Read the window that begins at a place."""
        cdef int length = 0, n_rows, i
        while place < self.end and length < self.network.window:
            self.places[length] = place
            self.window_rows[length] = self.rows[place]
            length += 1
            place += 1
            while place < self.end and self.rows[place] == self.rows[place - 1] == _SPACE:
                place += 1
        self.places[length] = place
        n_rows = length
        if length < self.network.window and self.window_rows[length - 1] != _SPACE:
            self.window_rows[length] = _SPACE
            n_rows += 1
        find_ends(
            self.network.weights,
            self.network.size,
            self.window_rows.data(),
            n_rows,
            self.states.data(),
            self.is_end.data(),
        )
        for i in range(length - 1):
            if self.window_rows[i + 1] == _SPACE and not self.is_end[i]:
                self.is_end[i] = self.is_end_before_space(i, length)
        self.next = 0
        self.n_decided = length
        if length == self.network.window:
            self.n_decided -= _UNDECIDED
            while self.n_decided > length // 2:
                self.n_decided -= 1
                if self.is_end[self.n_decided]:
                    break

    cdef bint is_end_before_space(self, int i, int length) noexcept:
        """Check whether the i-th character of a window, before white space, ends a token. It always
        does, unless tokens may have white space inside, and the white space is neither the end of a
        token, nor the end of the window, nor a blank line."""
        if not self.network.allow_spaces or self.is_end[i + 1] or i + 2 == length:
            return True
        cdef int32_t j, begin = self.places[i + 1], end = self.places[i + 2]
        for j in range(begin, end - 1):
            if self.codes[j] == self.codes[j + 1] == _NEWLINE:
                return True
            if j + 3 < end and self.is_line_end(j) and self.is_line_end(j + 2):
                return True
        return False

    cdef bint is_line_end(self, int32_t j) noexcept:
        return self.codes[j] == _RETURN and self.codes[j + 1] == _NEWLINE


cdef inline bint _is_in_addresses(uint32_t code) noexcept:
    return code < _ASCII and _in_addresses[code]


cdef inline bint _is_alphanumeric(uint32_t code) noexcept:
    return code < _ASCII and _alphanumeric[code]
