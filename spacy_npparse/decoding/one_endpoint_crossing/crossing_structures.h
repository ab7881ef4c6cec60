/* The best crossing structures between all words; see one_endpoint_crossing.pyx for the rules. */

#pragma once
#include <cstdlib>

#include "back_pointers.h"
#include "rows.h"

namespace npparse {

/* How the parts of each rule are joined; the words have the names that they have in the rules. */
namespace rules {

constexpr int I = 0, J = 1, X = 2, Q = 3;
/* fan [i, q, x], gap [q, j] */
constexpr Sums OPEN = joined(fan(I, Q, X), pair(Q, J), triple(I, J, X));
/* open [i, j, x], arc i - j */
constexpr Sums COVER = joined(triple(I, J, X), link(I, J), fan(I, J, X));
/* gap [i, q], fan [q, j, i], and then arc q - x */
constexpr Sums BEND = joined(pair(I, Q), fan(Q, J, I), fan(I, J, Q));
constexpr Sums BEND_ARC = joined(link(Q, X), fan(I, J, Q), fan(I, J, X));
/* arc j - x, gap [i, j] */
constexpr Sums TIP = joined(link(J, X), pair(I, J), fan(I, J, X));
/* open or inner [i, j, x], arc j - x */
constexpr Sums LAST = joined(triple(I, J, X), link(J, X), fan(I, J, X));

constexpr int A = 2, B = 3;
/* fan [a, i, b], gap [a, b], and then fan [b, j, a] */
constexpr Sums FAN_GAP = joined(fan(A, I, B), pair(A, B), fan(A, I, B));
constexpr Sums TWO_FANS = joined(fan(A, I, B), fan(B, J, A), pair(I, J));

constexpr int K = 2, S = 3;
/* gap [i, k], inner [k, j, i] */
constexpr Sums GAP_FAN = joined(pair(I, K), fan(K, J, I), pair(I, J));
/* inner [k, i, j], gap [k, j] */
constexpr Sums TURNED_END = joined(fan(K, I, J), pair(K, J), pair(I, J));
/* inner [i, k, j] or what follows, gap [k, j] */
constexpr Sums END = joined(fan(I, K, J), pair(K, J), pair(I, J));
/* open or fan [i, s, j], fan [k, s, j], and then arc i - k */
constexpr Sums END_COVER = joined(triple(I, K, J), link(I, K), fan(I, K, J));
constexpr Sums SPLIT =
    leading_to(joined(triple(I, S, J), fan(K, S, J), triple(I, K, J)), END_COVER);

}  // namespace rules

/* The chart of crossing structures. Those that start with one word are searched after those that
   start with words to its right, and short ones before long ones. */
class CrossingStructures {
  public:
    /* Scores of crossed arcs; gaps between words of a structure; structures from word to word. */
    Pairs arcs, gaps, structures;

    /* single_root: let word 0 have one arc only. */
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

    /* Search structures from i to j; all that is inside is known. */
    void fill_structures(int i, int j) {
        PairStates found;
        for (int b = i + 2; b < j; ++b) {
            const FanRow left = fans_to_start_.row(b), right = fans_.row(b, j);
            const Blocks blocks = Blocks::of(i + 1, b);
            for (int a = blocks.begin; a < blocks.end; ++a)
                found.join<rules::TWO_FANS>(FourOf{left.block(a)}, FourOf{right.block(a)});
        }
        float best[N_PAIR_STATES];
        for (int state = 0; state < N_PAIR_STATES; ++state) best[state] = ended_.at(i, j, state);
        for (int k = i + 1; k < j; ++k) {
            const Pairs::Of gap = gaps.of(i, k);
            const FanRow inner = inner_fans_.row(k, j);
            Each<rules::GAP_FAN.n>::call([&](auto s) {
                constexpr Sum sum = rules::GAP_FAN.sums[s];
                raise(best[sum.result], gap[sum.left] + inner.at(i, sum.right));
            });
        }
        for (int state = 0; state < N_PAIR_STATES; ++state) {
            for (int lane = 0; lane < 4; ++lane) raise(best[state], found[state][lane]);
            structures.set(i, j, state, best[state]);
        }
    }

    /* Search what takes the gap from i to j, which is known. */
    void fill_fans(int i, int j) {
        const Blocks blocks = Blocks::of(j + 1, n_nodes_);
        const FanRow inner = present_inner_fans_.row(0);
        collect_pieces(j, i);
        fill_fans(j, i, false, blocks, fans_.row(j, i), inner);
        for (int x = blocks.begin; x < blocks.end; ++x) {
            PairStates best(FourOf{ended_.row(i).block(x)});
            best.join<rules::TURNED_END>(FourOf{inner.block(x)}, FourOf{gaps.row(j).block(x)});
            best.store_to(ended_.row(i).block(x));
        }
        fill_fans_to_start(i, j, blocks);
        if (has_one_arc(i)) return;
        collect_pieces(i, j);
        fill_fans(i, j, false, Blocks::of(0, i), fans_.row(i, j), inner_fans_.row(i, j));
        fill_outer_fans(i, j, blocks);
        end_structures(i, j, blocks);
    }

    /* The best way to a structure or a fan. */
    void trace(const Goal& goal, Best& best) {
        const int near = goal.a, far = goal.b, x = goal.c;
        if (goal.kind == Kind::STRUCTURE) return trace_structure(near, far, goal.state, best);
        const Blocks around_x = Blocks::of(x, x + 1);
        if (is_outer(near, far, x)) {
            for (int word = near + 1; word <= far; ++word) {
                collect_pieces(near, word);
                fill_outer_fans(near, word, around_x);
            }
        } else {
            collect_pieces(near, far);
            fill_fans(near, far, false, around_x, fans_.row(near, far), present_inner_fans_.row(0));
        }
        if (goal.kind == Kind::OPEN_FAN) return trace_open(near, far, x, goal.state, best);
        if (goal.kind == Kind::INNER_FAN) return trace_inner(near, far, x, goal.state, best);
        if (goal.state < N_FAN_STATES) trace_fan(near, far, x, goal.state, best);
        if (goal.kind == Kind::REACHED_FAN)
            best.consider(open_fans_.row(0).at(x, goal.state),
                          {fan(Kind::OPEN_FAN, near, far, x, goal.state)});
    }

  private:
    /* What a word between the ends of fans adds to them. */
    struct Piece {
        const float *fans, *arcs;
        Pairs::Of gap;
        float bends[N_FAN_STATES];
    };

    int n_nodes_;
    bool single_root_;
    Fans fans_;
    /* Only of those with near < far. */
    Fans inner_fans_;
    /* Of the present ends, by x. */
    TripleRows open_fans_;
    FanRows present_inner_fans_;
    /* [near, far, x] with x beyond far, near being the first word of the present structures: by far
       and x. Reached ones are fans or open ones. */
    FanRows outer_fans_;
    TripleRows reached_fans_;
    /* [a, near, b] with the gap from a to b, near being as before: by b and a. */
    FanRows fans_to_start_;
    /* Structures that end with a gap. */
    Pairs ended_;
    /* Of the present fans. */
    std::vector<Piece> pieces_;

    /* Whether it is the root, which has one dependent only. */
    bool has_one_arc(int word) const { return word == 0 && single_root_; }
    static bool is_outer(int near, int far, int x) { return near < far && far < x; }
    static int step(int from, int to) { return from < to ? 1 : -1; }
    FanRow fan_row(int near, int far, bool outer) {
        return outer ? outer_fans_.row(far) : fans_.row(near, far);
    }

    /* Search fans [near, far, x] for all x of some blocks, which are on one side.

       outer: on that of far. */
    void fill_fans(int near, int far, bool outer, Blocks blocks, FanRow fans, FanRow inner_fans) {
        const TripleRow open_fans = open_fans_.row(0);
        const Pairs::Of gap = gaps.of(near, far), arc = arcs.of(near, far);
        int q = near;
        for (Piece& piece : pieces_) {
            q += step(near, far);
            piece.fans = fan_row(near, q, outer).block(0);
        }
        for (int x = blocks.begin; x < blocks.end; ++x) {
            TripleStates open;
            FanStates inner;
            for (const Piece& piece : pieces_)
                open.join<rules::OPEN>(FourOf{piece.fans + x * FanRow::BLOCK},
                                       FourTimes{piece.gap.values});
            for (const Piece& piece : pieces_)
                inner.join<rules::BEND_ARC>(FourOf{piece.arcs + x * Pairs::BLOCK},
                                            FourTimes{piece.bends});
            inner.join<rules::COVER>(open, FourTimes{arc.values});
            open.store_to(open_fans.block(x));
            inner.store_to(inner_fans.block(x));
            const FourOf last{arcs.row(far).block(x)};
            FanStates best(inner);
            if (!has_one_arc(far)) open.raise_to(inner);
            best.join<rules::LAST>(open, last);
            best.join<rules::TIP>(last, FourTimes{gap.values});
            best.store_to(fans.block(x));
        }
        if (single_root_ && blocks.begin == 0)
            for (int state = 0; state < N_FAN_STATES; ++state)
                fans.at(0, state) = inner_fans.at(0, state) = IMPOSSIBLE;
    }

    /* What fans from near to far are made of, wherever x is. */
    void collect_pieces(int near, int far) {
        int q = near;
        pieces_.resize(std::abs(far - near) - 1);
        for (Piece& piece : pieces_) {
            q += step(near, far);
            piece.arcs = arcs.row(q).block(0);
            piece.gap = gaps.of(q, far);
            const Pairs::Of gap = gaps.of(near, q);
            const float* fans = &fans_.row(q, far).at(near, 0);
            std::fill(piece.bends, piece.bends + N_FAN_STATES, 2 * IMPOSSIBLE);
            Each<rules::BEND.n>::call([&](auto s) {
                constexpr Sum sum = rules::BEND.sums[s];
                raise(piece.bends[sum.result], gap[sum.left] + fans[4 * sum.right]);
            });
        }
    }

    void fill_outer_fans(int near, int far, Blocks blocks) {
        const FanRow fans = outer_fans_.row(far);
        fill_fans(near, far, true, blocks, fans, present_inner_fans_.row(0));
        for (int x = blocks.begin; x < blocks.end; ++x) {
            TripleStates reached(FourOf{open_fans_.row(0).block(x)});
            reached.raise_to(FanStates(FourOf{fans.block(x)}));
            reached.store_to(reached_fans_.row(far).block(x));
        }
    }

    void fill_fans_to_start(int i, int a, Blocks blocks) {
        for (int block = blocks.begin; block < blocks.end; ++block) {
            FanStates together;
            together.join<rules::FAN_GAP>(FourOf{fans_.row(a, i).block(block)},
                                          FourOf{gaps.row(a).block(block)});
            for (int b = std::max(4 * block, a + 1); b < std::min(4 * block + 4, n_nodes_); ++b)
                for (int state = 0; state < N_FAN_STATES; ++state)
                    fans_to_start_.row(b).at(a, state) = together[state][b % 4];
        }
    }

    /* Structures from i whose last gap starts with k, when its outer fans are known. */
    void end_structures(int i, int k, Blocks blocks) {
        const Pairs::Of arc = arcs.of(i, k);
        for (int x = blocks.begin; x < blocks.end; ++x) {
            TripleStates split;
            FanStates inner(FourOf{present_inner_fans_.row(0).block(x)});
            for (int s = i + 1; s < k; ++s)
                split.join<rules::SPLIT>(FourOf{reached_fans_.row(s).block(x)},
                                         FourOf{fans_.row(k, s).block(x)});
            inner.join<rules::END_COVER>(split, FourTimes{arc.values});
            PairStates best(FourOf{ended_.row(i).block(x)});
            best.join<rules::END>(inner, FourOf{gaps.row(k).block(x)});
            best.store_to(ended_.row(i).block(x));
        }
    }

    static Goal arc(int a, int b, int state) { return {Kind::CROSSED_ARC, a, b, -1, -1, state}; }
    static Goal gap(int a, int b, int state) { return {Kind::GAP, a, b, -1, -1, state}; }
    static Goal fan(Kind kind, int near, int far, int x, int state) {
        return {kind, near, far, x, -1, state};
    }

    void trace_structure(int i, int j, int state, Best& best) {
        const FanRow inner = present_inner_fans_.row(0);
        const Blocks around_j = Blocks::of(j, j + 1);
        for (int b = i + 2; b < j; ++b)
            for (int a = i + 1; a < b; ++a) trace_two_fans(i, j, a, b, state, best);
        for (int k = i + 1; k < j; ++k) {
            for (const Sum& s : rules::GAP_FAN)
                if (s.result == state)
                    best.consider(gaps.at(i, k, s.left) + inner_fans_.row(k, j).at(i, s.right),
                                  {gap(i, k, s.left), fan(Kind::INNER_FAN, k, j, i, s.right)});
            collect_pieces(k, i);
            fill_fans(k, i, false, around_j, fans_.row(k, i), inner);
            for (const Sum& s : rules::TURNED_END)
                if (s.result == state)
                    best.consider(inner.at(j, s.left) + gaps.at(k, j, s.right),
                                  {fan(Kind::INNER_FAN, k, i, j, s.left), gap(k, j, s.right)});
            if (has_one_arc(i)) continue;
            collect_pieces(i, k);
            fill_outer_fans(i, k, around_j);
            for (const Sum& s : rules::END) {
                if (s.result != state) continue;
                best.consider(inner.at(j, s.left) + gaps.at(k, j, s.right),
                              {fan(Kind::INNER_FAN, i, k, j, s.left), gap(k, j, s.right)});
                trace_split(i, j, k, s, best);
            }
        }
    }

    void trace_two_fans(int i, int j, int a, int b, int state, Best& best) {
        const FanRow left = fans_.row(a, i), right = fans_.row(b, j);
        for (const Sum& s : rules::TWO_FANS) {
            if (s.result != state) continue;
            for (const Sum& t : rules::FAN_GAP)
                if (t.result == s.left)
                    best.consider(left.at(b, t.left) + gaps.at(a, b, t.right) +
                                      right.at(a, s.right),
                                  {fan(Kind::FAN, a, i, b, t.left), gap(a, b, t.right),
                                   fan(Kind::FAN, b, j, a, s.right)});
        }
    }

    void trace_split(int i, int j, int k, const Sum& end, Best& best) {
        for (const Sum& cover : rules::END_COVER) {
            if (cover.result != end.left) continue;
            const float around = arcs.at(i, k, cover.right) + gaps.at(k, j, end.right);
            for (int split = i + 1; split < k; ++split)
                for (const Sum& s : rules::SPLIT)
                    if (s.result == cover.left)
                        best.consider(reached_fans_.row(split).at(j, s.left) +
                                          fans_.row(k, split).at(j, s.right) + around,
                                      {fan(Kind::REACHED_FAN, i, split, j, s.left),
                                       fan(Kind::FAN, k, split, j, s.right),
                                       arc(i, k, cover.right), gap(k, j, end.right)});
        }
    }

    void trace_open(int near, int far, int x, int state, Best& best) {
        const bool outer = is_outer(near, far, x);
        const int d = step(near, far);
        for (int q = near + d; q != far; q += d)
            for (const Sum& s : rules::OPEN)
                if (s.result == state)
                    best.consider(fan_row(near, q, outer).at(x, s.left) + gaps.at(q, far, s.right),
                                  {fan(Kind::FAN, near, q, x, s.left), gap(q, far, s.right)});
    }

    void trace_inner(int near, int far, int x, int state, Best& best) {
        const int d = step(near, far);
        for (const Sum& s : rules::COVER)
            if (s.result == state)
                best.consider(open_fans_.row(0).at(x, s.left) + arcs.at(near, far, s.right),
                              {fan(Kind::OPEN_FAN, near, far, x, s.left),
                               arc(near, far, s.right)});
        for (const Sum& s : rules::BEND_ARC) {
            if (s.result != state) continue;
            for (int q = near + d; q != far; q += d)
                for (const Sum& t : rules::BEND)
                    if (t.result == s.right)
                        best.consider(arcs.at(q, x, s.left) + gaps.at(near, q, t.left) +
                                          fans_.row(q, far).at(near, t.right),
                                      {arc(q, x, s.left), gap(near, q, t.left),
                                       fan(Kind::FAN, q, far, near, t.right)});
        }
    }

    void trace_fan(int near, int far, int x, int state, Best& best) {
        const TripleRow open = open_fans_.row(0);
        const FanRow inner = present_inner_fans_.row(0);
        best.consider(inner.at(x, state), {fan(Kind::INNER_FAN, near, far, x, state)});
        for (const Sum& s : rules::LAST) {
            if (s.result != state) continue;
            const float last = arcs.at(far, x, s.right);
            best.consider(open.at(x, s.left) + last,
                          {fan(Kind::OPEN_FAN, near, far, x, s.left), arc(far, x, s.right)});
            if (!has_one_arc(far) && s.left < N_FAN_STATES)
                best.consider(inner.at(x, s.left) + last,
                              {fan(Kind::INNER_FAN, near, far, x, s.left), arc(far, x, s.right)});
        }
        for (const Sum& s : rules::TIP)
            if (s.result == state)
                best.consider(arcs.at(far, x, s.left) + gaps.at(near, far, s.right),
                              {arc(far, x, s.left), gap(near, far, s.right)});
    }
};

}  // namespace npparse
