/* How the charts of one-endpoint-crossing trees find out what their best trees are made of. */

#pragma once
#include <initializer_list>
#include <vector>

namespace npparse {

enum class Kind {
    /* a - b in this state; a -> b with grandparent c and sibling d, -1 where they are not scored */
    CROSSED_ARC,
    UNCROSSED_ARC,
    /* Items of nested trees [a, b, c]. */
    SUBTREE,
    TIED,
    ARC,
    BETWEEN,
    GAP,
    /* Items of crossing structures, [a, b] or [a, b, c]. A reached fan is a fan or an open one. */
    STRUCTURE,
    FAN,
    INNER_FAN,
    OPEN_FAN,
    REACHED_FAN
};

/* An arc or an item that a derivation needs. What it does not have is -1. */
struct Goal {
    Kind kind;
    int a, b, c, d, state;
};

/* The best of some ways to get an item. */
class Best {
  public:
    void consider(float score, std::initializer_list<Goal> goals) {
        if (n_goals_ != 0 && score <= score_) return;
        score_ = score;
        n_goals_ = 0;
        for (const Goal& goal : goals) goals_[n_goals_++] = goal;
    }
    void push_to(std::vector<Goal>& agenda) const {
        agenda.insert(agenda.end(), goals_, goals_ + n_goals_);
    }

  private:
    static constexpr int MAX_GOALS = 6;
    float score_ = 0.0f;
    int n_goals_ = 0;
    Goal goals_[MAX_GOALS];
};

}  // namespace npparse
