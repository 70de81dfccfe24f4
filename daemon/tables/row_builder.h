// SPDX-License-Identifier: GPL-2.0
// Collects rows in rising order; equal rules are stored once.
#pragma once

#include "elf/segments.h"
#include "model/table_rows.h"

extern "C" {
#include "table.h"
}

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace uwind {

// Different rules and their numbers. Number 0 is the rule of kind NONE.
class RuleSet {
public:
	RuleSet();
	// The rule's number; nothing if there are too many rules.
	std::optional<std::uint32_t> number_of(const Rule& rule);
	std::vector<Rule> take() { return std::move(rules_); }

private:
	void grow();

	std::vector<Rule> rules_;
	std::vector<std::uint32_t> slots_; // rule number + 1 by hash; 0: free
};

// Rows come in rising order: the same start replaces, the same rule merges.
inline void append_row(std::vector<Row>& rows, Row row)
{
	if (!rows.empty() && rows.back().start == row.start)
		rows.pop_back();
	if (rows.empty() ? row.rule : rows.back().rule != row.rule)
		rows.push_back(row);
}

class RowBuilder {
public:
	explicit RowBuilder(std::size_t expected_rows);

	// From start on, rule applies. start must not be below the last row's; at
	// the same start the new row replaces the old one; an equal rule makes no
	// new row. False: too many rules (a row of kind NONE is made instead), or
	// too many rows (then full() holds, and nothing is made).
	bool add(std::uint32_t start, const Rule& rule);
	// The same, of a rule that was added before.
	bool add_numbered(std::uint32_t start, std::uint32_t rule)
	{
		full_ = full_ || rows_.size() == UW_MAX_ROWS;
		if (!full_)
			append_row(rows_, {start, rule});
		return !full_;
	}
	// After one was added: the last row's.
	std::uint32_t last_rule() const { return rows_.empty() ? 0 : rows_.back().rule; }
	bool full() const { return full_; }

	// Forget the rows from number size on.
	std::size_t size() const { return rows_.size(); }
	void truncate(std::size_t size) { rows_.resize(std::min(size, rows_.size())); }

	// The rows; the builder is of no use afterwards.
	TableRows take();

private:
	std::vector<Row> rows_;
	RuleSet rules_;
	bool full_ = false;
};

// A stretch of code with one rule.
struct Stretch {
	std::uint32_t start, end;
	Rule rule;
};

// Appends a stretch; or the last one becomes longer, if it is none before number first, ends there and says the same.
void append_stretch(std::vector<Stretch>& stretches, const Stretch& next, std::size_t first = 0);

// Rows of stretches in any order; where they overlap, the one that starts last
// counts.
TableRows rows_of(std::vector<Stretch> stretches);

// Where table has no row, or one of kind NONE, take patch's. What would be too
// much for a table is left out.
void fill_gaps(TableRows& table, const TableRows& patch);

// Rules that rows use most get the lowest numbers, which take the module less memory, and those that none uses go; but
// number 0 stays what it is.
void number_by_use(TableRows& table);

// Takes what a table says about these ranges (sorted, apart) out of it, and returns it.
TableRows cut_out(TableRows& table, const std::vector<OffsetRange>& ranges);

} // namespace uwind
