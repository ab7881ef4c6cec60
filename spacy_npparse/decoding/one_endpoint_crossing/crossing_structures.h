// The chart of crossing structures; search.pyx has the deduction system.

#pragma once
#include <cstdlib>

#include "back_pointers.h"
#include "crossing_tables.h"
#include "rules.h"

namespace npparse {

// Items are deduced from the last tile of first words to the first one; those of a tile by their
// last word, and by their first word from right to left.
class CrossingStructures : public CrossingTables {
  public:
    // Deduce structure [i, j] from shorter items. Rows of fans that cannot raise it are skipped.
    void fill_structures(int i, int j) {
        for (int k = i + 1; k < j && k <= last_of_tile_; ++k) fill_from_gaps(i, k, j, j + 1);
        float best[N_PAIR_STATES];
        for (int state = 0; state < N_PAIR_STATES; ++state) best[state] = ended_.at(i, j, state);
        for (int k = i + 1; k < j; ++k) {
            const Pairs::Of gap = gaps.of(i, k);
            if (pruned_ && !blocks_of(k, j, false).has(i / 4)) continue;
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
            FanStates best;
            for (int x = left.begin; x < left.end; ++x)
                best.raise_to(FanStates(LoadedStates{fans_.row(i, j).block(x)}));
            highest(i, j).raise_to(best);
            fill_outer_fans(i, j, right, inner);
            cover_splits(i, j, right, inner);
        }
        if (j > last_of_tile_) fill_from_gaps(i, j, j + 1, n_nodes_);
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
        // Where fans, and arcs to bends, may be.
        BlockSet fan_blocks, arc_blocks;
    };

    // Those of the present near and far.
    std::vector<Midpoint> midpoints_;
    // Those of the present block.
    std::vector<const Midpoint*> with_fans_, with_arcs_;

    // Deduce fans [near, far, x] for all x of some blocks, which are on one side of near and far.
    // Where there can be none, for want of arcs, nothing is computed.
    //
    // outer: they are on the side of far.
    void fill_fans(int near, int far, bool outer, Blocks blocks, FanRow fans, FanRow inner_fans) {
        const TripleRow open_fans = open_fans_.row(0);
        const Pairs::Of gap = gaps.of(near, far), arc = arcs.of(near, far);
        BlockSet open_blocks, fan_blocks = neighbours_[far];
        int q = near;
        for (Midpoint& midpoint : midpoints_) {
            q += step(near, far);
            midpoint.fans = fan_row(near, q, outer).block(0);
            midpoint.fan_blocks = blocks_of(near, q, outer);
            open_blocks |= midpoint.fan_blocks;
            fan_blocks |= midpoint.arc_blocks;
        }
        if (is_arc(near, far)) fan_blocks |= open_blocks;
        blocks_of(near, far, outer) = fan_blocks;
        for (int x = blocks.begin; x < blocks.end; ++x) {
            TripleStates open;
            FanStates inner;
            if (pruned_ && !fan_blocks.has(x) && !(outer && open_blocks.has(x))) {
                open.store_to(open_fans.block(x));
                inner.store_to(inner_fans.block(x));
                inner.store_to(fans.block(x));
                continue;
            }
            if (pruned_) choose_midpoints(x);
            for (const Midpoint* midpoint : with_fans_)
                open.deduce<rules::OPEN>(LoadedStates{midpoint->fans + x * FanRow::BLOCK},
                                         BroadcastStates{midpoint->gap.weights});
            for (const Midpoint* midpoint : with_arcs_)
                inner.deduce<rules::BEND_ARC>(LoadedStates{midpoint->arcs + x * Pairs::BLOCK},
                                              BroadcastStates{midpoint->bends});
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

    // Choose the midpoints that there are fans or arcs of in a block.
    void choose_midpoints(int block) {
        with_fans_.clear();
        with_arcs_.clear();
        for (const Midpoint& midpoint : midpoints_) {
            if (midpoint.fan_blocks.has(block)) with_fans_.push_back(&midpoint);
            if (midpoint.arc_blocks.has(block)) with_arcs_.push_back(&midpoint);
        }
    }

    // Collect the antecedents of fans from near to far.
    void collect_midpoints(int near, int far) {
        int q = near;
        midpoints_.resize(std::abs(far - near) - 1);
        with_fans_.clear();
        for (Midpoint& midpoint : midpoints_) {
            q += step(near, far);
            with_fans_.push_back(&midpoint);
            midpoint.arcs = arcs.row(q).block(0);
            midpoint.gap = gaps.of(q, far);
            const Pairs::Of gap = gaps.of(near, q);
            midpoint.arc_blocks = BlockSet();
            if (pruned_ && !blocks_of(q, far, false).has(near / 4)) continue;
            midpoint.arc_blocks = neighbours_[q];
            const float* fans = &fans_.row(q, far).at(near, 0);
            std::fill(midpoint.bends, midpoint.bends + N_FAN_STATES, 2 * IMPOSSIBLE);
            Unrolled<rules::BEND.n>::call([&](auto number) {
                constexpr Combination c = rules::BEND.items[number];
                raise(midpoint.bends[c.result], gap[c.left] + fans[4 * c.right]);
            });
        }
        with_arcs_ = with_fans_;
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
        if (!is_arc(i, k)) return;
        const Pairs::Of arc = arcs.of(i, k);
        for (int x = blocks.begin; x < blocks.end; ++x) {
            TripleStates split;
            FanStates inner(LoadedStates{inner_fans.block(x)});
            for (int s = i + 1; s < k; ++s)
                split.deduce<rules::SPLIT>(LoadedStates{reached_fans_.row(of_tile(i, s)).block(x)},
                                           LoadedStates{fans_.row(k, s).block(x)});
            inner.deduce<rules::END_COVER>(split, BroadcastStates{arc.weights});
            inner.store_to(inner_fans.block(x));
        }
    }

    // Deduce structures [i, x] and fans to the start i from fans of i and k and gaps [k, x], for x
    // from begin to end - 1. If k is in the tile, gaps are known up to the present word only.
    void fill_from_gaps(int i, int k, int begin, int end) {
        const Blocks blocks = Blocks::of(begin, end);
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
            for (int b = std::max(4 * x, begin); b < std::min(4 * x + 4, end); ++b) {
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
