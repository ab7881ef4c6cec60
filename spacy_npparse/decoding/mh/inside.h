/* The inside pass of exact search with items of up to three or four heads (Gómez-Rodríguez, Shi and
   Lee 2018, section 3); see chart.pyx. */

#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "semirings.h"
#include "vectorised.h"

namespace npparse {

/* Transitions, numbered as in transitions/mh4.pyx. */
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

/* Scores of one sentence. Nodes are the root 0, the words and the end of the sentence, which is at
   the front of an empty buffer. All arrays are [size][size], those of links [N_LINKS][size][size].

   shift: by s0 and b0; below: of each link, by s1 and s0; front: of each link, by s0 and b0; arcs:
   of each arc, by head and dependent. */
struct MHScores {
    const float* shift;
    const float* below;
    const float* front;
    const float* arcs;
    int size;
};

/* The joint value of all derivations of each item.

   Items are found in the order of their last heads, so that what only those of four heads need is
   kept for one last head at a time.

   The rules build some sequences of transitions in several ways. To count each once, two ways are
   left out unless the semiring is idempotent. [i, j] and [j, k, l] are not combined if the latter
   is made of [j, k] and [k, l], for [i, j, k] and [k, l] are. If they are combined, k gets no head
   but i, for in [j, k, l] it can get the others. */
template <typename Semiring>
class Chart {
  public:
    using Number = typename Semiring::Number;
    using Value = typename Semiring::Value;

    /* The value of all derivations of a sentence of n words.

       four: whether there are items of four heads. single_root: whether the root is a head in the
       last link only. */
    Number fill(const MHScores& scores, int n, bool four, bool single_root) {
        end_ = n + 1;
        nodes_ = n + 2;
        four_ = four;
        read(scores, single_root);
        make_room();
        for (int l = 1; l <= end_; ++l) {
            set_two(l - 1, l, 0);
            if (four_) join_links(l);
            for (int i = l - 2; i >= 0; --i) fill_item(i, l);
        }
        return two_[at(0, end_)];
    }

  protected:
    int end_, nodes_;
    bool four_;
    /* Of [left, right]: [left][right] and [right][left]. */
    std::vector<Number> two_, two_by_right_;
    /* Of [left, middle, right]: for each left < middle a row of all right > middle. Linked ones,
       which are told apart unless the semiring is idempotent, are not combined of [left, middle]
       and [middle, right]. */
    std::vector<Number> three_, linked_;
    std::vector<std::size_t> rows_;
    /* Of [left, middle, right] for the present right, linked ones if they are told apart:
       [left][middle]. */
    std::vector<Number> inner_;
    /* [s0][b0] */
    std::vector<Number> shift_;
    /* [link][s1][s0] and [link][b0][s0] */
    std::vector<Number> below_, front_;
    /* [head][dependent]; those of the root in the last link by themselves. */
    std::vector<Number> arcs_, root_arcs_;
    /* Links of items of four heads, the last being the present one: [second][third]. Those to the
       third head and to the second that do not look at the first; and those from the first, without
       the score of the arc. */
    std::vector<Number> to_third_, to_second_, third_from_first_, second_from_first_;
    /* Linked items of the present ends, by their middle. */
    std::vector<Value> made_by_links_, scratch_;

    std::size_t at(int a, int b) const { return std::size_t(a) * nodes_ + b; }
    std::size_t row(int i, int j) const { return rows_[at(i, j)]; }
    Number three(int i, int j, int l) const { return three_[row(i, j) + l - j - 1]; }
    const Number* below(int link, int s1) const { return &below_[at((link - 1) * nodes_ + s1, 0)]; }
    const Number* front(int link, int b0) const { return &front_[at((link - 1) * nodes_ + b0, 0)]; }
    const Number* arcs(int head) const { return &arcs_[at(head, 0)]; }

    /* The arcs of links of [i, j, l] from i. */
    const Number* arcs_from_first(int i, int l) const {
        return i == 0 && l == end_ ? root_arcs_.data() : arcs(i);
    }

    /* The value of a link by the heads that it looks at, without that of the arc. */
    Number link(int t, int s1, int s0, int b0) const { return below(t, s1)[s0] + front(t, b0)[s0]; }

    static Number joined(Value a, Value b) { return Semiring::number(Semiring::join(a, b)); }

    Number combined(int i, int j, int l) const {
        return two_[at(i, j)] + two_by_right_[at(l, j)] + shift_[at(i, j)];
    }
    Number right_link(int i, int j, int l) const {
        return link(RIGHT_ARC, i, j, l) + arcs_from_first(i, l)[j];
    }
    Number left_link(int i, int j, int l) const { return link(LEFT_ARC, i, j, l) + arcs(l)[j]; }

    /* Links of items of four heads, the last being l. */
    void join_links(int l) {
        for (int j = 1; j < l; ++j) {
            for (int k = j + 1; k < l; ++k) {
                const std::size_t cell = at(j, k);
                to_third_[cell] = joined(link(RIGHT_ARC, j, k, l) + arcs(j)[k],
                                         link(LEFT_ARC, j, k, l) + arcs(l)[k]);
                to_second_[cell] = joined(link(LEFT_ARC_STACK, j, k, l) + arcs(k)[j],
                                          link(LEFT_ARC_2, j, k, l) + arcs(l)[j]);
                third_from_first_[cell] = link(RIGHT_ARC_2, j, k, l);
                second_from_first_[cell] = link(RIGHT_ARC_STACK, j, k, l);
            }
        }
    }

    /* What items of four heads i, j, k, l and their links are made of: rows by k from j + 1 on, and
       numbers. */
    struct FourRows {
        const Number *outer, *outer_linked, *inner, *last, *shift, *from_first;
        const Number *to_third, *to_second, *third_from_first, *second_from_first;
        Number before_inner, first_to_second;
    };

    FourRows four_rows(int i, int j, int l) const {
        const std::size_t k = j + 1, cells = at(j, k);
        FourRows rows;
        rows.outer = &three_[row(i, j)];
        rows.outer_linked = Semiring::idempotent ? nullptr : &linked_[row(i, j)];
        rows.inner = &inner_[cells];
        rows.last = &two_by_right_[at(l, k)];
        rows.shift = &shift_[cells];
        rows.from_first = arcs(i) + k;
        rows.to_third = &to_third_[cells];
        rows.to_second = &to_second_[cells];
        rows.third_from_first = &third_from_first_[cells];
        rows.second_from_first = &second_from_first_[cells];
        rows.before_inner = two_[at(i, j)] + shift_[at(i, j)];
        rows.first_to_second = arcs(i)[j];
        return rows;
    }

  private:
    void set_two(int i, int l, Number value) {
        two_[at(i, l)] = value;
        two_by_right_[at(l, i)] = value;
    }

    void read(const MHScores& scores, bool single_root) {
        const std::size_t squares = at(nodes_, 0);
        const std::size_t size = scores.size;
        for (auto* table : {&shift_, &arcs_}) table->resize(squares);
        below_.resize(squares * N_LINKS);
        front_.resize(squares * N_LINKS);
        root_arcs_.assign(scores.arcs, scores.arcs + nodes_);
        for (int a = 0; a < nodes_; ++a) {
            const bool no_head = a == end_ || (a == 0 && single_root);
            for (int b = 0; b < nodes_; ++b) {
                shift_[at(a, b)] = scores.shift[a * size + b];
                arcs_[at(a, b)] = no_head ? IMPOSSIBLE : scores.arcs[a * size + b];
                for (int link = 0; link < N_LINKS; ++link) {
                    below_[at(link * nodes_ + a, b)] = scores.below[(link * size + a) * size + b];
                    front_[at(link * nodes_ + b, a)] = scores.front[(link * size + a) * size + b];
                }
            }
        }
    }

    void make_room() {
        const std::size_t squares = at(nodes_, 0);
        for (auto* table : {&two_, &two_by_right_, &inner_}) table->resize(squares);
        for (auto* table : {&made_by_links_, &scratch_}) table->resize(nodes_);
        if (four_)
            for (auto* table : {&to_third_, &to_second_, &third_from_first_, &second_from_first_})
                table->resize(squares);
        rows_.resize(squares);
        std::size_t n_items = 0;
        for (int i = 0; i < end_; ++i) {
            for (int j = i + 1; j < end_; ++j) {
                rows_[at(i, j)] = n_items;
                n_items += end_ - j;
            }
        }
        three_.resize(n_items);
        if (!Semiring::idempotent) linked_.resize(n_items);
    }

    void fill_item(int i, int l) {
        std::fill(&made_by_links_[i + 1], &made_by_links_[l], Value(IMPOSSIBLE));
        if (four_) {
            for (int j = i + 1; j < l - 1; ++j) {
                const Value all = four_links(four_rows(i, j, l), l - j - 1, &made_by_links_[j + 1],
                                             scratch_.data());
                made_by_links_[j] = Semiring::join(made_by_links_[j], all);
            }
        }
        for (int j = i + 1; j < l; ++j) {
            const Number all = joined(made_by_links_[j], combined(i, j, l));
            const std::size_t cell = row(i, j) + l - j - 1;
            three_[cell] = inner_[at(i, j)] = all;
            if (!Semiring::idempotent)
                linked_[cell] = inner_[at(i, j)] = Semiring::number(made_by_links_[j]);
            scratch_[j] = Value(all) + Semiring::join(right_link(i, j, l), left_link(i, j, l));
        }
        set_two(i, l, Semiring::number(Semiring::join(&scratch_[i + 1], l - i - 1)));
    }

    /* Join to linked[k] what is left of [i, j, k, l] without j; return what is left without k.

       n: number of k; scratch: room for n values. */
    NPPARSE_VECTORISED
    static Value four_links(const FourRows& rows, std::ptrdiff_t n, Value* __restrict linked,
                            Value* __restrict scratch) {
        const Number *outer = rows.outer, *outer_linked = rows.outer_linked, *inner = rows.inner;
        const Number *last = rows.last, *shift = rows.shift, *from_first = rows.from_first;
        const Number *to_third = rows.to_third, *to_second = rows.to_second;
        const Number* third_from_first = rows.third_from_first;
        const Number* second_from_first = rows.second_from_first;
        const Number before_inner = rows.before_inner, first_to_second = rows.first_to_second;
        NPPARSE_INDEPENDENT
        for (std::ptrdiff_t k = 0; k < n; ++k) {
            const Number by_outer = outer[k] + last[k] + shift[k];
            const Value item = Semiring::join(by_outer, before_inner + inner[k]);
            const Value to_k = third_from_first[k] + from_first[k];
            const Value to_j =
                Semiring::join(to_second[k], second_from_first[k] + first_to_second);
            linked[k] = Semiring::join(linked[k], item + to_j);
            scratch[k] = Semiring::idempotent
                             ? item + Semiring::join(to_third[k], to_k)
                             : Semiring::join(item + to_k,
                                              outer_linked[k] + last[k] + shift[k] + to_third[k]);
        }
        return Semiring::join(scratch, n);
    }
};

}  // namespace npparse
