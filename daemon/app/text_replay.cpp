// SPDX-License-Identifier: GPL-2.0
// The kernel's text at any time of a log: its entries forwards and backwards.
#include "app/text_replay.h"

#include <algorithm>
#include <cerrno>

namespace uwind {
namespace {

// The part of an edit that is in [address, address + bytes.size()), written there.
void write_part(std::vector<std::uint8_t>& bytes, std::uint64_t address, std::uint64_t at,
		const std::vector<std::uint8_t>& written)
{
	for (std::size_t i = 0; i < written.size(); i++)
		if (at + i - address < bytes.size()) // at + i < address wraps around
			bytes[static_cast<std::size_t>(at + i - address)] = written[i];
}

bool overlaps(std::uint64_t a, std::uint64_t a_length, std::uint64_t b, std::uint64_t b_length)
{
	return a - b < b_length || b - a < a_length;
}

bool holds(const TextArea& area, std::uint64_t address)
{
	return address - area.address < area.length;
}

} // namespace

void TextState::forward(const TextEntry& entry)
{
	if (const auto* edit = std::get_if<TextEdit>(&entry))
		replace(*edit, edit->before, edit->after);
	else if (const auto* area = std::get_if<TextArea>(&entry))
		area->comes ? add(*area) : remove(*area);
}

void TextState::backward(const TextEntry& entry)
{
	if (const auto* edit = std::get_if<TextEdit>(&entry))
		replace(*edit, edit->after, edit->before);
	else if (const auto* area = std::get_if<TextArea>(&entry))
		area->comes ? remove(*area) : add(*area);
}

void TextState::replace(const TextEdit& edit, const std::vector<std::uint8_t>& old,
			const std::vector<std::uint8_t>& now)
{
	const auto found = area_at(edit.address);
	if (found == areas_.end() || found->second.bytes.empty())
		return; // of text that the log does not have
	auto& bytes = areas_.find(found->first)->second.bytes;
	const auto at = static_cast<std::size_t>(edit.address - found->first);
	if (at + now.size() > bytes.size() || old.size() != now.size()) {
		contradictions_++;
		return;
	}
	const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
	contradictions_ += !std::equal(old.begin(), old.end(), place);
	std::copy(now.begin(), now.end(), place);
}

void TextState::add(const TextArea& area)
{
	contradictions_ += !areas_.emplace(area.address, Area{area.place, area.name, area.length, area.bytes}).second;
}

void TextState::remove(const TextArea& area)
{
	const auto found = areas_.find(area.address);
	if (found == areas_.end()) {
		contradictions_++;
		return;
	}
	contradictions_ += area.content_known && !found->second.bytes.empty() && found->second.bytes != area.bytes;
	areas_.erase(found);
}

std::map<std::uint64_t, TextState::Area>::const_iterator TextState::area_at(std::uint64_t address) const
{
	auto found = areas_.upper_bound(address);
	if (found == areas_.begin())
		return areas_.end();
	--found;
	return address - found->first < found->second.length ? found : areas_.end();
}

Bytes TextState::at(std::uint64_t address, std::uint64_t length) const
{
	const auto found = area_at(address);
	if (found == areas_.end())
		return {};
	const std::uint64_t at = address - found->first;
	const Bytes bytes(found->second.bytes);
	return at < bytes.size() && length <= bytes.size() - at ? bytes.subspan(at, length) : Bytes{};
}

std::uint64_t TextReplay::end_ns() const
{
	return log_.entries.empty() ? begin_ns() : std::max(begin_ns(), time_of(log_.entries.back()));
}

TextAnswer TextReplay::start(const TextArea& area, std::uint64_t address, std::uint64_t length) const
{
	TextAnswer answer;
	answer.covered = area.content_known ? TextAnswer::Covered::yes : TextAnswer::Covered::unknown;
	answer.place = area.place;
	answer.area = area.name;
	const std::uint64_t at = address - area.address;
	const std::uint64_t there = std::min(length, area.bytes.size() - std::min(at, area.bytes.size()));
	const auto begin = area.bytes.begin() + static_cast<std::ptrdiff_t>(std::min(at, area.bytes.size()));
	answer.possible.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(there));
	return answer;
}

// Only this range is followed. What was under way at that time comes last.
Result<TextAnswer> TextReplay::at(std::uint64_t time_ns, std::uint64_t address, std::uint64_t length) const
{
	if (time_ns < begin_ns() || time_ns > end_ns())
		return Error{ERANGE, "the log does not cover this time"};
	TextAnswer answer;
	for (const TextEntry& entry : log_.entries) {
		if (const auto* area = std::get_if<TextArea>(&entry);
		    area && area->time_ns <= time_ns && holds(*area, address))
			answer = area->comes ? start(*area, address, length) : TextAnswer{};
		if (const auto* area = std::get_if<TextArea>(&entry);
		    area && area->time_ns > time_ns && holds(*area, address))
			break; // what follows is of other text
		const auto* edit = std::get_if<TextEdit>(&entry);
		if (!edit || answer.possible.empty() || !overlaps(edit->address, edit->after.size(), address, length))
			continue;
		if (edit->until_ns <= time_ns) {
			write_part(answer.possible.front(), address, edit->address, edit->after);
		} else if (edit->from_ns < time_ns && answer.possible.size() < most_possible) {
			answer.possible.push_back(answer.possible.back());
			write_part(answer.possible.back(), address, edit->address, edit->after);
		} else if (!edit->before_known && !answer.known_since_ns) {
			answer.known_since_ns = edit->until_ns;
		}
	}
	return answer;
}

} // namespace uwind
