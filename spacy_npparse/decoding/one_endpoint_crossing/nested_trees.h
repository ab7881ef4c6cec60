/* The best trees in which crossing structures are nested; see one_endpoint_crossing.pyx. */

#pragma once
#include "back_pointers.h"
#include "rows.h"

namespace npparse {

/* Scores of one sentence by grandparent, head, sibling or head of a crossed arc, and by dependent:
   [size][size] each. */
struct OneEndpointCrossingScores {
    const float *grandparents, *heads, *siblings, *crossed;
    int size;
};

/* Numbers of pairs of words by a word outside of them. The places of these are those to the right,
   then that of no word, then those to the left. */
class OutsideRows {
  public:
    /* Four numbers are computed at a time: so many may be beyond the end of a row. */
    static constexpr int PADDING = 3;

    /* both_orders: whether pairs are in both orders, not only from left to right. */
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
        values_.resize(size);
    }
    /* The first place of a row, and its end. */
    static int begin(int a, int b) { return std::max(a, b) + 1; }
    int end(int a, int b) const { return std::min(a, b) + n_nodes_ + 1; }
    /* By place. */
    float* row(int a, int b) {
        const std::ptrdiff_t start = starts_[std::size_t(a) * n_nodes_ + b];
        return values_.data() + (start - begin(a, b));
    }

  private:
    int n_nodes_;
    std::vector<std::size_t> starts_;
    std::vector<float> values_;
};

/* The chart of trees without crossing arcs but in the structures that are nested in them. Short
   items are searched before long ones. */
class NestedTrees {
  public:
    /* structures: known for the words from i to j before `fill`; gaps: known after that. */
    void reset(const OneEndpointCrossingScores& scores, int n_nodes, bool single_root,
               Pairs& structures, Pairs& gaps) {
        scores_ = scores;
        none_ = n_nodes;
        single_root_ = single_root;
        structures_ = &structures;
        gaps_ = &gaps;
        subtrees_.reset(n_nodes, true);
        arcs_.reset(n_nodes, true);
        between_.reset(n_nodes, false);
        bridges_.reset(n_nodes, false);
        for (Square* square : {&tied_, &tied_bridges_}) square->reset(n_nodes);
        for (int word = 0; word < n_nodes; ++word) {
            std::fill(subtrees_.row(word, word) + subtrees_.begin(word, word),
                      subtrees_.row(word, word) + subtrees_.end(word, word), 0.0f);
            tied_.at(word, word) = 0.0f;
        }
        read_grandparents(n_nodes);
    }

    /* Search what is between i and j, when structures from i to j are known. */
    void fill(int i, int j) {
        fill_tied(i, j);
        fill_tied(j, i);
        fill_arc(i, j);
        fill_arc(j, i);
        fill_subtree(i, j);
        fill_subtree(j, i);
        if (i == 0 && single_root_) {
            gaps_->set(i, j, APART, subtrees_.row(j, 1)[none_]);
            return;
        }
        fill_between(i, j);
        gaps_->set(i, j, APART, between_.row(i, j)[none_]);
        gaps_->set(i, j, SECOND_BELOW, subtrees_.row(i, j)[none_]);
        gaps_->set(i, j, FIRST_BELOW, subtrees_.row(j, i)[none_]);
    }

    /* Of the best tree. */
    float score(int n) { return subtrees_.row(0, n)[none_]; }
    Goal goal(int n) const { return subtree(0, n, none_); }

    /* The best way to an item. */
    void trace(const Goal& goal, Best& best) {
        const int a = goal.a, b = goal.b, g = goal.c;
        switch (goal.kind) {
            case Kind::GAP: return trace_gap(a, b, goal.state, best);
            case Kind::SUBTREE: return trace_subtree(a, b, g, best);
            case Kind::TIED: return trace_tied(a, b, best);
            case Kind::ARC: return trace_arc(a, b, g, best);
            default: return trace_between(a, b, g, best);
        }
    }

  private:
    /* Numbers of pairs of words, in both orders. */
    class Square {
      public:
        void reset(int n_nodes) {
            n_nodes_ = n_nodes;
            values_.assign(std::size_t(n_nodes) * n_nodes, IMPOSSIBLE);
        }
        float& at(int a, int b) { return values_[std::size_t(a) * n_nodes_ + b]; }

      private:
        int n_nodes_;
        std::vector<float> values_;
    };

    /* What a row is made of: another one with a number to add, or what is to the left and to the
       right of a place. */
    struct Part {
        const float* row;
        float more;
    };
    struct Halves {
        const float *left, *right, *bridge;
    };

    OneEndpointCrossingScores scores_;
    /* Stands for a grandparent that is not counted. */
    int none_;
    bool single_root_;
    Pairs* structures_;
    Pairs* gaps_;
    /* By the place of g. bridges [p, j, g]: structure [p, q], subtree [j, q, g]. */
    OutsideRows subtrees_, arcs_, between_, bridges_;
    /* Tied bridges [h, q]: tied [h, p] or p = h, structure [p, q]. */
    Square tied_, tied_bridges_;
    /* By dependent and place of the grandparent. */
    std::vector<float> grandparents_;
    /* Of the present row. */
    std::vector<Part> parts_;
    std::vector<Halves> halves_;

    void read_grandparents(int n_nodes) {
        const std::size_t n_places = 2 * (std::size_t(n_nodes) + 1);
        grandparents_.assign(n_places * n_nodes, 0.0f);
        for (int m = 1; m < n_nodes; ++m)
            for (int g = 0; g < n_nodes; ++g)
                grandparents_[m * n_places + g] = grandparents_[m * n_places + g + n_nodes + 1] =
                    scores_.grandparents[std::size_t(g) * scores_.size + m];
    }

    const float* grandparents(int m) const {
        return &grandparents_[m * 2 * (std::size_t(none_) + 1)];
    }
    float head(int h, int m) const { return scores_.heads[std::size_t(h) * scores_.size + m]; }
    float sibling(int s, int m) const {
        return scores_.siblings[std::size_t(s) * scores_.size + m];
    }
    /* Of a word outside of some pair, by one of the pair. */
    int place(int word, int inside) const { return word > inside ? word : word + none_ + 1; }
    /* Whether it is the root, which has one dependent only. */
    bool has_one_arc(int h) const { return h == 0 && single_root_; }
    static int step(int from, int to) { return from < to ? 1 : -1; }

    void fill_tied(int h, int e) {
        const int d = step(h, e);
        for (int k = h; k != e;) {
            raise(tied_bridges_.at(h, e), tied_.at(h, k) + structures_->at(k, e, APART));
            k += d;
            raise(tied_.at(h, e),
                  structures_->at(h, k, SECOND_BELOW) + subtrees_.row(k, e)[none_]);
        }
    }

    void fill_arc(int h, int m) {
        const int d = step(h, m), place_of_h = place(h, m);
        const int begin = arcs_.begin(h, m), end = arcs_.end(h, m);
        float* row = arcs_.row(h, m);
        if (m == 0) return std::fill(row + begin, row + end, IMPOSSIBLE);
        float best = sibling(0, m) + subtrees_.row(m, h + d)[place_of_h];
        if (!has_one_arc(h)) {
            for (int e = h + d; e != m; e += d) {
                raise(best, tied_.at(h, e) + subtrees_.row(m, e + d)[place_of_h]);
                raise(best, tied_bridges_.at(h, e) + subtrees_.row(m, e)[place_of_h]);
            }
            raise(best, tied_bridges_.at(h, m));
        }
        parts_.clear();
        if (!has_one_arc(h))
            for (int s = h + d; s != m; s += d)
                parts_.push_back({arcs_.row(h, s), sibling(s, m) + between(s, m)[place_of_h]});
        fill_row(row, best, begin, end);
        const float* by_grandparent = grandparents(m);
        const float by_head = head(h, m);
        for (int g = begin; g < end; ++g) row[g] += by_grandparent[g] + by_head;
    }

    void fill_subtree(int h, int e) {
        parts_.clear();
        for (int m = h; m != e;) {
            m += step(h, e);
            parts_.push_back({arcs_.row(h, m), subtrees_.row(m, e)[place(h, m)]});
        }
        fill_row(subtrees_.row(h, e), tied_.at(h, e), subtrees_.begin(h, e), subtrees_.end(h, e));
    }

    void fill_between(int i, int j) {
        const int begin = between_.begin(i, j), end = between_.end(i, j);
        parts_.clear();
        for (int q = i + 1; q <= j; ++q)
            parts_.push_back({subtrees_.row(j, q), structures_->at(i, q, APART)});
        fill_row(bridges_.row(i, j), IMPOSSIBLE, begin, end);
        halves_.clear();
        for (int e = i; e < j; ++e)
            halves_.push_back({subtrees_.row(i, e), subtrees_.row(j, e + 1), bridges_.row(e, j)});
        for (int g = begin; g < end; g += 4) {
            FourNumbers best = four_times(IMPOSSIBLE);
            for (const Halves& parts : halves_)
                best = larger(best, four(parts.left + g) +
                                        larger(four(parts.right + g), four(parts.bridge + g)));
            store(best, between_.row(i, j) + g);
        }
    }

    /* The best of one number and all parts. */
    void fill_row(float* row, float least, int begin, int end) const {
        for (int g = begin; g < end; g += 4) {
            FourNumbers best = four_times(least);
            for (const Part& part : parts_)
                best = larger(best, four(part.row + g) + four_times(part.more));
            store(best, row + g);
        }
    }
    static FourNumbers four(const float* numbers) {
        FourNumbers loaded;
        load(loaded, numbers);
        return loaded;
    }

    float* between(int a, int b) { return between_.row(std::min(a, b), std::max(a, b)); }

    static Goal subtree(int h, int e, int g) { return {Kind::SUBTREE, h, e, g, -1, -1}; }
    static Goal whole_arc(int h, int m, int g) { return {Kind::ARC, h, m, g, -1, -1}; }
    static Goal everything_between(int a, int b, int g) {
        return {Kind::BETWEEN, std::min(a, b), std::max(a, b), g, -1, -1};
    }
    static Goal tied(int h, int e) { return {Kind::TIED, h, e, -1, -1, -1}; }
    static Goal structure(int a, int b, int state) {
        return a < b ? Goal{Kind::STRUCTURE, a, b, -1, -1, state}
                     : Goal{Kind::STRUCTURE, b, a, -1, -1, turned(state)};
    }

    void trace_gap(int a, int b, int state, Best& best) {
        const int i = std::min(a, b), j = std::max(a, b);
        if (state == SECOND_BELOW) return best.consider(0.0f, {subtree(a, b, none_)});
        if (state == FIRST_BELOW) return best.consider(0.0f, {subtree(b, a, none_)});
        if (has_one_arc(i)) return best.consider(0.0f, {subtree(j, 1, none_)});
        best.consider(0.0f, {everything_between(i, j, none_)});
    }

    void trace_subtree(int h, int e, int g, Best& best) {
        best.consider(tied_.at(h, e), {tied(h, e)});
        for (int m = h; m != e;) {
            m += step(h, e);
            best.consider(arcs_.row(h, m)[place(g, h)] + subtrees_.row(m, e)[place(h, m)],
                          {whole_arc(h, m, g), subtree(m, e, h)});
        }
    }

    void trace_tied(int h, int e, Best& best) {
        for (int k = h; k != e;) {
            k += step(h, e);
            best.consider(structures_->at(h, k, SECOND_BELOW) + subtrees_.row(k, e)[none_],
                          {structure(h, k, SECOND_BELOW), subtree(k, e, none_)});
        }
    }

    void trace_arc(int h, int m, int g, Best& best) {
        const int d = step(h, m), place_of_h = place(h, m);
        const auto arc = [&](int s) {
            return Goal{Kind::UNCROSSED_ARC, h, m, g == none_ ? -1 : g, s, -1};
        };
        best.consider(sibling(0, m) + subtrees_.row(m, h + d)[place_of_h],
                      {arc(0), subtree(m, h + d, h)});
        if (has_one_arc(h)) return;
        for (int e = h; e != m; e += d) {
            if (e != h) {
                best.consider(tied_.at(h, e) + subtrees_.row(m, e + d)[place_of_h],
                              {arc(-1), tied(h, e), subtree(m, e + d, h)});
                best.consider(sibling(e, m) + between(e, m)[place_of_h] +
                                  arcs_.row(h, e)[place(g, h)],
                              {arc(e), whole_arc(h, e, g), everything_between(e, m, h)});
            }
            for (int q = e; q != m;) {
                q += d;
                best.consider(tied_.at(h, e) + structures_->at(e, q, APART) +
                                  subtrees_.row(m, q)[place_of_h],
                              {arc(-1), tied(h, e), structure(e, q, APART), subtree(m, q, h)});
            }
        }
    }

    void trace_between(int i, int j, int g, Best& best) {
        const int place_of_g = place(g, i);
        for (int e = i; e < j; ++e) {
            const float left = subtrees_.row(i, e)[place_of_g];
            best.consider(left + subtrees_.row(j, e + 1)[place_of_g],
                          {subtree(i, e, g), subtree(j, e + 1, g)});
            for (int q = e + 1; q <= j; ++q)
                best.consider(left + structures_->at(e, q, APART) +
                                  subtrees_.row(j, q)[place_of_g],
                              {subtree(i, e, g), structure(e, q, APART), subtree(j, q, g)});
        }
    }
};

}  // namespace npparse
