// SPDX-License-Identifier: GPL-2.0
// /dev/uwind: the kernel's deepest stacks (uwind_kstack.h).
#include "io/kernel_stacks.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <vector>

#include "io/device_call.h"
#include "uwind_kstack.h"

namespace uwind {

static_assert(kernel_entries.size() == UWIND_NR_KSTACK_KINDS);
static_assert(kernel_stack_places.size() == UWIND_KSTACK_ON_OTHER + 1);

namespace {

constexpr const char* count_names[] = {
	"entries",    "walked",       "missed_busy",     "missed_nested", "missed_own",
	"missed_rcu", "missed_stack", "tasks_displaced", "tasks_missed",
};
static_assert(sizeof(uwind_kstack_counts) == sizeof(uwind_kstack_head) + sizeof(count_names) / sizeof(char*) * 8);

KernelStackFrame frame_of(const uwind_kstack_frame& raw)
{
	KernelStackFrame frame;
	frame.address = raw.pc;
	frame.depth = raw.depth;
	frame.static_bytes = raw.static_bytes;
	frame.dynamic_bytes = raw.dynamic_bytes;
	frame.ahead_bytes = raw.ahead_bytes;
	frame.exact = raw.flags & UWIND_KSTACK_EXACT;
	frame.interrupted = raw.flags & UWIND_KSTACK_INTERRUPTED;
	frame.registers = raw.flags & UWIND_KSTACK_REGISTERS;
	frame.crosses = raw.flags & UWIND_KSTACK_CROSSES;
	frame.entered = raw.flags & UWIND_KSTACK_ENTERED;
	frame.place = std::min<std::uint8_t>(raw.on, UWIND_KSTACK_ON_OTHER);
	return frame;
}

KernelStack stack_of(const uwind_kstack_stack& raw)
{
	KernelStack stack;
	stack.of_task = raw.head.type == UWIND_KSTACK_RECORD_TASK;
	stack.entry = std::min<std::uint8_t>(raw.kind, UWIND_NR_KSTACK_KINDS - 1);
	stack.place = std::min<std::uint8_t>(raw.on, UWIND_KSTACK_ON_OTHER);
	stack.time_ns = raw.time_ns;
	stack.cpu = raw.cpu;
	stack.pid = raw.pid;
	stack.tid = raw.tid;
	stack.comm.assign(raw.comm, strnlen(raw.comm, sizeof(raw.comm)));
	stack.depth = raw.depth;
	stack.stack_bytes = raw.stack_bytes;
	stack.complete = raw.flags & UWIND_KSTACK_COMPLETE;
	stack.truncated = raw.flags & UWIND_KSTACK_TRUNCATED;
	return stack;
}

bool add_counts(Bytes record, KernelStacks& stacks)
{
	std::size_t at = sizeof(uwind_kstack_head);
	for (const char* name : count_names) {
		std::uint64_t count;
		if (record.size() < at + sizeof(count))
			return false;
		std::memcpy(&count, record.data() + at, sizeof(count));
		stacks.counters[name] = count;
		at += sizeof(count);
	}
	return true;
}

bool add_stack(Bytes record, KernelStacks& stacks)
{
	uwind_kstack_stack raw{};
	uwind_kstack_frame frame;
	if (record.size() < sizeof(raw))
		return false;
	std::memcpy(&raw, record.data(), sizeof(raw));
	if ((record.size() - sizeof(raw)) / sizeof(frame) < raw.nr_frames)
		return false;
	KernelStack stack = stack_of(raw);
	for (std::size_t i = 0; i < raw.nr_frames; i++) {
		std::memcpy(&frame, record.data() + sizeof(raw) + i * sizeof(frame), sizeof(frame));
		stack.frames.push_back(frame_of(frame));
	}
	stacks.stacks.push_back(std::move(stack));
	return true;
}

bool add_record(Bytes record, std::uint32_t type, KernelStacks& stacks)
{
	switch (type) {
	case UWIND_KSTACK_RECORD_COUNTS:
		return add_counts(record, stacks);
	case UWIND_KSTACK_RECORD_CPU:
	case UWIND_KSTACK_RECORD_TASK:
		return add_stack(record, stacks);
	default: // a later module's
		return true;
	}
}

Error start_error(int code)
{
	if (code == EPERM)
		return Error{code, "the kernel's stacks of all tasks are for those with CAP_PERFMON: run as root"};
	if (code == EBUSY)
		return Error{code, "the module keeps " + std::to_string(UWIND_MAX_KSTACKS) +
					   " sets of kernel stacks at a time: end another `uwind kstack`"};
	if (code == ENODEV)
		return Error{code, "this kernel cannot trace its functions: use one with CONFIG_FUNCTION_TRACER=y and "
				   "CONFIG_DYNAMIC_FTRACE=y, such as Debian's"};
	return errno_error(code, "keep kernel stacks");
}

} // namespace

Status add_kernel_stack_records(Bytes records, KernelStacks& stacks)
{
	while (!records.empty()) {
		uwind_kstack_head head{};
		if (records.size() >= sizeof(head))
			std::memcpy(&head, records.data(), sizeof(head));
		if (head.size < sizeof(head) || head.size > records.size() ||
		    !add_record(records.first(head.size), head.type, stacks))
			return Error{EPROTO, "the module's records of kernel stacks cannot be read"};
		records = records.subspan(head.size);
	}
	return Nothing{};
}

Result<KernelStackWatch> KernelStackWatch::start(int device, const KernelStackOptions& options)
{
	uwind_kstack request{};
	request.size = sizeof(request);
	request.flags = options.tasks ? UWIND_KSTACK_BY_TASK : 0;
	request.nr_tasks = options.tasks;
	request.nr_functions = static_cast<std::uint32_t>(options.functions.size());
	request.functions = options.functions.empty() ? 0 : user_pointer(options.functions.data());
	const int fd = ::ioctl(device, UWIND_IOC_KSTACK, &request);
	if (fd < 0)
		return start_error(errno);
	return KernelStackWatch(UniqueFd(fd));
}

Result<KernelStacks> KernelStackWatch::read() const
{
	KernelStacks stacks;
	std::vector<std::uint8_t> buffer(64 * UWIND_KSTACK_READ_BYTES);
	if (::lseek(fd_.get(), 0, SEEK_SET) < 0)
		return errno_error(errno, "read kernel stacks");
	for (;;) {
		const ssize_t got = ::read(fd_.get(), buffer.data(), buffer.size());
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno_error(errno, "read kernel stacks");
		if (!got)
			return stacks;
		if (auto added = add_kernel_stack_records(Bytes(buffer.data(), std::size_t(got)), stacks); !added)
			return added.error();
	}
}

} // namespace uwind
