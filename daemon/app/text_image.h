// SPDX-License-Identifier: GPL-2.0
// The kernel's text as it follows from what has been said of it, and where memory differs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "app/text_kinds.h"
#include "model/text_log.h"
#include "port/kernel_text.h"
#include "port/text_changes.h"

namespace uwind {

class TextImage {
public:
	struct Area {
		TextArea facts;                   // its bytes are as they are now
		std::uint64_t looked_ns = 0;      // when they were compared with memory
		std::uint64_t young_until_ns = 0; // until then it may still be written without notice
		bool as_it_came = false;          // its bytes are those of then, and not of when they were read
	};
	using Areas = std::map<std::uint64_t, Area>; // by address
	struct Difference {
		std::uint64_t address = 0;
		std::vector<std::uint8_t> now; // what memory has there
	};

	Areas& areas() { return areas_; }
	// The one that has this address, or the end.
	Areas::iterator at(std::uint64_t address);
	// Null: there is none that has all of these bytes, or they are not known.
	Area* with(std::uint64_t address, std::uint64_t length);
	std::optional<TextKinds::Where> where(std::uint64_t address);
	// Of known bytes in these ranges, each of which is in one area.
	std::vector<Difference> differences(KernelText& kernel, const std::vector<TextRange>& ranges);

private:
	void find_differences(KernelText& kernel, const TextRange& range, std::vector<Difference>& found);

	Areas areas_;
};

// An event, and the areas that it brings: they are read ahead.
struct TextArrival {
	TextEvent event;
	bool read = false;
	std::vector<TextImage::Area> areas;
};
using TextArrivals = std::vector<TextArrival>;

// An area with what memory has there now.
Result<TextImage::Area> read_area(KernelText& kernel, TextArea facts);
// Of an event that brings areas. Those that cannot be read have no content.
void read_arrival(KernelText& kernel, TextArrival& arrival);
// Whether the event ends that area.
bool ends_area(const TextRegion& region, const TextArea& area);
// An area that came before the first of these events, and was read after the last one, becomes what it was when it
// came.
void undo_in_area(const TextArrivals& events, std::size_t first, TextArea& area);
// The image that was read after all of these events becomes what it was before them.
void undo_in_image(const TextArrivals& events, TextImage& image);

} // namespace uwind
