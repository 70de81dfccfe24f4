// SPDX-License-Identifier: GPL-2.0
// BPF programs and trampolines that come and go, as perf's records of the type KSYMBOL say.
#include "io/ksymbols.h"

#include <cerrno>
#include <ctime>

#include "io/ksymbol_record.h"

namespace uwind {
namespace {

constexpr char what[] = "perf's records of BPF programs";

// The clock of samples. No other kind of event may have it: only of software's it is known that no NMI asks.
perf_event_attr attributes()
{
	perf_event_attr attributes{};
	attributes.type = PERF_TYPE_SOFTWARE;
	attributes.config = PERF_COUNT_SW_DUMMY;
	attributes.sample_type = PERF_SAMPLE_TIME;
	attributes.sample_id_all = 1;
	attributes.ksymbol = 1;
	attributes.use_clockid = 1;
	attributes.clockid = CLOCK_BOOTTIME;
	return attributes;
}

} // namespace

std::optional<KernelRegionEvent> ksymbol_in(Bytes record)
{
	ByteCursor in(record);
	const std::uint32_t type = in.u32();
	in.skip(sizeof(perf_event_header) - sizeof(type));
	if (type != PERF_RECORD_KSYMBOL)
		return std::nullopt;
	const KsymbolRecord symbol = take_ksymbol(in);
	KernelRegionEvent event;
	event.change = symbol.unregisters ? KernelRegionChange::goes : KernelRegionChange::comes;
	event.time_ns = in.u64();
	event.region.start = symbol.address;
	event.region.bytes = symbol.bytes;
	event.region.symbol = symbol.name;
	event.region.owner = owner_of_region(symbol.type == PERF_RECORD_KSYMBOL_TYPE_BPF, symbol.name);
	if (!in.ok() || symbol.name.empty())
		return std::nullopt;
	return event;
}

Result<Ksymbols> Ksymbols::open()
{
	Ksymbols opened;
	const auto cpus = opened.cpus_.look();
	if (!cpus)
		return cpus.error();
	for (const std::uint32_t cpu : *cpus)
		if (auto done = opened.open_on(cpu); !done && done.error().code != ENODEV)
			return done.error();
	return opened;
}

// The event of a CPU that went offline stays without records when that comes again.
Status Ksymbols::open_on(std::uint32_t cpu)
{
	auto ring = PerfRing::open(attributes(), cpu, PerfRing::least_bytes, what);
	if (!ring)
		return ring.error();
	if (const auto old = rings_.find(cpu); old != rings_.end()) {
		const auto lost = old->second.lost();
		lost_ += lost ? *lost : 0;
		rings_.erase(old);
	}
	rings_.emplace(cpu, std::move(*ring));
	return Nothing{};
}

void Ksymbols::drain(std::vector<KernelRegionEvent>& events)
{
	for (auto& [cpu, ring] : rings_)
		ring.drain([&](Bytes record) {
			if (auto event = ksymbol_in(record))
				events.push_back(std::move(*event));
		});
	for (const std::uint32_t cpu : cpus_.come())
		if (const auto opened = open_on(cpu); !opened && opened.error().code != ENODEV)
			lost_++; // all that this CPU does
}

std::uint64_t Ksymbols::lost() const
{
	std::uint64_t records = lost_;
	for (const auto& [cpu, ring] : rings_) {
		const auto lost = ring.lost();
		records += lost ? *lost : 0;
	}
	return records;
}

} // namespace uwind
