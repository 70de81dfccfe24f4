// SPDX-License-Identifier: GPL-2.0
// Collects samples, and each process, frame and stack that they share once.
#include "app/aggregate.h"

namespace uwind {
namespace {

std::size_t mix(std::size_t hash, std::uint64_t value)
{
	hash ^= value + 0x9e3779b97f4a7c15 + (hash << 12) + (hash >> 4);
	return hash * 0xff51afd7ed558ccd;
}

} // namespace

std::size_t Aggregate::FrameHash::operator()(const RawFrame& frame) const
{
	return mix(mix(mix(mix(frame.exact + 2 * frame.kernel, frame.pc), frame.offset), frame.file), frame.owner);
}

std::size_t Aggregate::StackHash::operator()(const ReportStack& stack) const
{
	std::size_t hash = std::size_t(stack.stop);
	for (std::size_t i = 0; i < stack.frames.size(); i++)
		hash = mix(hash, std::uint64_t(stack.frames[i]) << 8 | std::uint64_t(stack.methods[i]));
	return hash;
}

Aggregate::Aggregate(Processes& processes, const KnownProcesses& known, Limits limits)
    : processes_(processes), limits_(limits), images_(processes, known, limits.processes),
      stacks_(0, StackHash{&collected_}, StackEqual{&collected_})
{
}

std::optional<Index> Aggregate::frame_of(const RawFrame& raw)
{
	const auto known = frames_.find(raw);
	if (known != frames_.end())
		return known->second;
	if (collected_.frames.size() >= limits_.frames)
		return std::nullopt;
	const auto index = static_cast<Index>(collected_.frames.size());
	collected_.frames.push_back(raw);
	frames_.emplace(raw, index);
	return index;
}

// A frame that is known is of a file that is known.
std::optional<Index> Aggregate::frame_of(const StackFrame& frame, std::uint32_t tgid, const OnFile& on_file)
{
	const std::size_t known = collected_.frames.size();
	const auto index = frame_of({frame.pc, frame.offset, frame.file, is_exact(frame.method)});
	if (frame.file && collected_.frames.size() > known && files_.insert(frame.file).second)
		on_file(frame.file, tgid, frame.pc);
	return index;
}

// In the memory of the one before.
ReportStack& Aggregate::begin_stack(const StackPart& innermost)
{
	looked_up_.frames.clear();
	looked_up_.methods.clear();
	looked_up_.stack_bytes.clear();
	looked_up_.stop = innermost.stop;
	looked_up_.finished_later = innermost.finished_later;
	return looked_up_;
}

std::optional<Index> Aggregate::user_stack_of(const StackRecord& record, const OnFile& on_file)
{
	ReportStack& stack = begin_stack(*record.stack);
	for (const StackPart* part = record.stack.get(); part; part = part->below.get())
		for (const StackFrame& frame : part->frames) {
			const auto index = frame_of(frame, record.tgid, on_file);
			if (!index)
				return std::nullopt;
			stack.frames.push_back(*index);
			stack.methods.push_back(frame_method(frame.method));
			stack.stack_bytes.push_back(frame.stack_bytes);
		}
	return keep(stack);
}

KernelOwner Aggregate::owner_at(std::uint64_t address, std::uint64_t time_ns) const
{
	return timeline_ ? timeline_->owner_at(address, time_ns) : 0;
}

// A return address belongs to the call instruction before it.
std::optional<Index> Aggregate::kernel_stack_of(const StackPart& innermost, std::uint64_t time_ns)
{
	ReportStack& stack = begin_stack(innermost);
	for (const StackPart* part = &innermost; part; part = part->below.get())
		for (const StackFrame& frame : part->frames) {
			const bool exact = is_exact(frame.method);
			const KernelOwner owner = owner_at(frame.pc - !exact, time_ns);
			const auto index = frame_of({frame.pc, frame.pc, 0, exact, true, owner});
			if (!index)
				return std::nullopt;
			stack.frames.push_back(*index);
			stack.methods.push_back(frame_method(frame.method));
			stack.stack_bytes.emplace_back();
		}
	return keep(stack);
}

std::optional<Index> Aggregate::keep(const ReportStack& stack)
{
	if (const auto known = stacks_.find(stack); known != stacks_.end())
		return *known;
	const std::size_t frames = stack.frames.size();
	const auto index = static_cast<Index>(collected_.stacks.size());
	if (index >= limits_.stacks || stack_frames_ + frames > limits_.stack_frames)
		return std::nullopt;
	collected_.stacks.push_back(stack);
	stacks_.insert(index);
	stack_frames_ += frames;
	return index;
}

// Nothing: there is no room, which is counted.
std::optional<ReportSample> Aggregate::sample_of(const ThreadRecord& thread, std::uint64_t time_ns,
						 std::uint32_t weight)
{
	const bool room = collected_.samples.size() < limits_.samples;
	const auto process = room ? images_.of(thread, time_ns) : std::nullopt;
	if (!process) {
		collected_.samples_not_kept += weight;
		return std::nullopt;
	}
	ReportSample sample;
	sample.time_ns = time_ns;
	sample.process = *process;
	sample.pid = thread.tgid;
	sample.tid = thread.tid;
	sample.weight = weight;
	return sample;
}

void Aggregate::set_answer(ReportSample& sample, const StackRecord& answer, const OnFile& on_file)
{
	if (answer.word_bits)
		images_.at(sample.process).word_bits = answer.word_bits;
	sample.cookie = answer.cookie;
	sample.lost = answer.lost;
	if (!answer.stack)
		return;
	sample.user_stack = user_stack_of(answer, on_file);
	collected_.stacks_not_kept += !sample.user_stack;
	if (rooms_ && sample.user_stack && sample.pid == sample.tid)
		rooms_->measure(sample.process, bytes_of(collected_.stacks[*sample.user_stack]),
				images_.at(sample.process));
}

void Aggregate::add(const StackRecord& record, const OnFile& on_file)
{
	auto sample = sample_of(record, record.time_ns, record.weight);
	if (!sample)
		return;
	sample->cpu = record.cpu;
	sample->event = weighed_event_;
	if (weighed_period_)
		sample->period = weighed_period_ * record.weight;
	set_answer(*sample, record, on_file);
	collected_.samples.push_back(*sample);
}

ReportSample Aggregate::fill(ReportSample sample, const EventRecord& event, const StackRecord* answer,
			     const OnFile& on_file)
{
	sample.cpu = event.cpu;
	sample.event = event.counter;
	sample.period = event.period;
	sample.cookie = event.cookie;
	sample.lost = event.lost;
	if (answer)
		set_answer(sample, *answer, on_file);
	if (event.kernel_stack) {
		sample.kernel_stack = kernel_stack_of(*event.kernel_stack, event.time_ns);
		collected_.stacks_not_kept += !sample.kernel_stack;
	}
	return sample;
}

void Aggregate::add(const EventRecord& event, const StackRecord* answer, const OnFile& on_file)
{
	if (event.off_cpu && event.off_cpu->is_waker)
		return add_waker(event, answer, on_file);
	auto sample = sample_of(event, event.time_ns, 1);
	if (!sample)
		return;
	sample = fill(*sample, event, answer, on_file);
	sample->off_cpu = off_cpu_of(event);
	sample->call = call_of(event);
	collected_.samples.push_back(*sample);
}

std::optional<Index> Aggregate::call_of(const EventRecord& event)
{
	if (!event.call)
		return std::nullopt;
	const RawFunction function{event.call->function, owner_at(event.call->function, event.time_ns)};
	const auto [known, is_new] = functions_.try_emplace(function, static_cast<Index>(collected_.functions.size()));
	if (is_new)
		collected_.functions.push_back(function);
	collected_.calls.push_back({known->second, event.call->returned, event.call->duration_ns, event.call->value,
				    event.call->arguments});
	return static_cast<Index>(collected_.calls.size() - 1);
}

std::optional<Index> Aggregate::off_cpu_of(const EventRecord& event)
{
	if (!event.off_cpu)
		return std::nullopt;
	const auto index = static_cast<Index>(collected_.off_cpu.size());
	ReportOffCpu& off_cpu = collected_.off_cpu.emplace_back();
	off_cpu.state = event.off_cpu->state;
	off_cpu.iowait = event.off_cpu->iowait;
	off_cpu.compat = event.off_cpu->compat;
	off_cpu.still = event.off_cpu->still;
	off_cpu.syscall_number = event.off_cpu->syscall;
	if (event.off_cpu->woken_ns && event.time_ns >= event.off_cpu->woken_ns)
		off_cpu.runnable_ns = event.time_ns - event.off_cpu->woken_ns;
	if (event.off_cpu->wake)
		wakers_.add_woken(event.off_cpu->wake, index);
	return index;
}

// It is no sample of its own.
void Aggregate::add_waker(const EventRecord& event, const StackRecord* answer, const OnFile& on_file)
{
	const bool room = wakers_.size() < limits_.samples;
	const auto process = room ? images_.of(event, event.time_ns) : std::nullopt;
	if (!process)
		return;
	ReportSample sample;
	sample.process = *process;
	sample = fill(sample, event, answer, on_file);
	wakers_.add(event.off_cpu->wake, {*process, event.tgid, event.tid, event.off_cpu->interrupt, sample.user_stack,
					  sample.kernel_stack});
}

void Aggregate::set_weighed(std::optional<Index> event, std::uint64_t period)
{
	weighed_event_ = event;
	weighed_period_ = period;
}

void Aggregate::reset()
{
	stacks_.clear();
	frames_.clear();
	files_.clear();
	functions_.clear();
	if (rooms_)
		rooms_->clear();
	stack_frames_ = 0;
}

Collected Aggregate::take()
{
	wakers_.join(collected_.off_cpu);
	collected_.processes = images_.take();
	reset();
	return std::exchange(collected_, {});
}

} // namespace uwind
