// SPDX-License-Identifier: GPL-2.0
// Why threads were off their CPUs.
//
// The wait channel is the innermost kernel function that is not the scheduler's, as in /proc/PID/wchan: functions
// that wait on behalf of others, mutex_lock() for example, are compiled into the scheduler's section. What these are
// called tells locks from input and output; then it is the system call that says what was waited for.
#include "app/off_cpu.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace uwind {
namespace {

using Words = std::span<const std::string_view>;

// What the name of a function of the scheduler's contains.
constexpr std::string_view lock_words[] = {"mutex",      "rwsem",   "semaphore", "down_read",
					   "down_write", "rt_spin", "rwbase"};
constexpr std::string_view io_words[] = {"io_schedule", "bit_wait_io"};

// System calls in which threads wait.
constexpr std::string_view lock_calls[] = {"futex", "futex_wait", "futex_waitv", "flock", "semop", "semtimedop"};
constexpr std::string_view io_calls[] = {
	"read",       "write",        "readv",          "writev",          "pread64",   "pwrite64",
	"preadv",     "pwritev",      "preadv2",        "pwritev2",        "recv",      "recvfrom",
	"recvmsg",    "recvmmsg",     "send",           "sendto",          "sendmsg",   "sendmmsg",
	"accept",     "accept4",      "connect",        "fsync",           "fdatasync", "sync",
	"syncfs",     "msync",        "sendfile",       "splice",          "tee",       "vmsplice",
	"open",       "openat",       "openat2",        "close",           "getdents",  "io_submit",
	"fallocate",  "io_getevents", "io_uring_enter", "copy_file_range", "ftruncate", "unlink",
	"unlinkat",   "rename",       "renameat2",      "sync_file_range", "msgrcv",    "msgsnd",
	"sendfile64", "getdents64",   "ftruncate64",    "io_pgetevents"};
constexpr std::string_view sleep_calls[] = {"nanosleep", "clock_nanosleep"};
constexpr std::string_view poll_calls[] = {"poll",     "ppoll",      "select",      "_newselect",
					   "pselect6", "epoll_wait", "epoll_pwait", "epoll_pwait2"};
constexpr std::string_view child_calls[] = {"wait4", "waitid", "waitpid", "vfork"};
constexpr std::string_view signal_calls[] = {"pause", "rt_sigsuspend", "sigsuspend", "rt_sigtimedwait"};

struct Calls {
	std::string_view reason;
	Words names;
};

constexpr Calls calls[] = {{"lock", lock_calls}, {"io", io_calls},       {"sleep", sleep_calls},
			   {"poll", poll_calls}, {"child", child_calls}, {"signal", signal_calls}};

// Variants of the 32-bit ABIs.
std::string_view without_suffix(std::string_view call)
{
	constexpr std::string_view suffix = "_time64";
	return call.ends_with(suffix) ? call.substr(0, call.size() - suffix.size()) : call;
}

std::string_view reason_of_call(std::string_view call)
{
	for (const Calls& some : calls)
		if (std::ranges::count(some.names, without_suffix(call)))
			return some.reason;
	return "other";
}

bool has_one(std::string_view name, Words words)
{
	return std::ranges::any_of(words,
				   [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

// The functions in which threads wait on behalf of others.
struct Scheduler {
	std::uint64_t start = 0, end = 0; // 0: not known

	bool has(std::uint64_t address) const { return address >= start && address < end; }
};

// What is known of how one thread waited, beside what the module says.
struct Wait {
	bool lock = false;
	bool io = false;
	bool fault = false;
	std::string channel;
};

Wait wait_in(const Report& report, const ReportStack& stack, const Scheduler& scheduler)
{
	Wait wait;
	for (const Index index : stack.frames) {
		const ReportFrame& frame = report.frames[index];
		const std::string_view name = frame.symbol ? std::string_view(*frame.symbol) : "";
		if (wait.channel.empty()) {
			wait.lock |= has_one(name, lock_words);
			wait.io |= has_one(name, io_words);
		}
		if (wait.channel.empty() && !scheduler.has(frame.address))
			wait.channel = name;
		wait.fault |= name.find("handle_mm_fault") != std::string_view::npos;
	}
	return wait;
}

// A thread that waits, and is in no system call, has met a page that is not there.
std::string_view reason_of(const ReportOffCpu& off_cpu, const Wait& wait)
{
	if (off_cpu.preempted())
		return "preempted";
	if (off_cpu.state == 'T' || off_cpu.state == 't')
		return "stopped";
	if (wait.lock)
		return "lock";
	if (wait.fault || !off_cpu.syscall_number)
		return "page_fault";
	if (wait.io || off_cpu.iowait)
		return "io";
	return reason_of_call(off_cpu.syscall);
}

void explain(KernelNames& names, const Scheduler& scheduler, const ReportSample& sample, Report& report)
{
	ReportOffCpu& off_cpu = report.off_cpu[*sample.off_cpu];
	if (off_cpu.syscall_number)
		off_cpu.syscall = names.syscall_name(*off_cpu.syscall_number, off_cpu.compat);
	const Wait wait =
		sample.kernel_stack ? wait_in(report, report.stacks[*sample.kernel_stack], scheduler) : Wait{};
	if (scheduler.end)
		off_cpu.wait_channel = wait.channel;
	off_cpu.reason = reason_of(off_cpu, wait);
}

} // namespace

void explain_off_cpu(KernelNames& names, Report& report)
{
	if (report.off_cpu.empty())
		return;
	const auto text = names.addresses_of({"__sched_text_start", "__sched_text_end"});
	const Scheduler scheduler{text[0], text[1]};
	for (const ReportSample& sample : report.samples)
		if (sample.off_cpu)
			explain(names, scheduler, sample, report);
}

} // namespace uwind
