// The scores of all transitions in one configuration.

#pragma once
#include <cstddef>

#include "../score_range.h"
#include "../simd.h"

namespace npparse {

// ScoreTables for C++; all arrays are contiguous.
struct Tables {
    const float* words;           // [n_rows][n_positions][width]
    const float* arcs;            // one score per arc
    const float* arc_weights;     // [n_arcs][width]
    const float* output_weights;  // [n_transitions][width]
    const float* output_bias;     // [n_transitions]
    int n_positions, n_arcs, n_transitions, width;
};

// Hidden units before the ReLU: a single one (float) or as many as there are lanes (FloatVector).
template <typename Units>
static inline void hidden_units(const Tables& t, const int* rows, const long long* arc_indices,
                                int first, float* hidden) {
    const std::size_t width = t.width;
    const std::size_t row_size = t.n_positions * width;
    Units sum, term;
    load(sum, t.words + rows[0] * row_size + first);
    for (int p = 1; p < t.n_positions; ++p) {
        load(term, t.words + rows[p] * row_size + p * width + first);
        sum += term;
    }
    for (int a = 0; a < t.n_arcs; ++a) {
        if (arc_indices[a] < 0) continue;
        load(term, t.arc_weights + a * width + first);
        term *= t.arcs[arc_indices[a]];
        sum += term;
    }
    store(sum, hidden + first);
}

// Prefetch the features of a configuration: in long sentences they lie far apart in memory.
static inline void prefetch(const Tables& t, const int* rows, const long long* arc_indices) {
    constexpr int cache_line = 16;  // floats
    const std::size_t width = t.width;
    for (int a = 0; a < t.n_arcs; ++a)
        if (arc_indices[a] >= 0) NPPARSE_PREFETCH(t.arcs + arc_indices[a]);
    for (int p = 0; p < t.n_positions; ++p) {
        const float* row = t.words + (std::size_t(rows[p]) * t.n_positions + p) * width;
        for (std::size_t k = 0; k < width; k += cache_line) NPPARSE_PREFETCH(row + k);
    }
}

// Score all transitions in one configuration: the output layer over the ReLU of the sum of the rows
// of the words at all positions and of the weights of the candidate arcs, each times the arc's
// score.
//
// rows: [n_positions]. arc_indices: [n_arcs], -1 for none. hidden: [width], overwritten.
//
// The order of the additions does not depend on the processor.
static void score(const Tables& t, const int* rows, const long long* arc_indices,
                  float* __restrict hidden, float* __restrict scores) {
    const int width = t.width;
    const int vectorised = width - width % N_LANES;
    prefetch(t, rows, arc_indices);
    for (int k = 0; k < vectorised; k += N_LANES)
        hidden_units<FloatVector>(t, rows, arc_indices, k, hidden);
    for (int k = vectorised; k < width; ++k) hidden_units<float>(t, rows, arc_indices, k, hidden);
    for (int k = 0; k < width; ++k) hidden[k] = hidden[k] > 0.0f ? hidden[k] : 0.0f;
    for (int i = 0; i < t.n_transitions; ++i) {
        const float* row = t.output_weights + static_cast<std::size_t>(i) * width;
        FloatVector sums = {}, units, weights;
        for (int k = 0; k < vectorised; k += N_LANES) {
            load(units, hidden + k);
            load(weights, row + k);
            units *= weights;
            sums += units;
        }
        float sum = t.output_bias[i];
        for (int k = vectorised; k < width; ++k) sum += hidden[k] * row[k];
        for (int lane = 0; lane < N_LANES; ++lane) sum += sums[lane];
        scores[i] = clamped(sum);
    }
}

}  // namespace npparse
