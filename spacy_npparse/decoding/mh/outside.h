/* How much of the sum over all derivations is theirs that build an arc. */

#pragma once
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "inside.h"

namespace npparse {

/* The outside pass: the inside pass backwards. The share of an item in the total, which is the
   derivative of the total by its value, is divided among what the item is made of
   (back-propagation; Eisner 2016). */
class Marginals : public Chart<LogSum> {
  public:
    /* The shares of all arcs in the total of `fill`: [size][size], by head and dependent. */
    void arc_shares(float* shares, int size) {
        start();
        for (int l = end_; l > 1; --l) {
            start_last_head(l);
            for (int i = 0; i < l - 1; ++i) divide_item(i, l);
            if (four_) divide_links(l);
        }
        for (int head = 0; head < end_; ++head)
            for (int dependent = 1; dependent < end_; ++dependent)
                shares[std::size_t(head) * size + dependent] =
                    float(std::min(of_arcs_[at(head, dependent)], 1.0));
    }

  private:
    /* Shares of what the chart has the values of, in the same order. */
    std::vector<double> of_two_, of_two_by_right_, of_three_, of_linked_, of_inner_, of_arcs_;
    std::vector<double> of_to_third_, of_to_second_;
    /* Of linked items of the present ends, by their middle. */
    std::vector<double> values_, shares_;
    std::vector<double> of_before_inner_, of_first_to_second_;

    void start() {
        const std::size_t squares = at(nodes_, 0);
        for (auto* table : {&of_two_, &of_two_by_right_, &of_arcs_}) table->assign(squares, 0.0);
        for (auto* table : {&of_three_, &of_linked_}) table->assign(three_.size(), 0.0);
        for (auto* table : {&values_, &shares_, &of_before_inner_, &of_first_to_second_})
            table->resize(nodes_);
        of_two_[at(0, end_)] = 1.0;
    }

    /* What is kept for one last head, as the inside pass left it. */
    void start_last_head(int l) {
        const std::size_t squares = at(nodes_, 0);
        for (auto* table : {&of_inner_, &of_to_third_, &of_to_second_}) table->assign(squares, 0.0);
        if (four_) join_links(l);
        for (int i = 0; i < l - 1; ++i)
            for (int j = i + 1; j < l; ++j) inner_[at(i, j)] = linked_[row(i, j) + l - j - 1];
    }

    /* Nothing for shares that do not count: what they are divided into is not looked for, nor do
       they become so small that processors are slow. */
    static double rounded(double share) { return share < 1e-20 ? 0.0 : share; }

    void divide_item(int i, int l) {
        const double share = rounded(of_two_[at(i, l)] + of_two_by_right_[at(l, i)]);
        int last = i;
        for (int j = i + 1; j < l; ++j) {
            values_[j] = linked_[row(i, j) + l - j - 1];
            shares_[j] = rounded(divide_three(i, j, l, share));
            if (shares_[j] > 0.0) last = j;
        }
        if (!four_) return;
        for (int j = i + 1; j <= std::min(last, l - 2); ++j)
            divide_four(i, j, l, shares_[j] > 0.0 ? l - 1 : last);
    }

    /* The share of linked [i, j, l]. share: that of [i, l]. */
    double divide_three(int i, int j, int l, double share) {
        const std::size_t cell = row(i, j) + l - j - 1;
        const double above = three_[cell] - two_[at(i, l)];
        const double by_right = share * exp_below_0(above + right_link(i, j, l));
        const double by_left = share * exp_below_0(above + left_link(i, j, l));
        of_arcs_[at(i, j)] += by_right;
        of_arcs_[at(l, j)] += by_left;
        const double all = of_three_[cell] + by_right + by_left;
        const double linked = all * exp_below_0(linked_[cell] - three_[cell]);
        of_two_[at(i, j)] += all - linked;
        of_two_by_right_[at(l, j)] += all - linked;
        return linked + of_linked_[cell] + of_inner_[at(i, j)];
    }

    /* The shares of what `FourRows` has the values of. */
    struct FourShares {
        double *outer, *outer_linked, *inner, *last, *from_first, *to_third, *to_second;
        double *before_inner, *first_to_second;
    };

    /* Items [i, j, k, l] for all k up to the last. */
    void divide_four(int i, int j, int l, int last) {
        const std::size_t k = j + 1, cells = at(j, k);
        const std::ptrdiff_t n = last - j;
        FourShares of;
        of.outer = &of_three_[row(i, j)];
        of.outer_linked = &of_linked_[row(i, j)];
        of.inner = &of_inner_[cells];
        of.last = &of_two_by_right_[at(l, k)];
        of.from_first = &of_arcs_[at(i, k)];
        of.to_third = &of_to_third_[cells];
        of.to_second = &of_to_second_[cells];
        of.before_inner = of_before_inner_.data();
        of.first_to_second = of_first_to_second_.data();
        divide_links_of_four(four_rows(i, j, l), n, &values_[j], &shares_[j], of);
        of_two_[at(i, j)] += std::accumulate(of.before_inner, of.before_inner + n, 0.0);
        of_arcs_[at(i, j)] += std::accumulate(of.first_to_second, of.first_to_second + n, 0.0);
    }

    /* n: number of k; values, shares: of what is left without k, and, from the next on, of what is
       left without j, by k. */
    NPPARSE_VECTORISED
    static void divide_links_of_four(const FourRows& rows, std::ptrdiff_t n, const double* values,
                                     const double* shares, const FourShares& of) {
        const double *outer = rows.outer, *outer_linked = rows.outer_linked, *inner = rows.inner;
        const double *last = rows.last, *shift = rows.shift, *from_first = rows.from_first;
        const double *to_third = rows.to_third, *to_second = rows.to_second;
        const double* third_from_first = rows.third_from_first;
        const double* second_from_first = rows.second_from_first;
        const double before_inner = rows.before_inner, first_to_second = rows.first_to_second;
        const double without_k = values[0], share = shares[0];
        const double *without_j = values + 1, *shares_without_j = shares + 1;
        NPPARSE_INDEPENDENT
        for (std::ptrdiff_t k = 0; k < n; ++k) {
            const double by_outer = outer[k] + last[k] + shift[k];
            const ScaledSum item = LogSum::join(by_outer, before_inner + inner[k]);
            const double above_k = item.highest - without_k;
            const double above_j = item.highest - without_j[k];
            const double to_k =
                share * item.sum * exp_below_0(above_k + third_from_first[k] + from_first[k]);
            const double share_j = shares_without_j[k] * item.sum;
            const double to_j = share_j * exp_below_0(above_j + to_second[k]);
            const double first_to_j =
                share_j * exp_below_0(above_j + second_from_first[k] + first_to_second);
            const double of_item = to_k + to_j + first_to_j;
            const double of_outer = of_item / item.sum * exp_below_0(by_outer - item.highest);
            const double linked = outer_linked[k] + last[k] + shift[k] + to_third[k];
            const double of_linked = share * exp_below_0(linked - without_k);
            of.outer[k] += of_outer;
            of.outer_linked[k] += of_linked;
            of.inner[k] += of_item - of_outer;
            of.before_inner[k] = of_item - of_outer;
            of.last[k] += of_outer + of_linked;
            of.from_first[k] += to_k;
            of.first_to_second[k] = first_to_j;
            of.to_third[k] += of_linked;
            of.to_second[k] += to_j;
        }
    }

    /* Links of items of four heads, the last being l, that do not look at the first. */
    void divide_links(int l) {
        for (int j = 1; j < l; ++j) {
            for (int k = j + 1; k < l; ++k) {
                const std::size_t cell = at(j, k);
                const double right = link(RIGHT_ARC, j, k, l) + arcs(j)[k] - to_third_[cell];
                const double by_right = of_to_third_[cell] * exp_below_0(right);
                of_arcs_[at(j, k)] += by_right;
                of_arcs_[at(l, k)] += of_to_third_[cell] - by_right;
                const double left = link(LEFT_ARC_STACK, j, k, l) + arcs(k)[j] - to_second_[cell];
                const double by_left = of_to_second_[cell] * exp_below_0(left);
                of_arcs_[at(k, j)] += by_left;
                of_arcs_[at(l, j)] += of_to_second_[cell] - by_left;
            }
        }
    }
};

}  // namespace npparse
