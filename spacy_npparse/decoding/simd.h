#pragma once
#include <cstring>

#if defined(__GNUC__)
#define NPPARSE_PREFETCH(address) __builtin_prefetch(address)
#else
#define NPPARSE_PREFETCH(address)
#endif

namespace npparse {

#if defined(__GNUC__)
typedef float FourNumbers __attribute__((vector_size(16)));

static inline FourNumbers larger(const FourNumbers& a, const FourNumbers& b) {
    return a > b ? a : b;
}
#else
struct FourNumbers {
    float numbers[4];
    float operator[](int i) const { return numbers[i]; }
    void operator+=(const FourNumbers& other) {
        for (int i = 0; i < 4; ++i) numbers[i] += other.numbers[i];
    }
    void operator*=(const FourNumbers& other) {
        for (int i = 0; i < 4; ++i) numbers[i] *= other.numbers[i];
    }
    void operator*=(float factor) {
        for (int i = 0; i < 4; ++i) numbers[i] *= factor;
    }
};

static inline FourNumbers operator+(FourNumbers a, const FourNumbers& b) {
    a += b;
    return a;
}
static inline FourNumbers larger(FourNumbers a, const FourNumbers& b) {
    for (int i = 0; i < 4; ++i) a.numbers[i] = a[i] > b[i] ? a[i] : b[i];
    return a;
}
#endif

static inline FourNumbers four_times(float number) {
    const FourNumbers numbers = {number, number, number, number};
    return numbers;
}

/* Numbers that are computed with side by side, in vector registers where there are any. */
constexpr int N_LANES = 16;

struct Lanes {
    FourNumbers parts[N_LANES / 4];

    float operator[](int i) const { return parts[i / 4][i % 4]; }
    void operator+=(const Lanes& other) {
        for (int i = 0; i < N_LANES / 4; ++i) parts[i] += other.parts[i];
    }
    void operator*=(const Lanes& other) {
        for (int i = 0; i < N_LANES / 4; ++i) parts[i] *= other.parts[i];
    }
    void operator*=(float factor) {
        for (int i = 0; i < N_LANES / 4; ++i) parts[i] *= factor;
    }
};

template <typename Number>
static inline void load(Number& number, const float* from) {
    std::memcpy(&number, from, sizeof(Number));
}

template <typename Number>
static inline void store(const Number& number, float* to) {
    std::memcpy(to, &number, sizeof(Number));
}

}  // namespace npparse
