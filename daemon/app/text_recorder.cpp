// SPDX-License-Identifier: GPL-2.0
// Records how the kernel's text changes: what is said of it. text_looks.cpp has the looks at memory.
#include "app/text_recorder.h"

#include <algorithm>

namespace uwind {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t most_reads = 256; // in a row, until something must be done with it
constexpr unsigned most_rounds = 4;     // of areas that come while others are read
constexpr std::uint64_t young_ns = 2'000'000'000;

template <typename T>
TextAuthor author_of(const T& event)
{
	return TextAuthor{event.pid, event.tid, event.cpu, event.comm};
}

} // namespace

TextRecorder::TextRecorder(TextChanges& changes, KernelText& kernel, Arch arch, Sink sink)
    : changes_(changes), kernel_(kernel), sink_(std::move(sink)),
      kinds_(arch, names_, [this](std::uint64_t address) { return where(address); })
{
}

// What changes while the first image is read is undone in it: so it is that of the moment when the watch began.
Status TextRecorder::begin()
{
	begin_ns_ = kernel_.now_ns();
	if (auto started = changes_.start(); !started)
		return started;
	const auto facts = kernel_.areas();
	if (!facts)
		return facts.error();
	for (const TextArea& one : *facts)
		if (auto area = read_area(kernel_, one))
			image_.areas().emplace(one.address, std::move(*area));
		else if (one.place == TextPlace::image)
			return area.error();
	TextArrivals events;
	if (auto read = read_ahead(events); !read)
		return read;
	undo_in_image(events, image_);
	if (auto written = write_base(); !written)
		return written;
	return take(std::move(events));
}

// Until all that had happened when this was called has been said, or nothing is said for so long.
Status TextRecorder::settle(TextArrivals& events, milliseconds quiet)
{
	const std::uint64_t now_ns = kernel_.now_ns();
	for (std::size_t i = 0; i < most_reads; i++) {
		auto more = changes_.read(quiet);
		if (!more)
			return more.error();
		for (TextEvent& event : *more)
			events.push_back(TextArrival{std::move(event), false, {}});
		if (more->empty() || time_of(events.back().event) > now_ns)
			break;
	}
	return Nothing{};
}

// Reads what comes, until nothing has come meanwhile; and undoes what has changed in it since it came.
Status TextRecorder::read_ahead(TextArrivals& events)
{
	for (unsigned round = 0; round < most_rounds; round++) {
		bool came = events.empty();
		for (TextArrival& event : events)
			if (!event.read) {
				read_arrival(kernel_, event);
				came |= !event.areas.empty();
			}
		if (!came)
			break;
		if (auto settled = settle(events); !settled)
			return settled;
	}
	for (std::size_t i = 0; i < events.size(); i++) {
		if (!events[i].read)
			read_arrival(kernel_, events[i]);
		for (TextImage::Area& area : events[i].areas)
			if (!area.as_it_came)
				undo_in_area(events, i + 1, area.facts);
	}
	return Nothing{};
}

Status TextRecorder::write_base()
{
	if (auto learned = learn(std::nullopt, begin_ns_); !learned)
		return learned;
	for (auto& [address, area] : image_.areas()) {
		area.facts.at_begin = true;
		area.facts.time_ns = begin_ns_;
		counts_.bytes += area.facts.length;
		if (area.facts.place == TextPlace::module)
			kinds_.add(kernel_.sites(area.facts.name));
		if (auto written = sink_(area.facts); !written)
			return written;
	}
	return Nothing{};
}

Status TextRecorder::run_for(milliseconds time)
{
	auto said = changes_.read(time);
	if (!said)
		return said.error();
	TextArrivals events;
	for (TextEvent& event : *said)
		events.push_back(TextArrival{std::move(event), false, {}});
	if (!events.empty())
		if (auto ready = read_ahead(events); !ready)
			return ready;
	if (auto taken = take(std::move(events)); !taken)
		return taken;
	if (auto looked = look_at_hints(); !looked)
		return looked;
	return look_soon_ ? look() : Status(Nothing{});
}

// What is written before it is told of is known by what comes next.
std::optional<TextKinds::Where> TextRecorder::where(std::uint64_t address)
{
	if (auto found = image_.where(address))
		return found;
	for (const TextArrival& event : taking_)
		for (const TextImage::Area& area : event.areas)
			if (address - area.facts.address < area.facts.length)
				return TextKinds::Where{area.facts.place, area.facts.name, {}};
	return std::nullopt;
}

Status TextRecorder::take(TextArrivals events)
{
	taking_ = std::move(events);
	for (TextArrival& event : taking_) {
		auto noted = std::visit([&](const auto& one) { return note(one, event); }, event.event);
		if (!noted)
			return noted;
		event.areas.clear();
	}
	taking_.clear();
	return Nothing{};
}

// If memory had other bytes before than what has been said so far, they came without notice.
Status TextRecorder::note(const TextChange& change, TextArrival&)
{
	TextEdit edit;
	edit.from_ns = change.from_ns;
	edit.until_ns = change.until_ns;
	edit.address = change.address;
	edit.after = change.after;
	edit.before = change.before;
	edit.author = author_of(change);
	edit.callers = change.callers;
	edit.before_known = change.before.size() == change.after.size();
	TextImage::Area* area = image_.with(change.address, change.after.size());
	if (!area && !edit.before_known)
		edit.before = edit.after;
	if (area) {
		const auto begin =
			area->facts.bytes.begin() + static_cast<std::ptrdiff_t>(change.address - area->facts.address);
		const std::vector<std::uint8_t> there(begin, begin + static_cast<std::ptrdiff_t>(edit.after.size()));
		if (!edit.before_known)
			edit.before = there;
		else if (there != edit.before)
			if (auto explained = explain({change.address, edit.before}, change.from_ns); !explained)
				return explained;
	}
	const auto verdict = kinds_.kind_of(edit);
	edit.kind = verdict.kind;
	edit.what = verdict.what;
	return write_edit(edit, area);
}

Status TextRecorder::write_edit(const TextEdit& edit, TextImage::Area* area)
{
	counts_.edits[static_cast<std::size_t>(edit.kind)]++;
	if (area)
		std::copy(edit.after.begin(), edit.after.end(),
			  area->facts.bytes.begin() + static_cast<std::ptrdiff_t>(edit.address - area->facts.address));
	else
		counts_.unplaced++;
	return sink_(edit);
}

Status TextRecorder::note(const TextFlush& flush, TextArrival&)
{
	hints_.push_back({flush.address, flush.bytes});
	return Nothing{};
}

Status TextRecorder::note(const TextRegion& region, TextArrival& event)
{
	if (!region.comes)
		return go_all([&](const TextArea& area) { return ends_area(region, area); }, region.time_ns,
			      author_of(region));
	if (region.owner == TextOwner::MODULE && !event.areas.empty())
		if (auto learned = learn(region.name, region.time_ns); !learned)
			return learned;
	for (TextImage::Area& area : event.areas)
		if (auto came = come(std::move(area)); !came)
			return came;
	return Nothing{};
}

Status TextRecorder::note(const TextLost& lost, TextArrival&)
{
	counts_.lost += lost.count;
	look_soon_ = true;
	return sink_(TextLoss{lost.until_ns, lost.count});
}

// What is where it comes to has gone without notice; or it is known already.
Status TextRecorder::come(TextImage::Area area)
{
	TextArea& facts = area.facts;
	const std::uint64_t time_ns = facts.time_ns;
	for (auto there = image_.at(facts.address); true; there = image_.areas().lower_bound(facts.address)) {
		if (there == image_.areas().end() || there->first - facts.address >= facts.length)
			if (there == image_.areas().end() || facts.address - there->first >= there->second.facts.length)
				break;
		if (there->first == facts.address && there->second.facts.name == facts.name &&
		    there->second.facts.place == facts.place)
			return Nothing{};
		if (auto gone = go(there, time_ns, {}); !gone)
			return gone;
	}
	if (facts.place == TextPlace::bpf || facts.place == TextPlace::out_of_line)
		area.young_until_ns = time_ns + young_ns;
	counts_.bytes += facts.length;
	if (auto written = sink_(facts); !written)
		return written;
	image_.areas().emplace(facts.address, std::move(area));
	return Nothing{};
}

Status TextRecorder::go_all(const std::function<bool(const TextArea&)>& ends, std::uint64_t time_ns,
			    const TextAuthor& author)
{
	for (auto area = image_.areas().begin(); area != image_.areas().end();) {
		const auto next = std::next(area);
		if (ends(area->second.facts))
			if (auto gone = go(area, time_ns, author); !gone)
				return gone;
		area = next;
	}
	return Nothing{};
}

Status TextRecorder::go(TextImage::Areas::iterator area, std::uint64_t time_ns, const TextAuthor& author)
{
	TextArea facts = std::move(area->second.facts);
	image_.areas().erase(area);
	facts.comes = false;
	facts.at_begin = false;
	facts.time_ns = time_ns;
	facts.author = author;
	counts_.bytes -= facts.length;
	return sink_(facts);
}

Status TextRecorder::learn(const std::optional<std::string>& module, std::uint64_t time_ns)
{
	TextSymbols symbols{time_ns, kernel_.symbols(module)};
	names_.add(symbols.symbols);
	kinds_.add(kernel_.sites(module));
	return sink_(symbols);
}

} // namespace uwind
