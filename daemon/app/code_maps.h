// SPDX-License-Identifier: GPL-2.0
// What processes have mapped, for walks that are gone on with after they have ended.
#pragma once

#include <map>
#include <tuple>

#include "app/modules.h"
#include "port/clock.h"
#include "port/processes.h"

namespace uwind {

// For one thread.
class CodeMaps {
public:
	using Mappings = std::shared_ptr<const std::vector<Mapping>>;
	static constexpr std::size_t most_processes = 1024; // after that many all are forgotten

	CodeMaps(Processes& processes, Modules& modules, Clock& clock)
	    : processes_(processes), modules_(modules), clock_(clock)
	{
	}

	// Those of the record's process, which was just received. Null: it is gone, or is another program by now.
	Mappings of(const StackRecord& record);
	// What it missed is mapped there. False also while the file is not known.
	bool agree(const std::vector<Mapping>& mappings, const Unfinished& unfinished);

private:
	using Key = std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>; // pid, start, exec
	struct Known {
		Mappings mappings;
		std::uint64_t read_ns; // CLOCK_BOOTTIME
	};

	Mappings read(const StackRecord& record);
	bool may_agree(const std::vector<Mapping>& mappings, const Unfinished& unfinished);

	Processes& processes_;
	Modules& modules_;
	Clock& clock_;
	std::map<Key, Known> known_;
};

} // namespace uwind
