// SPDX-License-Identifier: GPL-2.0
// A report as records of perf.data.
#include "export/perf_records.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "export/addresses.h"
#include "export/measures.h"
#include "export/perf_mappings.h"
#include "export/perf_record.h"
#include "export/threads.h"

namespace uwind {
namespace {

using namespace perf_data;

constexpr std::uint32_t kernel_pid = ~0u;
constexpr std::size_t longest_path = 4096;

class Records {
public:
	Records(const Report& report, const std::function<void(std::string_view)>& visit)
	    : report_(report), visit_(visit), mappings_(report)
	{
	}

	void write();

private:
	// Whose record it is, and when.
	struct Place {
		std::uint32_t pid = 0, tid = 0, cpu = 0;
		std::uint64_t time_ns = 0;
	};

	// What stands at the end of records that are no samples (sample_id_all), in the order of the bits' numbers.
	PerfBytes& end(PerfBytes& body, const Place& at) const
	{
		return body.u32(at.pid).u32(at.tid).u64(at.time_ns).u32(at.cpu).u32(0).u64(1);
	}

	void put(std::uint32_t type, unsigned misc, PerfBytes body, const Place& at)
	{
		visit_(perf_record(type, misc, end(body, at)));
	}

	void map_kernel();
	void task(std::uint32_t type, const ReportProcess& process, const Place& at);
	void begin(Index index);
	void end_until(std::uint64_t time_ns);
	void name(const ReportSample& sample, const Place& at);
	void map_frames(const ReportSample& sample, const Place& at);
	void map(const Mapped& mapped, const Place& at);
	void sample(const ReportSample& sample, const Place& at);
	void add_frames(std::vector<std::uint64_t>& chain, std::optional<Index> stack, std::uint64_t context) const;
	void count_losses(std::uint64_t time_ns);

	const Report& report_;
	const std::function<void(std::string_view)>& visit_;
	PerfMappings mappings_;
	std::map<std::pair<std::uint32_t, std::uint32_t>, Index> images_; // by pid and tid: what it runs
	std::set<std::pair<std::uint32_t, std::uint64_t>> begun_, ended_; // by pid and start
	std::multimap<std::uint64_t, Index> exits_; // to come, by their times: who has had samples
};

// perf asks for the kernel's place; frames of it are within. Where its text begins is not known: 0 tells perf to take
// the running kernel's symbols as they are.
void Records::map_kernel()
{
	for (const auto& [module, mapped] : mappings_.kernel()) {
		const std::string& path = report_.modules[module].path;
		const bool core = path == "[kernel.kallsyms]";
		PerfBytes body;
		body.u32(kernel_pid).u32(0).u64(mapped.address).u64(mapped.bytes).u64(0);
		put(PERF_RECORD_MMAP, misc_kernel, body.text(core ? path + "_text" : path), {});
	}
}

// A process begins or ends: a FORK and an EXIT have the same members.
void Records::task(std::uint32_t type, const ReportProcess& process, const Place& at)
{
	PerfBytes body;
	body.u32(process.pid).u32(process.details.parent_pid).u32(process.pid).u32(process.details.parent_pid);
	put(type, 0, body.u64(at.time_ns), at);
}

// Also of each program that a process has executed: the last of them knows of its end.
void Records::begin(Index index)
{
	const ReportProcess& process = report_.processes[index];
	const std::pair key{process.pid, process.start_time_ns};
	if (process.details.parent_pid && begun_.insert(key).second)
		task(PERF_RECORD_FORK, process, {process.pid, process.pid, 0, process.start_time_ns});
	if (process.exit_time_ns && ended_.insert(key).second)
		exits_.emplace(*process.exit_time_ns, index);
}

void Records::end_until(std::uint64_t time_ns)
{
	while (!exits_.empty() && exits_.begin()->first <= time_ns) {
		const auto [exit_ns, index] = *exits_.begin();
		const ReportProcess& process = report_.processes[index];
		task(PERF_RECORD_EXIT, process, {process.pid, process.pid, 0, exit_ns});
		exits_.erase(exits_.begin());
	}
}

// Threads have their program's name; one that runs another program by now has executed it.
void Records::name(const ReportSample& sample, const Place& at)
{
	const auto [known, is_new] = images_.try_emplace({at.pid, at.tid}, sample.process);
	if (!is_new && known->second == sample.process)
		return;
	known->second = sample.process;
	const ReportProcess& process = report_.processes[sample.process];
	begin(sample.process);
	PerfBytes body;
	body.u32(at.pid).u32(at.tid).text(process.comm.substr(0, 15));
	put(PERF_RECORD_COMM, is_new ? 0u : unsigned{misc_13}, body, at);
}

void Records::map(const Mapped& mapped, const Place& at)
{
	const ReportModule& module = report_.modules[mapped.module];
	const std::string build_id = bytes_of_digits(module.build_id).substr(0, build_id_bytes);
	PerfBytes body;
	body.u32(at.pid).u32(at.tid).u64(mapped.address).u64(mapped.bytes).u64(mapped.file_offset);
	if (build_id.empty())
		body.u64(0).u64(0).u64(0); // device, inode and its generation are not known
	else
		body.u8(static_cast<std::uint8_t>(build_id.size()))
			.u8(0)
			.u16(0)
			.add(build_id)
			.add(std::string(build_id_bytes - build_id.size(), '\0'));
	constexpr std::uint32_t readable_code = 5, private_mapping = 2; // PROT_READ | PROT_EXEC, MAP_PRIVATE
	body.u32(readable_code).u32(private_mapping).text(module.path.substr(0, longest_path));
	put(PERF_RECORD_MMAP2, misc_user | (build_id.empty() ? 0u : unsigned{misc_mmap_build_id}), body, at);
}

void Records::map_frames(const ReportSample& sample, const Place& at)
{
	if (!sample.user_stack)
		return;
	const ReportStack& stack = report_.stacks[*sample.user_stack];
	for (std::size_t i = 0; i < stack.frames.size(); i++) {
		const ReportFrame& frame = report_.frames[stack.frames[i]];
		if (const auto mapped = mappings_.needed(at.pid, frame, address_in_code(frame, is_return(stack, i))))
			map(*mapped, at);
	}
}

void Records::add_frames(std::vector<std::uint64_t>& chain, std::optional<Index> index, std::uint64_t context) const
{
	if (!index)
		return;
	chain.push_back(context);
	const ReportStack& stack = report_.stacks[*index];
	for (std::size_t i = 0; i < stack.frames.size() && chain.size() < perf_sample_max_frames; i++)
		chain.push_back(address_in_code(report_.frames[stack.frames[i]], is_return(stack, i)));
}

void Records::sample(const ReportSample& sample, const Place& at)
{
	std::vector<std::uint64_t> chain;
	add_frames(chain, sample.kernel_stack, context_kernel);
	add_frames(chain, sample.user_stack, context_user);
	PerfBytes body;
	body.u64(event_index(report_, sample) + 1).u64(chain.size() > 1 ? chain[1] : 0).u32(at.pid).u32(at.tid);
	body.u64(at.time_ns).u32(at.cpu).u32(0).u64(sample.period.value_or(sample.weight)).u64(chain.size());
	for (const std::uint64_t address : chain)
		body.u64(address);
	visit_(perf_record(PERF_RECORD_SAMPLE, sample.kernel_stack ? misc_kernel : misc_user, body));
}

// Of all that was asked for and has no stack.
void Records::count_losses(std::uint64_t time_ns)
{
	std::uint64_t lost = 0;
	for (const auto& [reason, count] : report_.counters.lost)
		lost += count;
	if (lost)
		put(PERF_RECORD_LOST_SAMPLES, 0, PerfBytes().u64(lost), {0, 0, 0, time_ns});
}

void Records::write()
{
	const auto samples = in_order_of_time(report_);
	map_kernel();
	for (const ReportSample& next : samples) {
		const Place at{next.pid, next.tid, next.cpu, next.time_ns};
		end_until(at.time_ns);
		name(next, at);
		map_frames(next, at);
		sample(next, at);
	}
	end_until(~std::uint64_t{0});
	count_losses(samples.empty() ? 0 : samples.back().time_ns);
}

} // namespace

void each_perf_record(const Report& report, const std::function<void(std::string_view)>& visit)
{
	Records(report, visit).write();
}

} // namespace uwind
