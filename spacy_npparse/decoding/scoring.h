#pragma once
#include <cstddef>

namespace npparse {

/* Scores of all transitions in one configuration: output weights times ReLU of the sum of the
   table rows of its positions.

   table: [rows][n_positions][width]; rows: n_positions row numbers; weights:
   [n_transitions][width]; hidden: room for `width` numbers.

   The output layer sums in separate lanes, so that the compiler may use vector instructions
   without changing the order of additions: results do not depend on compiler flags. */
inline void score(const float* table, const int* rows, int n_positions, int width,
                  const float* weights, const float* bias, int n_transitions,
                  float* __restrict hidden, float* __restrict scores) {
    constexpr int lanes = 16;
    const std::size_t row_size = static_cast<std::size_t>(n_positions) * width;
    for (int k = 0; k < width; ++k) hidden[k] = table[rows[0] * row_size + k];
    for (int p = 1; p < n_positions; ++p) {
        const float* part = table + rows[p] * row_size + static_cast<std::size_t>(p) * width;
        for (int k = 0; k < width; ++k) hidden[k] += part[k];
    }
    for (int k = 0; k < width; ++k) hidden[k] = hidden[k] > 0.0f ? hidden[k] : 0.0f;
    for (int t = 0; t < n_transitions; ++t) {
        const float* row = weights + static_cast<std::size_t>(t) * width;
        float sums[lanes] = {};
        float products[lanes];
        int k = 0;
        for (; k + lanes <= width; k += lanes) {
            for (int lane = 0; lane < lanes; ++lane)
                products[lane] = hidden[k + lane] * row[k + lane];
            for (int lane = 0; lane < lanes; ++lane) sums[lane] += products[lane];
        }
        float sum = bias[t];
        for (; k < width; ++k) sum += hidden[k] * row[k];
        for (int lane = 0; lane < lanes; ++lane) sum += sums[lane];
        scores[t] = sum;
    }
}

}  // namespace npparse
