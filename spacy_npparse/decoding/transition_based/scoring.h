#pragma once
#include <cstddef>

#include "../simd.h"

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

/* One unit of the hidden layer, or as many as there are lanes, before the ReLU. */
template <typename Units>
static inline void hidden_units(const Tables& t, const int* rows, const long long* cells, int first,
                                float* hidden) {
    const std::size_t width = t.width;
    const std::size_t row_size = t.n_positions * width;
    Units sum, part;
    load(sum, t.words + rows[0] * row_size + first);
    for (int p = 1; p < t.n_positions; ++p) {
        load(part, t.words + rows[p] * row_size + p * width + first);
        sum += part;
    }
    for (int a = 0; a < t.n_arcs; ++a) {
        if (cells[a] < 0) continue;
        load(part, t.arc_weights + a * width + first);
        part *= t.arcs[cells[a]];
        sum += part;
    }
    store(sum, hidden + first);
}

/* Ask for everything that a configuration looks up at once: in long sentences it lies far apart. */
static inline void fetch(const Tables& t, const int* rows, const long long* cells) {
    constexpr int line = 16;
    const std::size_t width = t.width;
    for (int a = 0; a < t.n_arcs; ++a)
        if (cells[a] >= 0) NPPARSE_PREFETCH(t.arcs + cells[a]);
    for (int p = 0; p < t.n_positions; ++p) {
        const float* part = t.words + (std::size_t(rows[p]) * t.n_positions + p) * width;
        for (std::size_t k = 0; k < width; k += line) NPPARSE_PREFETCH(part + k);
    }
}

/* Scores of all transitions in one configuration: output layer over ReLU of the sum of the rows
   of its positions and of the weights of its arcs, times the arcs' numbers.

   rows: [n_positions]; cells: [n_arcs] places in the arcs, -1 for none; hidden: room for `width`
   numbers.

   The output layer sums in separate lanes, in an order that does not depend on the processor. */
static void score(const Tables& t, const int* rows, const long long* cells,
                  float* __restrict hidden, float* __restrict scores) {
    const int width = t.width;
    const int whole = width - width % N_LANES;
    fetch(t, rows, cells);
    for (int k = 0; k < whole; k += N_LANES) hidden_units<Lanes>(t, rows, cells, k, hidden);
    for (int k = whole; k < width; ++k) hidden_units<float>(t, rows, cells, k, hidden);
    for (int k = 0; k < width; ++k) hidden[k] = hidden[k] > 0.0f ? hidden[k] : 0.0f;
    for (int i = 0; i < t.n_transitions; ++i) {
        const float* row = t.output_weights + static_cast<std::size_t>(i) * width;
        Lanes sums = {}, units, weights;
        for (int k = 0; k < whole; k += N_LANES) {
            load(units, hidden + k);
            load(weights, row + k);
            units *= weights;
            sums += units;
        }
        float sum = t.output_bias[i];
        for (int k = whole; k < width; ++k) sum += hidden[k] * row[k];
        for (int lane = 0; lane < N_LANES; ++lane) sum += sums[lane];
        scores[i] = sum;
    }
}

}  // namespace npparse
