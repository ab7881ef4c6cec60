// The Viterbi derivation of MH3 and MH4.

#pragma once
#include <algorithm>
#include <vector>

#include "inside.h"

namespace npparse {

// Traces the best derivation back through the chart. No back-pointers are stored: the best
// deduction of each item of the derivation, and only of these, is found again.
class ViterbiChart : public InsideChart<MaxPlus> {
  public:
    // The transitions of the best derivation of the sentence that the chart was filled with.
    std::vector<int> derivation() const {
        std::vector<int> transitions;
        trace_two(0, end_, transitions);
        return transitions;
    }

  private:
    // [i, l]: linked from [i, j, l].
    void trace_two(int i, int l, std::vector<int>& out) const {
        if (l == i + 1) return;
        int best_j = i + 1;
        bool left = false;
        float best = 2 * IMPOSSIBLE;
        for (int j = i + 1; j < l; ++j) {
            for (const bool is_left : {false, true}) {
                const float score =
                    three(i, j, l) + (is_left ? left_link(i, j, l) : right_link(i, j, l));
                if (score > best) best = score, best_j = j, left = is_left;
            }
        }
        trace_three(i, best_j, l, out);
        out.push_back(left ? LEFT_ARC : RIGHT_ARC);
    }

    // [i, m, l]: combined of [i, m] and [m, l], or linked from [i, j, k, l], where m is j or k.
    void trace_three(int i, int m, int l, std::vector<int>& out) const {
        float best = combined(i, m, l);
        int j = -1, k = -1, t = SHIFT;
        const auto consider = [&](int new_j, int new_k, int link_type, float arc_score) {
            const float score =
                four(i, new_j, new_k, l) + link(link_type, new_j, new_k, l) + arc_score;
            if (score > best) best = score, j = new_j, k = new_k, t = link_type;
        };
        if (four_heads_) {
            for (int w = m + 1; w < l; ++w) {
                consider(m, w, RIGHT_ARC, arcs(m)[w]);
                consider(m, w, LEFT_ARC, arcs(l)[w]);
                consider(m, w, RIGHT_ARC_2, arcs(i)[w]);
            }
            for (int w = i + 1; w < m; ++w) {
                consider(w, m, LEFT_ARC_STACK, arcs(m)[w]);
                consider(w, m, LEFT_ARC_2, arcs(l)[w]);
                consider(w, m, RIGHT_ARC_STACK, arcs(i)[w]);
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

    // [i, j, k, l], combined of [i, j, k] and [k, l], or of [i, j] and [j, k, l].
    float outer(int i, int j, int k, int l) const {
        return three(i, j, k) + two_[at(k, l)] + shift_[at(j, k)];
    }
    float inner(int i, int j, int k, int l) const {
        return two_[at(i, j)] + shift_[at(i, j)] + three(j, k, l);
    }
    float four(int i, int j, int k, int l) const {
        return std::max(outer(i, j, k, l), inner(i, j, k, l));
    }
};

}  // namespace npparse
