// The chart of one-endpoint-crossing trees.

#pragma once
#include "crossing_structures.h"
#include "nested_trees.h"

namespace npparse {

class OneEndpointCrossingChart {
  public:
    // The score of the best tree of n words.
    //
    // single_root: whether the root has one dependent only.
    float fill(const OneEndpointCrossingScores& scores, int n, bool single_root) {
        n_ = n;
        crossing_.reset(n + 1, single_root, scores.pruned != nullptr);
        nested_.reset(scores, n + 1, single_root, crossing_.structures, crossing_.gaps);
        for (int h = 0; h <= n; ++h)
            for (int m = 1; m <= n; ++m)
                if (h != m && !scores.is_pruned(h, m))
                    crossing_.add_arc(h, m, clamped(scores.crossed[scores.at(h, m)]));
        // Tiles are blocks of words, which rows are stored by: what an item looks up in many rows
        // is in the cache for all first words of the tile.
        for (int tile = n | (TILE - 1); tile >= 0; tile -= TILE) {
            crossing_.begin_tile(tile);
            for (int j = 1; j <= n; ++j)
                for (int i = std::min(tile, j - 1); i >= 0 && i > tile - TILE; --i) fill(i, j);
        }
        return nested_.score(n);
    }

    // Trace the arcs of the best tree back, after `fill`. No back-pointers are stored: those of the
    // items in the tree, and only these, are computed again.
    std::vector<Item> arcs() {
        std::vector<Item> found, agenda{nested_.goal(n_)};
        while (!agenda.empty()) {
            const Item item = agenda.back();
            agenda.pop_back();
            if (item.kind == Kind::CROSSED_ARC || item.kind == Kind::UNCROSSED_ARC)
                found.push_back(item);
            else if (item.a != item.b)
                back_pointer(item).push_to(agenda);
        }
        return found;
    }

  private:
    int n_;
    CrossingStructures crossing_;
    NestedTrees nested_;

    void fill(int i, int j) {
        crossing_.fill_structures(i, j);
        nested_.fill(i, j);
        crossing_.fill_fans(i, j);
    }

    // The best deduction of an item.
    BackPointer back_pointer(const Item& item) {
        BackPointer best;
        const bool nested = item.kind <= Kind::GAP;
        if (nested)
            nested_.trace(item, best);
        else
            crossing_.trace(item, best);
        return best;
    }
};

}  // namespace npparse
