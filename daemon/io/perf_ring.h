// SPDX-License-Identifier: GPL-2.0
// An event of perf on one CPU, and the ring that the kernel writes its records to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <linux/perf_event.h>
#include <string>
#include <vector>

#include "base/byte_cursor.h"
#include "base/handle.h"
#include "base/result.h"

namespace uwind {

class PerfRing {
public:
	// Called with each record, its perf_event_header included. The bytes are valid until it returns.
	using Take = std::function<void(Bytes record)>;

	static constexpr std::size_t least_bytes = std::size_t{64} << 10;
	static constexpr std::size_t most_bytes = std::size_t{64} << 20;
	// Records of one drain(): a writer that never stops cannot hold its reader.
	static constexpr std::size_t most_records = std::size_t{1} << 20;

	// Of all processes, on this CPU. ring_bytes: room for records, between the limits above; it is rounded up to a
	// power of two. what: names the event in messages. size and read_format of the attributes are set here.
	// EACCES, EPERM: this user may not; ENODEV: the CPU is offline; EINVAL, EOPNOTSUPP: the kernel has no such
	// event; EMFILE: too many files are open.
	static Result<PerfRing> open(perf_event_attr attributes, std::uint32_t cpu, std::size_t ring_bytes,
				     const std::string& what);
	// A further event of this CPU whose records go to the same ring. Its descriptor keeps it.
	Result<UniqueFd> join(perf_event_attr attributes, const std::string& what) const;
	PerfRing(PerfRing&& other) noexcept;
	PerfRing& operator=(PerfRing&&) = delete;
	~PerfRing();

	std::uint32_t cpu() const { return cpu_; }
	int fd() const { return fd_.get(); } // readable: there are records (attr.wakeup_events, wakeup_watermark)
	// Gives the records that are there, oldest first, PERF_RECORD_LOST among them, and makes room. Returns how
	// many.
	std::size_t drain(const Take& take);
	// Records since open() for which there was no room: a PERF_RECORD_LOST says it only before the next one that
	// has room.
	Result<std::uint64_t> lost() const;
	Status enable() const;
	Status disable() const;

private:
	PerfRing(UniqueFd fd, std::uint32_t cpu, void* pages, std::size_t bytes);

	UniqueFd fd_;
	std::uint32_t cpu_;
	void* pages_; // a page of the kernel's positions, then the ring
	std::size_t ring_bytes_;
	std::vector<std::uint8_t> joined_; // a record that goes over the ring's end
};

// The record at this position of a ring whose length is a power of two: its bytes, in joined if they go over the end.
// Empty: less than a record is there, or its head contradicts that.
Bytes record_in_ring(Bytes ring, std::uint64_t tail, std::uint64_t head, std::vector<std::uint8_t>& joined);

} // namespace uwind
