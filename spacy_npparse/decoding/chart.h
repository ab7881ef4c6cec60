/* The best derivation with items of up to three or four heads (Gómez-Rodríguez, Shi and Lee 2018,
   section 3); see chart.pyx. */

#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

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
constexpr float IMPOSSIBLE = -1e30f;

/* Scores of one sentence. Nodes are the root 0, the words and the end of the sentence, which is at
   the front of an empty buffer. All arrays are [size][size], those of links [N_LINKS][size][size].

   shift: by s0 and b0; below: of each link, by s1 and s0; front: of each link, by s0 and b0; arcs:
   of each arc, by head and dependent. */
struct ChartScores {
    const float* shift;
    const float* below;
    const float* front;
    const float* arcs;
    int size;
};

class Chart {
  public:
    /* The score of the best derivation of a sentence of n words.

       four: whether there are items of four heads. single_root: whether the root gets its dependent
       in the last link only. */
    float fill(const ChartScores& scores, int n, bool four, bool single_root) {
        end_ = n + 1;
        nodes_ = n + 2;
        four_ = four;
        single_root_ = single_root;
        read(scores);
        const std::size_t squares = at(nodes_, 0);
        two_.assign(squares, IMPOSSIBLE);
        two_by_right_.assign(squares, IMPOSSIBLE);
        by_right_.assign(squares * nodes_, IMPOSSIBLE);
        by_middle_.assign(squares * nodes_, IMPOSSIBLE);
        middle_.resize(nodes_);
        scratch_.resize(nodes_);
        for (int i = 0; i < end_; ++i) set_two(i, i + 1, 0.0f);
        for (int width = 2; width <= end_; ++width)
            for (int i = 0; i + width <= end_; ++i) fill_item(i, i + width);
        return two_[at(0, end_)];
    }

    /* The transitions of the derivation that `fill` found. */
    std::vector<int> derivation() const {
        std::vector<int> transitions;
        trace_two(0, end_, transitions);
        return transitions;
    }

  private:
    int end_, nodes_;
    bool four_, single_root_;
    /* [left][right] and [right][left]. */
    std::vector<float> two_, two_by_right_;
    /* [left][middle][right] and [left][right][middle]. */
    std::vector<float> by_right_, by_middle_;
    /* [s0][b0] */
    std::vector<float> shift_;
    /* [link][s1][s0] and [link][b0][s0] */
    std::vector<float> below_, front_;
    /* [head][dependent] and [dependent][head] */
    std::vector<float> arcs_, heads_;
    /* Items of the present ends, by their middle. */
    std::vector<float> middle_, scratch_;

    std::size_t at(int a, int b) const { return std::size_t(a) * nodes_ + b; }
    std::size_t at(int a, int b, int c) const { return at(a, b) * nodes_ + c; }
    const float* below(int link) const { return &below_[at(link - 1, 0, 0)]; }
    const float* front(int link) const { return &front_[at(link - 1, 0, 0)]; }

    void set_two(int i, int l, float score) {
        two_[at(i, l)] = score;
        two_by_right_[at(l, i)] = score;
    }

    void read(const ChartScores& scores) {
        const std::size_t squares = at(nodes_, 0);
        const std::size_t size = scores.size;
        shift_.resize(squares);
        arcs_.resize(squares);
        heads_.resize(squares);
        below_.resize(squares * N_LINKS);
        front_.resize(squares * N_LINKS);
        for (int a = 0; a < nodes_; ++a) {
            for (int b = 0; b < nodes_; ++b) {
                shift_[at(a, b)] = scores.shift[a * size + b];
                const float arc = a == end_ ? IMPOSSIBLE : scores.arcs[a * size + b];
                arcs_[at(a, b)] = heads_[at(b, a)] = arc;
                for (int link = 0; link < N_LINKS; ++link) {
                    below_[at(link, a, b)] = scores.below[(link * size + a) * size + b];
                    front_[at(link, b, a)] = scores.front[(link * size + a) * size + b];
                }
            }
        }
    }

    /* The score of a link by the heads that it looks at, without that of the arc. */
    float link(int t, int s1, int s0, int b0) const {
        return below(t)[at(s1, s0)] + front(t)[at(b0, s0)];
    }

    /* The score of an arc; the root is a head in the last link of a single-rooted tree only. */
    float arc(int head, int dependent, bool last = false) const {
        if (head == 0 && single_root_ && !last) return IMPOSSIBLE;
        return arcs_[at(head, dependent)];
    }

    void fill_item(int i, int l) {
        for (int j = i + 1; j < l; ++j) middle_[j] = combined(i, j, l);
        if (four_)
            for (int j = i + 1; j < l - 1; ++j) link_four(i, j, l);
        for (int j = i + 1; j < l; ++j) {
            by_right_[at(i, j, l)] = middle_[j];
            by_middle_[at(i, l, j)] = middle_[j];
        }
        float best = IMPOSSIBLE;
        for (int j = i + 1; j < l; ++j)
            best = std::max(best, middle_[j] + std::max(right_link(i, j, l), left_link(i, j, l)));
        set_two(i, l, best);
    }

    float combined(int i, int j, int l) const {
        return two_[at(i, j)] + two_[at(j, l)] + shift_[at(i, j)];
    }
    float right_link(int i, int j, int l) const {
        return link(RIGHT_ARC, i, j, l) + arc(i, j, l == end_);
    }
    float left_link(int i, int j, int l) const { return link(LEFT_ARC, i, j, l) + arc(l, j); }

    /* Items of four heads i, j, k, l, for all k: each is used for its links at once, not kept. */
    void link_four(int i, int j, int l) {
        FourRows rows;
        for (int t = 1; t <= N_LINKS; ++t) {
            rows.below[t - 1] = below(t) + at(j, 0);
            rows.front[t - 1] = front(t) + at(l, 0);
        }
        rows.outer = &by_right_[at(i, j, 0)];
        rows.inner = &by_middle_[at(j, l, 0)];
        rows.last = &two_by_right_[at(l, 0)];
        rows.shift = &shift_[at(j, 0)];
        rows.from_i = &arcs_[at(i, 0)];
        rows.from_j = &arcs_[at(j, 0)];
        rows.from_l = &arcs_[at(l, 0)];
        rows.to_j = &heads_[at(j, 0)];
        rows.before_inner = two_[at(i, j)] + shift_[at(i, j)];
        rows.i_to_j = arc(i, j);
        rows.l_to_j = arc(l, j);
        rows.if_from_i = i == 0 && single_root_ ? IMPOSSIBLE : 0.0f;
        const float best = four_links(rows, j + 1, l, middle_.data(), scratch_.data());
        middle_[j] = std::max(middle_[j], best);
    }

    /* What these items and their links are made of: rows by k, and numbers. */
    struct FourRows {
        const float *outer, *inner, *last, *shift, *from_i, *from_j, *from_l, *to_j;
        const float *below[N_LINKS], *front[N_LINKS];
        float before_inner, i_to_j, l_to_j, if_from_i;
    };

    /* Raise middle[k] to what deleting j leads to; return the best of deleting some k.

       scratch: room for a number for each k. */
    NPPARSE_VECTORISED
    static float four_links(const FourRows& rows, std::ptrdiff_t first, std::ptrdiff_t end,
                            float* __restrict middle, float* __restrict scratch) {
        const float *outer = rows.outer, *inner = rows.inner;
        const float *last = rows.last, *shift = rows.shift;
        const float *from_i = rows.from_i, *from_j = rows.from_j, *from_l = rows.from_l;
        const float *to_j = rows.to_j;
        const float *la = rows.below[0], *ra = rows.below[1], *la_stack = rows.below[2];
        const float *ra_stack = rows.below[3], *la_2 = rows.below[4], *ra_2 = rows.below[5];
        const float *la_front = rows.front[0], *ra_front = rows.front[1];
        const float *la_stack_front = rows.front[2], *ra_stack_front = rows.front[3];
        const float *la_2_front = rows.front[4], *ra_2_front = rows.front[5];
        const float before_inner = rows.before_inner, i_to_j = rows.i_to_j, l_to_j = rows.l_to_j;
        const float if_from_i = rows.if_from_i;
        for (std::ptrdiff_t k = first; k < end; ++k) {
            const float item = larger(outer[k] + last[k] + shift[k], before_inner + inner[k]);
            const float of_k = larger(larger(ra[k] + ra_front[k] + from_j[k],
                                             la[k] + la_front[k] + from_l[k]),
                                      ra_2[k] + ra_2_front[k] + from_i[k] + if_from_i);
            const float of_j = larger(larger(la_stack[k] + la_stack_front[k] + to_j[k],
                                             la_2[k] + la_2_front[k] + l_to_j),
                                      ra_stack[k] + ra_stack_front[k] + i_to_j);
            scratch[k] = item + of_k;
            middle[k] = larger(middle[k], item + of_j);
        }
        return *std::max_element(scratch + first, scratch + end);
    }

    static inline float larger(float a, float b) { return a > b ? a : b; }

    /* [i, l] */
    void trace_two(int i, int l, std::vector<int>& out) const {
        if (l == i + 1) return;
        int best_j = i + 1;
        bool left = false;
        float best = 2 * IMPOSSIBLE;
        for (int j = i + 1; j < l; ++j) {
            for (const bool is_left : {false, true}) {
                const float score = by_right_[at(i, j, l)] +
                                    (is_left ? left_link(i, j, l) : right_link(i, j, l));
                if (score > best) best = score, best_j = j, left = is_left;
            }
        }
        trace_three(i, best_j, l, out);
        out.push_back(left ? LEFT_ARC : RIGHT_ARC);
    }

    /* [i, m, l]: combined, or what is left of [i, j, k, l] when j or k is deleted. */
    void trace_three(int i, int m, int l, std::vector<int>& out) const {
        float best = combined(i, m, l);
        int j = -1, k = -1, t = SHIFT;
        const auto consider = [&](int new_j, int new_k, int link_type, float arc_score) {
            const float score =
                four(i, new_j, new_k, l) + link(link_type, new_j, new_k, l) + arc_score;
            if (score > best) best = score, j = new_j, k = new_k, t = link_type;
        };
        if (four_) {
            for (int w = m + 1; w < l; ++w) {
                consider(m, w, RIGHT_ARC, arc(m, w));
                consider(m, w, LEFT_ARC, arc(l, w));
                consider(m, w, RIGHT_ARC_2, arc(i, w));
            }
            for (int w = i + 1; w < m; ++w) {
                consider(w, m, LEFT_ARC_STACK, arc(m, w));
                consider(w, m, LEFT_ARC_2, arc(l, w));
                consider(w, m, RIGHT_ARC_STACK, arc(i, w));
            }
        }
        if (t == SHIFT) {
            trace_two(i, m, out);
            out.push_back(SHIFT);
            trace_two(m, l, out);
            return;
        }
        if (outer(i, j, k, l) >= inner(i, j, k, l)) {
            trace_three(i, j, k, out);
            out.push_back(SHIFT);
            trace_two(k, l, out);
        } else {
            trace_two(i, j, out);
            out.push_back(SHIFT);
            trace_three(j, k, l, out);
        }
        out.push_back(t);
    }

    /* [i, j, k, l], combined of [i, j, k] and [k, l], or of [i, j] and [j, k, l]. */
    float outer(int i, int j, int k, int l) const {
        return by_right_[at(i, j, k)] + two_[at(k, l)] + shift_[at(j, k)];
    }
    float inner(int i, int j, int k, int l) const {
        return two_[at(i, j)] + shift_[at(i, j)] + by_right_[at(j, k, l)];
    }
    float four(int i, int j, int k, int l) const {
        return std::max(outer(i, j, k, l), inner(i, j, k, l));
    }
};

}  // namespace npparse
