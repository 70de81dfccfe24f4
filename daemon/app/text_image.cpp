// SPDX-License-Identifier: GPL-2.0
// The kernel's text as it follows from what has been said of it, and where memory differs.
#include "app/text_image.h"

#include <algorithm>

namespace uwind {
namespace {

constexpr std::uint64_t piece_bytes = 64 << 10; // read at once
constexpr std::size_t joined_bytes = 8;         // so far apart, differences are one

TextPlace place_of(TextOwner owner)
{
	switch (owner) {
	case TextOwner::MODULE:
		return TextPlace::module;
	case TextOwner::BPF:
		return TextPlace::bpf;
	case TextOwner::OUT_OF_LINE:
		break;
	}
	return TextPlace::out_of_line;
}

// What memory had there before this change, unless it is not in this area, or not known.
void undo_change(const TextChange& change, TextArea& area)
{
	const std::uint64_t at = change.address - area.address;
	if (change.before.size() == change.after.size() && at < area.bytes.size() &&
	    change.before.size() <= area.bytes.size() - at)
		std::copy(change.before.begin(), change.before.end(),
			  area.bytes.begin() + static_cast<std::ptrdiff_t>(at));
}

// What has been said of it, or what memory has, or nothing.
TextImage::Area arrived_area(KernelText& kernel, const TextRegion& region, TextArea facts)
{
	if (!region.content.empty() && region.content.size() == facts.length) {
		facts.bytes = region.content;
		return TextImage::Area{std::move(facts), region.time_ns, 0, true};
	}
	if (auto area = read_area(kernel, facts))
		return std::move(*area);
	facts.content_known = false;
	return TextImage::Area{std::move(facts), kernel.now_ns(), 0, false};
}

} // namespace

TextImage::Areas::iterator TextImage::at(std::uint64_t address)
{
	auto found = areas_.upper_bound(address);
	if (found == areas_.begin())
		return areas_.end();
	--found;
	return address - found->first < found->second.facts.length ? found : areas_.end();
}

TextImage::Area* TextImage::with(std::uint64_t address, std::uint64_t length)
{
	const auto found = at(address);
	if (found == areas_.end() || !found->second.facts.content_known)
		return nullptr;
	return length <= found->second.facts.length - (address - found->first) ? &found->second : nullptr;
}

std::optional<TextKinds::Where> TextImage::where(std::uint64_t address)
{
	const auto found = at(address);
	if (found == areas_.end())
		return std::nullopt;
	const TextArea& area = found->second.facts;
	return TextKinds::Where{area.place, area.name, area.bytes};
}

std::vector<TextImage::Difference> TextImage::differences(KernelText& kernel, const std::vector<TextRange>& ranges)
{
	std::vector<Difference> found;
	for (const TextRange& range : ranges)
		for (std::uint64_t at = 0; at < range.bytes; at += piece_bytes)
			find_differences(kernel, {range.address + at, std::min(piece_bytes, range.bytes - at)}, found);
	return found;
}

void TextImage::find_differences(KernelText& kernel, const TextRange& range, std::vector<Difference>& found)
{
	const Area* area = with(range.address, range.bytes);
	std::vector<std::uint8_t> now(range.bytes);
	if (!area || !kernel.read(range.address, now))
		return;
	const std::uint8_t* known = area->facts.bytes.data() + (range.address - area->facts.address);
	std::size_t at = 0;
	while (at < now.size()) {
		const auto [differs, ignored] =
			std::mismatch(now.begin() + static_cast<std::ptrdiff_t>(at), now.end(), known + at);
		const auto begin = static_cast<std::size_t>(differs - now.begin());
		if (begin == now.size())
			return;
		std::size_t end = begin + 1;
		for (std::size_t i = end; i < now.size() && i < end + joined_bytes; i++)
			if (now[i] != known[i])
				end = i + 1;
		found.push_back({range.address + begin, std::vector(now.begin() + static_cast<std::ptrdiff_t>(begin),
								    now.begin() + static_cast<std::ptrdiff_t>(end))});
		at = end;
	}
}

Result<TextImage::Area> read_area(KernelText& kernel, TextArea facts)
{
	TextImage::Area area;
	area.looked_ns = kernel.now_ns();
	facts.bytes.resize(facts.length);
	if (auto read = kernel.read(facts.address, facts.bytes); !read)
		return read.error(facts.name);
	area.facts = std::move(facts);
	return area;
}

void read_arrival(KernelText& kernel, TextArrival& arrival)
{
	arrival.read = true;
	const auto* region = std::get_if<TextRegion>(&arrival.event);
	if (!region || !region->comes)
		return;
	for (const TextRange& range : region->ranges) {
		TextArea facts;
		facts.place = place_of(region->owner);
		facts.time_ns = region->time_ns;
		facts.address = range.address;
		facts.length = range.bytes;
		facts.name = region->name;
		facts.author = TextAuthor{region->pid, region->tid, region->cpu, region->comm};
		arrival.areas.push_back(arrived_area(kernel, *region, std::move(facts)));
	}
}

bool ends_area(const TextRegion& region, const TextArea& area)
{
	if (region.comes)
		return false;
	if (region.owner == TextOwner::MODULE && area.place == TextPlace::module && region.name == area.name)
		return true;
	return std::any_of(region.ranges.begin(), region.ranges.end(),
			   [&](const TextRange& range) { return range.address == area.address; });
}

void undo_in_area(const TextArrivals& events, std::size_t first, TextArea& area)
{
	for (std::size_t i = events.size(); i-- > first;) {
		if (const auto* region = std::get_if<TextRegion>(&events[i].event);
		    region && ends_area(*region, area)) {
			area.content_known = false; // others may have been there when it was read
			area.bytes.clear();
		}
		if (const auto* change = std::get_if<TextChange>(&events[i].event))
			undo_change(*change, area);
	}
}

// What came or went since then is not part of it.
void undo_in_image(const TextArrivals& events, TextImage& image)
{
	for (auto one = events.rbegin(); one != events.rend(); ++one) {
		if (const auto* change = std::get_if<TextChange>(&one->event)) {
			if (auto* area = image.with(change->address, change->after.size()))
				undo_change(*change, area->facts);
			continue;
		}
		const auto* region = std::get_if<TextRegion>(&one->event);
		if (region)
			std::erase_if(image.areas(), [&](const auto& there) {
				const TextArea& area = there.second.facts;
				return ends_area(*region, area) ||
				       std::any_of(one->areas.begin(), one->areas.end(), [&](const auto& came) {
					       return came.facts.address == area.address;
				       });
			});
	}
}

} // namespace uwind
