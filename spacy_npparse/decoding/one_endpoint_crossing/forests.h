// The states of items: how the ends of a forest depend on each other. Which states combine is
// computed at compile time, so that the rules need not list them.

#pragma once

namespace npparse {

// Each end of an item is a root of the item's forest, or a descendant of another end that is a
// root. Items with two ends have three states, items with three ends ten. In the first seven of
// these the second end, which fans reach, is in one tree with another end.
enum PairState { APART, SECOND_BELOW, FIRST_BELOW };

constexpr int N_PAIR_STATES = 3;
constexpr int N_FAN_STATES = 7;
constexpr int N_TRIPLE_STATES = 10;
constexpr int MAX_ENDS = 3;

// By state, the root that each end descends from, itself if it is a root.
constexpr int PAIR_ROOTS[N_PAIR_STATES][MAX_ENDS] = {{0, 1}, {0, 0}, {1, 1}};
constexpr int TRIPLE_ROOTS[N_TRIPLE_STATES][MAX_ENDS] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {0, 0, 2},
                                                         {1, 1, 2}, {0, 1, 1}, {0, 2, 2}, {0, 1, 2},
                                                         {0, 1, 0}, {2, 1, 2}};

// The state of a pair with its ends exchanged.
constexpr int mirrored(int state) { return state == APART ? APART : N_PAIR_STATES - state; }

// The variables that a rule names the ends of an item by, and the states that the item can have.
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
// A single arc.
constexpr Ends link(int first, int second) {
    return {{first, second, -1}, 2, SECOND_BELOW, N_PAIR_STATES};
}
constexpr Ends triple(int first, int second, int third) {
    return {{first, second, third}, 3, 0, N_TRIPLE_STATES};
}
constexpr Ends fan(int first, int second, int third) {
    return {{first, second, third}, 3, 0, N_FAN_STATES};
}

// The states of two antecedents, and of their consequent.
struct Combination {
    int left, right, result;
};

struct Combinations {
    static constexpr int MAX = 40;
    Combination items[MAX];
    int n;

    const Combination* begin() const { return items; }
    const Combination* end() const { return items + n; }
};

// The number of variables of a rule.
constexpr int N_NAMES = 4;

// The union of the forests of two items.
struct Forest {
    // The head of each end, itself for a root, -1 for a variable that does not occur.
    int heads[N_NAMES];

    // Whether the union is still a forest: no end has two heads.
    constexpr bool add(const Ends& ends, int state) {
        for (int end = 0; end < ends.n; ++end) {
            const int name = ends.names[end], root = ends.name_of_root(state, end);
            if (root != name && heads[name] != -1 && heads[name] != name) return false;
            if (root != name || heads[name] == -1) heads[name] = root;
        }
        return true;
    }

    // The root of an end, -1 in a cycle.
    constexpr int root(int name) const {
        for (int steps = 0; steps < N_NAMES; ++steps) {
            if (heads[name] == name) return name;
            name = heads[name];
        }
        return -1;
    }

    // The state of an item with these ends, all other ends being complete; -1 if there is a cycle,
    // or if an end that is complete has no head.
    constexpr int state(const Ends& ends) const {
        for (int name = 0; name < N_NAMES; ++name) {
            if (heads[name] == -1) continue;
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

// The states in which two antecedents give a consequent: no end gets two heads, there is no cycle,
// and ends that the consequent does not have get a head.
constexpr Combinations combine(const Ends& left, const Ends& right, const Ends& result) {
    Combinations all{};
    for (int l = left.first_state; l < left.end_of_states; ++l) {
        for (int r = right.first_state; r < right.end_of_states; ++r) {
            Forest forest{{-1, -1, -1, -1}};
            if (!forest.add(left, l) || !forest.add(right, r)) continue;
            const int state = forest.state(result);
            if (state != -1) all.items[all.n++] = {l, r, state};
        }
    }
    return all;
}

// Only those whose consequent is a left antecedent of the next rule.
constexpr Combinations leading_to(const Combinations& all, const Combinations& next) {
    Combinations kept{};
    for (int c = 0; c < all.n; ++c) {
        bool used = false;
        for (int d = 0; d < next.n; ++d) used = used || next.items[d].left == all.items[c].result;
        if (used) kept.items[kept.n++] = all.items[c];
    }
    return kept;
}

}  // namespace npparse
