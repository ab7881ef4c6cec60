// The range of scores.

#pragma once

namespace npparse {

// The score of what is impossible. The sum of several, and of ordinary scores with them, is finite
// in float32 and below every possible score.
constexpr float IMPOSSIBLE = -1e30f;

// The greatest score of what is possible, and minus the least.
constexpr float SCORE_LIMIT = 1e6f;

// The nearest score in the range of possible ones; NaN counts as the least.
template <typename Float>
static inline Float clamped(Float score) {
    if (!(score > -SCORE_LIMIT)) return -SCORE_LIMIT;
    return score < SCORE_LIMIT ? score : SCORE_LIMIT;
}

}  // namespace npparse
