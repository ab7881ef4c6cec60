// A bidirectional GRU over characters, and its output layer.

#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../decoding/simd.h"

// Inlined into functions for one processor, whose instructions it then has.
#if defined(__GNUC__)
#define NPPARSE_INLINE inline __attribute__((always_inline))
#else
#define NPPARSE_INLINE inline
#endif
// Wider vectors, for processors that have them.
#if defined(__GNUC__) && defined(__x86_64__)
#define NPPARSE_AVX2
#endif

namespace npparse {

// Forward and backward parameters. Sums of update and reset gates are in units of -ln 2, those of
// candidate states in units of -ln 2 / 2: see `logistic`.
struct GruWeights {
    const float* inputs;      // [n_rows][2][update, reset, candidate][size]: characters and biases
    const float* gates;       // [2][size][update, reset][size], by the state before
    const float* candidates;  // [2][size][size], by the state before times the reset gate
    const float* outputs;     // [2][size][4]: three outcomes, and zeros
    const float* bias;        // [4]
};

#if defined(NPPARSE_AVX2)
typedef float Float8 __attribute__((vector_size(32)));
#endif

// 1 / (1 + 2^x), with a relative error of some units in the last place.
static NPPARSE_INLINE float logistic(float x) {
    x = x < 126.0f ? x : 126.0f;
    x = x > -126.0f ? x : -126.0f;
    // The last bits of the sum are the nearest integer, plus the bias of exponents.
    constexpr float rounding = 12582912.0f + 127.0f;
    const float rounded = x + rounding;
    const float rest = x - (rounded - rounding);
    float power = 1.3276472e-3f;
    power = power * rest + 9.6755413e-3f;
    power = power * rest + 5.5507133e-2f;
    power = power * rest + 2.4022120e-1f;
    power = power * rest + 6.9314697e-1f;
    power = power * rest + 1.0000001f;
    std::uint32_t bits;
    std::memcpy(&bits, &rounded, sizeof bits);
    bits <<= 23;
    float scale;
    std::memcpy(&scale, &bits, sizeof scale);
    return 1.0f / (1.0f + power * scale);
}

// sums[j] += sum over k of x[k] * weights[k][j], added in this order.
template <typename Vector, int N_ROWS, int N_COLUMNS>
static NPPARSE_INLINE void add_product(const float* weights, const float* x, float* sums) {
    constexpr int n_lanes = sizeof(Vector) / sizeof(float);
    constexpr int n_vectors = N_COLUMNS / n_lanes;
    // As many as there are registers.
    constexpr int block = n_vectors <= 12 ? n_vectors : 8;
    static_assert(n_vectors % block == 0, "blocks are complete");
    for (int first = 0; first < n_vectors; first += block) {
        Vector parts[block];
        for (int j = 0; j < block; ++j) load(parts[j], sums + (first + j) * n_lanes);
        for (int k = 0; k < N_ROWS; ++k) {
            for (int j = 0; j < block; ++j) {
                Vector term;
                load(term, weights + k * N_COLUMNS + (first + j) * n_lanes);
                term *= x[k];
                parts[j] += term;
            }
        }
        for (int j = 0; j < block; ++j) store(parts[j], sums + (first + j) * n_lanes);
    }
}

// The states of all characters, in both directions at once.
//
// rows: [n], rows of `inputs`. states: [n][2][SIZE], of the result.
template <typename Vector, int SIZE>
static NPPARSE_INLINE void run_gru(const GruWeights& w, const std::int32_t* rows, int n,
                                   float* states) {
    float before[2 * SIZE] = {}, gates[4 * SIZE], reset[2 * SIZE], candidates[2 * SIZE];
    for (int i = 0; i < n; ++i) {
        const int places[2] = {i, n - 1 - i};
        for (int d = 0; d < 2; ++d) {
            const float* input = w.inputs + (2 * std::size_t(rows[places[d]]) + d) * 3 * SIZE;
            std::memcpy(gates + d * 2 * SIZE, input, sizeof(float) * 2 * SIZE);
            std::memcpy(candidates + d * SIZE, input + 2 * SIZE, sizeof(float) * SIZE);
            add_product<Vector, SIZE, 2 * SIZE>(w.gates + d * 2 * SIZE * SIZE, before + d * SIZE,
                                                gates + d * 2 * SIZE);
        }
        for (int j = 0; j < 4 * SIZE; ++j) gates[j] = logistic(gates[j]);
        for (int d = 0; d < 2; ++d) {
            const float* reset_gate = gates + (2 * d + 1) * SIZE;
            for (int j = 0; j < SIZE; ++j)
                reset[d * SIZE + j] = reset_gate[j] * before[d * SIZE + j];
            add_product<Vector, SIZE, SIZE>(w.candidates + d * SIZE * SIZE, reset + d * SIZE,
                                            candidates + d * SIZE);
        }
        // The hyperbolic tangent.
        for (int j = 0; j < 2 * SIZE; ++j) candidates[j] = 2.0f * logistic(candidates[j]) - 1.0f;
        for (int d = 0; d < 2; ++d) {
            const float* update = gates + 2 * d * SIZE;
            const float* candidate = candidates + d * SIZE;
            float* state = before + d * SIZE;
            for (int j = 0; j < SIZE; ++j)
                state[j] = update[j] * state[j] + (1.0f - update[j]) * candidate[j];
            std::memcpy(states + (2 * places[d] + d) * SIZE, state, sizeof(float) * SIZE);
        }
    }
}

// Whether any outcome is better than the first.
template <int SIZE>
static NPPARSE_INLINE void decide(const GruWeights& w, const float* states, int n,
                                  unsigned char* is_end) {
    for (int i = 0; i < n; ++i) {
        float scores[4];
        std::memcpy(scores, w.bias, sizeof scores);
        add_product<Float4, 2 * SIZE, 4>(w.outputs, states + 2 * SIZE * i, scores);
        is_end[i] = scores[1] > scores[0] || scores[2] > scores[0];
    }
}

#if defined(NPPARSE_AVX2)
template <int SIZE>
__attribute__((target("avx2"))) static void run_gru_avx2(const GruWeights& w,
                                                         const std::int32_t* rows, int n,
                                                         float* states) {
    run_gru<Float8, SIZE>(w, rows, n, states);
}
#endif

template <int SIZE>
static void find_ends(const GruWeights& w, const std::int32_t* rows, int n, float* states,
                      unsigned char* is_end) {
#if defined(NPPARSE_AVX2)
    // Without a fused multiplication and addition: scores are the same on all processors.
    if (__builtin_cpu_supports("avx2"))
        run_gru_avx2<SIZE>(w, rows, n, states);
    else
#endif
        run_gru<Float4, SIZE>(w, rows, n, states);
    decide<SIZE>(w, states, n, is_end);
}

// Find the characters that end a token.
//
// size: of a state, 16, 24 or 64. rows: [n], rows of `inputs`. states: [n][2][size], overwritten.
// is_end: [n], of the result.
static void find_ends(const GruWeights& w, int size, const std::int32_t* rows, int n, float* states,
                      unsigned char* is_end) {
    if (size == 16) find_ends<16>(w, rows, n, states, is_end);
    if (size == 24) find_ends<24>(w, rows, n, states, is_end);
    if (size == 64) find_ends<64>(w, rows, n, states, is_end);
}

}  // namespace npparse
