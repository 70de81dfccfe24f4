// SPDX-License-Identifier: GPL-2.0
// A rule's number comes from an open-addressed hash over its three words.
#include "tables/row_builder.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace uwind {
namespace {

static_assert(sizeof(Rule) == 24);

std::size_t hash_of(const Rule& rule)
{
	std::uint64_t word[3];
	std::memcpy(word, &rule, sizeof(word));
	std::uint64_t hash = word[0] * 0x9e3779b97f4a7c15;
	hash = (hash ^ (hash >> 32) ^ word[1]) * 0x9e3779b97f4a7c15;
	hash = (hash ^ (hash >> 32) ^ word[2]) * 0x9e3779b97f4a7c15;
	return hash ^ (hash >> 32);
}

bool same(const Rule& left, const Rule& right)
{
	return std::memcmp(&left, &right, sizeof(left)) == 0;
}

} // namespace

RuleSet::RuleSet() : rules_(1), slots_(1024)
{
	slots_[hash_of(Rule{}) & (slots_.size() - 1)] = 1;
}

std::optional<std::uint32_t> RuleSet::number_of(const Rule& rule)
{
	const std::size_t mask = slots_.size() - 1;
	std::size_t slot = hash_of(rule) & mask;
	for (; slots_[slot]; slot = (slot + 1) & mask)
		if (same(rules_[slots_[slot] - 1], rule))
			return slots_[slot] - 1;
	if (rules_.size() == UW_MAX_RULES)
		return {};
	rules_.push_back(rule);
	slots_[slot] = static_cast<std::uint32_t>(rules_.size());
	if (rules_.size() * 2 > slots_.size())
		grow();
	return static_cast<std::uint32_t>(rules_.size() - 1);
}

void RuleSet::grow()
{
	std::vector<std::uint32_t> bigger(slots_.size() * 4);
	const std::size_t mask = bigger.size() - 1;
	for (std::uint32_t i = 0; i < rules_.size(); i++) {
		std::size_t slot = hash_of(rules_[i]) & mask;
		while (bigger[slot])
			slot = (slot + 1) & mask;
		bigger[slot] = i + 1;
	}
	slots_ = std::move(bigger);
}

RowBuilder::RowBuilder(std::size_t expected_rows)
{
	rows_.reserve(std::min<std::size_t>(expected_rows, UW_MAX_ROWS));
}

bool RowBuilder::add(std::uint32_t start, const Rule& rule)
{
	if (rows_.size() == UW_MAX_ROWS) {
		full_ = true;
		return false;
	}
	const std::optional<std::uint32_t> number = rules_.number_of(rule);
	append_row(rows_, {start, number.value_or(0)});
	return number.has_value();
}

TableRows RowBuilder::take()
{
	TableRows table;
	table.rows = std::move(rows_);
	table.rules = rules_.take();
	return table;
}

void append_stretch(std::vector<Stretch>& stretches, const Stretch& next, std::size_t first)
{
	const bool joins =
		stretches.size() > first && stretches.back().end == next.start && stretches.back().rule == next.rule;
	if (joins)
		stretches.back().end = next.end;
	else
		stretches.push_back(next);
}

TableRows rows_of(std::vector<Stretch> stretches)
{
	const auto starts_later = [](const Stretch& left, const Stretch& right) { return left.start >= right.start; };
	if (std::ranges::adjacent_find(stretches, starts_later) != stretches.end())
		std::sort(stretches.begin(), stretches.end(),
			  [](const Stretch& left, const Stretch& right) { return left.start < right.start; });
	RowBuilder builder(stretches.size() * 2);
	for (std::size_t i = 0; i < stretches.size(); i++) {
		const Stretch& stretch = stretches[i];
		const bool last = i + 1 == stretches.size();
		builder.add(stretch.start, stretch.rule);
		if (last || stretches[i + 1].start >= stretch.end)
			builder.add(stretch.end, Rule{});
	}
	return builder.take();
}

namespace {

std::vector<std::uint32_t> numbers(RuleSet& set, const std::vector<Rule>& rules)
{
	std::vector<std::uint32_t> result;
	result.reserve(rules.size());
	for (const Rule& rule : rules)
		result.push_back(set.number_of(rule).value_or(0));
	return result;
}

// Its rules get these numbers. Most tables have them already.
void renumber(std::vector<Row>& rows, const std::vector<std::uint32_t>& number)
{
	std::uint32_t kept = 0;
	while (kept < number.size() && number[kept] == kept)
		kept++;
	if (kept == number.size())
		return;
	std::vector<Row> result;
	result.reserve(rows.size());
	for (const Row& row : rows)
		append_row(result, {row.start, number[row.rule]});
	rows = std::move(result);
}

bool starts_before(const Row& row, std::uint32_t at)
{
	return row.start < at;
}

// Walks two tables at once, from boundary to boundary, where the patch has rows. What lies before, between and after
// these stays as it is.
class GapFill {
public:
	// number: of the patch's rules.
	GapFill(const std::vector<Row>& table, const std::vector<Row>& patch, const std::vector<std::uint32_t>& number);
	void run();
	// Unless that would be too many rows.
	void put_into(std::vector<Row>& table) const;

private:
	void copy_until_patch();
	void step();

	const std::vector<Row>& table_;
	const std::vector<Row>& patch_;
	const std::vector<std::uint32_t>& patch_number_;
	std::size_t first_ = 0, end_ = 0; // of table's rows that result_ replaces
	std::size_t table_next_ = 0, patch_next_ = 0;
	std::uint32_t table_rule_ = 0, patch_rule_ = 0;
	std::vector<Row> result_;
};

GapFill::GapFill(const std::vector<Row>& table, const std::vector<Row>& patch, const std::vector<std::uint32_t>& number)
    : table_(table), patch_(patch), patch_number_(number), end_(table.size())
{
	const auto next = std::lower_bound(table.begin(), table.end(), patch.front().start, starts_before);
	table_next_ = first_ = static_cast<std::size_t>(next - table.begin());
	if (first_) {
		result_.push_back(table[--first_]);
		table_rule_ = result_.back().rule;
	}
	if (number[patch.back().rule])
		return; // it has no end
	const auto last = std::lower_bound(next, table.end(), patch.back().start, starts_before);
	end_ = static_cast<std::size_t>(last - table.begin()) + (last != table.end());
}

// Where the patch has none.
void GapFill::copy_until_patch()
{
	const auto from = table_.begin() + static_cast<std::ptrdiff_t>(table_next_),
		   end = table_.begin() + static_cast<std::ptrdiff_t>(end_);
	const auto to = patch_next_ < patch_.size()
				? std::lower_bound(from, end, patch_[patch_next_].start, starts_before)
				: end;
	if (from == to)
		return;
	append_row(result_, *from);
	result_.insert(result_.end(), from + 1, to);
	table_rule_ = to[-1].rule;
	table_next_ = static_cast<std::size_t>(to - table_.begin());
}

// Goes to the next boundary of either.
void GapFill::step()
{
	const std::uint64_t none = ~std::uint64_t{0};
	const std::uint64_t in_table = table_next_ < end_ ? table_[table_next_].start : none;
	const std::uint64_t in_patch = patch_next_ < patch_.size() ? patch_[patch_next_].start : none;
	const std::uint64_t at = std::min(in_table, in_patch);
	if (in_table == at)
		table_rule_ = table_[table_next_++].rule;
	if (in_patch == at)
		patch_rule_ = patch_number_[patch_[patch_next_++].rule];
	append_row(result_, {static_cast<std::uint32_t>(at), table_rule_ ? table_rule_ : patch_rule_});
}

void GapFill::run()
{
	while (table_next_ < end_ || patch_next_ < patch_.size()) {
		if (!patch_rule_)
			copy_until_patch();
		if (table_next_ < end_ || patch_next_ < patch_.size())
			step();
	}
}

void GapFill::put_into(std::vector<Row>& table) const
{
	if (table.size() - (end_ - first_) + result_.size() > UW_MAX_ROWS)
		return;
	const std::size_t replaced = std::min(end_ - first_, result_.size());
	const auto at = std::copy_n(result_.begin(), replaced, table.begin() + static_cast<std::ptrdiff_t>(first_));
	if (replaced < result_.size())
		table.insert(at, result_.begin() + static_cast<std::ptrdiff_t>(replaced), result_.end());
	else
		table.erase(at, table.begin() + static_cast<std::ptrdiff_t>(end_));
}

} // namespace

void fill_gaps(TableRows& table, const TableRows& patch)
{
	if (patch.rows.empty())
		return;
	RuleSet rules;
	renumber(table.rows, numbers(rules, table.rules));
	const std::vector<std::uint32_t> patch_number = numbers(rules, patch.rules);
	GapFill fill(table.rows, patch.rows, patch_number);
	fill.run();
	fill.put_into(table.rows);
	table.rules = rules.take();
}

void number_by_use(TableRows& table)
{
	if (table.rules.empty())
		return;
	std::vector<std::uint32_t> uses(table.rules.size()), order(table.rules.size()), number(table.rules.size());
	for (const Row& row : table.rows)
		uses[row.rule]++;
	std::iota(order.begin(), order.end(), 0u);
	std::stable_sort(order.begin() + 1, order.end(),
			 [&](std::uint32_t left, std::uint32_t right) { return uses[left] > uses[right]; });
	std::vector<Rule> rules;
	for (std::uint32_t rule : order) {
		if (rule && !uses[rule])
			break;
		number[rule] = static_cast<std::uint32_t>(rules.size());
		rules.push_back(table.rules[rule]);
	}
	for (Row& row : table.rows)
		row.rule = number[row.rule];
	table.rules = std::move(rules);
}

TableRows cut_out(TableRows& table, const std::vector<OffsetRange>& ranges)
{
	if (ranges.empty())
		return {};
	std::vector<Stretch> inside;
	std::vector<Row> rest;
	auto range = ranges.begin();
	for (std::size_t i = 0; i < table.rows.size(); i++) {
		const Row row = table.rows[i];
		const std::uint32_t end = i + 1 == table.rows.size() ? row.start : table.rows[i + 1].start;
		std::uint32_t at = row.start;
		for (; range != ranges.end() && range->start < end; ++range) {
			const std::uint32_t from = std::max(at, range->start), to = std::min(end, range->end);
			if (from > at)
				append_row(rest, {at, row.rule});
			if (to > from) {
				append_row(rest, {from, 0});
				inside.push_back({from, to, table.rules[row.rule]});
				at = to;
			}
			if (range->end > end)
				break;
		}
		if (at < end || at == row.start)
			append_row(rest, {at, row.rule});
	}
	table.rows = std::move(rest);
	return rows_of(std::move(inside));
}

} // namespace uwind
