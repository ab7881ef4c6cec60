"""Features of possible multiword tokens, and the scores of rules that they give.

Most new tokens of a text are scored, although few are multiword tokens. For speed, weights are
looked up by hashes of the features' names. Only training makes strings of the names.
"""

from bisect import bisect_left

from libc.stdint cimport uint64_t
from libcpp.vector cimport vector

from spacy_npparse.tokenization.rules import lower

cdef enum:
    _LONGEST_AFFIX = 6
    _LONGEST_OF_STEM = 4
    # The maximum number of words that `n_beginning` counts.
    _MOST_WORDS = 4
# The number of features of neighbours by kind, the first letter of the name.
_OF_NEIGHBOURS = {"a": 1, "b": 1, "c": 2, "d": 2, "e": 1}

cdef struct _Weight:
    # The hash of the feature's name, 0 in free slots.
    uint64_t name
    double weight


cdef class Vocabulary:
    """The words of a treebank, in lower case.

    Args:
        counts: How often each token or word occurs by itself.
    """

    cdef dict counts
    cdef list types

    def __init__(self, dict counts):
        self.counts = counts
        self.types = sorted(counts)

    cpdef int known(self, str form, list seen):
        """Count a word in the treebank, up to 2, except its occurrences in `seen`."""
        cdef int n = self.counts.get(form, 0)
        return min(n - <int>seen.count(form) if seen else n, 2)

    cpdef int n_beginning(self, str form, list seen):
        """Count distinct words that begin with a form, up to `_MOST_WORDS`, except those that
        occur only in `seen`. Stems begin many words."""
        cdef int i, n = 0
        cdef str word
        for i in range(bisect_left(self.types, form), len(self.types)):
            word = self.types[i]
            if n == _MOST_WORDS or not word.startswith(form):
                break
            n += not seen or <int>self.counts[word] > <int>seen.count(word)
        return n


cdef class RuleScores:
    """The scores of rules for tokens.

    Args:
        rules: The rules.
        vocabulary: The words of the treebank.
        weights: The weights by feature: first those that all rules share, then those of each rule.
    """

    cdef list rules
    cdef Vocabulary vocabulary
    cdef vector[vector[_Weight]] weights
    # For each table of weights, an upper bound of what features of neighbours add to a score.
    cdef vector[double] most
    # The numbers of rules by suffix and prefix. As in a trie, the keys include all ends of suffixes
    # and all beginnings of prefixes.
    cdef dict by_affixes
    # The concatenated names of a token's features, and the end of each.
    cdef vector[Py_UCS4] names
    cdef vector[int] ends

    def __init__(self, rules, Vocabulary vocabulary, weights):
        self.rules = list(rules)
        self.vocabulary = vocabulary
        self.by_affixes = {}
        self.weights.resize(len(weights))
        for place, by_name in enumerate(weights):
            self.most.push_back(_most(by_name))
            # The size is a power of two, and at most half of the slots are used.
            self.weights[place].resize(2 << len(by_name).bit_length())
            for name, weight in by_name.items():
                self.weights[place][_slot(self.weights[place], _hash(name))] = [_hash(name), weight]
        for number, rule in enumerate(self.rules):
            for i in range(len(rule.suffix), -1, -1):
                by_prefix = self.by_affixes.setdefault(rule.suffix[i:], {})
            for i in range(len(rule.prefix) + 1):
                numbers = by_prefix.setdefault(rule.prefix[:i], [])
            numbers.append(number)

    def fitting(self, str low):
        """Find the rules that fit a token and whose stem is not empty.

        Args:
            low: The token in lower case.

        Returns:
            A list of the rules' numbers and the stems.
        """
        cdef int begin, end, number
        cdef str stem
        cdef dict by_prefix
        cdef list numbers, found = []
        for end in range(len(low), -1, -1):
            by_prefix = self.by_affixes.get(low[end:])
            if by_prefix is None:
                break
            for begin in range(end + 1):
                numbers = by_prefix.get(low[:begin])
                if numbers is None:
                    break
                for number in numbers:
                    rule = self.rules[number]
                    stem = rule.beginning + low[begin:end] + rule.ending
                    if stem:
                        found.append((number, stem))
        return found

    def candidates(self, str form):
        """Find the rules that may split a token: those that fit, and that some neighbours would
        make better than no split.

        Args:
            form: The token.

        Returns:
            The numbers of the rules, and their scores without the features of neighbours.
        """
        cdef int number
        cdef str stem, low = lower(form)
        cdef double score
        cdef list found = []
        for number, stem in self.fitting(low):
            self.begin()
            self.ends.push_back(0)
            self.add_token(number, low, stem, [])
            self.add_case(form)
            score = self.total(number)
            if score + (self.most[0] + self.most[number + 1]) > 0:
                found.append((number, score))
        return tuple(found)

    def best(self, tuple candidates, str before, str after):
        """Find the best rule for a token in context.

        Args:
            candidates: The token's rules, from `candidates`.
            before: The token before, empty if there is none.
            after: The token after, empty if there is none.

        Returns:
            The number of the rule; None if no split scores higher.
        """
        cdef int number
        cdef double score, added, highest = 0
        cdef str low_before = lower(before), low_after = lower(after)
        best = None
        for number, score in candidates:
            self.begin()
            self.add_before(low_before)
            added = self.total(number)
            self.begin()
            self.add_after(low_after)
            score += added + self.total(number)
            if score > highest:
                best, highest = number, score
        return best

    def features(self, int number, str stem, str form, list seen, str before, str after):
        """List the names of the features of a token and a rule.

        Args:
            number: The number of the rule.
            stem: The stem by this rule.
            form: The token.
            seen: The words that this token contributed to the vocabulary.
            before: The token before, empty if there is none.
            after: The token after, empty if there is none.

        Returns:
            The names, without the empty one.
        """
        cdef int i, end, begin = 0
        self.begin()
        self.add_token(number, lower(form), stem, seen)
        self.add_before(lower(before))
        self.add_after(lower(after))
        self.add_case(form)
        found = []
        for end in self.ends:
            found.append("".join([chr(self.names[i]) for i in range(begin, end)]))
            begin = end
        return found

    cdef void begin(self) noexcept:
        self.names.clear()
        self.ends.clear()

    cdef void add(self, Py_UCS4 kind, str word, int begin, int end) noexcept:
        """Add a feature: its name is its kind, followed by a slice of a word."""
        cdef int i
        self.names.push_back(kind)
        for i in range(max(begin, 0), min(end, <int>len(word))):
            self.names.push_back(word[i])
        self.ends.push_back(self.names.size())

    cdef void add_token(self, int number, str low, str stem, list seen):
        cdef int i, size = len(low), size_of_stem = len(stem)
        cdef int longest = min(size, _LONGEST_AFFIX)
        cdef int longest_of_stem = min(size_of_stem, _LONGEST_OF_STEM)
        cdef Vocabulary words = self.vocabulary
        cdef int n_low = words.n_beginning(low, seen)
        cdef int n_stem = n_low if stem == low else words.n_beginning(stem, seen)
        # Each number has one digit.
        cdef str numbers = (
            f"{words.known(stem, seen)} {words.known(low, seen)} {n_stem} {min(n_low, 2)}"
        )
        self.add(u"k", numbers, 0, 3)
        self.add(u"q", numbers, 0, 7)
        for i in range(1, longest + 1):
            self.add(u"s", low, size - i, size)
        for i in range(1, longest_of_stem + 1):
            self.add(u"t", stem, size_of_stem - i, size_of_stem)
        if self.rules[number].prefix:
            for i in range(1, longest + 1):
                self.add(u"p", low, 0, i)
            for i in range(1, longest_of_stem + 1):
                self.add(u"r", stem, 0, i)
        self.add(u"l", f"{min(size_of_stem, 6)}", 0, 1)

    cdef void add_case(self, str form):
        cdef str case = f"{form[:1].isupper()}"
        self.add(u"u", case, 0, len(case))

    cdef void add_before(self, str low) noexcept:
        cdef int i, size = len(low)
        self.add(u"b", low, 0, size)
        for i in range(2, 4):
            self.add(u"c", low, size - i, size)

    cdef void add_after(self, str low) noexcept:
        cdef int i, size = len(low)
        self.add(u"a", low, 0, size)
        self.add(u"e", low, 0, 1)
        for i in range(2, 4):
            self.add(u"d", low, size - i, size)

    cdef double total(self, int number) noexcept:
        """The sum of the weights of the features that have been added."""
        cdef double shared = 0, own = 0
        cdef uint64_t name
        cdef int i, end, begin = 0
        for end in self.ends:
            name = _FIRST
            for i in range(begin, end):
                name = _hashed(name, self.names[i])
            shared += self.weights[0][_slot(self.weights[0], name)].weight
            own += self.weights[number + 1][_slot(self.weights[number + 1], name)].weight
            begin = end
        return shared + own


# FNV-1a, of code points.
cdef uint64_t _FIRST = 0xCBF29CE484222325
cdef uint64_t _PRIME = 0x100000001B3


cdef inline uint64_t _hashed(uint64_t name, Py_UCS4 character) noexcept:
    """Extend the hash of a name by one character."""
    return (name ^ <uint64_t>character) * _PRIME


cdef uint64_t _hash(str name):
    cdef uint64_t found = _FIRST
    for character in name:
        found = _hashed(found, character)
    return found


cdef inline size_t _slot(const vector[_Weight]& table, uint64_t name) noexcept:
    """Find the slot of a name in a hash table, or the free slot for it."""
    cdef size_t last = table.size() - 1, i = name & last
    while table[i].name and table[i].name != name:
        i = (i + 1) & last
    return i


def _most(weights):
    """Bound the sum of the weights of neighbours' features from above."""
    highest = dict.fromkeys(_OF_NEIGHBOURS, 0.0)
    for feature, weight in weights.items():
        kind = feature[:1]
        if kind in highest:
            highest[kind] = max(highest[kind], weight)
    return sum([n * highest[kind] for kind, n in _OF_NEIGHBOURS.items()])
