// SPDX-License-Identifier: GPL-2.0
// From the bytes that a watch of the kernel's text gives to what has changed.
#include "io/text_records.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "uwind.h"

namespace uwind {
namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::size_t most_held = 4096;  // events that wait for an address
constexpr std::size_t most_threads = 64; // that have changed something, and not flushed it
constexpr std::size_t most_loading = 16; // that have said a part of what a module has
constexpr std::size_t most_content_bytes = 64 << 20;

template <typename T>
T copy_at(Bytes bytes, std::size_t offset = 0)
{
	T value;
	std::memcpy(&value, bytes.data() + offset, sizeof(value));
	return value;
}

std::string text_of(const char* text, std::size_t limit)
{
	return std::string(text, strnlen(text, limit));
}

// What records of all types say of who did it.
template <typename Event>
void fill_who(Event& event, const uwind_text_record& raw)
{
	event.pid = raw.pid;
	event.tid = raw.tid;
	event.cpu = raw.cpu;
	event.comm = text_of(raw.comm, sizeof(raw.comm));
}

std::vector<std::uint64_t> callers_of(const uwind_text_record& raw)
{
	return {raw.callers, raw.callers + std::min<std::size_t>(raw.nr_callers, UWIND_TEXT_CALLERS)};
}

TextChange change_of(const uwind_text_record& raw, Bytes old_and_new)
{
	TextChange change;
	change.from_ns = raw.after_ns;
	change.until_ns = raw.before_ns;
	change.address = raw.address;
	change.physical = raw.physical;
	const auto* old = old_and_new.data();
	change.before.assign(old, old + raw.bytes);
	change.after.assign(old + raw.bytes, old + 2 * raw.bytes);
	change.callers = callers_of(raw);
	fill_who(change, raw);
	return change;
}

TextFlush flush_of(const uwind_text_record& raw)
{
	TextFlush flush;
	flush.time_ns = raw.before_ns;
	flush.address = raw.address;
	flush.bytes = raw.bytes;
	flush.callers = callers_of(raw);
	fill_who(flush, raw);
	return flush;
}

TextRegion module_of(const uwind_text_record& raw, Bytes name)
{
	TextRegion region;
	region.comes = raw.type == UWIND_TEXT_MODULE_LIVE;
	region.time_ns = raw.before_ns;
	region.name = text_of(reinterpret_cast<const char*>(name.data()), name.size());
	region.ranges = {{raw.address, raw.bytes}};
	fill_who(region, raw);
	return region;
}

Error wrong(const std::string& what)
{
	return Error{EPROTO, "a record of the kernel's text: " + what};
}

} // namespace

Status TextRecords::add(Bytes bytes)
{
	while (!bytes.empty()) {
		const std::uint32_t size = bytes.size() < sizeof(size) ? 0 : copy_at<std::uint32_t>(bytes);
		if (size < sizeof(uwind_text_record) || size > bytes.size() || size % 8)
			return wrong(std::to_string(size) + " bytes of " + std::to_string(bytes.size()));
		if (auto added = add_record(bytes.first(size)); !added)
			return added;
		bytes = bytes.subspan(size);
	}
	return Nothing{};
}

Status TextRecords::add_record(Bytes record)
{
	const auto raw = copy_at<uwind_text_record>(record);
	const Bytes more = record.subspan(sizeof(raw));
	switch (raw.type) {
	case UWIND_TEXT_CHANGE:
		if (raw.bytes > more.size() / 2)
			return wrong("a change of more bytes than it has");
		add_change(change_of(raw, more));
		break;
	case UWIND_TEXT_FLUSH:
		add_flush(flush_of(raw), more);
		break;
	case UWIND_TEXT_MODULE_CONTENT:
		if (raw.bytes > more.size())
			return wrong("content of more bytes than it has");
		add_content(raw.tid, raw.address, more.first(raw.bytes));
		break;
	case UWIND_TEXT_MODULE_LIVE:
	case UWIND_TEXT_MODULE_GOING: {
		TextRegion region = module_of(raw, more);
		if (region.comes)
			region.content = take_content(raw.tid, region.ranges.front());
		held_.push_back({std::move(region)});
		break;
	}
	case UWIND_TEXT_LOST:
		held_.push_back({TextLost{raw.bytes, raw.after_ns, raw.before_ns}});
		break;
	default:; // init's text, or of a later contract
	}
	return Nothing{};
}

// Parts follow each other; another one begins anew.
void TextRecords::add_content(std::uint32_t tid, std::uint64_t address, Bytes bytes)
{
	if (contents_.size() >= most_loading && !contents_.contains(tid))
		contents_.erase(contents_.begin());
	Content& content = contents_[tid];
	if (content.address + content.bytes.size() != address || content.bytes.size() > most_content_bytes)
		content = {address, {}};
	content.bytes.insert(content.bytes.end(), bytes.begin(), bytes.end());
}

// Empty: a part is missing.
std::vector<std::uint8_t> TextRecords::take_content(std::uint32_t tid, const TextRange& range)
{
	const auto node = contents_.extract(tid);
	if (node.empty() || node.mapped().address != range.address || node.mapped().bytes.size() != range.bytes)
		return {};
	return std::move(node.mapped().bytes);
}

void TextRecords::add_change(TextChange change)
{
	if (last_.size() < most_threads || last_.contains(change.tid))
		last_[change.tid] = {change.address, change.before.size()};
	const bool waits = !change.address;
	held_.push_back({std::move(change), waits});
}

void TextRecords::add_flush(TextFlush flush, Bytes pages)
{
	const std::uint64_t first = flush.address / page_bytes_ * page_bytes_;
	for (std::size_t i = 0; (i + 1) * sizeof(std::uint64_t) <= pages.size(); i++)
		if (const auto page = copy_at<std::uint64_t>(pages, i * sizeof(std::uint64_t)))
			resolve(first + i * page_bytes_, page);
	const bool more = says_more(flush);
	last_.erase(flush.tid);
	if (more)
		held_.push_back({std::move(flush)});
}

void TextRecords::resolve(std::uint64_t page_address, std::uint64_t page)
{
	for (Held& held : held_) {
		if (!held.waits)
			continue;
		auto& change = std::get<TextChange>(held.event);
		if (change.physical / page_bytes_ * page_bytes_ != page)
			continue;
		change.address = page_address + change.physical % page_bytes_;
		held.waits = false;
		if (const auto last = last_.find(change.tid); last != last_.end() && !last->second.address)
			last->second.address = change.address;
	}
}

bool TextRecords::says_more(const TextFlush& flush) const
{
	const auto last = last_.find(flush.tid);
	if (last == last_.end())
		return true;
	const TextRange& changed = last->second;
	return flush.address < changed.address || flush.address + flush.bytes > changed.address + changed.bytes;
}

std::vector<TextEvent> TextRecords::take()
{
	std::vector<TextEvent> events;
	while (!held_.empty() && (!held_.front().waits || held_.size() > most_held)) {
		events.push_back(std::move(held_.front().event));
		held_.pop_front();
	}
	return events;
}

std::vector<TextEvent> TextRecords::take_all()
{
	for (Held& held : held_)
		held.waits = false;
	return take();
}

} // namespace uwind
