// SPDX-License-Identifier: GPL-2.0
// Changes of the kernel's text as perf tells of them: each on x86, and BPF programs and trampolines everywhere.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/handle.h"
#include "io/online_cpus.h"
#include "io/perf_ring.h"
#include "port/text_changes.h"

namespace uwind {

class TextChangesPerf : public TextChanges {
public:
	enum class What {
		everything,      // changes of text, modules, BPF and trampolines (x86)
		without_modules, // the same, but for modules
		symbols_only,    // BPF and trampolines
	};

	explicit TextChangesPerf(What what) : what_(what) {}

	Status start() override;
	Result<std::vector<TextEvent>> read(std::chrono::milliseconds timeout) override;
	void interrupt() override;
	void stop() override;

private:
	// A change of a thread's name, or one of those events whose comm is filled in in the order of time.
	struct Named {
		std::uint32_t tid = 0, parent = 0; // parent: it begins with that thread's name
		std::string comm;
	};
	struct Timed {
		std::uint64_t time_ns = 0;
		std::variant<TextEvent, Named> what;
	};
	struct Cpu {
		PerfRing ring;
		std::vector<UniqueFd> joined; // events of modules
		std::uint64_t lost = 0;       // of which has been told
		std::uint64_t lost_ns = 0;    // when that was looked at
	};
	struct ModuleEvent {
		std::uint32_t id = 0;
		std::uint32_t name_offset = 0; // in the raw data, of what says where the name is
		bool comes = false;
	};

	Status open_cpus();
	Status open_cpu(std::uint32_t cpu);
	void find_module_events();
	void remember_threads();
	void drain_all(std::vector<Timed>& to);
	void decode(Bytes record, std::vector<Timed>& to) const;
	void decode_module(Bytes body, std::vector<Timed>& to) const;
	std::vector<TextEvent> release(std::vector<Timed> timed);
	void name(TextEvent& event);
	void take_name(Named named);
	void tell_losses(std::vector<TextEvent>& events);
	Status look_for_cpus(std::vector<TextEvent>& events);
	void wait(std::chrono::milliseconds timeout);

	What what_;
	UniqueFd wake_;
	std::map<std::uint32_t, Cpu> cpus_;
	std::size_t ring_bytes_ = 0;
	std::vector<ModuleEvent> module_events_;
	std::map<std::uint32_t, std::string> comms_; // by thread
	std::vector<Timed> held_;                    // later than what another CPU may still have to say
	OnlineCpus online_;
};

// A record of perf with its sample_id of PERF_SAMPLE_TID, TIME and CPU, as an event. Nothing: it is of another type, or
// malformed.
std::optional<TextEvent> text_event_in(Bytes record);

} // namespace uwind
