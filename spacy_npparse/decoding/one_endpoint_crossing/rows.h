/* The tables of the charts of one-endpoint-crossing trees. */

#pragma once
#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "forests.h"
#include "../score_range.h"
#include "../simd.h"

/* What is called for every number must not cost a call. */
#if defined(__GNUC__)
#define NPPARSE_INLINE inline __attribute__((always_inline))
#else
#define NPPARSE_INLINE inline
#endif

namespace npparse {

static inline void raise(float& to, float value) { to = to > value ? to : value; }

/* Numbers of items by one of their words and by their state. They lie in blocks of four words, by
   state, so that they can be computed four at a time, and all states of an item are close. */
template <int N>
class Row {
  public:
    static constexpr int BLOCK = 4 * N;

    explicit Row(float* first) : first_(first) {}

    float& at(int word, int state) const { return block(word / 4)[4 * state + word % 4]; }
    /* The numbers of four words. */
    NPPARSE_INLINE float* block(int number) const {
        return first_ + std::ptrdiff_t(number) * BLOCK;
    }

  private:
    float* first_;
};

/* Four numbers for each state: of the words of a block, or the same one four times. */
struct FourOf {
    const float* block;

    NPPARSE_INLINE FourNumbers operator[](int state) const {
        FourNumbers numbers;
        load(numbers, block + 4 * state);
        return numbers;
    }
};
struct FourTimes {
    const float* numbers;

    NPPARSE_INLINE FourNumbers operator[](int state) const { return four_times(numbers[state]); }
};

/* Call a function with 0, 1, ..., N - 1. These are constants to it: an array that is addressed by
   constants only can stay in registers. */
template <int N>
struct Each {
    template <class Function>
    static NPPARSE_INLINE void call(const Function& function) {
        Each<N - 1>::call(function);
        function(std::integral_constant<int, N - 1>());
    }
};
template <>
struct Each<0> {
    template <class Function>
    static NPPARSE_INLINE void call(const Function&) {}
};

/* Four numbers for each state of an item, impossible to begin with. */
template <int N>
struct States {
    FourNumbers numbers[N];

    NPPARSE_INLINE States() {
        Each<N>::call([this](auto state) { numbers[state] = four_times(2 * IMPOSSIBLE); });
    }
    template <class Source>
    explicit NPPARSE_INLINE States(const Source& source) {
        Each<N>::call([&](auto state) { numbers[state] = source[state]; });
    }
    NPPARSE_INLINE const FourNumbers& operator[](int state) const { return numbers[state]; }

    /* Raise them to what comes of joining two parts. */
    template <const Sums& SUMS, class Left, class Right>
    NPPARSE_INLINE void join(const Left& left, const Right& right) {
        Each<SUMS.n>::call([&](auto s) {
            constexpr Sum sum = SUMS.sums[s];
            numbers[sum.result] = larger(numbers[sum.result], left[sum.left] + right[sum.right]);
        });
    }
    template <int M>
    NPPARSE_INLINE void raise_to(const States<M>& others) {
        Each<M>::call([&](auto s) { numbers[s] = larger(numbers[s], others[s]); });
    }
    NPPARSE_INLINE void store_to(float* block) const {
        Each<N>::call([&](auto state) { store(numbers[state], block + 4 * state); });
    }
};
typedef States<N_PAIR_STATES> PairStates;
typedef States<N_FAN_STATES> FanStates;
typedef States<N_TRIPLE_STATES> TripleStates;

/* The numbers of the blocks that the words from begin up to end lie in. */
struct Blocks {
    int begin, end;

    static Blocks of(int begin, int end) { return {begin / 4, (end + 3) / 4}; }
};

/* Numbers of pairs of words, by their state. Each pair is there in both orders. */
class Pairs {
  public:
    static constexpr int BLOCK = Row<N_PAIR_STATES>::BLOCK;

    void reset(int n_nodes) {
        width_ = std::size_t(Blocks::of(0, n_nodes).end) * BLOCK;
        values_.assign(n_nodes * width_, IMPOSSIBLE);
    }
    /* By the second word. */
    Row<N_PAIR_STATES> row(int first) {
        return Row<N_PAIR_STATES>(values_.data() + first * width_);
    }
    float at(int first, int second, int state) { return row(first).at(second, state); }
    void set(int first, int second, int state, float value) {
        row(first).at(second, state) = value;
        row(second).at(first, turned(state)) = value;
    }
    /* Of one pair, by state. */
    struct Of {
        float values[N_PAIR_STATES];
        float operator[](int state) const { return values[state]; }
    };
    Of of(int first, int second) {
        return {{at(first, second, 0), at(first, second, 1), at(first, second, 2)}};
    }

  private:
    std::size_t width_;
    std::vector<float> values_;
};

typedef Row<N_FAN_STATES> FanRow;
typedef Row<N_TRIPLE_STATES> TripleRow;

/* Numbers of fans [near, far, x] with x beyond near, by their state. */
class Fans {
  public:
    void reset(int n_nodes) {
        n_nodes_ = n_nodes;
        starts_.resize(std::size_t(n_nodes) * n_nodes);
        std::size_t n_blocks = 0;
        for (int near = 0; near < n_nodes; ++near) {
            for (int far = 0; far < n_nodes; ++far) {
                starts_[std::size_t(near) * n_nodes + far] = n_blocks;
                const Blocks blocks = blocks_of(near, far);
                n_blocks += blocks.end - blocks.begin;
            }
        }
        values_.resize(n_blocks * FanRow::BLOCK);
    }
    /* By x. */
    FanRow row(int near, int far) {
        const std::ptrdiff_t start = starts_[std::size_t(near) * n_nodes_ + far];
        return FanRow(values_.data() +
                         (start - blocks_of(near, far).begin) * FanRow::BLOCK);
    }

  private:
    int n_nodes_;
    std::vector<std::size_t> starts_;
    std::vector<float> values_;

    Blocks blocks_of(int near, int far) const {
        return near < far ? Blocks::of(0, near) : Blocks::of(near + 1, n_nodes_);
    }
};

/* Rows of numbers of items, by one of their words. */
template <int N>
class RowsByWord {
  public:
    void reset(int n_words, int n_nodes) {
        width_ = std::size_t(Blocks::of(0, n_nodes).end) * Row<N>::BLOCK;
        values_.assign(n_words * width_, IMPOSSIBLE);
    }
    Row<N> row(int word) { return Row<N>(values_.data() + word * width_); }

  private:
    std::size_t width_;
    std::vector<float> values_;
};
typedef RowsByWord<N_FAN_STATES> FanRows;
typedef RowsByWord<N_TRIPLE_STATES> TripleRows;

}  // namespace npparse
