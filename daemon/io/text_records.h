// SPDX-License-Identifier: GPL-2.0
// From the bytes that a watch of the kernel's text gives to what has changed.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "port/text_changes.h"

namespace uwind {

// Some changes come without an address, which the flush that follows has: until then they are held, and with them what
// happened afterwards. A flush that says no more than the change before it is left out.
class TextRecords {
public:
	// page_bytes: of the kernel's pages.
	explicit TextRecords(std::uint64_t page_bytes) : page_bytes_(page_bytes) {}

	// Whole records. EPROTO: they are none.
	Status add(std::span<const std::uint8_t> bytes);
	// In the order of time, without what is still held.
	std::vector<TextEvent> take();
	// No flush follows any more: what has no address gets none.
	std::vector<TextEvent> take_all();

private:
	struct Held {
		TextEvent event;
		bool waits = false; // a change, for its address
	};

	struct Content {
		std::uint64_t address = 0;
		std::vector<std::uint8_t> bytes;
	};

	Status add_record(std::span<const std::uint8_t> record);
	void add_content(std::uint32_t tid, std::uint64_t address, std::span<const std::uint8_t> bytes);
	std::vector<std::uint8_t> take_content(std::uint32_t tid, const TextRange& range);
	void add_change(TextChange change);
	void add_flush(TextFlush flush, std::span<const std::uint8_t> pages);
	void resolve(std::uint64_t page_address, std::uint64_t page);
	bool says_more(const TextFlush& flush) const;

	const std::uint64_t page_bytes_;
	std::deque<Held> held_;
	std::map<std::uint32_t, Content> contents_; // of modules, by the thread that says it is going to be LIVE
	std::map<std::uint32_t, TextRange> last_;   // of each thread that has not flushed since: what it changed last
};

} // namespace uwind
