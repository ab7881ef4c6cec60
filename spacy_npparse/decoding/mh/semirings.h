/* What derivations are worth, and what several are worth together. What the parts of a derivation
   are worth is added. */

#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../score_range.h"

namespace npparse {

/* The score of the best derivation. */
struct MaxPlus {
    using Number = float;
    /* Numbers while they are being joined. */
    using Value = float;
    /* Whether it is all the same how often a derivation is counted. */
    static constexpr bool idempotent = true;

    static inline float join(float a, float b) { return a > b ? a : b; }
    static inline float join(const float* values, std::ptrdiff_t n) {
        return *std::max_element(values, values + n);
    }
    static inline float number(float value) { return value; }
};

/* e^x for x <= 0, with an error of 1e-8 of it. Higher x, which come of rounding, count as 0, and
   those below -60 as that.

   x = n log 2 + r for an integer n, which is added to the binary exponent of e^r. */
static inline double exp_below_0(double x) {
    constexpr double rounding = 6755399441055744.0; /* 3 * 2^51: the sum is rounded to an integer */
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

/* A sum of powers of e, as that many times the highest of them. */
struct ScaledSum {
    double highest, sum;

    ScaledSum() = default;
    ScaledSum(double exponent, double factor = 1.0) : highest(exponent), sum(factor) {}
    ScaledSum operator+(const ScaledSum& other) const {
        return {highest + other.highest, sum * other.sum};
    }
};

/* The logarithm of the sum of e^score of all derivations. */
struct LogSum {
    using Number = double;
    using Value = ScaledSum;
    static constexpr bool idempotent = false;

    static inline ScaledSum join(const ScaledSum& a, const ScaledSum& b) {
        const double share = exp_below_0(-std::fabs(a.highest - b.highest));
        return a.highest > b.highest ? ScaledSum(a.highest, a.sum + b.sum * share)
                                     : ScaledSum(b.highest, b.sum + a.sum * share);
    }
    /* The values are lost. */
    static inline ScaledSum join(ScaledSum* values, std::ptrdiff_t n) {
        ScaledSum all = {values[0].highest, 0.0};
        for (std::ptrdiff_t k = 1; k < n; ++k)
            if (values[k].highest > all.highest) all.highest = values[k].highest;
        for (std::ptrdiff_t k = 0; k < n; ++k)
            values[k].sum *= exp_below_0(values[k].highest - all.highest);
        for (std::ptrdiff_t k = 0; k < n; ++k) all.sum += values[k].sum;
        return all;
    }
    static inline double number(const ScaledSum& value) {
        return value.highest + std::log(value.sum);
    }
};

}  // namespace npparse
