// Back-pointers of the charts of one-endpoint-crossing trees.

#pragma once
#include <initializer_list>
#include <vector>

namespace npparse {

enum class Kind {
    // Arcs: a - b in its state; a -> b with grandparent c and sibling d, -1 where not scored.
    CROSSED_ARC,
    UNCROSSED_ARC,
    // Items of nested trees: [a, b, c].
    SUBTREE,
    TIED,
    ARC,
    BETWEEN,
    GAP,
    // Items of crossing structures: [a, b] or [a, b, c]. A reached fan is a fan or an open one.
    STRUCTURE,
    FAN,
    INNER_FAN,
    OPEN_FAN,
    REACHED_FAN
};

// An arc or an item of the chart. Fields that its kind does not have are -1.
struct Item {
    Kind kind;
    int a, b, c, d, state;
};

// The antecedents of the best deduction of an item.
class BackPointer {
  public:
    // Keep a deduction if it beats those before.
    void consider(float score, std::initializer_list<Item> antecedents) {
        if (n_antecedents_ != 0 && score <= score_) return;
        score_ = score;
        n_antecedents_ = 0;
        for (const Item& item : antecedents) antecedents_[n_antecedents_++] = item;
    }
    void push_to(std::vector<Item>& agenda) const {
        agenda.insert(agenda.end(), antecedents_, antecedents_ + n_antecedents_);
    }

  private:
    static constexpr int MAX_ANTECEDENTS = 6;
    float score_ = 0.0f;
    int n_antecedents_ = 0;
    Item antecedents_[MAX_ANTECEDENTS];
};

}  // namespace npparse
