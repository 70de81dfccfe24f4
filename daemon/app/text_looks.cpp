// SPDX-License-Identifier: GPL-2.0
// Looks at memory: what has changed in the kernel's text and nobody has said so.
#include <algorithm>
#include <set>
#include <string>

#include "app/text_recorder.h"

namespace uwind {
namespace {

using std::chrono::milliseconds;

constexpr std::uint32_t most_tries = 8;
constexpr milliseconds between_tries(20);

// Those that the image does not have, with their text. there: the names of all.
std::vector<TextImage::Area> unknown_modules(KernelText& kernel, TextImage& image, std::set<std::string>& there)
{
	std::vector<TextImage::Area> unknown;
	for (TextArea& facts : kernel.modules()) {
		there.insert(facts.name);
		const auto known = image.at(facts.address);
		if (facts.length == 0 || (known != image.areas().end() && known->second.facts.name == facts.name))
			continue;
		if (auto area = read_area(kernel, std::move(facts)))
			unknown.push_back(std::move(*area));
	}
	return unknown;
}

std::set<std::string> modules_in(const TextArrivals& events)
{
	std::set<std::string> names;
	for (const TextArrival& arrival : events)
		if (const auto* region = std::get_if<TextRegion>(&arrival.event))
			if (region->owner == TextOwner::MODULE)
				names.insert(region->name);
	return names;
}

} // namespace

Status TextRecorder::look()
{
	look_soon_ = false;
	if (auto synced = sync_modules(); !synced)
		return synced;
	const std::uint64_t begun_ns = kernel_.now_ns();
	std::vector<TextRange> ranges;
	TextLook entry;
	for (const auto& [address, area] : image_.areas()) {
		ranges.push_back({address, area.facts.length});
		entry.bytes += area.facts.bytes.size();
	}
	const std::uint64_t different = counts_.different;
	if (auto compared = compare(std::move(ranges), entry.tries); !compared)
		return compared;
	for (auto& [address, area] : image_.areas())
		area.looked_ns = std::max(area.looked_ns, begun_ns);
	counts_.looks++;
	entry.time_ns = kernel_.now_ns();
	entry.different = counts_.different - different;
	return sink_(entry);
}

Status TextRecorder::finish()
{
	if (auto looked = look(); !looked)
		return looked;
	changes_.stop();
	return sink_(TextEnd{kernel_.now_ns(), counts_.unplaced});
}

// Where something was said to have changed, and what is so young that it may still be written: its owner writes
// a trampoline of BPF after it has told of it.
Status TextRecorder::look_at_hints()
{
	std::vector<TextRange> ranges = std::move(hints_);
	hints_.clear();
	const std::uint64_t now_ns = kernel_.now_ns();
	for (auto& [address, area] : image_.areas())
		if (area.young_until_ns && area.facts.content_known) {
			ranges.push_back({address, area.facts.length});
			if (area.young_until_ns < now_ns)
				area.young_until_ns = 0; // for the last time
		}
	if (ranges.empty())
		return Nothing{};
	std::uint32_t tries = 0;
	if (auto compared = compare(ranges, tries); !compared)
		return compared;
	for (const TextRange& range : ranges)
		if (const auto area = image_.at(range.address); area != image_.areas().end() &&
								area->first == range.address &&
								area->second.facts.length <= range.bytes)
			area->second.looked_ns = std::max(area->second.looked_ns, now_ns);
	return Nothing{};
}

// Modules of which nobody has said that they come or go. What is said of them while they are listed and read, or soon
// after, is later than what the image has, and may be earlier than this look.
Status TextRecorder::sync_modules()
{
	const std::uint64_t listed_ns = kernel_.now_ns();
	std::set<std::string> there;
	std::vector<TextImage::Area> unknown = unknown_modules(kernel_, image_, there);
	TextArrivals events;
	if (auto settled = settle(events); !settled)
		return settled;
	const std::set<std::string> said = modules_in(events);
	there.insert(said.begin(), said.end());
	std::erase_if(unknown, [&](const TextImage::Area& area) { return said.contains(area.facts.name); });
	if (auto ready = read_ahead(events); !ready)
		return ready;
	if (auto taken = take(std::move(events)); !taken)
		return taken;
	for (TextImage::Area& area : unknown) {
		area.facts.time_ns = area.looked_ns;
		if (auto learned = learn(area.facts.name, area.looked_ns); !learned)
			return learned;
		if (auto came = come(std::move(area)); !came)
			return came;
	}
	const auto has_gone = [&](const TextArea& area) {
		return area.place == TextPlace::module && !there.contains(area.name);
	};
	return go_all(has_gone, listed_ns, {});
}

// Changes under way make differences, too: they have been said when one has waited, or are no difference any more.
Status TextRecorder::compare(std::vector<TextRange> ranges, std::uint32_t& tries)
{
	std::vector<TextImage::Difference> found;
	std::uint64_t looked_ns = 0;
	for (tries = 1; true; tries++) {
		looked_ns = kernel_.now_ns();
		found = image_.differences(kernel_, ranges);
		if (found.empty() || tries == most_tries)
			break;
		TextArrivals events;
		if (auto settled = settle(events, between_tries); !settled)
			return settled;
		if (auto ready = read_ahead(events); !ready)
			return ready;
		if (auto taken = take(std::move(events)); !taken)
			return taken;
		ranges.clear();
		for (const TextImage::Difference& one : found)
			ranges.push_back({one.address, one.now.size()});
	}
	for (const TextImage::Difference& one : found)
		if (auto explained = explain(one, looked_ns); !explained)
			return explained;
	return Nothing{};
}

// The image becomes what memory has, by an edit between the last look and this one.
Status TextRecorder::explain(const TextImage::Difference& difference, std::uint64_t until_ns)
{
	TextImage::Area* area = image_.with(difference.address, difference.now.size());
	if (!area)
		return Nothing{};
	const auto begin =
		area->facts.bytes.begin() + static_cast<std::ptrdiff_t>(difference.address - area->facts.address);
	TextEdit edit;
	edit.from_ns = std::min(std::max(area->looked_ns, area->facts.time_ns), until_ns);
	edit.until_ns = until_ns;
	edit.address = difference.address;
	edit.before.assign(begin, begin + static_cast<std::ptrdiff_t>(difference.now.size()));
	edit.after = difference.now;
	if (edit.before == edit.after)
		return Nothing{};
	const auto verdict = kinds_.kind_of(edit);
	edit.what = verdict.what;
	edit.kind = area->young_until_ns ? verdict.kind : TextKind::unexplained;
	if (edit.kind == TextKind::unexplained)
		counts_.different += edit.after.size();
	return write_edit(edit, area);
}

} // namespace uwind
