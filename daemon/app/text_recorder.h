// SPDX-License-Identifier: GPL-2.0
// Records how the kernel's text changes: takes what is said of changes, keeps an image that follows from it, and
// compares it with memory.
//
// The entries are such that each edit's old bytes are what the earlier entries have left there. So they can be replayed
// from the first image to the last one, and back. What nobody has said is found by looks at memory, and becomes an edit
// of kind unexplained between two looks.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "app/text_image.h"
#include "app/text_kinds.h"
#include "app/text_names.h"
#include "model/text_counts.h"
#include "model/text_log.h"
#include "port/kernel_text.h"
#include "port/text_changes.h"

namespace uwind {

class TextRecorder {
public:
	using Sink = std::function<Status(const TextEntry&)>;

	TextRecorder(TextChanges& changes, KernelText& kernel, Arch arch, Sink sink);

	// Begins to watch, and writes the first image. When the log begins: begin_ns().
	Status begin();
	std::uint64_t begin_ns() const { return begin_ns_; }
	// Takes changes for about this time.
	Status run_for(std::chrono::milliseconds time);
	// Compares all text with memory.
	Status look();
	// Looks for a last time, and writes the end.
	Status finish();
	const TextCounts& counts() const { return counts_; }

private:
	Status settle(TextArrivals& events, std::chrono::milliseconds quiet = std::chrono::milliseconds(5));
	Status read_ahead(TextArrivals& events);
	Status take(TextArrivals events);
	std::optional<TextKinds::Where> where(std::uint64_t address);
	Status note(const TextChange& change, TextArrival& event);
	Status note(const TextFlush& flush, TextArrival& event);
	Status note(const TextRegion& region, TextArrival& event);
	Status note(const TextLost& lost, TextArrival& event);
	Status write_edit(const TextEdit& edit, TextImage::Area* area);
	Status write_base();
	Status come(TextImage::Area area);
	Status go(TextImage::Areas::iterator area, std::uint64_t time_ns, const TextAuthor& author);
	Status go_all(const std::function<bool(const TextArea&)>& ends, std::uint64_t time_ns,
		      const TextAuthor& author);
	Status learn(const std::optional<std::string>& module, std::uint64_t time_ns);
	Status sync_modules();
	Status look_at_hints();
	Status compare(std::vector<TextRange> ranges, std::uint32_t& tries);
	Status explain(const TextImage::Difference& difference, std::uint64_t until_ns);

	TextChanges& changes_;
	KernelText& kernel_;
	const Sink sink_;
	TextNames names_;
	TextImage image_;
	TextKinds kinds_;
	TextArrivals taking_;          // events, of which some are still to come
	std::vector<TextRange> hints_; // where something may have changed that nobody says
	TextCounts counts_;
	std::uint64_t begin_ns_ = 0;
	bool look_soon_ = false;
};

} // namespace uwind
