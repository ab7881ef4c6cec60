// The tables of the chart of nested trees: weights of items with a grandparent outside.

#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

namespace npparse {

// The weights of items [a, b, g] with a grandparent g outside of a and b. Rows are by g: the
// columns of words to the right come first, then the column of no grandparent, then those of words
// to the left.
class GrandparentRows {
  public:
    // SIMD vectors of four may reach beyond the end of a row by this many columns.
    static constexpr int PADDING = 3;

    // both_orders: whether there are items with a > b too.
    void reset(int n_nodes, bool both_orders) {
        n_nodes_ = n_nodes;
        starts_.resize(std::size_t(n_nodes) * n_nodes);
        std::size_t size = 0;
        for (int a = 0; a < n_nodes; ++a) {
            for (int b = both_orders ? 0 : a; b < n_nodes; ++b) {
                starts_[std::size_t(a) * n_nodes + b] = size;
                size += end(a, b) - begin(a, b) + PADDING;
            }
        }
        weights_.resize(size);
    }
    // The columns of a row.
    static int begin(int a, int b) { return std::max(a, b) + 1; }
    int end(int a, int b) const { return std::min(a, b) + n_nodes_ + 1; }
    // By column.
    float* row(int a, int b) {
        const std::ptrdiff_t start = starts_[std::size_t(a) * n_nodes_ + b];
        return weights_.data() + (start - begin(a, b));
    }

  private:
    int n_nodes_;
    std::vector<std::size_t> starts_;
    std::vector<float> weights_;
};

}  // namespace npparse
