// The least loss from a configuration of arc-hybrid with SWAP; see
// arc_hybrid_swap_dynamic_oracle.pyx.

#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace npparse {

// The size of the stack, then the words from the bottom of the stack to the end of the buffer,
// which is the root. So SHIFT increments the size, and SWAP exchanges two neighbours.
using State = std::u32string;

class LeastLoss {
  public:
    void prepare(const int* heads, int n, bool single_root) {
        single_root_ = single_root;
        gold_.assign(heads, heads + n + 1);
        remains_.assign(n + 1, 0);
        above_.assign(n + 1, 0);
        dependents_.assign(n + 1, 0);
    }

    // The loss of attaching s0 to `head` and popping it: its pending dependents, and its pending
    // head unless that is the one.
    int loss_of_pop(const State& state, int head) {
        look_at(state);
        const int pending = gold_[s0(state)];
        return dependents_[s0(state)] + (pending >= 0 && remains_[pending] && pending != head);
    }

    // The pending arcs from a word of the stack to one below it, if the upper word cannot return to
    // the buffer, since every word there precedes it in the sentence. Single root: and from the
    // root to such a word if it is not the lowest item.
    int lower_bound(const State& state) {
        const int last = *std::max_element(state.begin() + state[0] + 1, state.end());
        std::fill(above_.begin(), above_.end(), 0);
        int lost = 0;
        for (int i = state[0]; i > 0; --i) {
            const int head = gold_[state[i]];
            lost += head > last && above_[head];
            lost += single_root_ && head == 0 && i > 1 && state[i] > last;
            above_[state[i]] = 1;
        }
        return lost;
    }

    // The loss of greedily minimising the lower bound, SWAP before SHIFT in ties: words that are
    // swapped early meet most others. INT_MAX if that takes more than `limit` transitions.
    int greedy_loss(State state, int limit) {
        int lost = 0;
        pop_what_is_free(state);
        while (state.size() > 2) {
            if (limit-- == 0) return std::numeric_limits<int>::max();
            State best;
            Loss least{0, std::numeric_limits<int>::max()};
            expand(state, lost, [&](State& next, int so_far) {
                pop_what_is_free(next);
                const int total = so_far + lower_bound(next);
                if (total < least.total) {
                    least = {so_far, total};
                    best = std::move(next);
                }
            });
            state = std::move(best);
            lost = least.so_far;
        }
        return lost;
    }

    // A* search: narrows the bounds of the least loss until they meet or `budget` states are
    // expanded. `highest` is the loss of some derivation.
    void search(State start, int budget, int* lowest, int* highest) {
        std::unordered_map<State, Loss> known;
        std::vector<std::vector<const Entry*>> agenda(*highest);
        const auto add = [&](State& state, int lost) {
            pop_what_is_free(state);
            const int total = lost + lower_bound(state);
            if (total >= *highest) return;
            if (state.size() == 2) {
                *highest = total;
                return;
            }
            const auto [entry, is_new] = known.try_emplace(std::move(state), Loss{lost, total});
            if (!is_new) {
                if (entry->second.so_far <= lost) return;
                entry->second = {lost, total};
            }
            agenda[total].push_back(&*entry);
        };
        add(start, 0);
        while (*lowest < *highest) {
            if (agenda[*lowest].empty()) {
                ++*lowest;
                continue;
            }
            const auto& [state, loss] = *agenda[*lowest].back();
            agenda[*lowest].pop_back();
            if (loss.total < *lowest) continue;
            if (budget-- == 0) return;
            expand(state, loss.so_far, add);
        }
    }

  private:
    // So far: of the path to a state. Total: its sum with the lower bound.
    struct Loss {
        int so_far;
        int total;
    };
    using Entry = std::pair<const State, Loss>;

    static int s0(const State& state) { return state[state[0]]; }
    static int b(const State& state) { return state[state[0] + 1]; }

    // Calls visit(successor, loss) for SWAP, SHIFT and popping s0, if they are legal.
    template <typename Visit>
    void expand(const State& state, int lost, const Visit& visit) {
        const bool root_is_next = b(state) == 0;
        if (state[0] > 0 && !root_is_next && s0(state) < b(state)) {
            State next = state;
            std::swap(next[next[0]], next[next[0] + 1]);
            --next[0];
            visit(next, lost);
        }
        if (!root_is_next) {
            State next = state;
            ++next[0];
            visit(next, lost);
        }
        if (state[0] > 0) {
            State next = state;
            pop(next);
            look_at(state);
            visit(next, lost + dependents_[s0(state)] + loses_head(state));
        }
    }

    static void pop(State& state) {
        state.erase(state[0], 1);
        --state[0];
    }

    // Pops s0 as long as that loses nothing.
    void pop_what_is_free(State& state) {
        look_at(state);
        while (state[0] > 0 && dependents_[s0(state)] == 0 && !loses_head(state)) {
            const int head = gold_[s0(state)];
            if (head >= 0) --dependents_[head];
            remains_[s0(state)] = 0;
            pop(state);
        }
    }

    // Whether s0 has a pending head that is neither b nor s1. Single root: the root is the head of
    // the last word only.
    bool loses_head(const State& state) const {
        const int head = gold_[s0(state)];
        if (head < 0 || !remains_[head]) return false;
        if (head == b(state)) return single_root_ && head == 0 && state[0] > 1;
        return state[0] < 2 || head != state[state[0] - 1];
    }

    // Finds which words remain, and the number of pending dependents of each.
    void look_at(const State& state) {
        std::fill(remains_.begin(), remains_.end(), 0);
        std::fill(dependents_.begin(), dependents_.end(), 0);
        for (std::size_t i = 1; i < state.size(); ++i) {
            const int word = state[i];
            remains_[word] = 1;
            if (word > 0 && gold_[word] >= 0) ++dependents_[gold_[word]];
        }
    }

    bool single_root_;
    std::vector<int> gold_;
    std::vector<char> remains_;
    std::vector<char> above_;
    std::vector<int> dependents_;
};

}  // namespace npparse
