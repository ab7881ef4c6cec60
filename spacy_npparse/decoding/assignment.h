// The assignment problem, solved by shortest augmenting paths.
//
// Items get a group each, or none. A group has at most one item. Each item has a value in each
// group, and one without a group; the sum of the values is maximal.
//
// Source: Kuhn (1955) for the problem; Jonker and Volgenant (1987) for shortest augmenting paths.

#pragma once
#include <limits>
#include <vector>

namespace npparse {

class Assignment {
  public:
    // Finds the best assignment. free_values: [n_items], the values without a group; group_values:
    // [n_items, n_groups], those in each group.
    void solve(const std::vector<double>& free_values, const std::vector<double>& group_values,
               int n_groups) {
        free_values_ = free_values.data();
        group_values_ = group_values.data();
        n_items_ = static_cast<int>(free_values.size());
        n_groups_ = n_groups;
        const int n_columns = n_items_ + n_groups;
        row_of_column_.assign(n_columns + 1, 0);
        column_before_.assign(n_columns + 1, 0);
        row_potential_.assign(n_groups + 1, 0.0);
        column_potential_.assign(n_columns + 1, 0.0);
        for (int row = 1; row <= n_groups; ++row) {
            if (is_wanted(row)) add(row, n_columns);
        }
    }

    // Returns the group of an item, -1 for none.
    int group_of(int item) const { return row_of_column_[item + 1] - 1; }

  private:
    // Assigns a column to a row. The rows before it give way along the path of least cost.
    void add(int row, int n_columns) {
        slack_.assign(n_columns + 1, std::numeric_limits<double>::infinity());
        is_reached_.assign(n_columns + 1, 0);
        // The path begins at column 0.
        row_of_column_[0] = row;
        int nearest = 0;
        while (row_of_column_[nearest]) {
            is_reached_[nearest] = 1;
            const int last = nearest;
            const int row_here = row_of_column_[nearest];
            double step = std::numeric_limits<double>::infinity();
            for (int column = 1; column <= n_columns; ++column) {
                if (is_reached_[column]) continue;
                const double slack =
                    cost(row_here, column) - (row_potential_[row_here] + column_potential_[column]);
                if (slack < slack_[column]) {
                    slack_[column] = slack;
                    column_before_[column] = last;
                }
                if (slack_[column] < step) {
                    step = slack_[column];
                    nearest = column;
                }
            }
            for (int column = 0; column <= n_columns; ++column) {
                if (is_reached_[column]) {
                    row_potential_[row_of_column_[column]] += step;
                    column_potential_[column] -= step;
                } else {
                    slack_[column] -= step;
                }
            }
        }
        while (nearest) {
            row_of_column_[nearest] = row_of_column_[column_before_[nearest]];
            nearest = column_before_[nearest];
        }
    }

    // The value that an item loses in a group; 0 if the group has no item.
    double cost(int row, int column) const {
        if (column > n_items_) return 0.0;
        return free_values_[column - 1] - group_values_[(column - 1) * n_groups_ + row - 1];
    }

    // Whether an item gains in a group.
    bool is_wanted(int row) const {
        for (int column = 1; column <= n_items_; ++column) {
            if (cost(row, column) < 0.0) return true;
        }
        return false;
    }

    // Rows are groups; columns are items, followed by one for each group that has no item. Both are
    // counted from 1.
    const double* free_values_ = nullptr;
    const double* group_values_ = nullptr;
    int n_items_ = 0;
    int n_groups_ = 0;
    std::vector<int> row_of_column_;
    std::vector<int> column_before_;
    std::vector<double> row_potential_;
    std::vector<double> column_potential_;
    std::vector<double> slack_;
    std::vector<char> is_reached_;
};

}  // namespace npparse
