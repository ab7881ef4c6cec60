// How the states of the antecedents of each rule of crossing structures combine; variables have the
// names of search.pyx.

#pragma once
#include "forests.h"

namespace npparse {
namespace rules {

constexpr int I = 0, J = 1, X = 2, Q = 3;
// fan [i, q, x], gap [q, j]
constexpr Combinations OPEN = combine(fan(I, Q, X), pair(Q, J), triple(I, J, X));
// open [i, j, x], arc i - j
constexpr Combinations COVER = combine(triple(I, J, X), link(I, J), fan(I, J, X));
// gap [i, q], fan [q, j, i], and then arc q - x
constexpr Combinations BEND = combine(pair(I, Q), fan(Q, J, I), fan(I, J, Q));
constexpr Combinations BEND_ARC = combine(link(Q, X), fan(I, J, Q), fan(I, J, X));
// arc j - x, gap [i, j]
constexpr Combinations TIP = combine(link(J, X), pair(I, J), fan(I, J, X));
// open or inner [i, j, x], arc j - x
constexpr Combinations LAST = combine(triple(I, J, X), link(J, X), fan(I, J, X));

constexpr int A = 2, B = 3;
// fan [a, i, b], gap [a, b], and then fan [b, j, a]
constexpr Combinations FAN_GAP = combine(fan(A, I, B), pair(A, B), fan(A, I, B));
constexpr Combinations TWO_FANS = combine(fan(A, I, B), fan(B, J, A), pair(I, J));

constexpr int K = 2, S = 3;
// gap [i, k], inner [k, j, i]
constexpr Combinations GAP_FAN = combine(pair(I, K), fan(K, J, I), pair(I, J));
// inner [k, i, j], gap [k, j]
constexpr Combinations REVERSED_END = combine(fan(K, I, J), pair(K, J), pair(I, J));
// inner [i, k, j] or the consequent of the next rule, gap [k, j]
constexpr Combinations END = combine(fan(I, K, J), pair(K, J), pair(I, J));
// open or fan [i, s, j], fan [k, s, j], and then arc i - k
constexpr Combinations END_COVER = combine(triple(I, K, J), link(I, K), fan(I, K, J));
constexpr Combinations SPLIT =
    leading_to(combine(triple(I, S, J), fan(K, S, J), triple(I, K, J)), END_COVER);

}  // namespace rules
}  // namespace npparse
