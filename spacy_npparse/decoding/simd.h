// SIMD vectors of floats, and prefetching.

#pragma once
#include <cstring>

#if defined(__GNUC__)
#define NPPARSE_PREFETCH(address) __builtin_prefetch(address)
#else
#define NPPARSE_PREFETCH(address)
#endif

namespace npparse {

// Four lanes: one SSE or NEON register.
#if defined(__GNUC__)
typedef float Float4 __attribute__((vector_size(16)));

static inline Float4 max(const Float4& a, const Float4& b) { return a > b ? a : b; }
#else
// For MSVC, which has no such vectors. GCC needs them: from these loops it makes scoring 10 to 20 %
// slower, and the search for one-endpoint-crossing trees 2.6 times as slow.
struct Float4 {
    float lanes[4];
    float operator[](int i) const { return lanes[i]; }
    void operator+=(const Float4& other) {
        for (int i = 0; i < 4; ++i) lanes[i] += other.lanes[i];
    }
    void operator*=(const Float4& other) {
        for (int i = 0; i < 4; ++i) lanes[i] *= other.lanes[i];
    }
    void operator*=(float factor) {
        for (int i = 0; i < 4; ++i) lanes[i] *= factor;
    }
};

static inline Float4 operator+(Float4 a, const Float4& b) {
    a += b;
    return a;
}
static inline Float4 max(Float4 a, const Float4& b) {
    for (int i = 0; i < 4; ++i) a.lanes[i] = a[i] > b[i] ? a[i] : b[i];
    return a;
}
#endif

// The same value in all lanes.
static inline Float4 broadcast(float value) {
    const Float4 vector = {value, value, value, value};
    return vector;
}

// A wider vector of several registers, so that sums have independent chains of additions. The
// number of lanes, and with it the rounding, is the same on all processors.
constexpr int N_LANES = 16;

struct FloatVector {
    Float4 parts[N_LANES / 4];

    float operator[](int i) const { return parts[i / 4][i % 4]; }
    void operator+=(const FloatVector& other) {
        for (int i = 0; i < N_LANES / 4; ++i) parts[i] += other.parts[i];
    }
    void operator*=(const FloatVector& other) {
        for (int i = 0; i < N_LANES / 4; ++i) parts[i] *= other.parts[i];
    }
    void operator*=(float factor) {
        for (int i = 0; i < N_LANES / 4; ++i) parts[i] *= factor;
    }
};

// Unaligned load and store of a vector or a single float.
template <typename Vector>
static inline void load(Vector& vector, const float* from) {
    std::memcpy(&vector, from, sizeof(Vector));
}

template <typename Vector>
static inline void store(const Vector& vector, float* to) {
    std::memcpy(to, &vector, sizeof(Vector));
}

}  // namespace npparse
