// SPDX-License-Identifier: GPL-2.0
// The text of a filter becomes a tree.
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <optional>

#include "events/filter.h"
#include "events/text_parts.h"

namespace uwind {
namespace {

// Of parentheses and negations in each other.
constexpr unsigned most_depth = 64;
constexpr std::size_t longest_filter = 16 << 10;

struct Operator {
	std::string_view text;
	FilterCompare compare;
};

// Longer ones first.
constexpr Operator operators[] = {
	{"==", FilterCompare::equal},         {"!=", FilterCompare::not_equal}, {"<=", FilterCompare::less_equal},
	{">=", FilterCompare::greater_equal}, {"!~", FilterCompare::not_glob},  {"<", FilterCompare::less},
	{">", FilterCompare::greater},        {"&", FilterCompare::bits},       {"~", FilterCompare::glob},
};

bool is_name_letter(char letter)
{
	return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_' || letter == '.';
}

class FilterParser {
public:
	explicit FilterParser(std::string_view text) : text_(text) {}

	Result<FilterTree> run()
	{
		const auto root = either(0);
		if (!root)
			return root.error();
		if (!rest().empty())
			return wrong("&& or || is missing");
		tree_.root = *root;
		return std::move(tree_);
	}

private:
	using Node = Result<std::size_t>;

	// What is left, without blanks.
	std::string_view rest()
	{
		at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
		return text_.substr(at_);
	}

	bool take(std::string_view word)
	{
		if (!rest().starts_with(word))
			return false;
		at_ += word.size();
		return true;
	}

	Error wrong(const std::string& what)
	{
		constexpr std::size_t shown = 20;
		const std::string_view left = rest();
		const std::string where = left.empty() ? "its end" : "'" + std::string(left.substr(0, shown)) + "'";
		return Error{EINVAL, "filter: " + what + " at " + where};
	}

	std::size_t add(FilterNode node)
	{
		tree_.nodes.push_back(std::move(node));
		return tree_.nodes.size() - 1;
	}

	Node either(unsigned depth)
	{
		auto first = both(depth);
		while (first && take("||")) {
			auto second = both(depth);
			if (!second)
				return second;
			first = add({FilterNode::Kind::either, {}, *first, *second});
		}
		return first;
	}

	Node both(unsigned depth)
	{
		auto first = single(depth);
		while (first && take("&&")) {
			auto second = single(depth);
			if (!second)
				return second;
			first = add({FilterNode::Kind::both, {}, *first, *second});
		}
		return first;
	}

	Node single(unsigned depth)
	{
		if (depth > most_depth)
			return wrong("more than " + std::to_string(most_depth) +
				     " parentheses or negations in each other");
		if (take("!")) {
			const auto inner = single(depth + 1);
			return inner ? Node(add({FilterNode::Kind::invert, {}, *inner, 0})) : inner;
		}
		if (!take("("))
			return term();
		auto inner = either(depth + 1);
		if (!inner)
			return inner;
		return take(")") ? inner : Node(wrong("')' is missing"));
	}

	Node term()
	{
		if (++terms_ > most_filter_steps)
			return wrong("more than " + std::to_string(most_filter_steps) + " comparisons");
		FilterNode node;
		node.term.field = name();
		if (node.term.field.empty())
			return wrong("a field is missing");
		const auto compare = compare_operator();
		if (!compare)
			return wrong("==, !=, <, <=, >, >=, & or ~ is missing");
		node.term.compare = *compare;
		if (auto read = value(node.term); !read)
			return read.error();
		return add(std::move(node));
	}

	std::string name()
	{
		const std::string_view left = rest();
		const auto end = std::find_if_not(left.begin(), left.end(), is_name_letter);
		const auto length = static_cast<std::size_t>(end - left.begin());
		at_ += length;
		return std::string(left.substr(0, length));
	}

	std::optional<FilterCompare> compare_operator()
	{
		if (rest().starts_with("&&"))
			return std::nullopt;
		for (const Operator& one : operators)
			if (take(one.text))
				return one.compare;
		return std::nullopt;
	}

	Status value(FilterTerm& term)
	{
		const std::string_view left = rest();
		if (left.starts_with('"') || left.starts_with('\'')) {
			const auto end = left.find(left[0], 1);
			if (end == std::string_view::npos)
				return wrong("the second quote is missing");
			term.quoted = true;
			term.value = left.substr(1, end - 1);
			at_ += end + 1;
			return Nothing{};
		}
		std::size_t end = 0;
		while (end < left.size() && !ends_bare(left.substr(end)))
			end++;
		term.value = left.substr(0, end);
		if (end == 0)
			return wrong("a value is missing");
		at_ += end;
		return Nothing{};
	}

	static bool ends_bare(std::string_view left)
	{
		return left[0] == ')' || trimmed(left.substr(0, 1)).empty() || left.starts_with("&&") ||
		       left.starts_with("||");
	}

	std::string_view text_;
	std::size_t at_ = 0;
	std::size_t terms_ = 0;
	FilterTree tree_;
};

} // namespace

Result<FilterTree> parse_filter(std::string_view text)
{
	if (text.size() > longest_filter || text.find('\0') != std::string_view::npos)
		return Error{EINVAL, "this filter is longer than 16 KiB, or has a zero byte in it"};
	return FilterParser(text).run();
}

} // namespace uwind
