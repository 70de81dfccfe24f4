// SPDX-License-Identifier: GPL-2.0
// Processes' lives as BPF programs tell of them.
#include "io/process_lives.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <cerrno>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "bpf/life_filter.h"
#include "io/cgroup.h"
#include "io/life_records.h"
#include "process_lives.skel.h"

namespace uwind {
namespace {

using Programs = std::unique_ptr<process_lives, FreeWith<&process_lives::destroy>>;
using Ring = std::unique_ptr<ring_buffer, FreeWith<&ring_buffer__free>>;

constexpr char what[] = "BPF programs that tell of processes";

// libbpf's own messages would go to standard error: its error numbers say enough.
Result<Programs> open_programs()
{
	libbpf_set_print(nullptr);
	Programs programs(process_lives::open());
	if (!programs)
		return errno_error(errno, what);
	return programs;
}

void set_filter(process_lives& programs, const SessionOptions& session)
{
	programs.rodata->follows_all = session.all;
	programs.rodata->follows_children = session.inherit;
	programs.rodata->has_cgroup = !session.cgroup.empty();
	programs.rodata->page_bytes = static_cast<std::uint32_t>(::sysconf(_SC_PAGESIZE));
}

Status mark(const process_lives& programs, const std::vector<std::int32_t>& pids, std::uint32_t as)
{
	for (const std::int32_t pid : pids)
		if (bpf_map__update_elem(programs.maps.marks, &pid, sizeof(pid), &as, sizeof(as), BPF_ANY) < 0)
			return errno_error(errno, what);
	return Nothing{};
}

Status set_cgroup(const process_lives& programs, const std::string& path)
{
	const auto folder = open_cgroup(path);
	if (!folder)
		return folder.error();
	const std::uint32_t first = 0;
	const int fd = folder->get();
	if (bpf_map__update_elem(programs.maps.cgroup, &first, sizeof(first), &fd, sizeof(fd), BPF_ANY) < 0)
		return errno_error(errno, what);
	return Nothing{};
}

Status choose_processes(const process_lives& programs, const SessionOptions& session)
{
	if (const auto followed = mark(programs, session.targets, LIFE_FOLLOWED); !followed)
		return followed;
	if (const auto excluded = mark(programs, session.excludes, LIFE_EXCLUDED); !excluded)
		return excluded;
	return session.cgroup.empty() ? Status(Nothing{}) : set_cgroup(programs, session.cgroup);
}

int add_record(void* to, void* data, std::size_t bytes)
{
	auto& records = *static_cast<std::vector<LifeRecord>*>(to);
	if (auto record = life_record_in({static_cast<const std::uint8_t*>(data), bytes}))
		records.push_back(std::move(*record));
	return 0;
}

// A program does not run where itself was interrupted: later kernels preempt it.
std::uint64_t misses_of(const bpf_program* program)
{
	bpf_prog_info info = {};
	__u32 bytes = sizeof(info);
	return bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &bytes) == 0 ? info.recursion_misses : 0;
}

} // namespace

struct BpfProcessLives::Loaded {
	Programs programs;
	std::vector<LifeRecord> records; // that have arrived and were not taken
	Ring ring;
	UniqueFd interrupted;
	std::vector<std::string> untold;

	Status load(const SessionOptions& session);
	Status attach();
	std::uint64_t lost() const;
};

Status BpfProcessLives::Loaded::load(const SessionOptions& session)
{
	auto opened = open_programs();
	if (!opened)
		return opened.error();
	programs = std::move(*opened);
	set_filter(*programs, session);
	if (const int failed = process_lives::load(programs.get()))
		return errno_error(-failed, what);
	if (const auto chosen = choose_processes(*programs, session); !chosen)
		return chosen;
	ring.reset(ring_buffer__new(bpf_map__fd(programs->maps.records), add_record, &records, nullptr));
	if (!ring)
		return errno_error(errno, what);
	interrupted = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	return interrupted ? Status(Nothing{}) : Status(errno_error(errno, what));
}

// Without probes in the kernel's code, the rest still tells.
Status BpfProcessLives::Loaded::attach()
{
	const std::pair<bpf_program*, bpf_link**> hooks[] = {
		{programs->progs.on_fork, &programs->links.on_fork},
		{programs->progs.on_exec, &programs->links.on_exec},
		{programs->progs.on_exit, &programs->links.on_exit},
		{programs->progs.on_rename, &programs->links.on_rename},
	};
	for (const auto& [program, link] : hooks)
		if (!(*link = bpf_program__attach(program)))
			return errno_error(errno, what);
	programs->links.on_map = bpf_program__attach(programs->progs.on_map);
	if (!programs->links.on_map)
		untold.push_back(errno_error(errno, "files that processes map").message);
	return Nothing{};
}

std::uint64_t BpfProcessLives::Loaded::lost() const
{
	std::uint64_t all = __atomic_load_n(&programs->bss->lost, __ATOMIC_RELAXED);
	bpf_program* program;
	bpf_object__for_each_program(program, programs->obj) all += misses_of(program);
	return all;
}

BpfProcessLives::BpfProcessLives() = default;
BpfProcessLives::~BpfProcessLives() = default;

Status BpfProcessLives::watch(const SessionOptions& session)
{
	auto loaded = std::make_unique<Loaded>();
	if (const auto done = loaded->load(session); !done)
		return done;
	if (const auto done = loaded->attach(); !done)
		return done;
	loaded_ = std::move(loaded);
	return Nothing{};
}

std::vector<std::string> BpfProcessLives::untold() const
{
	return loaded_ ? loaded_->untold : std::vector<std::string>{};
}

std::vector<LifeRecord> BpfProcessLives::wait(std::chrono::milliseconds timeout)
{
	if (!loaded_)
		return {};
	pollfd fds[] = {{ring_buffer__epoll_fd(loaded_->ring.get()), POLLIN, 0},
			{loaded_->interrupted.get(), POLLIN, 0}};
	(void)::poll(fds, std::size(fds), static_cast<int>(timeout.count()));
	std::uint64_t times;
	(void)!::read(loaded_->interrupted.get(), &times, sizeof(times));
	(void)ring_buffer__consume(loaded_->ring.get());
	return std::exchange(loaded_->records, {});
}

void BpfProcessLives::interrupt()
{
	const std::uint64_t once = 1;
	if (loaded_)
		(void)!::write(loaded_->interrupted.get(), &once, sizeof(once));
}

std::uint64_t BpfProcessLives::lost() const
{
	return loaded_ ? loaded_->lost() : 0;
}

} // namespace uwind
