// The outside pass of MH3 and MH4: marginal probabilities of arcs.

#pragma once
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "inside.h"

namespace npparse {

// The outside pass as back-propagation through the inside pass (Eisner 2016).
//
// The gradient of the log partition function with respect to the log inside weight of an item is
// the marginal probability of the item, and with respect to the score of an arc the marginal
// probability of the arc. The gradient of an item is divided among its deductions in proportion to
// their weights.
class OutsideChart : public InsideChart<LogSemiring> {
  public:
    // The marginal probabilities of all arcs of the sentence that the chart was filled with:
    // [size][size], by head and dependent.
    void arc_marginals(float* marginals, int size) {
        start();
        for (int l = end_; l > 1; --l) {
            if (four_heads_) start_last_head(l);
            for (int i = 0; i < l - 1; ++i) backpropagate(i, l);
            if (four_heads_) backpropagate_links(l);
        }
        for (int head = 0; head < end_; ++head)
            for (int dependent = 1; dependent < end_; ++dependent)
                marginals[std::size_t(head) * size + dependent] =
                    float(std::min(d_arcs_[at(head, dependent)], 1.0));
    }

  private:
    // Gradients with respect to what the inside chart stores under the same names.
    std::vector<double> d_two_, d_two_by_last_, d_three_, d_three_linked_, d_inner_, d_arcs_;
    std::vector<double> d_link_k_, d_link_j_;
    // Log weights and gradients of linked items [i, j, l] of the present i and l, by j.
    std::vector<double> linked_weights_, d_linked_;
    // By k, to be summed.
    std::vector<double> d_before_inner_, d_arc_i_to_j_;

    void start() {
        const std::size_t n_cells = at(n_nodes_, 0);
        for (auto* table : {&d_two_, &d_two_by_last_, &d_arcs_}) table->assign(n_cells, 0.0);
        d_two_[at(0, end_)] = 1.0;
        if (!four_heads_) return;
        for (auto* table : {&d_three_, &d_three_linked_}) table->assign(three_.size(), 0.0);
        for (auto* table : {&linked_weights_, &d_linked_, &d_before_inner_, &d_arc_i_to_j_})
            table->resize(n_nodes_);
    }

    // Restore what the inside pass stored for one last head.
    void start_last_head(int l) {
        const std::size_t n_cells = at(n_nodes_, 0);
        for (auto* table : {&d_inner_, &d_link_k_, &d_link_j_}) table->assign(n_cells, 0.0);
        score_links(l);
        for (int i = 0; i < l - 1; ++i)
            for (int j = i + 1; j < l; ++j) inner_[at(i, j)] = three_linked_[row(i, j) + l - j - 1];
    }

    // Prunes items of negligible probability: they are not back-propagated further, and gradients
    // never become denormal numbers, which are slow.
    static double pruned(double gradient) { return gradient < 1e-20 ? 0.0 : gradient; }

    // Through [i, l] and the items [i, j, l] for all j.
    void backpropagate(int i, int l) {
        const double gradient = pruned(d_two_[at(i, l)] + d_two_by_last_[at(l, i)]);
        if (!four_heads_) {
            for (int j = i + 1; j < l; ++j)
                backpropagate_combined(i, j, l, backpropagate_three(i, j, l, gradient));
            return;
        }
        int last = i;
        for (int j = i + 1; j < l; ++j) {
            linked_weights_[j] = three_linked_[row(i, j) + l - j - 1];
            d_linked_[j] = pruned(linked_gradient(i, j, l, backpropagate_three(i, j, l, gradient)));
            if (d_linked_[j] > 0.0) last = j;
        }
        for (int j = i + 1; j <= std::min(last, l - 2); ++j)
            backpropagate_four(i, j, l, d_linked_[j] > 0.0 ? l - 1 : last);
    }

    // The gradient of [i, j, l] through [i, l]. d_two: that of [i, l].
    double backpropagate_three(int i, int j, int l, double d_two) {
        const double ratio = three(i, j, l) - two_[at(i, l)];
        const double d_right = d_two * exp_nonpositive(ratio + right_link(i, j, l));
        const double d_left = d_two * exp_nonpositive(ratio + left_link(i, j, l));
        d_arcs_[at(i, j)] += d_right;
        d_arcs_[at(l, j)] += d_left;
        return d_right + d_left;
    }

    // Through the deduction of [i, j, l] from [i, j] and [j, l].
    void backpropagate_combined(int i, int j, int l, double gradient) {
        d_two_[at(i, j)] += gradient;
        d_two_by_last_[at(l, j)] += gradient;
    }

    // The gradient of linked [i, j, l]. d_through_two: that of [i, j, l] through [i, l].
    double linked_gradient(int i, int j, int l, double d_through_two) {
        const std::size_t cell = row(i, j) + l - j - 1;
        const double d_item = d_three_[cell] + d_through_two;
        const double d_linked = d_item * exp_nonpositive(three_linked_[cell] - three_[cell]);
        backpropagate_combined(i, j, l, d_item - d_linked);
        return d_linked + d_three_linked_[cell] + d_inner_[at(i, j)];
    }

    // Gradients with respect to the fields of FourHeadRows.
    struct FourHeadGradients {
        double *outer, *outer_linked, *inner, *last, *arcs_from_i, *link_k, *link_j;
        double *before_inner, *arc_i_to_j;
    };

    // Through items [i, j, k, l] for all k up to a last one.
    void backpropagate_four(int i, int j, int l, int last) {
        const std::size_t k = j + 1, cells = at(j, k);
        const std::ptrdiff_t n = last - j;
        FourHeadGradients d;
        d.outer = &d_three_[row(i, j)];
        d.outer_linked = &d_three_linked_[row(i, j)];
        d.inner = &d_inner_[cells];
        d.last = &d_two_by_last_[at(l, k)];
        d.arcs_from_i = &d_arcs_[at(i, k)];
        d.link_k = &d_link_k_[cells];
        d.link_j = &d_link_j_[cells];
        d.before_inner = d_before_inner_.data();
        d.arc_i_to_j = d_arc_i_to_j_.data();
        backpropagate_four_heads(four_head_rows(i, j, l), n, &linked_weights_[j], &d_linked_[j], d);
        d_two_[at(i, j)] += std::accumulate(d.before_inner, d.before_inner + n, 0.0);
        d_arcs_[at(i, j)] += std::accumulate(d.arc_i_to_j, d.arc_i_to_j + n, 0.0);
    }

    // n: the number of k. weights, gradients: of linked [i, j, l], followed by those of linked
    // [i, k, l], by k.
    NPPARSE_VECTORISED
    static void backpropagate_four_heads(const FourHeadRows& rows, std::ptrdiff_t n,
                                         const double* weights, const double* gradients,
                                         const FourHeadGradients& d) {
        const double *outer = rows.outer, *outer_linked = rows.outer_linked, *inner = rows.inner;
        const double *last = rows.last, *shift = rows.shift, *arcs_from_i = rows.arcs_from_i;
        const double *link_k = rows.link_k, *link_j = rows.link_j;
        const double *link_k_to_i = rows.link_k_to_i, *link_j_to_i = rows.link_j_to_i;
        const double before_inner = rows.before_inner, arc_i_to_j = rows.arc_i_to_j;
        const double without_k = weights[0], d_without_k = gradients[0];
        const double *without_j = weights + 1, *d_without_j = gradients + 1;
        NPPARSE_INDEPENDENT
        for (std::ptrdiff_t k = 0; k < n; ++k) {
            const double outer_item = outer[k] + last[k] + shift[k];
            const LogSumExp item = LogSemiring::plus(outer_item, before_inner + inner[k]);
            const double ratio_k = item.max - without_k;
            const double ratio_j = item.max - without_j[k];
            const double d_k_to_i =
                d_without_k * item.sum * exp_nonpositive(ratio_k + link_k_to_i[k] + arcs_from_i[k]);
            const double d_scaled = d_without_j[k] * item.sum;
            const double d_link_j = d_scaled * exp_nonpositive(ratio_j + link_j[k]);
            const double d_j_to_i =
                d_scaled * exp_nonpositive(ratio_j + link_j_to_i[k] + arc_i_to_j);
            const double d_item = d_k_to_i + d_link_j + d_j_to_i;
            const double d_outer = d_item / item.sum * exp_nonpositive(outer_item - item.max);
            const double linked = outer_linked[k] + last[k] + shift[k] + link_k[k];
            const double d_linked = d_without_k * exp_nonpositive(linked - without_k);
            d.outer[k] += d_outer;
            d.outer_linked[k] += d_linked;
            d.inner[k] += d_item - d_outer;
            d.before_inner[k] = d_item - d_outer;
            d.last[k] += d_outer + d_linked;
            d.arcs_from_i[k] += d_k_to_i;
            d.arc_i_to_j[k] = d_j_to_i;
            d.link_k[k] += d_linked;
            d.link_j[k] += d_link_j;
        }
    }

    // Through the links of items of four heads that do not involve the first head.
    void backpropagate_links(int l) {
        for (int j = 1; j < l; ++j) {
            for (int k = j + 1; k < l; ++k) {
                const std::size_t cell = at(j, k);
                const double right = link(RIGHT_ARC, j, k, l) + arcs(j)[k] - link_k_[cell];
                const double d_right = d_link_k_[cell] * exp_nonpositive(right);
                d_arcs_[at(j, k)] += d_right;
                d_arcs_[at(l, k)] += d_link_k_[cell] - d_right;
                const double left = link(LEFT_ARC_STACK, j, k, l) + arcs(k)[j] - link_j_[cell];
                const double d_left = d_link_j_[cell] * exp_nonpositive(left);
                d_arcs_[at(k, j)] += d_left;
                d_arcs_[at(l, j)] += d_link_j_[cell] - d_left;
            }
        }
    }
};

}  // namespace npparse
