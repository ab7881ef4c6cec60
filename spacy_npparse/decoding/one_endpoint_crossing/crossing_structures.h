// The chart of crossing structures; search.pyx has the deduction system.

#pragma once
#include <cstdlib>

#include "back_pointers.h"
#include "rows.h"
#include "rules.h"

namespace npparse {

// The number of first words of items that are deduced together.
constexpr int TILE = 4;

// Items are deduced from the last tile of first words to the first one; those of a tile by their
// last word, and by their first word from right to left.
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
        for (FanRows* rows : {&present_inner_fans_, &present_reversed_fans_})
            rows->reset(1 + TILE * TILE, n_nodes);
        outer_fans_.reset(TILE * n_nodes, n_nodes);
        reached_fans_.reset(TILE * n_nodes, n_nodes);
        fans_to_start_.reset(TILE * n_nodes, n_nodes);
        highest_fans_.assign(std::size_t(n_nodes) * n_nodes, HighestFans());
        highest_to_start_.resize(TILE * n_nodes);
    }

    // Begin the tile whose last word is given.
    void begin_tile(int last) {
        last_of_tile_ = last;
        std::fill(highest_to_start_.begin(), highest_to_start_.end(), HighestFans());
    }

    // Deduce structure [i, j] from shorter items. Rows of fans that cannot raise it are skipped.
    void fill_structures(int i, int j) {
        for (int k = i + 1; k < j && k <= last_of_tile_; ++k)
            fill_from_gaps(i, k, Blocks::of(j, j + 1));
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
        for (int b = i + 2; b < j; ++b)
            if (highest_to_start_[of_tile(i, b)].may_raise<rules::TWO_FANS>(best, highest(b, j)))
                join_fans(i, j, b, best);
        for (int state = 0; state < N_PAIR_STATES; ++state)
            structures.set(i, j, state, best[state]);
    }

    // Deduce the items that have gap [i, j] as an antecedent.
    void fill_fans(int i, int j) {
        const Blocks left = Blocks::of(0, i), right = Blocks::of(j + 1, n_nodes_);
        collect_midpoints(j, i);
        fill_fans(j, i, false, right, fans_.row(j, i), present_reversed_fans_.row(present(i, j)));
        if (!has_one_arc(i)) {
            const FanRow inner = present_inner_fans_.row(present(i, j));
            collect_midpoints(i, j);
            fill_fans(i, j, false, left, fans_.row(i, j), inner_fans_.row(i, j));
            for (int x = left.begin; x < left.end; ++x)
                highest(i, j).raise_to(LoadedStates{fans_.row(i, j).block(x)});
            fill_outer_fans(i, j, right, inner);
            cover_splits(i, j, right, inner);
        }
        if (j > last_of_tile_) fill_from_gaps(i, j, right);
    }

    // The best deduction of a structure or a fan.
    void trace(const Item& item, BackPointer& best) {
        const int near = item.a, far = item.b, x = item.c;
        if (item.kind == Kind::STRUCTURE) return trace_structure(near, far, item.state, best);
        const Blocks around_x = Blocks::of(x, x + 1);
        if (is_outer(near, far, x)) {
            for (int word = near + 1; word <= far; ++word) {
                collect_midpoints(near, word);
                fill_outer_fans(near, word, around_x, present_inner_fans_.row(0));
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

    int n_nodes_, last_of_tile_;
    bool single_root_;
    Fans fans_;
    // Only those with near < far.
    Fans inner_fans_;
    // Those of the present near and far, by x.
    TripleRows open_fans_;
    // Inner fans [i, j, x] and [j, i, x] of the present i and j, and of those of the tile: by
    // `present` and x.
    FanRows present_inner_fans_, present_reversed_fans_;
    // [near, far, x] with x beyond far, near being in the tile: by near, far and x. Reached fans
    // are fans or open ones.
    FanRows outer_fans_;
    TripleRows reached_fans_;
    // Fan [a, near, b] with gap [a, b], near being in the tile: by near, b and a.
    FanRows fans_to_start_;
    // The highest of all fans [near, far, x] with near < far, and of the row of fans to the start.
    std::vector<HighestFans> highest_fans_, highest_to_start_;
    // Structures deduced from a gap at their right end.
    Pairs ended_;
    // Those of the present near and far.
    std::vector<Midpoint> midpoints_;

    // Whether the word is the root and may have one dependent only.
    bool has_one_arc(int word) const { return word == 0 && single_root_; }
    static bool is_outer(int near, int far, int x) { return near < far && far < x; }
    static int step(int from, int to) { return from < to ? 1 : -1; }
    // The row of a word of the tile and another word.
    int of_tile(int word, int other) const { return word % TILE * n_nodes_ + other; }
    // The row of present fans from i to j: one for each j of the tile, and one for all others.
    int present(int i, int j) const {
        return j > last_of_tile_ ? 0 : 1 + i % TILE * TILE + j % TILE;
    }
    HighestFans& highest(int near, int far) {
        return highest_fans_[std::size_t(near) * n_nodes_ + far];
    }
    FanRow fan_row(int near, int far, bool outer) {
        return outer ? outer_fans_.row(of_tile(near, far)) : fans_.row(near, far);
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

    void fill_outer_fans(int near, int far, Blocks blocks, FanRow inner) {
        const FanRow fans = fan_row(near, far, true);
        fill_fans(near, far, true, blocks, fans, inner);
        for (int x = blocks.begin; x < blocks.end; ++x) {
            TripleStates reached(LoadedStates{open_fans_.row(0).block(x)});
            reached.raise_to(FanStates(LoadedStates{fans.block(x)}));
            reached.store_to(reached_fans_.row(of_tile(near, far)).block(x));
        }
    }

    // Deduce inner fans [i, k, x] from two fans and an arc that covers them.
    void cover_splits(int i, int k, Blocks blocks, FanRow inner_fans) {
        const Pairs::Of arc = arcs.of(i, k);
        for (int x = blocks.begin; x < blocks.end; ++x) {
            TripleStates split;
            FanStates inner(LoadedStates{inner_fans.block(x)});
            for (int s = i + 1; s < k; ++s)
                split.deduce<rules::SPLIT>(
                    LoadedStates{reached_fans_.row(of_tile(i, s)).block(x)},
                    LoadedStates{fans_.row(k, s).block(x)});
            inner.deduce<rules::END_COVER>(split, BroadcastStates{arc.weights});
            inner.store_to(inner_fans.block(x));
        }
    }

    // Deduce structures [i, x] and fans to the start i from fans of i and k and gaps [k, x]. If k
    // is in the tile, gaps are known up to the present word only.
    void fill_from_gaps(int i, int k, Blocks blocks) {
        const FanRow inner = present_inner_fans_.row(present(i, k));
        const FanRow reversed = present_reversed_fans_.row(present(i, k));
        for (int x = blocks.begin; x < blocks.end; ++x) {
            const LoadedStates gap{gaps.row(k).block(x)};
            PairStates best(LoadedStates{ended_.row(i).block(x)});
            best.deduce<rules::REVERSED_END>(LoadedStates{reversed.block(x)}, gap);
            if (!has_one_arc(i)) best.deduce<rules::END>(LoadedStates{inner.block(x)}, gap);
            best.store_to(ended_.row(i).block(x));
            FanStates joint;
            joint.deduce<rules::FAN_GAP>(LoadedStates{fans_.row(k, i).block(x)}, gap);
            for (int b = std::max(4 * x, k + 1); b < std::min(4 * x + 4, n_nodes_); ++b) {
                const FanRow to_start = fans_to_start_.row(of_tile(i, b));
                for (int state = 0; state < N_FAN_STATES; ++state) {
                    to_start.at(k, state) = joint[state][b % 4];
                    raise(highest_to_start_[of_tile(i, b)].weights[state], joint[state][b % 4]);
                }
            }
        }
    }

    // Deduce structure [i, j] from fans [a, i, b] and [b, j, a].
    void join_fans(int i, int j, int b, float* best) {
        const FanRow left = fans_to_start_.row(of_tile(i, b)), right = fans_.row(b, j);
        const Blocks blocks = Blocks::of(i + 1, b);
        PairStates found;
        for (int a = blocks.begin; a < blocks.end; ++a)
            found.deduce<rules::TWO_FANS>(LoadedStates{left.block(a)},
                                          LoadedStates{right.block(a)});
        for (int state = 0; state < N_PAIR_STATES; ++state)
            for (int lane = 0; lane < 4; ++lane) raise(best[state], found[state][lane]);
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
            fill_outer_fans(i, k, around_j, inner);
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
                        best.consider(reached_fans_.row(of_tile(i, split)).at(j, s.left) +
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
