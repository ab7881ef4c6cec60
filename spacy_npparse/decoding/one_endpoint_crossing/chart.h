/* The best one-endpoint-crossing tree; see one_endpoint_crossing.pyx. */

#pragma once
#include "crossing_structures.h"
#include "nested_trees.h"

namespace npparse {

class OneEndpointCrossingChart {
  public:
    /* The score of the best tree of n words.

       single_root: whether the root has one dependent only. */
    float fill(const OneEndpointCrossingScores& scores, int n, bool single_root) {
        n_ = n;
        crossing_.reset(n + 1, single_root);
        nested_.reset(scores, n + 1, single_root, crossing_.structures, crossing_.gaps);
        for (int h = 0; h <= n; ++h)
            for (int m = 1; m <= n; ++m)
                if (h != m)
                    crossing_.arcs.set(h, m, SECOND_BELOW,
                                       scores.crossed[std::size_t(h) * scores.size + m]);
        for (int i = n; i >= 0; --i) {
            for (int j = i + 1; j <= n; ++j) {
                crossing_.fill_structures(i, j);
                nested_.fill(i, j);
                crossing_.fill_fans(i, j);
            }
        }
        return nested_.score(n);
    }

    /* The arcs of the tree that `fill` found. */
    std::vector<Goal> arcs() {
        std::vector<Goal> found, agenda{nested_.goal(n_)};
        while (!agenda.empty()) {
            const Goal goal = agenda.back();
            agenda.pop_back();
            if (goal.kind == Kind::CROSSED_ARC || goal.kind == Kind::UNCROSSED_ARC)
                found.push_back(goal);
            else if (goal.a != goal.b)
                explain(goal).push_to(agenda);
        }
        return found;
    }

  private:
    int n_;
    CrossingStructures crossing_;
    NestedTrees nested_;

    Best explain(const Goal& goal) {
        Best best;
        const bool nested = goal.kind <= Kind::GAP;
        if (nested)
            nested_.trace(goal, best);
        else
            crossing_.trace(goal, best);
        return best;
    }
};

}  // namespace npparse
