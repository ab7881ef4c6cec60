// The least loss from a configuration of arc-hybrid with SWAP; see fully_dynamic.pyx.

#pragma once

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace npparse {

// How many words are on the stack, then the words from the bottom of the stack to the end of the
// buffer, which is the root. So SHIFT changes the number alone, and SWAP exchanges neighbours.
using State = std::u16string;

class LeastLoss {
  public:
    void prepare(const int* heads, int n) {
        gold_.assign(heads, heads + n + 1);
        remains_.assign(n + 1, 0);
        above_.assign(n + 1, 0);
        dependents_.assign(n + 1, 0);
        bounds_.clear();
    }

    // What popping s0 loses: its pending dependents, and its pending head unless that is b or s1.
    int loss_of_pop(const State& state) {
        look_at(state);
        return dependents_[s0(state)] + loses_head(state);
    }

    // Pending arcs from a word of the stack to one below it whose upper word cannot return to the
    // buffer, because no word there is behind it in the sentence.
    int lower_bound(const State& state) {
        return stuck_arcs(state);
    }

    // A* search. upper: a loss that can be reached. Returns -1 after expanding `budget` states.
    //
    // All searches of a sentence have the same goal: what one has proven bounds the next ones
    // (Adaptive A*, Koenig and Likhachev 2005).
    int search(State start, int upper, int budget) {
        std::unordered_map<State, Loss> known;
        std::vector<std::vector<const Entry*>> agenda(upper + 1);
        const auto add = [&](State& state, int lost) {
            pop_what_is_free(state);
            const int total = lost + bound(state);
            if (total >= upper) return;
            const auto [entry, is_new] = known.try_emplace(std::move(state), Loss{lost, total});
            if (!is_new) {
                if (entry->second.so_far <= lost) return;
                entry->second = {lost, total};
            }
            agenda[total].push_back(&*entry);
        };
        add(start, 0);
        for (int total = 0; total < upper; ++total) {
            while (!agenda[total].empty()) {
                const auto& [state, loss] = *agenda[total].back();
                agenda[total].pop_back();
                if (loss.total < total) continue;
                const bool found = state.size() == 2;
                if (found || budget-- == 0) {
                    learn(known, total);
                    return found ? total : -1;
                }
                expand(state, loss.so_far, add);
            }
        }
        learn(known, upper);
        return upper;
    }

  private:
    // On the way to a state; at least, on the whole way through it.
    struct Loss {
        int so_far;
        int total;
    };
    using Entry = std::pair<const State, Loss>;

    // Of all states whose bounds are kept together.
    static constexpr std::size_t kMostWords = 1 << 24;

    static int s0(const State& state) { return state[state[0]]; }
    static int b(const State& state) { return state[state[0] + 1]; }

    template <typename Add>
    void expand(const State& state, int lost, const Add& add) {
        const bool root_is_next = b(state) == 0;
        if (!root_is_next) {
            State next = state;
            ++next[0];
            add(next, lost);
        }
        if (state[0] == 0) return;
        if (!root_is_next && s0(state) < b(state)) {
            State next = state;
            std::swap(next[next[0]], next[next[0] + 1]);
            --next[0];
            add(next, lost);
        }
        State next = state;
        pop(next);
        add(next, lost + loss_of_pop(state));
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

    bool loses_head(const State& state) const {
        const int head = gold_[s0(state)];
        if (head < 0 || !remains_[head] || head == b(state)) return false;
        return state[0] < 2 || head != state[state[0] - 1];
    }

    // Which words remain, and how many dependents of each are pending.
    void look_at(const State& state) {
        std::fill(remains_.begin(), remains_.end(), 0);
        std::fill(dependents_.begin(), dependents_.end(), 0);
        for (std::size_t i = 1; i < state.size(); ++i) {
            const int word = state[i];
            remains_[word] = 1;
            if (word > 0 && gold_[word] >= 0) ++dependents_[gold_[word]];
        }
    }

    // What any way from the state, which was just looked at, loses at least.
    int bound(const State& state) {
        const auto known = bounds_.find(state);
        return std::max(stuck_arcs(state), known == bounds_.end() ? 0 : known->second);
    }

    int stuck_arcs(const State& state) {
        const int last = *std::max_element(state.begin() + state[0] + 1, state.end());
        std::fill(above_.begin(), above_.end(), 0);
        int lost = 0;
        for (int i = state[0]; i > 0; --i) {
            const int head = gold_[state[i]];
            lost += head > last && above_[head];
            above_[state[i]] = 1;
        }
        return lost;
    }

    // Where the start loses at least `total`, a state that it reaches with less loses the rest.
    void learn(const std::unordered_map<State, Loss>& known, int total) {
        if (bounds_.size() * gold_.size() > kMostWords) bounds_.clear();
        for (const auto& [state, loss] : known) {
            int& bound = bounds_[state];
            bound = std::max(bound, total - loss.so_far);
        }
    }

    std::vector<int> gold_;
    std::vector<char> remains_;
    std::vector<char> above_;
    std::vector<int> dependents_;
    std::unordered_map<State, int> bounds_;
};

}  // namespace npparse
