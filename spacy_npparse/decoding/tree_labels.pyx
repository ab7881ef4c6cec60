"""The search for the best labels of a tree's arcs under rules that make labels depend on each
other.

A label may be unique: among the dependents of a word, at most one label of each group occurs. A
label of a word may also exclude some labels of its dependents.

The labels of subtrees are found from the leaves to the root. For each class of labels that a word
may have, the search finds the best labels below it. Labels of the same class exclude the same
labels of dependents. Given the class, each dependent has a value for each of its labels: the score
of the label, plus that of the best labels below the dependent with that label. The dependents of a
word are then assigned to groups, each to one group or to none. If the best label of each dependent
is free or in a group of its own, this is the assignment. Otherwise, it is found as an assignment
problem (assignment.h).

Each rule has a cost, which is subtracted from the scores each time the rule is broken. Rules with
the cost `UNBROKEN` are broken as few times as possible: each time costs more than all scores of the
sentence together.
"""

import numpy as np

from libc.math cimport INFINITY
from libcpp.vector cimport vector

cdef extern from "assignment.h" namespace "npparse" nogil:
    cppclass Assignment:
        void solve(
            const vector[double]& free_values, const vector[double]& group_values, int n_groups
        ) except +
        int group_of(int item)

# The lower bound to which scores are clamped.
LEAST_SCORE = -1e4
cdef double _LEAST_SCORE = LEAST_SCORE

# The cost of a rule that no scores outweigh. Other costs are lower.
UNBROKEN = 100.0
cdef double _UNBROKEN = UNBROKEN


def best_tree_labels(
    const float[:, ::1] scores,
    const float[:, ::1] costs,
    const int[::1] heads,
    const int[::1] lengths,
    const int[::1] groups,
    const float[::1] group_costs,
    const int[::1] classes,
    const float[:, ::1] excluded,
):
    """Find the labels that break the fewest rules with the cost `UNBROKEN` and, among these, those
    with the highest score after the costs of other rules that they break.

    Args:
        scores: float32 [n_words, n_labels], the log-probabilities of labels. They are clamped to at
            least `LEAST_SCORE`, and NaN counts as the lowest score.
        costs: float32 [n_words, n_labels], the cost of the rule that a label breaks by itself, 0
            for none; infinite for a label that is used only if all labels of the word cost as much.
        heads: int32 [n_words], the heads of trees within the sentences, 0 for the root.
        lengths: int32 [n_sentences], the number of words of each sentence.
        groups: int32 [n_labels], the group of unique labels that each label belongs to, -1 for
            none.
        group_costs: float32 [n_groups], the cost of the rule that a label of the group is unique.
        classes: int32 [n_labels + 1], the class of each label, and last that of the root's label.
        excluded: float32 [n_classes, n_labels], the cost of the rule that a class excludes a label
            of dependents, 0 for none.

    Returns:
        int64 [n_words], the numbers of labels, -1 for dependents of the root; int64 [n_sentences],
        the number of times that rules with the cost `UNBROKEN` are broken; and float64
        [n_sentences], the sums of the scores after the costs of other rules.

    Raises:
        ValueError: The heads of a sentence do not form a tree.
    """
    labels = np.full(heads.shape[0], -1, dtype=np.int64)
    n_broken = np.zeros(lengths.shape[0], dtype=np.int64)
    values = np.zeros(lengths.shape[0])
    cdef long long[::1] found = labels
    cdef long long[::1] counts = n_broken
    cdef double[::1] totals = values
    cdef _TreeLabels tree = _TreeLabels(groups, group_costs, classes, excluded)
    cdef int first_word = 0
    cdef int sentence, n
    with nogil:
        for sentence in range(<int>lengths.shape[0]):
            n = lengths[sentence]
            if n > 0:
                if not tree.start(&heads[first_word], n):
                    with gil:
                        raise ValueError(f"the heads of sentence {sentence} are no tree")
                tree.read(scores, costs, first_word)
                totals[sentence] = tree.solve(&found[first_word])
                counts[sentence] = tree.n_broken
            first_word += n
    return labels, n_broken, values


cdef class _TreeLabels:
    """The labels of one sentence. Its words are 1, …, n, and 0 is the root.

    The labels of a word's dependents are found for each class that its own label may belong to.
    """

    cdef const int[::1] groups
    cdef const float[::1] group_costs
    cdef const int[::1] classes
    cdef const float[:, ::1] excluded
    # All labels. Those that rules affect least come first, and are chosen among equally good ones,
    # so that few rules have to be considered.
    cdef vector[int] labels
    cdef int n_labels
    cdef int n_groups
    cdef int n_classes
    # The class that excludes nothing, -1 if there is none.
    cdef int free_class
    cdef int n
    # The number of times that the labels break rules with the cost `UNBROKEN`.
    cdef long long n_broken
    # The costs of breaking one of these rules, and of using a forbidden label.
    cdef double unbroken_cost
    cdef double forbidden_cost
    # The dependents of all words, where those of each word begin at first_dependent[word]; and all
    # words from the root to the leaves.
    cdef vector[int] first_dependent
    cdef vector[int] dependents
    cdef vector[int] order
    cdef vector[int] n_placed
    # [n + 1, n_labels], the value of each label of each word, including the best labels below.
    cdef vector[double] values
    # [n + 1], the best of these labels, and [n_groups], whether a dependent of one word has taken a
    # label of the group.
    cdef vector[int] best
    cdef vector[char] is_taken
    # [n + 1, n_classes], the value of the best labels below a word whose label belongs to a class;
    # and [n + 1, n_classes], the label of a word whose head's label belongs to a class.
    cdef vector[double] below
    cdef vector[int] choice
    # For each dependent of one word: the best value without a group, and in each group.
    cdef vector[double] free_values
    cdef vector[int] free_labels
    cdef vector[double] group_values
    cdef vector[int] group_labels
    cdef Assignment assignment

    def __cinit__(
        self,
        const int[::1] groups,
        const float[::1] group_costs,
        const int[::1] classes,
        const float[:, ::1] excluded,
    ):
        self.groups = groups
        self.group_costs = group_costs
        self.classes = classes
        self.excluded = excluded
        self.n_labels = <int>groups.shape[0]
        self.n_groups = <int>group_costs.shape[0]
        self.n_classes = <int>excluded.shape[0]
        is_excluded = np.asarray(excluded) > 0.0
        self.labels = np.lexsort((is_excluded.sum(axis=0), np.asarray(groups) >= 0))
        free = np.flatnonzero(~is_excluded.any(axis=1))
        self.free_class = free[0] if len(free) else -1

    cdef bint start(self, const int* heads, int n) except? -1 nogil:
        """Lay out the tree. Returns False if the heads do not form a tree."""
        cdef int word, head, place, i
        cdef int n_found = 1
        self.n = n
        # A word can break one rule by itself, one by its group, and one by its head.
        self.unbroken_cost = (3 * _UNBROKEN - _LEAST_SCORE) * (n + 1)
        self.forbidden_cost = 4 * self.unbroken_cost * (n + 1)
        self.first_dependent.assign(n + 2, 0)
        self.n_placed.assign(n + 1, 0)
        self.dependents.resize(n)
        self.order.resize(n + 1)
        self.values.resize(<size_t>(n + 1) * self.n_labels)
        self.best.resize(n + 1)
        self.below.assign(<size_t>(n + 1) * self.n_classes, 0.0)
        self.choice.resize(<size_t>(n + 1) * self.n_classes)
        for word in range(1, n + 1):
            if heads[word - 1] < 0 or heads[word - 1] > n:
                return False
            self.first_dependent[heads[word - 1] + 1] += 1
        for word in range(n + 1):
            self.first_dependent[word + 1] += self.first_dependent[word]
        for word in range(1, n + 1):
            head = heads[word - 1]
            self.dependents[self.first_dependent[head] + self.n_placed[head]] = word
            self.n_placed[head] += 1
        self.order[0] = 0
        for place in range(n + 1):
            if place == n_found:
                return False
            word = self.order[place]
            for i in range(self.first_dependent[word], self.first_dependent[word + 1]):
                self.order[n_found] = self.dependents[i]
                n_found += 1
        return True

    cdef void read(
        self, const float[:, ::1] scores, const float[:, ::1] costs, int first_word
    ) noexcept nogil:
        """Read scores, and subtract the costs of the rules that labels break by themselves."""
        cdef int word, label
        cdef double score
        cdef float cost
        for word in range(self.n):
            for label in range(self.n_labels):
                score = scores[first_word + word, label]
                cost = costs[first_word + word, label]
                if not score >= _LEAST_SCORE:
                    score = _LEAST_SCORE
                elif score > 0.0:
                    score = 0.0
                score -= self.forbidden_cost if cost == INFINITY else self.price(cost)
                self.values[<size_t>(word + 1) * self.n_labels + label] = score

    cdef inline double price(self, float cost) noexcept nogil:
        """Compute the cost of a rule in this sentence."""
        return self.unbroken_cost if cost >= _UNBROKEN else cost

    cdef double solve(self, long long* labels) except? -1 nogil:
        """Find the labels and `n_broken`. Returns the value of the labels."""
        cdef int place, word, a_class, label, i
        cdef int root_class = self.classes[self.n_labels]
        cdef double value = 0.0
        for place in range(self.n, 0, -1):
            word = self.order[place]
            if self.first_dependent[word] < self.first_dependent[word + 1]:
                self.label_dependents(word)
                for label in range(self.n_labels):
                    self.values[<size_t>word * self.n_labels + label] += self.below[
                        word * self.n_classes + self.classes[label]
                    ]
            self.best[word] = self.best_label(word, NULL)
        for i in range(self.first_dependent[0], self.first_dependent[1]):
            value += self.below[self.dependents[i] * self.n_classes + root_class]
        for place in range(1, self.n + 1):
            word = self.order[place]
            a_class = self.classes[labels[word - 1]] if labels[word - 1] >= 0 else root_class
            for i in range(self.first_dependent[word], self.first_dependent[word + 1]):
                labels[self.dependents[i] - 1] = self.choice[
                    self.dependents[i] * self.n_classes + a_class
                ]
        # Scores and broken rules cost less than one forbidden label.
        value += self.forbidden_cost * <long long>(-value / self.forbidden_cost)
        self.n_broken = <long long>(-value / self.unbroken_cost)
        return value + self.n_broken * self.unbroken_cost

    cdef int label_dependents(self, int word) except -1 nogil:
        """Find the best labels of the dependents of a word for each class that its label may belong
        to. They are the same if a class excludes none of them."""
        cdef int a_class, first
        if self.free_class >= 0:
            first = self.free_class
            self.below[word * self.n_classes + first] = self.assign(word, first)
        for a_class in range(self.n_classes):
            if a_class == self.free_class:
                continue
            if self.free_class < 0 or not self.takes_same(word, a_class):
                self.below[word * self.n_classes + a_class] = self.assign(word, a_class)
        return 0

    cdef bint takes_same(self, int word, int a_class) noexcept nogil:
        """Give the dependents of a word the labels that they have if nothing is excluded. Returns
        False if a class excludes one of these."""
        cdef int i, label
        cdef int first = self.first_dependent[word]
        cdef int end = self.first_dependent[word + 1]
        for i in range(first, end):
            label = self.choice[self.dependents[i] * self.n_classes + self.free_class]
            if self.excluded[a_class, label] > 0.0:
                return False
        for i in range(first, end):
            label = self.choice[self.dependents[i] * self.n_classes + self.free_class]
            self.choice[self.dependents[i] * self.n_classes + a_class] = label
        self.below[word * self.n_classes + a_class] = self.below[
            word * self.n_classes + self.free_class
        ]
        return True

    cdef int best_label(self, int word, const float* excluded) noexcept nogil:
        """Find the best label of a word. excluded: the costs of labels by the class of the head's
        label; NULL for none."""
        cdef const double* values = &self.values[<size_t>word * self.n_labels]
        cdef int place, label
        cdef int best = 0
        cdef double value
        cdef double best_value = -INFINITY
        for place in range(self.n_labels):
            label = self.labels[place]
            value = values[label]
            if excluded != NULL and excluded[label] > 0.0:
                value -= self.price(excluded[label])
            if value > best_value:
                best_value = value
                best = label
        return best

    cdef double assign(self, int word, int a_class) except? -1 nogil:
        """Find the best labels of the dependents of a word whose label belongs to a class. Returns
        their value."""
        cdef int first = self.first_dependent[word]
        cdef int n_dependents = self.first_dependent[word + 1] - first
        cdef int i, group, label
        cdef double value = 0.0
        if self.take_best(word, a_class, &value):
            return value
        value = 0.0
        self.value_labels(first, n_dependents, a_class)
        self.assignment.solve(self.free_values, self.group_values, self.n_groups)
        for i in range(n_dependents):
            group = self.assignment.group_of(i)
            if group >= 0:
                value += self.group_values[i * self.n_groups + group]
                label = self.group_labels[i * self.n_groups + group]
            else:
                value += self.free_values[i]
                label = self.free_labels[i]
            self.choice[self.dependents[first + i] * self.n_classes + a_class] = label
        return value

    cdef bint take_best(self, int word, int a_class, double* value) noexcept nogil:
        """Give each dependent its best label, and add their values. Returns False if two of these
        labels belong to one group."""
        cdef const float* excluded = &self.excluded[a_class, 0]
        cdef int i, dependent, label, group
        self.is_taken.assign(self.n_groups, 0)
        for i in range(self.first_dependent[word], self.first_dependent[word + 1]):
            dependent = self.dependents[i]
            label = self.best[dependent]
            # The head's rules make no label better, so the best one stays the best unless it is
            # excluded.
            if excluded[label] > 0.0:
                label = self.best_label(dependent, excluded)
            group = self.groups[label]
            if group >= 0:
                if self.is_taken[group]:
                    return False
                self.is_taken[group] = 1
            self.choice[dependent * self.n_classes + a_class] = label
            value[0] += self.values[<size_t>dependent * self.n_labels + label]
            value[0] -= self.price(excluded[label])
        return True

    cdef void value_labels(self, int first, int n_dependents, int a_class) noexcept nogil:
        """Find the best label of each dependent in each group, and without a group. A label of a
        group that contains another dependent breaks a rule."""
        cdef int i, label, group
        cdef double value
        self.free_values.assign(n_dependents, -INFINITY)
        self.free_labels.assign(n_dependents, -1)
        self.group_values.assign(n_dependents * self.n_groups, -INFINITY)
        self.group_labels.assign(n_dependents * self.n_groups, -1)
        for i in range(n_dependents):
            for label in range(self.n_labels):
                value = self.values[<size_t>self.dependents[first + i] * self.n_labels + label]
                value -= self.price(self.excluded[a_class, label])
                group = self.groups[label]
                if group >= 0:
                    if value > self.group_values[i * self.n_groups + group]:
                        self.group_values[i * self.n_groups + group] = value
                        self.group_labels[i * self.n_groups + group] = label
                    value -= self.price(self.group_costs[group])
                if value > self.free_values[i]:
                    self.free_values[i] = value
                    self.free_labels[i] = label
