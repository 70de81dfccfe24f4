// SPDX-License-Identifier: GPL-2.0
// An event of perf on one CPU, and the ring that the kernel writes its records to.
#include "io/perf_ring.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

#include "io/text_file.h"

namespace uwind {
namespace {

constexpr std::uint64_t format_lost = 1u << 4; // PERF_FORMAT_LOST, since Linux 6.0

std::size_t page_bytes()
{
	return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::string number_in(const char* path)
{
	auto text = read_text(path);
	while (text && !text->empty() && text->back() == '\n')
		text->pop_back();
	return text ? *text : "unknown";
}

Error not_opened(int code, const std::string& what, std::uint32_t cpu)
{
	const std::string where = what + " on CPU " + std::to_string(cpu) + ": ";
	if (code == EACCES || code == EPERM)
		return Error{code, where + "you may not watch the whole machine (kernel.perf_event_paranoid is " +
					   number_in("/proc/sys/kernel/perf_event_paranoid") +
					   "): run as root, or with CAP_PERFMON"};
	if (code == ENODEV)
		return Error{code, where + "the CPU is offline"};
	if (code == EMFILE || code == ENFILE)
		return Error{code, where + "too many files are open: see `ulimit -n`"};
	if (code == EINVAL || code == EOPNOTSUPP || code == ENOENT)
		return Error{code, where + "this kernel or processor has no such event"};
	return errno_error(code, what + " on CPU " + std::to_string(cpu));
}

Error not_mapped(int code, const std::string& what, std::size_t bytes)
{
	const std::string ring = what + ": a ring of " + std::to_string(bytes >> 10) + " KiB: ";
	if (code == EPERM)
		return Error{code, ring + "more than kernel.perf_event_mlock_kb (" +
					   number_in("/proc/sys/kernel/perf_event_mlock_kb") +
					   ") and RLIMIT_MEMLOCK allow: raise them (`ulimit -l`), or run with "
					   "CAP_IPC_LOCK"};
	return errno_error(code, ring + "not mapped");
}

Result<UniqueFd> open_event(perf_event_attr& attributes, std::uint32_t cpu, const std::string& what)
{
	attributes.size = sizeof(attributes);
	attributes.read_format = format_lost;
	UniqueFd fd(static_cast<int>(
		::syscall(SYS_perf_event_open, &attributes, -1, static_cast<int>(cpu), -1, PERF_FLAG_FD_CLOEXEC)));
	if (!fd)
		return not_opened(errno, what, cpu);
	return fd;
}

std::size_t ring_bytes_for(std::size_t wanted)
{
	return std::bit_ceil(std::clamp(wanted, PerfRing::least_bytes, PerfRing::most_bytes));
}

} // namespace

Result<PerfRing> PerfRing::open(perf_event_attr attributes, std::uint32_t cpu, std::size_t ring_bytes,
				const std::string& what)
{
	auto fd = open_event(attributes, cpu, what);
	if (!fd)
		return fd.error();
	const std::size_t bytes = ring_bytes_for(ring_bytes);
	void* pages = ::mmap(nullptr, page_bytes() + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd->get(), 0);
	if (pages == MAP_FAILED)
		return not_mapped(errno, what, bytes);
	return PerfRing(std::move(*fd), cpu, pages, bytes);
}

Result<UniqueFd> PerfRing::join(perf_event_attr attributes, const std::string& what) const
{
	auto fd = open_event(attributes, cpu_, what);
	if (fd && ::ioctl(fd->get(), PERF_EVENT_IOC_SET_OUTPUT, fd_.get()) < 0)
		return errno_error(errno, what + ": not joined to another ring");
	return fd;
}

PerfRing::PerfRing(UniqueFd fd, std::uint32_t cpu, void* pages, std::size_t bytes)
    : fd_(std::move(fd)), cpu_(cpu), pages_(pages), ring_bytes_(bytes)
{
}

PerfRing::PerfRing(PerfRing&& other) noexcept
    : fd_(std::move(other.fd_)), cpu_(other.cpu_), pages_(std::exchange(other.pages_, nullptr)),
      ring_bytes_(other.ring_bytes_), joined_(std::move(other.joined_))
{
}

PerfRing::~PerfRing()
{
	if (pages_)
		::munmap(pages_, page_bytes() + ring_bytes_);
}

// The kernel moves data_head after it has written; it writes over nothing from data_tail on.
std::size_t PerfRing::drain(const Take& take)
{
	auto* positions = static_cast<perf_event_mmap_page*>(pages_);
	const Bytes ring(static_cast<const std::uint8_t*>(pages_) + page_bytes(), ring_bytes_);
	std::uint64_t tail = positions->data_tail;
	const std::uint64_t head = __atomic_load_n(&positions->data_head, __ATOMIC_ACQUIRE);
	std::size_t records = 0;
	while (tail != head && records < most_records) {
		const Bytes record = record_in_ring(ring, tail, head, joined_);
		if (record.empty()) {
			tail = head; // nothing in it can be told apart any more
			break;
		}
		take(record);
		tail += record.size();
		records++;
		__atomic_store_n(&positions->data_tail, tail, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&positions->data_tail, tail, __ATOMIC_RELEASE);
	return records;
}

Result<std::uint64_t> PerfRing::lost() const
{
	std::uint64_t values[2] = {}; // the event's count, records lost
	if (::read(fd_.get(), values, sizeof(values)) != sizeof(values))
		return errno_error(errno, "CPU " + std::to_string(cpu_) + ": records lost");
	return values[1];
}

Status PerfRing::enable() const
{
	if (::ioctl(fd_.get(), PERF_EVENT_IOC_ENABLE, 0) < 0)
		return errno_error(errno, "CPU " + std::to_string(cpu_) + ": event not enabled");
	return Nothing{};
}

Status PerfRing::disable() const
{
	if (::ioctl(fd_.get(), PERF_EVENT_IOC_DISABLE, 0) < 0)
		return errno_error(errno, "CPU " + std::to_string(cpu_) + ": event not disabled");
	return Nothing{};
}

Bytes record_in_ring(Bytes ring, std::uint64_t tail, std::uint64_t head, std::vector<std::uint8_t>& joined)
{
	const std::uint64_t there = head - tail;
	perf_event_header header;
	if (there < sizeof(header) || there > ring.size())
		return {};
	const std::size_t at = static_cast<std::size_t>(tail & (ring.size() - 1));
	const std::size_t before_end = ring.size() - at;
	if (before_end < sizeof(header)) // records are multiples of 8 bytes, as the header is
		return {};
	std::memcpy(&header, ring.data() + at, sizeof(header));
	if (header.size < sizeof(header) || header.size > there)
		return {};
	if (header.size <= before_end)
		return ring.subspan(at, header.size);
	joined.assign(ring.begin() + static_cast<std::ptrdiff_t>(at), ring.end());
	joined.insert(joined.end(), ring.begin(), ring.begin() + static_cast<std::ptrdiff_t>(header.size - before_end));
	return joined;
}

} // namespace uwind
