// The chart of crossing structures; search.pyx has the deduction system.

#pragma once
#include <cstdlib>

#include "back_pointers.h"
#include "rows.h"

namespace npparse {

// How the states of the antecedents of each rule combine; variables have the names of search.pyx.
namespace rules {

constexpr int I = 0, J = 1, X = 2, Q = 3;
// fan [i, q, x], gap [q, j]
constexpr Combinations OPEN = combine(fan(I, Q, X), pair(Q, J), triple(I, J, X));
// open [i, j, x], arc i - j
constexpr Combinations COVER = combine(triple(I, J, X), link(I, J), fan(I, J, X));
// gap [i, q], fan [q, j, i], and then arc q - x
constexpr Combinations BEND = combine(pair(I, Q), fan(Q, J, I), fan(I, J, Q));
constexpr Combinations BEND_ARC = combine(link(Q, X), fan(I, J, Q), fan(I, J, X));
// arc j - x, gap [i, j]
constexpr Combinations TIP = combine(link(J, X), pair(I, J), fan(I, J, X));
// open or inner [i, j, x], arc j - x
constexpr Combinations LAST = combine(triple(I, J, X), link(J, X), fan(I, J, X));

constexpr int A = 2, B = 3;
// fan [a, i, b], gap [a, b], and then fan [b, j, a]
constexpr Combinations FAN_GAP = combine(fan(A, I, B), pair(A, B), fan(A, I, B));
constexpr Combinations TWO_FANS = combine(fan(A, I, B), fan(B, J, A), pair(I, J));

constexpr int K = 2, S = 3;
// gap [i, k], inner [k, j, i]
constexpr Combinations GAP_FAN = combine(pair(I, K), fan(K, J, I), pair(I, J));
// inner [k, i, j], gap [k, j]
constexpr Combinations REVERSED_END = combine(fan(K, I, J), pair(K, J), pair(I, J));
// inner [i, k, j] or the consequent of the next rule, gap [k, j]
constexpr Combinations END = combine(fan(I, K, J), pair(K, J), pair(I, J));
// open or fan [i, s, j], fan [k, s, j], and then arc i - k
constexpr Combinations END_COVER = combine(triple(I, K, J), link(I, K), fan(I, K, J));
constexpr Combinations SPLIT =
    leading_to(combine(triple(I, S, J), fan(K, S, J), triple(I, K, J)), END_COVER);

}  // namespace rules

// Items that start with a word are deduced after those that start with words to its right, and
// short ones before long ones.
class CrossingStructures {
  public:
    // Crossed arcs; gaps between words of a structure; structures from word to word.
    Pairs arcs, gaps, structures;

    // single_root: whether the root has one arc only.
    void reset(int n_nodes, bool single_root) {
        n_nodes_ = n_nodes;
        single_root_ = single_root;
        for (Pairs* pairs : {&arcs, &gaps, &structures, &ended_}) pairs->reset(n_nodes);
        fans_.reset(n_nodes);
        inner_fans_.reset(n_nodes);
        open_fans_.reset(1, n_nodes);
        present_inner_fans_.reset(1, n_nodes);
        outer_fans_.reset(n_nodes, n_nodes);
        reached_fans_.reset(n_nodes, n_nodes);
        fans_to_start_.reset(n_nodes, n_nodes);
    }

    // Deduce structure [i, j] from shorter items.
    void fill_structures(int i, int j) {
        PairStates found;
        for (int b = i + 2; b < j; ++b) {
            const FanRow left = fans_to_start_.row(b), right = fans_.row(b, j);
            const Blocks blocks = Blocks::of(i + 1, b);
            for (int a = blocks.begin; a < blocks.end; ++a)
                found.deduce<rules::TWO_FANS>(LoadedStates{left.block(a)},
                                              LoadedStates{right.block(a)});
        }
        float best[N_PAIR_STATES];
        for (int state = 0; state < N_PAIR_STATES; ++state) best[state] = ended_.at(i, j, state);
        for (int k = i + 1; k < j; ++k) {
            const Pairs::Of gap = gaps.of(i, k);
            const FanRow inner = inner_fans_.row(k, j);
            Unrolled<rules::GAP_FAN.n>::call([&](auto number) {
                constexpr Combination c = rules::GAP_FAN.items[number];
                raise(best[c.result], gap[c.left] + inner.at(i, c.right));
            });
        }
        for (int state = 0; state < N_PAIR_STATES; ++state) {
            for (int lane = 0; lane < 4; ++lane) raise(best[state], found[state][lane]);
            structures.set(i, j, state, best[state]);
        }
    }

    // Deduce the items that have gap [i, j] as an antecedent.
    void fill_fans(int i, int j) {
        const Blocks blocks = Blocks::of(j + 1, n_nodes_);
        const FanRow inner = present_inner_fans_.row(0);
        collect_midpoints(j, i);
        fill_fans(j, i, false, blocks, fans_.row(j, i), inner);
        for (int x = blocks.begin; x < blocks.end; ++x) {
            PairStates best(LoadedStates{ended_.row(i).block(x)});
            best.deduce<rules::REVERSED_END>(LoadedStates{inner.block(x)},
                                             LoadedStates{gaps.row(j).block(x)});
            best.store_to(ended_.row(i).block(x));
        }
        fill_fans_to_start(i, j, blocks);
        if (has_one_arc(i)) return;
        collect_midpoints(i, j);
        fill_fans(i, j, false, Blocks::of(0, i), fans_.row(i, j), inner_fans_.row(i, j));
        fill_outer_fans(i, j, blocks);
        end_structures(i, j, blocks);
    }

    // The best deduction of a structure or a fan.
    void trace(const Item& item, BackPointer& best) {
        const int near = item.a, far = item.b, x = item.c;
        if (item.kind == Kind::STRUCTURE) return trace_structure(near, far, item.state, best);
        const Blocks around_x = Blocks::of(x, x + 1);
        if (is_outer(near, far, x)) {
            for (int word = near + 1; word <= far; ++word) {
                collect_midpoints(near, word);
                fill_outer_fans(near, word, around_x);
            }
        } else {
            collect_midpoints(near, far);
            fill_fans(near, far, false, around_x, fans_.row(near, far), present_inner_fans_.row(0));
        }
        if (item.kind == Kind::OPEN_FAN) return trace_open(near, far, x, item.state, best);
        if (item.kind == Kind::INNER_FAN) return trace_inner(near, far, x, item.state, best);
        if (item.state < N_FAN_STATES) trace_fan(near, far, x, item.state, best);
        if (item.kind == Kind::REACHED_FAN)
            best.consider(open_fans_.row(0).at(x, item.state),
                          {fan(Kind::OPEN_FAN, near, far, x, item.state)});
    }

  private:
    // The antecedents of fans that depend on a word between their ends, but not on x.
    struct Midpoint {
        const float *fans, *arcs;
        Pairs::Of gap;
        float bends[N_FAN_STATES];
    };

    int n_nodes_;
    bool single_root_;
    Fans fans_;
    // Only those with near < far.
    Fans inner_fans_;
    // Those of the present near and far, by x.
    TripleRows open_fans_;
    FanRows present_inner_fans_;
    // [near, far, x] with x beyond far, near being the first word of the present structures: by far
    // and x. Reached fans are fans or open ones.
    FanRows outer_fans_;
    TripleRows reached_fans_;
    // Fan [a, near, b] with gap [a, b], near being the same word: by b and a.
    FanRows fans_to_start_;
    // Structures deduced from a gap at their right end.
    Pairs ended_;
    // Those of the present near and far.
    std::vector<Midpoint> midpoints_;

    // Whether the word is the root and may have one dependent only.
    bool has_one_arc(int word) const { return word == 0 && single_root_; }
    static bool is_outer(int near, int far, int x) { return near < far && far < x; }
    static int step(int from, int to) { return from < to ? 1 : -1; }
    FanRow fan_row(int near, int far, bool outer) {
        return outer ? outer_fans_.row(far) : fans_.row(near, far);
    }

    // Deduce fans [near, far, x] for all x of some blocks, which are on one side of near and far.
    //
    // outer: they are on the side of far.
    void fill_fans(int near, int far, bool outer, Blocks blocks, FanRow fans, FanRow inner_fans) {
        const TripleRow open_fans = open_fans_.row(0);
        const Pairs::Of gap = gaps.of(near, far), arc = arcs.of(near, far);
        int q = near;
        for (Midpoint& midpoint : midpoints_) {
            q += step(near, far);
            midpoint.fans = fan_row(near, q, outer).block(0);
        }
        for (int x = blocks.begin; x < blocks.end; ++x) {
            TripleStates open;
            FanStates inner;
            for (const Midpoint& midpoint : midpoints_)
                open.deduce<rules::OPEN>(LoadedStates{midpoint.fans + x * FanRow::BLOCK},
                                         BroadcastStates{midpoint.gap.weights});
            for (const Midpoint& midpoint : midpoints_)
                inner.deduce<rules::BEND_ARC>(LoadedStates{midpoint.arcs + x * Pairs::BLOCK},
                                              BroadcastStates{midpoint.bends});
            inner.deduce<rules::COVER>(open, BroadcastStates{arc.weights});
            open.store_to(open_fans.block(x));
            inner.store_to(inner_fans.block(x));
            const LoadedStates last{arcs.row(far).block(x)};
            FanStates best(inner);
            if (!has_one_arc(far)) open.raise_to(inner);
            best.deduce<rules::LAST>(open, last);
            best.deduce<rules::TIP>(last, BroadcastStates{gap.weights});
            best.store_to(fans.block(x));
        }
        if (single_root_ && blocks.begin == 0)
            for (int state = 0; state < N_FAN_STATES; ++state)
                fans.at(0, state) = inner_fans.at(0, state) = IMPOSSIBLE;
    }

    // Collect the antecedents of fans from near to far.
    void collect_midpoints(int near, int far) {
        int q = near;
        midpoints_.resize(std::abs(far - near) - 1);
        for (Midpoint& midpoint : midpoints_) {
            q += step(near, far);
            midpoint.arcs = arcs.row(q).block(0);
            midpoint.gap = gaps.of(q, far);
            const Pairs::Of gap = gaps.of(near, q);
            const float* fans = &fans_.row(q, far).at(near, 0);
            std::fill(midpoint.bends, midpoint.bends + N_FAN_STATES, 2 * IMPOSSIBLE);
            Unrolled<rules::BEND.n>::call([&](auto number) {
                constexpr Combination c = rules::BEND.items[number];
                raise(midpoint.bends[c.result], gap[c.left] + fans[4 * c.right]);
            });
        }
    }

    void fill_outer_fans(int near, int far, Blocks blocks) {
        const FanRow fans = outer_fans_.row(far);
        fill_fans(near, far, true, blocks, fans, present_inner_fans_.row(0));
        for (int x = blocks.begin; x < blocks.end; ++x) {
            TripleStates reached(LoadedStates{open_fans_.row(0).block(x)});
            reached.raise_to(FanStates(LoadedStates{fans.block(x)}));
            reached.store_to(reached_fans_.row(far).block(x));
        }
    }

    void fill_fans_to_start(int i, int a, Blocks blocks) {
        for (int block = blocks.begin; block < blocks.end; ++block) {
            FanStates joint;
            joint.deduce<rules::FAN_GAP>(LoadedStates{fans_.row(a, i).block(block)},
                                         LoadedStates{gaps.row(a).block(block)});
            for (int b = std::max(4 * block, a + 1); b < std::min(4 * block + 4, n_nodes_); ++b)
                for (int state = 0; state < N_FAN_STATES; ++state)
                    fans_to_start_.row(b).at(a, state) = joint[state][b % 4];
        }
    }

    // Deduce structures from i whose last gap starts at k, from the outer fans of k.
    void end_structures(int i, int k, Blocks blocks) {
        const Pairs::Of arc = arcs.of(i, k);
        for (int x = blocks.begin; x < blocks.end; ++x) {
            TripleStates split;
            FanStates inner(LoadedStates{present_inner_fans_.row(0).block(x)});
            for (int s = i + 1; s < k; ++s)
                split.deduce<rules::SPLIT>(LoadedStates{reached_fans_.row(s).block(x)},
                                           LoadedStates{fans_.row(k, s).block(x)});
            inner.deduce<rules::END_COVER>(split, BroadcastStates{arc.weights});
            PairStates best(LoadedStates{ended_.row(i).block(x)});
            best.deduce<rules::END>(inner, LoadedStates{gaps.row(k).block(x)});
            best.store_to(ended_.row(i).block(x));
        }
    }

    static Item arc(int a, int b, int state) { return {Kind::CROSSED_ARC, a, b, -1, -1, state}; }
    static Item gap(int a, int b, int state) { return {Kind::GAP, a, b, -1, -1, state}; }
    static Item fan(Kind kind, int near, int far, int x, int state) {
        return {kind, near, far, x, -1, state};
    }

    void trace_structure(int i, int j, int state, BackPointer& best) {
        const FanRow inner = present_inner_fans_.row(0);
        const Blocks around_j = Blocks::of(j, j + 1);
        for (int b = i + 2; b < j; ++b)
            for (int a = i + 1; a < b; ++a) trace_two_fans(i, j, a, b, state, best);
        for (int k = i + 1; k < j; ++k) {
            for (const Combination& s : rules::GAP_FAN)
                if (s.result == state)
                    best.consider(gaps.at(i, k, s.left) + inner_fans_.row(k, j).at(i, s.right),
                                  {gap(i, k, s.left), fan(Kind::INNER_FAN, k, j, i, s.right)});
            collect_midpoints(k, i);
            fill_fans(k, i, false, around_j, fans_.row(k, i), inner);
            for (const Combination& s : rules::REVERSED_END)
                if (s.result == state)
                    best.consider(inner.at(j, s.left) + gaps.at(k, j, s.right),
                                  {fan(Kind::INNER_FAN, k, i, j, s.left), gap(k, j, s.right)});
            if (has_one_arc(i)) continue;
            collect_midpoints(i, k);
            fill_outer_fans(i, k, around_j);
            for (const Combination& s : rules::END) {
                if (s.result != state) continue;
                best.consider(inner.at(j, s.left) + gaps.at(k, j, s.right),
                              {fan(Kind::INNER_FAN, i, k, j, s.left), gap(k, j, s.right)});
                trace_split(i, j, k, s, best);
            }
        }
    }

    void trace_two_fans(int i, int j, int a, int b, int state, BackPointer& best) {
        const FanRow left = fans_.row(a, i), right = fans_.row(b, j);
        for (const Combination& s : rules::TWO_FANS) {
            if (s.result != state) continue;
            for (const Combination& t : rules::FAN_GAP)
                if (t.result == s.left)
                    best.consider(
                        left.at(b, t.left) + gaps.at(a, b, t.right) + right.at(a, s.right),
                        {fan(Kind::FAN, a, i, b, t.left), gap(a, b, t.right),
                         fan(Kind::FAN, b, j, a, s.right)});
        }
    }

    void trace_split(int i, int j, int k, const Combination& end, BackPointer& best) {
        for (const Combination& cover : rules::END_COVER) {
            if (cover.result != end.left) continue;
            const float around = arcs.at(i, k, cover.right) + gaps.at(k, j, end.right);
            for (int split = i + 1; split < k; ++split)
                for (const Combination& s : rules::SPLIT)
                    if (s.result == cover.left)
                        best.consider(reached_fans_.row(split).at(j, s.left) +
                                          fans_.row(k, split).at(j, s.right) + around,
                                      {fan(Kind::REACHED_FAN, i, split, j, s.left),
                                       fan(Kind::FAN, k, split, j, s.right), arc(i, k, cover.right),
                                       gap(k, j, end.right)});
        }
    }

    void trace_open(int near, int far, int x, int state, BackPointer& best) {
        const bool outer = is_outer(near, far, x);
        const int d = step(near, far);
        for (int q = near + d; q != far; q += d)
            for (const Combination& s : rules::OPEN)
                if (s.result == state)
                    best.consider(fan_row(near, q, outer).at(x, s.left) + gaps.at(q, far, s.right),
                                  {fan(Kind::FAN, near, q, x, s.left), gap(q, far, s.right)});
    }

    void trace_inner(int near, int far, int x, int state, BackPointer& best) {
        const int d = step(near, far);
        for (const Combination& s : rules::COVER)
            if (s.result == state)
                best.consider(open_fans_.row(0).at(x, s.left) + arcs.at(near, far, s.right),
                              {fan(Kind::OPEN_FAN, near, far, x, s.left), arc(near, far, s.right)});
        for (const Combination& s : rules::BEND_ARC) {
            if (s.result != state) continue;
            for (int q = near + d; q != far; q += d)
                for (const Combination& t : rules::BEND)
                    if (t.result == s.right)
                        best.consider(arcs.at(q, x, s.left) + gaps.at(near, q, t.left) +
                                          fans_.row(q, far).at(near, t.right),
                                      {arc(q, x, s.left), gap(near, q, t.left),
                                       fan(Kind::FAN, q, far, near, t.right)});
        }
    }

    void trace_fan(int near, int far, int x, int state, BackPointer& best) {
        const TripleRow open = open_fans_.row(0);
        const FanRow inner = present_inner_fans_.row(0);
        best.consider(inner.at(x, state), {fan(Kind::INNER_FAN, near, far, x, state)});
        for (const Combination& s : rules::LAST) {
            if (s.result != state) continue;
            const float last = arcs.at(far, x, s.right);
            best.consider(open.at(x, s.left) + last,
                          {fan(Kind::OPEN_FAN, near, far, x, s.left), arc(far, x, s.right)});
            if (!has_one_arc(far) && s.left < N_FAN_STATES)
                best.consider(inner.at(x, s.left) + last,
                              {fan(Kind::INNER_FAN, near, far, x, s.left), arc(far, x, s.right)});
        }
        for (const Combination& s : rules::TIP)
            if (s.result == state)
                best.consider(arcs.at(far, x, s.left) + gaps.at(near, far, s.right),
                              {arc(far, x, s.left), gap(near, far, s.right)});
    }
};

}  // namespace npparse
