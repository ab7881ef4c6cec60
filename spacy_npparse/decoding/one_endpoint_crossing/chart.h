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
        crossing_.reset(n + 1, single_root);
        nested_.reset(scores, n + 1, single_root, crossing_.structures, crossing_.gaps);
        for (int h = 0; h <= n; ++h)
            for (int m = 1; m <= n; ++m)
                if (h != m)
                    crossing_.arcs.set(h, m, SECOND_BELOW,
                                       clamped(scores.crossed[std::size_t(h) * scores.size + m]));
        for (int i = n; i >= 0; --i) {
            for (int j = i + 1; j <= n; ++j) {
                crossing_.fill_structures(i, j);
                nested_.fill(i, j);
                crossing_.fill_fans(i, j);
            }
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
