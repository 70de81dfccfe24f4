// SPDX-License-Identifier: GPL-2.0
// Samples whose stacks ended for want of a table, until the table is there.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <utility>

#include "app/code_maps.h"
#include "app/counts.h"
#include "app/ports.h"
#include "app/table_shelf.h"

namespace uwind {

// For one thread. What becomes of a sample is counted by its weight: stacks_finished_later; or it is left as it was,
// because its process was gone (unfinished_gone), too many waited (unfinished_too_many), or its tables were not there
// in time, or did not help (unfinished_left).
class UnfinishedStacks {
public:
	static constexpr std::size_t usual_limit = 64u << 20;
	static constexpr std::chrono::milliseconds look_again{50}; // for tables

	struct Outside {
		// Those that need not wait any more, without record.unfinished.
		std::function<void(const StackRecord&)> done;
		// A file that nobody has looked at was missed, too.
		std::function<void(std::uint32_t tgid, const Mapping& mapping)> look;
	};
	// limit: bytes of stacks that wait.
	UnfinishedStacks(const Ports& ports, Modules& modules, Outside outside, std::uint32_t max_frames,
			 std::size_t limit = usual_limit)
	    : outside_(std::move(outside)), shelf_(ports.unwinder), unwinder_(ports.unwinder), clock_(ports.clock),
	      modules_(modules), maps_(ports.processes, modules, ports.clock), max_frames_(max_frames), limit_(limit)
	{
	}

	// Where whoever makes tables puts them. Nothing is finished before it is open.
	TableShelf& shelf() { return shelf_; }

	// A record with record.unfinished.
	void add(StackRecord record);
	// Some wait, and it is some time ago that their tables were looked for.
	bool is_due();
	// Those whose tables are there by now. False: there was none, and no further file was missed.
	bool finish_some();
	// All others, as far as they go.
	void finish_all();
	bool empty() const { return waiting_.empty(); }
	const Counts& counts() const { return counts_; }
	// How the stacks ended that were finished since the last call, and how they end now; by weight.
	using Stops = std::map<std::pair<Stop, Stop>, std::uint64_t>;
	Stops take_stops() { return std::exchange(stops_, {}); }

private:
	struct Waiting {
		StackRecord record;
		CodeMaps::Mappings mappings;
		std::optional<ModuleId> missed; // nothing: it is not known yet
		std::uint64_t pc = 0;           // where it was missed
		bool looked = false;
	};
	// A process's code, with the tables that walks have asked for.
	using Codes = std::map<CodeMaps::Mappings, std::vector<CodeMapping>>;

	bool is_ready(Waiting& waiting);
	void look(Waiting& waiting, const Mapping& mapping);
	bool supply(const Mapping& mapping, CodeMapping& code, Waiting& waiting);
	bool go_on(Waiting& waiting, Codes& codes, GoneOn& found);
	std::uint32_t number_of(const Waiting& waiting, std::uint32_t place);
	void adopt(Waiting& waiting, GoneOn found);
	void settle(Waiting& waiting, GoneOn found);
	void end(Waiting& waiting, const char* count);

	const Outside outside_;
	TableShelf shelf_;
	Unwinder& unwinder_;
	Clock& clock_;
	Modules& modules_;
	CodeMaps maps_;
	const std::uint32_t max_frames_;
	const std::size_t limit_;
	std::list<Waiting> waiting_;
	std::size_t bytes_ = 0;       // of their stacks
	std::uint64_t looked_ns_ = 0; // for tables
	bool has_looked_ = false;     // for a file, since then
	Counts counts_;
	Stops stops_;
};

} // namespace uwind
