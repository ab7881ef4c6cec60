// The tables of the chart of crossing structures; search.pyx says what items are.

#pragma once
#include "rows.h"

namespace npparse {

// The number of first words of items that are deduced together.
constexpr int TILE = 4;

// The weights of items, and which of them there may be, given the arcs.
class CrossingTables {
  public:
    // Crossed arcs; gaps between words of a structure; structures from word to word.
    Pairs arcs, gaps, structures;

    // single_root: whether the root has one arc only. pruned: whether there may be few arcs.
    void reset(int n_nodes, bool single_root, bool pruned) {
        n_nodes_ = n_nodes;
        single_root_ = single_root;
        pruned_ = pruned;
        for (Pairs* pairs : {&arcs, &gaps, &structures, &ended_}) pairs->reset(n_nodes);
        fans_.reset(n_nodes);
        inner_fans_.reset(n_nodes);
        open_fans_.reset(1, n_nodes);
        for (FanRows* rows : {&present_inner_fans_, &present_reversed_fans_})
            rows->reset(1 + TILE * TILE, n_nodes);
        outer_fans_.reset(TILE * n_nodes, n_nodes);
        reached_fans_.reset(TILE * n_nodes, n_nodes);
        fans_to_start_.reset(TILE * n_nodes, n_nodes);
        highest_fans_.assign(std::size_t(n_nodes) * n_nodes, HighestFans());
        highest_to_start_.resize(TILE * n_nodes);
        neighbours_.assign(n_nodes, BlockSet());
        blocks_.assign(std::size_t(n_nodes) * n_nodes, BlockSet());
        outer_blocks_.assign(TILE * n_nodes, BlockSet());
    }

    // Let h -> m be a crossed arc. All others are impossible.
    void add_arc(int h, int m, float weight) {
        arcs.set(h, m, SECOND_BELOW, weight);
        neighbours_[h].add(m / 4);
        neighbours_[m].add(h / 4);
    }

    // Begin the tile whose last word is given.
    void begin_tile(int last) {
        last_of_tile_ = last;
        std::fill(highest_to_start_.begin(), highest_to_start_.end(), HighestFans());
    }

  protected:
    int n_nodes_, last_of_tile_;
    bool single_root_, pruned_;
    Fans fans_;
    // Only those with near < far.
    Fans inner_fans_;
    // Those of the present near and far, by x.
    TripleRows open_fans_;
    // Inner fans [i, j, x] and [j, i, x] of the present i and j, and of those of the tile: by
    // `present` and x.
    FanRows present_inner_fans_, present_reversed_fans_;
    // [near, far, x] with x beyond far, near being in the tile: by near, far and x. Reached fans
    // are fans or open ones.
    FanRows outer_fans_;
    TripleRows reached_fans_;
    // Fan [a, near, b] with gap [a, b], near being in the tile: by near, b and a.
    FanRows fans_to_start_;
    // The highest of all fans [near, far, x] with near < far, and of the row of fans to the start.
    std::vector<HighestFans> highest_fans_, highest_to_start_;
    // By x: the crossed arcs of each word, and, if arcs are pruned, all fans by near and far.
    std::vector<BlockSet> neighbours_, blocks_, outer_blocks_;
    // Structures deduced from a gap at their right end.
    Pairs ended_;

    // Whether the word is the root and may have one dependent only.
    bool has_one_arc(int word) const { return word == 0 && single_root_; }
    static bool is_outer(int near, int far, int x) { return near < far && far < x; }
    static int step(int from, int to) { return from < to ? 1 : -1; }
    // The row of a word of the tile and another word.
    int of_tile(int word, int other) const { return word % TILE * n_nodes_ + other; }
    // The row of present fans from i to j: one for each j of the tile, and one for all others.
    int present(int i, int j) const {
        return j > last_of_tile_ ? 0 : 1 + i % TILE * TILE + j % TILE;
    }
    HighestFans& highest(int near, int far) {
        return highest_fans_[std::size_t(near) * n_nodes_ + far];
    }
    FanRow fan_row(int near, int far, bool outer) {
        return outer ? outer_fans_.row(of_tile(near, far)) : fans_.row(near, far);
    }

    // The blocks that fans, inner ones included, may be in.
    BlockSet& blocks_of(int near, int far, bool outer) {
        return outer ? outer_blocks_[of_tile(near, far)]
                     : blocks_[std::size_t(near) * n_nodes_ + far];
    }
    bool is_arc(int one, int other) const { return neighbours_[one].has(other / 4); }
};

}  // namespace npparse
