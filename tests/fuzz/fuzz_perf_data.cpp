// SPDX-License-Identifier: GPL-2.0
// Any bytes as a perf.data file: its records come in the order of their times, hold no more than the file does, and
// leave address spaces in which no mapping overlaps another.
#include <algorithm>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "convert/address_spaces.h"
#include "perf_data/recording.h"

namespace {

using namespace uwind;

void expect(bool is_so)
{
	if (!is_so)
		__builtin_trap();
}

// Bytes of the file that a record has taken.
struct Taken {
	AddressSpaces& spaces;
	std::size_t bytes = 0;

	void operator()(const PerfMapping& record) { spaces.take(record); }
	void operator()(const PerfName& record) { spaces.take(record); }
	void operator()(const PerfFork& record) { spaces.take(record); }
	void operator()(const PerfExit& record) { spaces.take(record); }
	void operator()(const PerfSample& record)
	{
		bytes += 8 * (record.kernel_chain.size() + record.user_chain.size());
		bytes += record.registers ? record.registers->stack.get().size() : 0;
		if (RecordedImage* image = spaces.of(record.pid))
			check(*image->code);
	}
	void operator()(const PerfDeferredChain& record) { bytes += 8 * record.user_chain.size(); }
	void operator()(const KernelRegionEvent& record) { bytes += record.region.symbol.size(); }
	void operator()(const PerfLost&) {}

	static void check(const RecordedCode& code)
	{
		std::uint64_t end = 0;
		for (const auto& [start, one] : code) {
			expect(start == one.mapping.start && start >= end && one.mapping.end > start);
			end = one.mapping.end;
		}
	}
};

std::uint64_t time_of(const PerfRecord& record)
{
	const auto* sample = std::get_if<PerfSample>(&record);
	return sample ? sample->time_ns : 0;
}

void read_all(PerfRecording& recording, std::size_t size)
{
	AddressSpaces spaces;
	Taken taken{spaces};
	std::uint64_t before = 0;
	for (;;) {
		const auto record = recording.next();
		if (!record || !*record)
			break;
		const std::uint64_t time_ns = time_of(**record);
		expect(!time_ns || time_ns >= before || recording.skipped().late);
		before = std::max(before, time_ns);
		std::visit(taken, **record);
	}
	expect(taken.bytes <= size);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
	const UniqueFd fd(::memfd_create("perf.data", MFD_CLOEXEC));
	expect(fd && ::write(fd.get(), data, size) == static_cast<ssize_t>(size));
	const auto recording = perf_data::FileRecording::open("/proc/self/fd/" + std::to_string(fd.get()));
	if (recording)
		read_all(**recording, size);
	return 0;
}
