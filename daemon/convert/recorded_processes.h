// SPDX-License-Identifier: GPL-2.0
// The processes of a recording: what is known of them comes from its records, not from this machine.
#pragma once

#include <cerrno>

#include "convert/address_spaces.h"
#include "port/processes.h"

namespace uwind {

class RecordedProcesses : public Processes {
public:
	// ours: opens files by their paths.
	RecordedProcesses(AddressSpaces& spaces, Processes& ours) : spaces_(spaces), ours_(ours) {}

	std::vector<std::uint32_t> pids() override { return {}; }
	Result<std::vector<Mapping>> mappings(std::uint32_t) override { return gone(); }
	Result<ProcessFacts> describe(std::uint32_t pid) override
	{
		const RecordedImage* image = spaces_.of(pid);
		if (!image)
			return gone();
		return ProcessFacts{image->exe, image->comm,
				    image->start_time_ns - image->start_time_ns % start_tick_ns};
	}
	Result<ProcessDetails> details(std::uint32_t) override { return gone(); }
	Result<StackRoom> stack_room(std::uint32_t) override { return gone(); }
	Result<OpenedFile> open_mapped(std::uint32_t, const Mapping&) override { return gone(); }
	Result<OpenedFile> open_path(const std::string& path) override { return ours_.open_path(path); }
	Result<UniqueFd> open_vdso() override { return ours_.open_vdso(); }
	Result<UniqueFd> open_vdso_of(std::uint32_t, const Mapping&) override { return gone(); }
	Host host() override { return ours_.host(); }

private:
	static Error gone() { return Error{ESRCH, "a process of a recording"}; }

	AddressSpaces& spaces_;
	Processes& ours_;
};

} // namespace uwind
