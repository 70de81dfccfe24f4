// SPDX-License-Identifier: GPL-2.0
// A list of events as typed.
#include "events/split.h"

#include <algorithm>
#include <cerrno>

#include "events/functions.h"
#include "events/text_parts.h"

namespace uwind {
namespace {

constexpr std::string_view probe_prefixes[] = {"kprobe:", "kretprobe:", "uprobe:", "uretprobe:", "usdt:"};

// Goes through a list once.
class Splitter {
public:
	explicit Splitter(std::string_view text) : text_(text) {}

	Result<std::vector<EventText>> run()
	{
		do {
			skip_blanks();
			if (const auto read = peek() == '{' ? group() : single(""); !read)
				return read.error();
		} while (next_is(','));
		if (at_ < text_.size())
			return usage_error("'" + std::string(text_.substr(at_)) +
					   "' does not belong to an event: a comma is missing");
		return std::move(events_);
	}

private:
	char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
	bool next_is(char letter)
	{
		if (peek() != letter || at_ == text_.size())
			return false;
		at_++;
		return true;
	}
	void skip_blanks()
	{
		while (at_ < text_.size() && trimmed(text_.substr(at_, 1)).empty())
			at_++;
	}

	Status group()
	{
		const std::size_t first = events_.size();
		at_++;
		do {
			if (auto read = single("{}"); !read)
				return read;
		} while (next_is(','));
		if (!next_is('}'))
			return usage_error("'{' is never closed");
		return group_modifiers(first);
	}

	Status group_modifiers(std::size_t first)
	{
		skip_blanks();
		if (next_is(':')) {
			const std::size_t begin = at_;
			at_ = std::min(text_.find(',', at_), text_.size());
			const auto modifiers = trimmed(text_.substr(begin, at_ - begin));
			if (modifiers.empty())
				return usage_error("modifiers are missing after '}:'");
			for (std::size_t i = first; i < events_.size(); i++)
				events_[i].modifiers = modifiers;
		}
		return Nothing{};
	}

	// ends: what ends an event besides a comma.
	Status single(std::string_view ends)
	{
		skip_blanks();
		if (peek() == '{')
			return usage_error("a group has no group in it");
		const std::size_t begin = at_;
		const std::string_view rest = text_.substr(begin);
		auto moved = is_function_text(rest)     ? skip_functions(ends)
			     : is_probe_text(rest)      ? skip_probe(ends)
			     : rest.starts_with("mem:") ? skip_plain(ends, false)
							: skip_plain(ends, true);
		if (!moved)
			return moved;
		const auto event = trimmed(text_.substr(begin, at_ - begin));
		if (event.empty())
			return usage_error("an event is missing in '" + std::string(text_) + "'");
		if (event.find_first_of("{}") != std::string_view::npos && !is_probe_text(event))
			return usage_error("'" + std::string(event) + "': braces are for groups: {EVENT,EVENT}");
		events_.push_back({std::string(event), ""});
		return Nothing{};
	}

	Status skip_probe(std::string_view ends)
	{
		for (; at_ < text_.size() && peek() != ',' && ends.find(peek()) == std::string_view::npos; at_++)
			if (peek() == '\\')
				at_ = std::min(at_ + 1, text_.size() - 1);
		return Nothing{};
	}

	// Its patterns have commas between them, too.
	Status skip_functions(std::string_view ends)
	{
		at_ += function_prefix.size();
		while (at_ < text_.size() && peek() != ':' && peek() != '/' &&
		       ends.find(peek()) == std::string_view::npos)
			at_++;
		return skip_plain(ends, true);
	}

	Status skip_plain(std::string_view ends, bool has_terms)
	{
		for (; at_ < text_.size() && peek() != ',' && ends.find(peek()) == std::string_view::npos; at_++)
			if (has_terms && peek() == '/')
				if (auto skipped = skip_terms(); !skipped)
					return skipped;
		return Nothing{};
	}

	// To the slash that closes terms; in quotes, it is a character.
	Status skip_terms()
	{
		bool quoted = false;
		for (at_++; at_ < text_.size(); at_++) {
			quoted ^= peek() == '\'';
			if (peek() == '/' && !quoted)
				return Nothing{};
		}
		return usage_error("the second '/' is missing in '" + std::string(text_) + "'");
	}

	std::string_view text_;
	std::size_t at_ = 0;
	std::vector<EventText> events_;
};

} // namespace

Result<std::vector<EventText>> split_events(std::string_view text)
{
	return Splitter(text).run();
}

bool is_probe_text(std::string_view text)
{
	return std::any_of(std::begin(probe_prefixes), std::end(probe_prefixes),
			   [text](std::string_view prefix) { return text.starts_with(prefix); });
}

std::vector<std::string> cut_probe(std::string_view text)
{
	std::vector<std::string> parts(1);
	for (std::size_t at = 0; at < text.size(); at++) {
		if (text[at] == ':')
			parts.emplace_back();
		else if (text[at] == '\\' && at + 1 < text.size())
			parts.back() += text[++at];
		else
			parts.back() += text[at];
	}
	return parts;
}

} // namespace uwind
