// The semirings of MH3 and MH4: max-plus for the best derivation, the log semiring for the
// partition function. Weights are logarithms, so that the product of two weights is their sum in
// both.

#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../score_range.h"

namespace npparse {

// The max-plus (tropical) semiring: the weight of an item is the score of its best derivation.
struct MaxPlus {
    // A weight as the chart stores it.
    using Weight = float;
    // A weight while terms are added to it.
    using Accumulator = float;
    // Whether a + a = a: then it does not matter how often a derivation is counted.
    static constexpr bool idempotent = true;

    static inline float plus(float a, float b) { return a > b ? a : b; }
    static inline float sum(const float* terms, std::ptrdiff_t n) {
        return *std::max_element(terms, terms + n);
    }
    static inline float weight(float accumulator) { return accumulator; }
};

// e^x for x <= 0, with a relative error of 1e-8. Positive x, which are rounding errors, count as 0,
// and x below -60 as -60.
//
// Range reduction: x = n log 2 + r with an integer n, which is added to the binary exponent of e^r.
static inline double exp_nonpositive(double x) {
    constexpr double rounding = 6755399441055744.0;  // 3 * 2^51: adding it rounds to an integer
    x = x < 0.0 ? x : 0.0;
    x = x > -60.0 ? x : -60.0;
    const double rounded = x * 1.4426950408889634 + rounding;
    const double r = x - (rounded - rounding) * 0.6931471805599453;
    const double r2 = r * r, r4 = r2 * r2;
    double power = (1.0 + r + r2 * (1.0 / 2 + r * (1.0 / 6))) +
                   r4 * (1.0 / 24 + r * (1.0 / 120) + r2 * (1.0 / 720 + r * (1.0 / 5040)));
    std::uint64_t bits, exponent;
    std::memcpy(&bits, &power, sizeof bits);
    std::memcpy(&exponent, &rounded, sizeof exponent);
    bits += exponent << 52;
    std::memcpy(&power, &bits, sizeof power);
    return power;
}

// The accumulator of log-sum-exp: log(sum) + max.
struct LogSumExp {
    double max, sum;

    LogSumExp() = default;
    LogSumExp(double maximum, double scaled_sum = 1.0) : max(maximum), sum(scaled_sum) {}
    LogSumExp operator+(const LogSumExp& other) const { return {max + other.max, sum * other.sum}; }
};

// The log semiring: the weight of an item is the log of the sum of e^score over its derivations.
struct LogSemiring {
    using Weight = double;
    using Accumulator = LogSumExp;
    static constexpr bool idempotent = false;

    static inline LogSumExp plus(const LogSumExp& a, const LogSumExp& b) {
        const double scale = exp_nonpositive(-std::fabs(a.max - b.max));
        return a.max > b.max ? LogSumExp(a.max, a.sum + b.sum * scale)
                             : LogSumExp(b.max, b.sum + a.sum * scale);
    }
    // Overwrites the terms.
    static inline LogSumExp sum(LogSumExp* terms, std::ptrdiff_t n) {
        LogSumExp total = {terms[0].max, 0.0};
        for (std::ptrdiff_t k = 1; k < n; ++k)
            if (terms[k].max > total.max) total.max = terms[k].max;
        for (std::ptrdiff_t k = 0; k < n; ++k)
            terms[k].sum *= exp_nonpositive(terms[k].max - total.max);
        for (std::ptrdiff_t k = 0; k < n; ++k) total.sum += terms[k].sum;
        return total;
    }
    static inline double weight(const LogSumExp& accumulator) {
        return accumulator.max + std::log(accumulator.sum);
    }
};

}  // namespace npparse
