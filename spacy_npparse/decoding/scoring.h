#pragma once
#include <cstddef>

#include "vectorised.h"

namespace npparse {

/* What the scorer looks up; all arrays are contiguous.

   words: [rows][n_positions][width]; arcs: one number per arc; arc_weights: [n_arcs][width];
   output_weights: [n_transitions][width]; output_bias: [n_transitions]. */
struct Tables {
    const float* words;
    const float* arcs;
    const float* arc_weights;
    const float* output_weights;
    const float* output_bias;
    int n_positions, n_arcs, n_transitions, width;
};

/* Scores of all transitions in one configuration: output layer over ReLU of the sum of the rows
   of its positions and of the weights of its arcs, times the arcs' numbers.

   rows: [n_positions]; cells: [n_arcs] places in the arcs, -1 for none; hidden: room for `width`
   numbers.

   The output layer sums in separate lanes, so that the compiler may use vector instructions
   without changing the order of additions: results do not depend on compiler flags. */
NPPARSE_VECTORISED
static void score(const Tables& t, const int* rows, const long long* cells,
                  float* __restrict hidden, float* __restrict scores) {
    constexpr int lanes = 16;
    const int width = t.width;
    const std::size_t row_size = static_cast<std::size_t>(t.n_positions) * width;
    for (int k = 0; k < width; ++k) hidden[k] = t.words[rows[0] * row_size + k];
    for (int p = 1; p < t.n_positions; ++p) {
        const float* part = t.words + rows[p] * row_size + static_cast<std::size_t>(p) * width;
        for (int k = 0; k < width; ++k) hidden[k] += part[k];
    }
    for (int a = 0; a < t.n_arcs; ++a) {
        if (cells[a] < 0) continue;
        const float value = t.arcs[cells[a]];
        const float* row = t.arc_weights + static_cast<std::size_t>(a) * width;
        for (int k = 0; k < width; ++k) hidden[k] += value * row[k];
    }
    for (int k = 0; k < width; ++k) hidden[k] = hidden[k] > 0.0f ? hidden[k] : 0.0f;
    for (int i = 0; i < t.n_transitions; ++i) {
        const float* row = t.output_weights + static_cast<std::size_t>(i) * width;
        float sums[lanes] = {};
        float products[lanes];
        int k = 0;
        for (; k + lanes <= width; k += lanes) {
            for (int lane = 0; lane < lanes; ++lane)
                products[lane] = hidden[k + lane] * row[k + lane];
            for (int lane = 0; lane < lanes; ++lane) sums[lane] += products[lane];
        }
        float sum = t.output_bias[i];
        for (; k < width; ++k) sum += hidden[k] * row[k];
        for (int lane = 0; lane < lanes; ++lane) sum += sums[lane];
        scores[i] = sum;
    }
}

}  // namespace npparse
