// The tables of the charts of one-endpoint-crossing trees: weights of items, laid out for SIMD.

#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "../score_range.h"
#include "../simd.h"
#include "forests.h"

// For functions of the inner loops.
#if defined(__GNUC__)
#define NPPARSE_INLINE inline __attribute__((always_inline))
#else
#define NPPARSE_INLINE inline
#endif

namespace npparse {

static inline void raise(float& maximum, float value) {
    maximum = maximum > value ? maximum : value;
}

// The weights of items by one of their words and by state. Blocks of four words are stored state by
// state, so that four words are computed at a time and all states of an item share cache lines.
template <int N>
class Row {
  public:
    static constexpr int BLOCK = 4 * N;

    explicit Row(float* first) : first_(first) {}

    float& at(int word, int state) const { return block(word / 4)[4 * state + word % 4]; }
    NPPARSE_INLINE float* block(int number) const {
        return first_ + std::ptrdiff_t(number) * BLOCK;
    }

  private:
    float* first_;
};

// Antecedents as vectors by state: the words of a block, or the same word in all lanes.
struct LoadedStates {
    const float* block;

    NPPARSE_INLINE Float4 operator[](int state) const {
        Float4 vector;
        load(vector, block + 4 * state);
        return vector;
    }
};
struct BroadcastStates {
    const float* weights;

    NPPARSE_INLINE Float4 operator[](int state) const { return broadcast(weights[state]); }
};

// A loop unrolled at compile time: calls a function with 0, 1, ..., N - 1 as constants, so that
// arrays indexed by them can stay in registers.
template <int N>
struct Unrolled {
    template <class Function>
    static NPPARSE_INLINE void call(const Function& function) {
        Unrolled<N - 1>::call(function);
        function(std::integral_constant<int, N - 1>());
    }
};
template <>
struct Unrolled<0> {
    template <class Function>
    static NPPARSE_INLINE void call(const Function&) {}
};

// The weights of an item by state, for four words at a time; initially below all items, impossible
// ones included.
template <int N>
struct StateVectors {
    Float4 vectors[N];

    NPPARSE_INLINE StateVectors() {
        Unrolled<N>::call([this](auto state) { vectors[state] = broadcast(2 * IMPOSSIBLE); });
    }
    template <class Source>
    explicit NPPARSE_INLINE StateVectors(const Source& source) {
        Unrolled<N>::call([&](auto state) { vectors[state] = source[state]; });
    }
    NPPARSE_INLINE const Float4& operator[](int state) const { return vectors[state]; }

    // Apply a rule: the maximum over the combinations of states of its two antecedents.
    template <const Combinations& RULE, class Left, class Right>
    NPPARSE_INLINE void deduce(const Left& left, const Right& right) {
        Unrolled<RULE.n>::call([&](auto number) {
            constexpr Combination c = RULE.items[number];
            vectors[c.result] = max(vectors[c.result], left[c.left] + right[c.right]);
        });
    }
    template <int M>
    NPPARSE_INLINE void raise_to(const StateVectors<M>& others) {
        Unrolled<M>::call([&](auto s) { vectors[s] = max(vectors[s], others[s]); });
    }
    NPPARSE_INLINE void store_to(float* block) const {
        Unrolled<N>::call([&](auto state) { store(vectors[state], block + 4 * state); });
    }
};
typedef StateVectors<N_PAIR_STATES> PairStates;
typedef StateVectors<N_FAN_STATES> FanStates;
typedef StateVectors<N_TRIPLE_STATES> TripleStates;

// The highest weights of some fans by state.
struct HighestFans {
    float weights[N_FAN_STATES];

    HighestFans() { std::fill(weights, weights + N_FAN_STATES, 2 * IMPOSSIBLE); }
    void raise_to(const FanStates& fans) {
        for (int state = 0; state < N_FAN_STATES; ++state)
            for (int lane = 0; lane < 4; ++lane) raise(weights[state], fans[state][lane]);
    }
    // Whether a rule could give more than the best so far, these fans being left antecedents, and
    // others right ones.
    template <const Combinations& RULE>
    NPPARSE_INLINE bool may_raise(const float* best, const HighestFans& right) const {
        bool above = false;
        Unrolled<RULE.n>::call([&](auto number) {
            constexpr Combination c = RULE.items[number];
            above |= weights[c.left] + right.weights[c.right] > best[c.result];
        });
        return above;
    }
};

// The range of blocks that contain the words from begin to end - 1.
struct Blocks {
    int begin, end;

    static Blocks of(int begin, int end) { return {begin / 4, (end + 3) / 4}; }
};

// Blocks that items may be in. Those that are 64 apart share a bit: if one of them is in the set,
// so is the other.
class BlockSet {
  public:
    void add(int block) { bits_ |= bit(block); }
    NPPARSE_INLINE bool has(int block) const { return bits_ & bit(block); }
    void operator|=(const BlockSet& other) { bits_ |= other.bits_; }

  private:
    std::uint64_t bits_ = 0;

    static std::uint64_t bit(int block) { return std::uint64_t(1) << block % 64; }
};

// The weights of pairs of words by state, each pair in both orders.
class Pairs {
  public:
    static constexpr int BLOCK = Row<N_PAIR_STATES>::BLOCK;

    void reset(int n_nodes) {
        width_ = std::size_t(Blocks::of(0, n_nodes).end) * BLOCK;
        weights_.assign(n_nodes * width_, IMPOSSIBLE);
    }
    // By the second word.
    Row<N_PAIR_STATES> row(int first) {
        return Row<N_PAIR_STATES>(weights_.data() + first * width_);
    }
    float at(int first, int second, int state) { return row(first).at(second, state); }
    void set(int first, int second, int state, float weight) {
        row(first).at(second, state) = weight;
        row(second).at(first, mirrored(state)) = weight;
    }
    // The weights of one pair by state.
    struct Of {
        float weights[N_PAIR_STATES];
        float operator[](int state) const { return weights[state]; }
    };
    Of of(int first, int second) {
        return {{at(first, second, 0), at(first, second, 1), at(first, second, 2)}};
    }

  private:
    std::size_t width_;
    std::vector<float> weights_;
};

typedef Row<N_FAN_STATES> FanRow;
typedef Row<N_TRIPLE_STATES> TripleRow;

// The weights of fans [near, far, x] with x beyond near, by state.
class Fans {
  public:
    void reset(int n_nodes) {
        std::ptrdiff_t n_blocks = 0;
        for (std::vector<Rows>* side : {&before_, &beyond_}) side->resize(n_nodes);
        for (int near = 0; near < n_nodes; ++near) {
            const Blocks before = Blocks::of(0, near), beyond = Blocks::of(near + 1, n_nodes);
            before_[near] = {n_blocks - (near + 1) * before.end, before.end};
            n_blocks += (n_nodes - near - 1) * before.end;
            beyond_[near] = {n_blocks - beyond.begin, beyond.end - beyond.begin};
            n_blocks += near * (beyond.end - beyond.begin);
        }
        weights_.resize(n_blocks * FanRow::BLOCK);
    }
    // By x.
    FanRow row(int near, int far) {
        const Rows& rows = near < far ? before_[near] : beyond_[near];
        return FanRow(weights_.data() + (rows.start + far * rows.width) * FanRow::BLOCK);
    }

  private:
    // The rows of a near word: where block 0 of far word 0 would be, and the blocks of a row.
    struct Rows {
        std::ptrdiff_t start, width;
    };

    // With x before near, and thus far beyond, and with x beyond near.
    std::vector<Rows> before_, beyond_;
    std::vector<float> weights_;
};

// One row for each of some words.
template <int N>
class RowsByWord {
  public:
    void reset(int n_rows, int n_nodes) {
        width_ = std::size_t(Blocks::of(0, n_nodes).end) * Row<N>::BLOCK;
        weights_.assign(n_rows * width_, IMPOSSIBLE);
    }
    Row<N> row(int word) { return Row<N>(weights_.data() + word * width_); }

  private:
    std::size_t width_;
    std::vector<float> weights_;
};
typedef RowsByWord<N_FAN_STATES> FanRows;
typedef RowsByWord<N_TRIPLE_STATES> TripleRows;

}  // namespace npparse
