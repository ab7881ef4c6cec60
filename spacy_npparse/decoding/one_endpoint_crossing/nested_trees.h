// The chart of trees with nested crossing structures; search.pyx has the deduction system.

#pragma once
#include "back_pointers.h"
#include "grandparent_rows.h"
#include "rows.h"

namespace npparse {

// Scores of one sentence, of any value: [size][size] each, by grandparent, head, sibling or head of
// a crossed arc, and by dependent. Pruned arcs, by head, are not part of any tree; null for none.
struct OneEndpointCrossingScores {
    const float *grandparents, *heads, *siblings, *crossed;
    const unsigned char* pruned;
    int size;

    std::size_t at(int word, int m) const { return std::size_t(word) * size + m; }
    bool is_pruned(int h, int m) const { return pruned != nullptr && pruned[at(h, m)]; }
};

// Short items are deduced before long ones.
class NestedTrees {
  public:
    // structures: [i, j] is deduced before `fill(i, j)`, which sets gap [i, j] in gaps.
    void reset(const OneEndpointCrossingScores& scores, int n_nodes, bool single_root,
               Pairs& structures, Pairs& gaps) {
        none_ = n_nodes;
        single_root_ = single_root;
        structures_ = &structures;
        gaps_ = &gaps;
        subtrees_.reset(n_nodes, true);
        arcs_.reset(n_nodes, true);
        between_.reset(n_nodes, false);
        bridges_.reset(n_nodes, false);
        for (Matrix* matrix : {&tied_, &tied_bridges_, &ungoverned_}) matrix->reset(n_nodes);
        for (int word = 0; word < n_nodes; ++word) {
            std::fill(subtrees_.row(word, word) + subtrees_.begin(word, word),
                      subtrees_.row(word, word) + subtrees_.end(word, word), 0.0f);
            tied_.at(word, word) = ungoverned_.at(word, word) = 0.0f;
        }
        read(scores, n_nodes);
    }

    // Deduce all items from i to j.
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

    // The score of the best tree.
    float score(int n) { return subtrees_.row(0, n)[none_]; }
    Item goal(int n) const { return subtree(0, n, none_); }

    // The best deduction of an item.
    void trace(const Item& item, BackPointer& best) {
        const int a = item.a, b = item.b, g = item.c;
        switch (item.kind) {
            case Kind::GAP: return trace_gap(a, b, item.state, best);
            case Kind::SUBTREE: return trace_subtree(a, b, g, best);
            case Kind::TIED: return trace_tied(a, b, best);
            case Kind::ARC: return trace_arc(a, b, g, best);
            default: return trace_between(a, b, g, best);
        }
    }

  private:
    // The weights of pairs of words, in both orders.
    class Matrix {
      public:
        void reset(int n_nodes) {
            n_nodes_ = n_nodes;
            weights_.assign(std::size_t(n_nodes) * n_nodes, IMPOSSIBLE);
        }
        float& at(int a, int b) { return weights_[std::size_t(a) * n_nodes_ + b]; }

      private:
        int n_nodes_;
        std::vector<float> weights_;
    };

    // The antecedents of a row: another row and a weight that all its columns are combined with, or
    // a left row with a right one or a bridge.
    struct Part {
        const float* row;
        float added;
    };
    struct Halves {
        const float *left, *right, *bridge;
    };

    // Stands for a grandparent that is not scored.
    int none_;
    bool single_root_, pruned_;
    Pairs* structures_;
    Pairs* gaps_;
    // Bridge [p, j, g]: structure [p, q], subtree [j, q, g].
    GrandparentRows subtrees_, arcs_, between_, bridges_;
    // Tied bridge [h, q]: tied [h, p] or p = h, structure [p, q].
    Matrix tied_, tied_bridges_;
    // Subtree [h, e, -] by e and h.
    Matrix ungoverned_;
    // Scores by dependent and column of the grandparent.
    std::vector<float> grandparents_;
    // Scores by head or sibling, and dependent.
    Matrix heads_, siblings_;
    // If arcs are pruned: the columns of the heads of each word and of none, in order.
    std::vector<std::vector<int>> head_columns_;
    // The antecedents of the present row.
    std::vector<Part> parts_;
    std::vector<Halves> halves_;

    void read(const OneEndpointCrossingScores& scores, int n_nodes) {
        const std::size_t n_columns = 2 * (std::size_t(n_nodes) + 1);
        grandparents_.assign(n_columns * n_nodes, 0.0f);
        heads_.reset(n_nodes);
        siblings_.reset(n_nodes);
        pruned_ = scores.pruned != nullptr;
        head_columns_.assign(n_nodes, {});
        for (int m = 1; m < n_nodes; ++m) {
            float* const by_grandparent = &grandparents_[m * n_columns];
            for (int word = 0; word < n_nodes; ++word) {
                const std::size_t cell = scores.at(word, m);
                by_grandparent[word] = by_grandparent[word + n_nodes + 1] =
                    clamped(scores.grandparents[cell]);
                if (!scores.is_pruned(word, m)) heads_.at(word, m) = clamped(scores.heads[cell]);
                siblings_.at(word, m) = clamped(scores.siblings[cell]);
            }
            if (pruned_) list_heads(m);
        }
    }
    void list_heads(int m) {
        for (int h = m + 1; h < none_; ++h)
            if (is_arc(h, m)) head_columns_[m].push_back(column(h, m));
        head_columns_[m].push_back(none_);
        for (int h = 0; h < m; ++h)
            if (is_arc(h, m)) head_columns_[m].push_back(column(h, m));
    }

    const float* grandparents(int m) const {
        return &grandparents_[m * 2 * (std::size_t(none_) + 1)];
    }
    float head(int h, int m) { return heads_.at(h, m); }
    // Whether h -> m is not pruned. The root is not a dependent.
    bool is_arc(int h, int m) { return head(h, m) > IMPOSSIBLE; }
    float sibling(int s, int m) { return siblings_.at(s, m); }
    // The column of a word outside of a pair, given one word of the pair.
    int column(int word, int inside) const { return word > inside ? word : word + none_ + 1; }
    // Whether the word is the root and may have one dependent only.
    bool has_one_arc(int h) const { return h == 0 && single_root_; }
    static int step(int from, int to) { return from < to ? 1 : -1; }

    void fill_tied(int h, int e) {
        const int d = step(h, e);
        for (int k = h; k != e;) {
            raise(tied_bridges_.at(h, e), tied_.at(h, k) + structures_->at(e, k, APART));
            k += d;
            raise(tied_.at(h, e), structures_->at(h, k, SECOND_BELOW) + ungoverned_.at(e, k));
        }
    }

    void fill_arc(int h, int m) {
        const int d = step(h, m), column_of_h = column(h, m);
        const int begin = arcs_.begin(h, m), end = arcs_.end(h, m);
        float* row = arcs_.row(h, m);
        if (!is_arc(h, m)) return std::fill(row + begin, row + end, IMPOSSIBLE);
        float best = sibling(0, m) + subtrees_.row(m, h + d)[column_of_h];
        if (!has_one_arc(h)) {
            raise(best, tied_bridges_.at(h, h + d) + subtrees_.row(m, h + d)[column_of_h]);
            for (int e = h + d; e != m;) {
                const float before = tied_.at(h, e);
                e += d;
                raise(best,
                      std::max(before, tied_bridges_.at(h, e)) + subtrees_.row(m, e)[column_of_h]);
            }
        }
        parts_.clear();
        if (!has_one_arc(h))
            for (int s = h + d; s != m; s += d)
                if (is_arc(h, s))
                    parts_.push_back({arcs_.row(h, s), sibling(s, m) + between(s, m)[column_of_h]});
        fill_row(row, best, begin, end);
        const float* by_grandparent = grandparents(m);
        const float by_head = head(h, m);
        for (int g = begin; g < end; ++g) row[g] += by_grandparent[g] + by_head;
    }

    void fill_subtree(int h, int e) {
        parts_.clear();
        for (int m = h; m != e;) {
            m += step(h, e);
            if (is_arc(h, m))
                parts_.push_back({arcs_.row(h, m), subtrees_.row(m, e)[column(h, m)]});
        }
        fill_row(subtrees_.row(h, e), tied_.at(h, e), subtrees_.begin(h, e), subtrees_.end(h, e));
        ungoverned_.at(e, h) = subtrees_.row(h, e)[none_];
    }

    void fill_between(int i, int j) {
        const int begin = between_.begin(i, j), end = between_.end(i, j);
        parts_.clear();
        for (int q = i + 1; q <= j; ++q)
            parts_.push_back({subtrees_.row(j, q), structures_->at(i, q, APART)});
        halves_.clear();
        for (int e = i; e < j; ++e)
            halves_.push_back({subtrees_.row(i, e), subtrees_.row(j, e + 1), bridges_.row(e, j)});
        float *const bridges = bridges_.row(i, j), *const between = between_.row(i, j);
        const auto fill_bridges = [&](int g, auto n) { fill_columns(bridges, IMPOSSIBLE, g, n); };
        const auto fill_whole = [&](int g, auto n) { join_halves(between, g, n); };
        if (!pruned_) {
            for_columns(begin, end, fill_bridges);
            for_columns(begin, end, fill_whole);
        } else {
            // Those of heads of j, and of common heads.
            for_columns_of_heads(j, begin, end, [](int) { return true; }, fill_bridges);
            for_columns_of_heads(
                j, begin, end, [&](int g) { return g == none_ || is_arc(g % (none_ + 1), i); },
                fill_whole);
        }
    }

    // Call a function with the columns of heads of a word, and of none, that meet a condition, but
    // for those that are in the vector of an earlier one.
    template <class Condition, class Function>
    void for_columns_of_heads(int m, int begin, int end, const Condition& condition,
                              const Function& function) const {
        int next = begin;
        for (const int g : head_columns_[m]) {
            if (g < next || g >= end || !condition(g)) continue;
            function(g, One());
            next = g + 4;
        }
    }

    // Some vectors of columns of `between`, the first beginning with a column.
    template <class Number>
    NPPARSE_INLINE void join_halves(float* row, int column, Number n) const {
        Float4 best[n];
        Unrolled<n>::call([&](auto v) { best[v] = broadcast(IMPOSSIBLE); });
        for (const Halves& parts : halves_)
            Unrolled<n>::call([&](auto v) {
                const int first = column + 4 * v;
                best[v] = max(best[v],
                              load_four(parts.left + first) + max(load_four(parts.right + first),
                                                                  load_four(parts.bridge + first)));
            });
        Unrolled<n>::call([&](auto v) { store(best[v], row + column + 4 * v); });
    }

    // The maximum of a least weight and all parts, column by column.
    void fill_row(float* row, float least, int begin, int end) const {
        for_columns(begin, end, [&](int g, auto n) { fill_columns(row, least, g, n); });
    }
    template <class Number>
    NPPARSE_INLINE void fill_columns(float* row, float least, int column, Number n) const {
        Float4 best[n];
        Unrolled<n>::call([&](auto v) { best[v] = broadcast(least); });
        for (const Part& part : parts_) {
            const Float4 added = broadcast(part.added);
            Unrolled<n>::call([&](auto v) {
                best[v] = max(best[v], load_four(part.row + column + 4 * v) + added);
            });
        }
        Unrolled<n>::call([&](auto v) { store(best[v], row + column + 4 * v); });
    }

    // Call a function with columns and the number of vectors that begin with each: several vectors
    // at a time, where there are, share the look-ups of the parts of a row.
    typedef std::integral_constant<int, 1> One;
    typedef std::integral_constant<int, 4> Several;
    template <class Function>
    static NPPARSE_INLINE void for_columns(int begin, int end, const Function& function) {
        int column = begin;
        for (; column + 4 * (Several() - 1) < end; column += 4 * Several())
            function(column, Several());
        for (; column < end; column += 4) function(column, One());
    }
    static Float4 load_four(const float* columns) {
        Float4 vector;
        load(vector, columns);
        return vector;
    }

    float* between(int a, int b) { return between_.row(std::min(a, b), std::max(a, b)); }

    static Item subtree(int h, int e, int g) { return {Kind::SUBTREE, h, e, g, -1, -1}; }
    static Item whole_arc(int h, int m, int g) { return {Kind::ARC, h, m, g, -1, -1}; }
    static Item everything_between(int a, int b, int g) {
        return {Kind::BETWEEN, std::min(a, b), std::max(a, b), g, -1, -1};
    }
    static Item tied(int h, int e) { return {Kind::TIED, h, e, -1, -1, -1}; }
    static Item structure(int a, int b, int state) {
        return a < b ? Item{Kind::STRUCTURE, a, b, -1, -1, state}
                     : Item{Kind::STRUCTURE, b, a, -1, -1, mirrored(state)};
    }

    void trace_gap(int a, int b, int state, BackPointer& best) {
        const int i = std::min(a, b), j = std::max(a, b);
        if (state == SECOND_BELOW) return best.consider(0.0f, {subtree(a, b, none_)});
        if (state == FIRST_BELOW) return best.consider(0.0f, {subtree(b, a, none_)});
        if (has_one_arc(i)) return best.consider(0.0f, {subtree(j, 1, none_)});
        best.consider(0.0f, {everything_between(i, j, none_)});
    }

    void trace_subtree(int h, int e, int g, BackPointer& best) {
        best.consider(tied_.at(h, e), {tied(h, e)});
        for (int m = h; m != e;) {
            m += step(h, e);
            best.consider(arcs_.row(h, m)[column(g, h)] + subtrees_.row(m, e)[column(h, m)],
                          {whole_arc(h, m, g), subtree(m, e, h)});
        }
    }

    void trace_tied(int h, int e, BackPointer& best) {
        for (int k = h; k != e;) {
            k += step(h, e);
            best.consider(structures_->at(h, k, SECOND_BELOW) + subtrees_.row(k, e)[none_],
                          {structure(h, k, SECOND_BELOW), subtree(k, e, none_)});
        }
    }

    void trace_arc(int h, int m, int g, BackPointer& best) {
        const int d = step(h, m), column_of_h = column(h, m);
        const auto arc = [&](int s) {
            return Item{Kind::UNCROSSED_ARC, h, m, g == none_ ? -1 : g, s, -1};
        };
        best.consider(sibling(0, m) + subtrees_.row(m, h + d)[column_of_h],
                      {arc(0), subtree(m, h + d, h)});
        if (has_one_arc(h)) return;
        for (int e = h; e != m; e += d) {
            if (e != h) {
                best.consider(tied_.at(h, e) + subtrees_.row(m, e + d)[column_of_h],
                              {arc(-1), tied(h, e), subtree(m, e + d, h)});
                best.consider(
                    sibling(e, m) + between(e, m)[column_of_h] + arcs_.row(h, e)[column(g, h)],
                    {arc(e), whole_arc(h, e, g), everything_between(e, m, h)});
            }
            for (int q = e; q != m;) {
                q += d;
                best.consider(tied_.at(h, e) + structures_->at(e, q, APART) +
                                  subtrees_.row(m, q)[column_of_h],
                              {arc(-1), tied(h, e), structure(e, q, APART), subtree(m, q, h)});
            }
        }
    }

    void trace_between(int i, int j, int g, BackPointer& best) {
        const int column_of_g = column(g, i);
        for (int e = i; e < j; ++e) {
            const float left = subtrees_.row(i, e)[column_of_g];
            best.consider(left + subtrees_.row(j, e + 1)[column_of_g],
                          {subtree(i, e, g), subtree(j, e + 1, g)});
            for (int q = e + 1; q <= j; ++q)
                best.consider(
                    left + structures_->at(e, q, APART) + subtrees_.row(j, q)[column_of_g],
                    {subtree(i, e, g), structure(e, q, APART), subtree(j, q, g)});
        }
    }
};

}  // namespace npparse
