// The range of scores.

#pragma once

namespace npparse {

// The score of what is impossible. The sum of several, and of ordinary scores with them, is finite
// in float32 and below every possible score.
constexpr float IMPOSSIBLE = -1e30f;

}  // namespace npparse
