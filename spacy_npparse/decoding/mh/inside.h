// The inside pass of MH3 and MH4 (Gómez-Rodríguez, Shi and Lee 2018, section 3.1); search.pyx has
// the deduction system.

#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "semirings.h"
#include "vectorised.h"

namespace npparse {

// The transitions of MH4, numbered as in systems/mh4.pyx.
enum Transition {
    SHIFT,
    LEFT_ARC,
    RIGHT_ARC,
    LEFT_ARC_STACK,
    RIGHT_ARC_STACK,
    LEFT_ARC_2,
    RIGHT_ARC_2
};

constexpr int N_LINKS = 6;

// Scores of one sentence, of any value. Nodes are the root 0, the words, and the end of the
// sentence, which is the front of an empty buffer.
struct MHScores {
    const float* shift;  // [size][size], by s0 and b0
    const float* below;  // [N_LINKS][size][size], by s1 and s0
    const float* front;  // [N_LINKS][size][size], by s0 and b0
    const float* arcs;   // [size][size], by head and dependent
    int size;
};

// The chart of inside weights.
//
// Items are deduced in the order of their last heads, so that the tables that only items of four
// heads need are stored for one last head at a time. Without these, an item of three heads is
// combined and linked at once, and only items of two heads are stored.
//
// The deduction system is ambiguous: it derives some transition sequences in several ways. Each has
// to be counted once, unless the semiring is idempotent; this excludes two deductions:
// - [i, j] and [j, k, l] are not combined if the latter is itself combined from [j, k] and [k, l],
//   since [i, j, k] and [k, l] are combined;
// - if they are combined, k is linked to no head but i, since it can be linked to the others in
//   [j, k, l].
template <typename Semiring>
class InsideChart {
  public:
    using Weight = typename Semiring::Weight;
    using Accumulator = typename Semiring::Accumulator;

    // The inside weight of the goal item of a sentence of n words.
    //
    // four_heads: whether there are items of four heads. single_root: whether the root may be a
    // head in the last link only.
    Weight fill(const MHScores& scores, int n, bool four_heads, bool single_root) {
        end_ = n + 1;
        n_nodes_ = n + 2;
        four_heads_ = four_heads;
        read(scores, single_root);
        allocate();
        for (int l = 1; l <= end_; ++l) {
            set_two(l - 1, l, 0);
            if (four_heads_) score_links(l);
            for (int i = l - 2; i >= 0; --i) deduce(i, l);
        }
        return two_[at(0, end_)];
    }

  protected:
    int end_, n_nodes_;
    bool four_heads_;
    // Items [i, l]: [i][l] and [l][i].
    std::vector<Weight> two_, two_by_last_;
    // Items [i, j, l], if there are items of four heads: for each i < j a row of all l > j. Linked
    // ones, which are stored separately unless the semiring is idempotent, are those that are not
    // combined from [i, j] and [j, l].
    std::vector<Weight> three_, three_linked_;
    std::vector<std::size_t> row_starts_;
    // Items [j, k, l] of the present l: [j][k]; only linked ones if those are stored separately.
    std::vector<Weight> inner_;
    // [s0][b0]
    std::vector<Weight> shift_;
    // [link][s1][s0] and [link][b0][s0]
    std::vector<Weight> below_, front_;
    // [head][dependent]; those of the root in the last link separately.
    std::vector<Weight> arcs_, root_arcs_;
    // Scores of links of items [i, j, k, l] of the present l: [j][k]. Links of k to j or l, of j to
    // k or l, and of k and j to i, the latter without the score of the arc.
    std::vector<Weight> link_k_, link_j_, link_k_to_i_, link_j_to_i_;
    // Items [i, j, l] linked from items of four heads, for the present i and l, by j.
    std::vector<Accumulator> linked_, scratch_;

    std::size_t at(int a, int b) const { return std::size_t(a) * n_nodes_ + b; }
    std::size_t row(int i, int j) const { return row_starts_[at(i, j)]; }
    Weight three(int i, int j, int l) const {
        return four_heads_ ? three_[row(i, j) + l - j - 1] : combined(i, j, l);
    }
    const Weight* below(int link, int s1) const {
        return &below_[at((link - 1) * n_nodes_ + s1, 0)];
    }
    const Weight* front(int link, int b0) const {
        return &front_[at((link - 1) * n_nodes_ + b0, 0)];
    }
    const Weight* arcs(int head) const { return &arcs_[at(head, 0)]; }

    // The arcs from i in links of [i, j, l].
    const Weight* arcs_from_first(int i, int l) const {
        return i == 0 && l == end_ ? root_arcs_.data() : arcs(i);
    }

    // The score of a link without that of its arc.
    Weight link(int t, int s1, int s0, int b0) const { return below(t, s1)[s0] + front(t, b0)[s0]; }

    static Weight sum(Accumulator a, Accumulator b) {
        return Semiring::weight(Semiring::plus(a, b));
    }

    Weight combined(int i, int j, int l) const {
        return two_[at(i, j)] + two_by_last_[at(l, j)] + shift_[at(i, j)];
    }
    Weight right_link(int i, int j, int l) const {
        return link(RIGHT_ARC, i, j, l) + arcs_from_first(i, l)[j];
    }
    Weight left_link(int i, int j, int l) const { return link(LEFT_ARC, i, j, l) + arcs(l)[j]; }

    // Score the links of items of four heads, l being the last.
    void score_links(int l) {
        for (int j = 1; j < l; ++j) {
            for (int k = j + 1; k < l; ++k) {
                const std::size_t cell = at(j, k);
                link_k_[cell] = sum(link(RIGHT_ARC, j, k, l) + arcs(j)[k],
                                    link(LEFT_ARC, j, k, l) + arcs(l)[k]);
                link_j_[cell] = sum(link(LEFT_ARC_STACK, j, k, l) + arcs(k)[j],
                                    link(LEFT_ARC_2, j, k, l) + arcs(l)[j]);
                link_k_to_i_[cell] = link(RIGHT_ARC_2, j, k, l);
                link_j_to_i_[cell] = link(RIGHT_ARC_STACK, j, k, l);
            }
        }
    }

    // The antecedents and links of all items [i, j, k, l] of some i, j and l: rows by k, which
    // starts at j + 1, and what does not depend on k. An outer item combines [i, j, k] and [k, l],
    // an inner one [i, j] and [j, k, l].
    struct FourHeadRows {
        const Weight *outer, *outer_linked, *inner, *last, *shift, *arcs_from_i;
        const Weight *link_k, *link_j, *link_k_to_i, *link_j_to_i;
        Weight before_inner, arc_i_to_j;
    };

    FourHeadRows four_head_rows(int i, int j, int l) const {
        const std::size_t k = j + 1, cells = at(j, k);
        FourHeadRows rows;
        rows.outer = &three_[row(i, j)];
        rows.outer_linked = Semiring::idempotent ? nullptr : &three_linked_[row(i, j)];
        rows.inner = &inner_[cells];
        rows.last = &two_by_last_[at(l, k)];
        rows.shift = &shift_[cells];
        rows.arcs_from_i = arcs(i) + k;
        rows.link_k = &link_k_[cells];
        rows.link_j = &link_j_[cells];
        rows.link_k_to_i = &link_k_to_i_[cells];
        rows.link_j_to_i = &link_j_to_i_[cells];
        rows.before_inner = two_[at(i, j)] + shift_[at(i, j)];
        rows.arc_i_to_j = arcs(i)[j];
        return rows;
    }

  private:
    void set_two(int i, int l, Weight weight) {
        two_[at(i, l)] = weight;
        two_by_last_[at(l, i)] = weight;
    }

    void read(const MHScores& scores, bool single_root) {
        const std::size_t n_cells = at(n_nodes_, 0);
        const std::size_t size = scores.size;
        const int n_links = four_heads_ ? N_LINKS : RIGHT_ARC;
        for (auto* table : {&shift_, &arcs_}) table->resize(n_cells);
        for (auto* table : {&below_, &front_}) table->resize(n_cells * n_links);
        root_arcs_.resize(n_nodes_);
        for (int b = 0; b < n_nodes_; ++b) root_arcs_[b] = clamped(scores.arcs[b]);
        for (int a = 0; a < n_nodes_; ++a) {
            const bool no_head = a == end_ || (a == 0 && single_root);
            for (int b = 0; b < n_nodes_; ++b) {
                shift_[at(a, b)] = clamped(scores.shift[a * size + b]);
                arcs_[at(a, b)] = no_head ? IMPOSSIBLE : clamped(scores.arcs[a * size + b]);
            }
            for (int link = 0; link < n_links; ++link) {
                const std::size_t cells = (link * size + a) * size;
                Weight* below_row = &below_[at(link * n_nodes_ + a, 0)];
                Weight* front_column = &front_[at(link * n_nodes_, a)];
                for (int b = 0; b < n_nodes_; ++b) below_row[b] = clamped(scores.below[cells + b]);
                for (int b = 0; b < n_nodes_; ++b)
                    front_column[at(b, 0)] = clamped(scores.front[cells + b]);
            }
        }
    }

    void allocate() {
        const std::size_t n_cells = at(n_nodes_, 0);
        for (auto* table : {&two_, &two_by_last_}) table->resize(n_cells);
        for (auto* table : {&linked_, &scratch_}) table->resize(n_nodes_);
        if (!four_heads_) return;
        for (auto* table : {&inner_, &link_k_, &link_j_, &link_k_to_i_, &link_j_to_i_})
            table->resize(n_cells);
        row_starts_.resize(n_cells);
        std::size_t n_items = 0;
        for (int i = 0; i < end_; ++i) {
            for (int j = i + 1; j < end_; ++j) {
                row_starts_[at(i, j)] = n_items;
                n_items += end_ - j;
            }
        }
        three_.resize(n_items);
        if (!Semiring::idempotent) three_linked_.resize(n_items);
    }

    // The items [i, j, l] for all j, and [i, l].
    void deduce(int i, int l) {
        if (!four_heads_) {
            const ThreeHeadRows rows = three_head_rows(i, l);
            return set_two(i, l, link_combined(rows, l - i - 1, scratch_.data()));
        }
        std::fill(&linked_[i + 1], &linked_[l], Accumulator(IMPOSSIBLE));
        for (int j = i + 1; j < l - 1; ++j) {
            const Accumulator without_k = link_four_heads(four_head_rows(i, j, l), l - j - 1,
                                                          &linked_[j + 1], scratch_.data());
            linked_[j] = Semiring::plus(linked_[j], without_k);
        }
        for (int j = i + 1; j < l; ++j) {
            const Weight inside = sum(linked_[j], combined(i, j, l));
            const std::size_t cell = row(i, j) + l - j - 1;
            three_[cell] = inner_[at(i, j)] = inside;
            if (!Semiring::idempotent)
                three_linked_[cell] = inner_[at(i, j)] = Semiring::weight(linked_[j]);
            scratch_[j] =
                Accumulator(inside) + Semiring::plus(right_link(i, j, l), left_link(i, j, l));
        }
        set_two(i, l, Semiring::weight(Semiring::sum(&scratch_[i + 1], l - i - 1)));
    }

    // The antecedents and links of all items [i, j, l] of some i and l, by j, which starts at i
    // + 1.
    struct ThreeHeadRows {
        const Weight *two, *two_by_last, *shift, *right_below, *right_front, *right_arcs;
        const Weight *left_below, *left_front, *left_arcs;
    };

    ThreeHeadRows three_head_rows(int i, int l) const {
        const int j = i + 1;
        ThreeHeadRows rows;
        rows.two = &two_[at(i, j)];
        rows.two_by_last = &two_by_last_[at(l, j)];
        rows.shift = &shift_[at(i, j)];
        rows.right_below = below(RIGHT_ARC, i) + j;
        rows.right_front = front(RIGHT_ARC, l) + j;
        rows.right_arcs = arcs_from_first(i, l) + j;
        rows.left_below = below(LEFT_ARC, i) + j;
        rows.left_front = front(LEFT_ARC, l) + j;
        rows.left_arcs = arcs(l) + j;
        return rows;
    }

    // Combine and link items [i, j, l] for all j: [i, l].
    //
    // n: the number of j. scratch: of n elements.
    NPPARSE_VECTORISED
    static Weight link_combined(const ThreeHeadRows& rows, std::ptrdiff_t n,
                                Accumulator* __restrict scratch) {
        const Weight *two = rows.two, *two_by_last = rows.two_by_last, *shift = rows.shift;
        const Weight *right_below = rows.right_below, *right_front = rows.right_front;
        const Weight *right_arcs = rows.right_arcs, *left_below = rows.left_below;
        const Weight *left_front = rows.left_front, *left_arcs = rows.left_arcs;
        NPPARSE_INDEPENDENT
        for (std::ptrdiff_t j = 0; j < n; ++j) {
            const Accumulator item = two[j] + two_by_last[j] + shift[j];
            scratch[j] = item + Semiring::plus(right_below[j] + right_front[j] + right_arcs[j],
                                               left_below[j] + left_front[j] + left_arcs[j]);
        }
        return Semiring::weight(Semiring::sum(scratch, n));
    }

    // Link items [i, j, k, l] for all k: add [i, k, l] to linked[k], return [i, j, l].
    //
    // n: the number of k. scratch: of n elements.
    NPPARSE_VECTORISED
    static Accumulator link_four_heads(const FourHeadRows& rows, std::ptrdiff_t n,
                                       Accumulator* __restrict linked,
                                       Accumulator* __restrict scratch) {
        const Weight *outer = rows.outer, *outer_linked = rows.outer_linked, *inner = rows.inner;
        const Weight *last = rows.last, *shift = rows.shift, *arcs_from_i = rows.arcs_from_i;
        const Weight *link_k = rows.link_k, *link_j = rows.link_j;
        const Weight *link_k_to_i = rows.link_k_to_i, *link_j_to_i = rows.link_j_to_i;
        const Weight before_inner = rows.before_inner, arc_i_to_j = rows.arc_i_to_j;
        NPPARSE_INDEPENDENT
        for (std::ptrdiff_t k = 0; k < n; ++k) {
            const Weight outer_item = outer[k] + last[k] + shift[k];
            const Accumulator item = Semiring::plus(outer_item, before_inner + inner[k]);
            const Accumulator k_to_i = link_k_to_i[k] + arcs_from_i[k];
            const Accumulator link_of_j = Semiring::plus(link_j[k], link_j_to_i[k] + arc_i_to_j);
            linked[k] = Semiring::plus(linked[k], item + link_of_j);
            scratch[k] = Semiring::idempotent
                             ? item + Semiring::plus(link_k[k], k_to_i)
                             : Semiring::plus(item + k_to_i,
                                              outer_linked[k] + last[k] + shift[k] + link_k[k]);
        }
        return Semiring::sum(scratch, n);
    }
};

}  // namespace npparse
