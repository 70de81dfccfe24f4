// SPDX-License-Identifier: GPL-2.0
// The tree of a filter becomes steps.
#include <algorithm>
#include <bit>
#include <cerrno>
#include <optional>

#include "base/text.h"
#include "events/filter.h"

namespace uwind {
namespace {

Error wrong(const FilterTerm& term, const std::string& why)
{
	return Error{EINVAL, "the field '" + term.field + "' " + why};
}

bool is_for_text(FilterCompare compare)
{
	return compare == FilterCompare::glob || compare == FilterCompare::not_glob;
}

bool is_for_both(FilterCompare compare)
{
	return compare == FilterCompare::equal || compare == FilterCompare::not_equal;
}

// As the kernel reads numbers: decimal, 0x..., 0..., each perhaps negative.
struct Number {
	std::uint64_t absolute = 0;
	bool negative = false;
};

std::optional<Number> parse_filter_number(std::string_view text)
{
	Number number;
	number.negative = text.starts_with('-');
	text.remove_prefix(number.negative);
	const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
	const bool octal = !hexadecimal && text.size() > 1 && text[0] == '0';
	const auto value = hexadecimal ? parse_number(text.substr(2), 16)
			   : octal     ? parse_number(text.substr(1), 8)
				       : parse_number(text);
	if (!value)
		return std::nullopt;
	number.absolute = *value;
	return number;
}

// A value as the field would have it, extended to 64 bits. A signed field also takes the unsigned form of its bits:
// 0xff is -1 in one byte. Nothing: it does not fit.
std::optional<std::uint64_t> fitting(const Number& number, const FilterField& field)
{
	const unsigned bits = field.bytes * 8;
	const std::uint64_t most = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
	const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
	if (number.negative && number.absolute)
		return field.is_signed && number.absolute <= sign ? std::optional(0 - number.absolute) : std::nullopt;
	if (number.absolute > most)
		return std::nullopt;
	return field.is_signed && number.absolute & sign ? number.absolute | ~most : number.absolute;
}

Result<FilterStep> number_step(FilterStep step, const FilterTerm& term, const FilterField& field)
{
	if (is_for_text(term.compare))
		return wrong(term, "is a number: it knows no ~");
	const auto number = term.quoted ? std::nullopt : parse_filter_number(term.value);
	if (!number)
		return wrong(term, "is a number, and '" + term.value + "' is none");
	const auto value = fitting(*number, field);
	if (!value)
		return wrong(term, "has " + std::to_string(field.bytes) +
					   (field.is_signed ? " bytes" : " unsigned bytes") + ": " + term.value +
					   " does not fit");
	step.value = *value;
	return step;
}

Result<FilterStep> text_step(FilterStep step, const FilterTerm& term)
{
	if (!is_for_both(term.compare) && !is_for_text(term.compare))
		return wrong(term, "is text: it knows ==, != and ~");
	if (term.value.size() > most_filter_text)
		return wrong(term, "is compared with " + std::to_string(term.value.size()) + " characters; at most " +
					   std::to_string(most_filter_text) + " are possible");
	if (is_for_text(term.compare) && term.value.starts_with('!'))
		return wrong(term, "has a pattern that begins with !: write !(FIELD ~ PATTERN)");
	step.text = term.value;
	return step;
}

Result<FilterStep> step_of(const FilterTerm& term, const std::vector<FilterField>& fields)
{
	const auto dot = term.field.find('.');
	if (dot != std::string::npos)
		return wrong(term, "has a suffix: '" + term.field.substr(dot) + "' is not supported");
	if (term.value.starts_with("CPUS{"))
		return wrong(term, "is compared with a set of CPUs, which is not supported");
	const auto field = find_field(fields, term.field);
	if (!field)
		return field.error();
	FilterStep step;
	step.kind = field->kind;
	step.compare = term.compare;
	step.is_signed = field->is_signed && field->kind == FilterKind::number;
	step.bytes = field->bytes;
	step.offset = field->offset;
	return is_text(field->kind) ? text_step(step, term) : number_step(step, term, *field);
}

// Where to go on from a part of the tree.
struct Ways {
	std::uint8_t if_true, if_false;
};

class StepMaker {
public:
	StepMaker(const FilterTree& tree, const std::vector<FilterField>& fields) : tree_(tree), fields_(fields) {}

	Result<std::vector<FilterStep>> run()
	{
		if (const auto made = make(tree_.root, {filter_take, filter_leave}); !made)
			return made.error();
		return std::move(steps_);
	}

private:
	Status make(std::size_t at, Ways ways)
	{
		const FilterNode& node = tree_.nodes[at];
		switch (node.kind) {
		case FilterNode::Kind::term:
			return add(node.term, ways);
		case FilterNode::Kind::invert:
			return make(node.first, {ways.if_false, ways.if_true});
		default:
			break;
		}
		// The second part begins where the steps of the first end.
		const auto next = static_cast<std::uint8_t>(steps_.size() + comparisons(node.first));
		const bool both = node.kind == FilterNode::Kind::both;
		const Ways first = both ? Ways{next, ways.if_false} : Ways{ways.if_true, next};
		const auto made = make(node.first, first);
		return made ? make(node.second, ways) : made;
	}

	Status add(const FilterTerm& term, Ways ways)
	{
		auto step = step_of(term, fields_);
		if (!step)
			return step.error();
		step->if_true = ways.if_true;
		step->if_false = ways.if_false;
		steps_.push_back(std::move(*step));
		return Nothing{};
	}

	std::size_t comparisons(std::size_t at) const
	{
		const FilterNode& node = tree_.nodes[at];
		if (node.kind == FilterNode::Kind::term)
			return 1;
		return comparisons(node.first) + (node.kind == FilterNode::Kind::invert ? 0 : comparisons(node.second));
	}

	const FilterTree& tree_;
	const std::vector<FilterField>& fields_;
	std::vector<FilterStep> steps_;
};

} // namespace

Result<std::vector<FilterStep>> filter_steps(const FilterTree& tree, const std::vector<FilterField>& fields)
{
	return StepMaker(tree, fields).run();
}

Result<std::vector<FilterStep>> compile_filter(std::string_view text, const std::vector<FilterField>& fields)
{
	const auto tree = parse_filter(text);
	return tree ? filter_steps(*tree, fields) : Result<std::vector<FilterStep>>(tree.error());
}

} // namespace uwind
