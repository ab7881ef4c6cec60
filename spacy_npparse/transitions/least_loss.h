// The least loss from a configuration of arc-hybrid with SWAP; see fully_dynamic.pyx.

#pragma once

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

namespace npparse {

// Stack and buffer, s0 and b0 last; the root is the first item of the buffer.
struct State {
    std::vector<int> stack;
    std::vector<int> buffer;
};

class LeastLoss {
  public:
    void prepare(const int* heads, int n) {
        gold_.assign(heads, heads + n + 1);
        remains_.assign(n + 1, 0);
        dependents_.assign(n + 1, 0);
    }

    // What popping s0 loses: its pending dependents, and its pending head unless that is b or s1.
    int loss_of_pop(const State& state) {
        look_at(state);
        return dependents_[state.stack.back()] + loses_head(state);
    }

    // Pending arcs from a word of the stack to one below it whose upper word cannot return to the
    // buffer, because no word there is behind it in the sentence.
    int lower_bound(const State& state) {
        look_at(state);
        const int last = *std::max_element(state.buffer.begin(), state.buffer.end());
        std::vector<char> below(remains_.size(), 0);
        int lost = 0;
        for (auto item = state.stack.rbegin(); item != state.stack.rend(); ++item) {
            const int head = gold_[*item];
            lost += head > last && below[head];
            below[*item] = 1;
        }
        return lost;
    }

    // A* search. upper: a loss that can be reached. Returns -1 after expanding `budget` states.
    int search(State start, int upper, int budget) {
        std::unordered_map<Key, int> least;
        std::vector<std::vector<Key>> agenda(upper + 1);
        const auto add = [&](State& state, int lost) {
            pop_what_is_free(state);
            const int estimate = lost + lower_bound(state);
            if (estimate >= upper) return;
            const Key key = pack(state);
            const auto known = least.find(key);
            if (known != least.end() && known->second <= lost) return;
            least[key] = lost;
            agenda[estimate].push_back(key);
        };
        add(start, 0);
        for (int estimate = 0; estimate < upper; ++estimate) {
            while (!agenda[estimate].empty()) {
                const Key key = agenda[estimate].back();
                agenda[estimate].pop_back();
                const State state = unpack(key);
                const int lost = least[key];
                if (lost + lower_bound(state) < estimate) continue;
                if (state.stack.empty() && state.buffer.size() == 1) return lost;
                if (budget-- == 0) return -1;
                expand(state, lost, add);
            }
        }
        return upper;
    }

  private:
    using Key = std::u16string;

    template <typename Add>
    void expand(const State& state, int lost, const Add& add) {
        if (state.buffer.size() > 1) {
            State next = state;
            next.stack.push_back(next.buffer.back());
            next.buffer.pop_back();
            add(next, lost);
        }
        if (state.stack.empty()) return;
        const int s0 = state.stack.back();
        if (state.buffer.size() > 1 && s0 < state.buffer.back()) {
            State next = state;
            next.stack.pop_back();
            next.buffer.insert(next.buffer.end() - 1, s0);
            add(next, lost);
        }
        State next = state;
        next.stack.pop_back();
        add(next, lost + loss_of_pop(state));
    }

    // Pops s0 as long as that loses nothing.
    void pop_what_is_free(State& state) {
        look_at(state);
        while (!state.stack.empty() && dependents_[state.stack.back()] == 0 && !loses_head(state)) {
            const int s0 = state.stack.back();
            if (gold_[s0] >= 0) --dependents_[gold_[s0]];
            remains_[s0] = 0;
            state.stack.pop_back();
        }
    }

    bool loses_head(const State& state) const {
        const int head = gold_[state.stack.back()];
        if (head < 0 || !remains_[head] || head == state.buffer.back()) return false;
        return state.stack.size() < 2 || head != state.stack[state.stack.size() - 2];
    }

    // Which words remain, and how many dependents of each are pending.
    void look_at(const State& state) {
        std::fill(remains_.begin(), remains_.end(), 0);
        std::fill(dependents_.begin(), dependents_.end(), 0);
        for (const auto* items : {&state.stack, &state.buffer})
            for (int word : *items) {
                remains_[word] = 1;
                if (word > 0 && gold_[word] >= 0) ++dependents_[gold_[word]];
            }
    }

    static Key pack(const State& state) {
        Key key(1, static_cast<char16_t>(state.stack.size()));
        for (const auto* items : {&state.stack, &state.buffer})
            for (int word : *items) key.push_back(static_cast<char16_t>(word));
        return key;
    }

    static State unpack(const Key& key) {
        const auto buffer = key.begin() + 1 + key[0];
        return {{key.begin() + 1, buffer}, {buffer, key.end()}};
    }

    std::vector<int> gold_;
    std::vector<char> remains_;
    std::vector<int> dependents_;
};

}  // namespace npparse
