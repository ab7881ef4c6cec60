/* How items of a chart hang together: which of their ends hang on which. */

#pragma once

namespace npparse {

/* Each end of an item is a root of the item's forest, or hangs there on another end that is a root,
   by one arc or several. Items with two ends have three states, items with three have ten. In the
   first seven of these the second end, which fans reach, is in a tree with another one. */
enum PairState { APART, SECOND_BELOW, FIRST_BELOW };

constexpr int N_PAIR_STATES = 3;
constexpr int N_FAN_STATES = 7;
constexpr int N_TRIPLE_STATES = 10;
constexpr int MAX_ENDS = 3;

/* By state, the end that each end hangs on, itself if it is a root. */
constexpr int PAIR_ROOTS[N_PAIR_STATES][MAX_ENDS] = {{0, 1}, {0, 0}, {1, 1}};
constexpr int TRIPLE_ROOTS[N_TRIPLE_STATES][MAX_ENDS] = {
    {0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {0, 0, 2}, {1, 1, 2}, {0, 1, 1}, {0, 2, 2},
    {0, 1, 2}, {0, 1, 0}, {2, 1, 2}};

/* The state of a pair when its ends change places. */
constexpr int turned(int state) { return state == APART ? APART : N_PAIR_STATES - state; }

/* Names of the ends of an item, in their order, and the states that it can have. */
struct Ends {
    int names[MAX_ENDS];
    int n, first_state, end_of_states;

    constexpr int name_of_root(int state, int end) const {
        return names[n == 2 ? PAIR_ROOTS[state][end] : TRIPLE_ROOTS[state][end]];
    }
};
constexpr Ends pair(int first, int second) {
    return {{first, second, -1}, 2, APART, N_PAIR_STATES};
}
/* A single arc. */
constexpr Ends link(int first, int second) {
    return {{first, second, -1}, 2, SECOND_BELOW, N_PAIR_STATES};
}
constexpr Ends triple(int first, int second, int third) {
    return {{first, second, third}, 3, 0, N_TRIPLE_STATES};
}
constexpr Ends fan(int first, int second, int third) {
    return {{first, second, third}, 3, 0, N_FAN_STATES};
}

/* States of two items, and that of what they are together. */
struct Sum {
    int left, right, result;
};

struct Sums {
    static constexpr int MAX = 40;
    Sum sums[MAX];
    int n;

    const Sum* begin() const { return sums; }
    const Sum* end() const { return sums + n; }
};

/* Names of ends, told apart from each other. */
constexpr int N_NAMES = 4;

/* Whose root is which: by name; -1 for a name that does not occur. */
struct Forest {
    int above[N_NAMES];

    /* Whether it is still a forest: no end hangs on two others. */
    constexpr bool add(const Ends& ends, int state) {
        for (int end = 0; end < ends.n; ++end) {
            const int name = ends.names[end], root = ends.name_of_root(state, end);
            if (root != name && above[name] != -1 && above[name] != name) return false;
            if (root != name || above[name] == -1) above[name] = root;
        }
        return true;
    }

    /* -1 in a cycle. */
    constexpr int root(int name) const {
        for (int steps = 0; steps < N_NAMES; ++steps) {
            if (above[name] == name) return name;
            name = above[name];
        }
        return -1;
    }

    /* The state of these ends when no arc leads to other ones any more; -1 if that cannot be. */
    constexpr int state(const Ends& ends) const {
        for (int name = 0; name < N_NAMES; ++name) {
            if (above[name] == -1) continue;
            if (root(name) == -1) return -1;
            bool kept = false;
            for (int end = 0; end < ends.n; ++end) kept = kept || ends.names[end] == name;
            if (!kept && root(name) == name) return -1;
        }
        for (int state = 0; state < ends.end_of_states; ++state) {
            bool same = true;
            for (int end = 0; end < ends.n; ++end)
                same = same && root(ends.names[end]) == ends.name_of_root(state, end);
            if (same) return state;
        }
        return -1;
    }
};

/* All ways to join two items that share ends: no end hangs on two others, there is no cycle, and
   ends that the result does not have hang on something. */
constexpr Sums joined(const Ends& left, const Ends& right, const Ends& result) {
    Sums all{};
    for (int l = left.first_state; l < left.end_of_states; ++l) {
        for (int r = right.first_state; r < right.end_of_states; ++r) {
            Forest forest{{-1, -1, -1, -1}};
            if (!forest.add(left, l) || !forest.add(right, r)) continue;
            const int state = forest.state(result);
            if (state != -1) all.sums[all.n++] = {l, r, state};
        }
    }
    return all;
}

/* Only those whose result is a left part in the next rule. */
constexpr Sums leading_to(const Sums& sums, const Sums& next) {
    Sums kept{};
    for (int s = 0; s < sums.n; ++s) {
        bool used = false;
        for (int t = 0; t < next.n; ++t) used = used || next.sums[t].left == sums.sums[s].result;
        if (used) kept.sums[kept.n++] = sums.sums[s];
    }
    return kept;
}

}  // namespace npparse
