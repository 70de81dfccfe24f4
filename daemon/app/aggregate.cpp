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
	return mix(mix(mix(frame.exact, frame.pc), frame.offset), frame.file);
}

std::size_t Aggregate::StackHash::operator()(Index index) const
{
	const ReportStack& stack = collected->stacks[index];
	std::size_t hash = std::size_t(stack.stop);
	for (std::size_t i = 0; i < stack.frames.size(); i++)
		hash = mix(hash, std::uint64_t(stack.frames[i]) << 8 | std::uint64_t(stack.methods[i]));
	return hash;
}

bool Aggregate::StackEqual::operator()(Index a, Index b) const
{
	return collected->stacks[a] == collected->stacks[b];
}

Aggregate::Aggregate(Processes& processes, Limits limits)
    : processes_(processes), limits_(limits), stacks_(0, StackHash{&collected_}, StackEqual{&collected_})
{
}

// /proc shows the process that has this number now. It is the sampled one only if
// it started at the same time.
ReportProcess Aggregate::describe(const StackRecord& record)
{
	ReportProcess process;
	process.pid = record.tgid;
	process.comm = record.comm;
	process.start_time_ns = record.start_time_ns;
	if (record.word_bits)
		process.word_bits = record.word_bits;
	const auto facts = processes_.describe(record.tgid);
	if (!facts || !started_at(*facts, record.start_time_ns))
		return process;
	process.exe = facts->exe;
	if (record.tid != record.tgid)
		process.comm = facts->comm;
	return process;
}

// Samples of one CPU arrive in order of time, those of two CPUs do not.
void Aggregate::rename(Image& image, const StackRecord& record)
{
	if (record.tid != record.tgid || record.time_ns < image.named_ns)
		return;
	image.named_ns = record.time_ns;
	collected_.processes[image.process].comm = record.comm;
}

std::optional<Index> Aggregate::process_of(const StackRecord& record)
{
	const ImageKey key{record.tgid, record.start_time_ns, record.exec_id};
	const auto known = images_.find(key);
	if (known != images_.end()) {
		rename(known->second, record);
		if (record.word_bits)
			collected_.processes[known->second.process].word_bits = record.word_bits;
		return known->second.process;
	}
	if (collected_.processes.size() >= limits_.processes)
		return std::nullopt;
	const auto index = static_cast<Index>(collected_.processes.size());
	collected_.processes.push_back(describe(record));
	images_.emplace(key, Image{index, record.tid == record.tgid ? record.time_ns : 0});
	return index;
}

std::optional<Index> Aggregate::frame_of(const StackFrame& frame, bool exact)
{
	const RawFrame raw{frame.pc, frame.offset, frame.file, exact};
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

std::optional<Index> Aggregate::stack_of(const StackRecord& record, const OnFile& on_file)
{
	ReportStack stack;
	stack.stop = record.stack->stop;
	stack.finished_later = record.stack->finished_later;
	for (const StackPart* part = record.stack.get(); part; part = part->below.get())
		for (const StackFrame& frame : part->frames) {
			const auto index = frame_of(frame, is_exact(frame.method));
			if (!index)
				return std::nullopt;
			if (frame.file && files_.insert(frame.file).second)
				on_file(frame.file, record.tgid, frame.pc);
			stack.frames.push_back(*index);
			stack.methods.push_back(frame_method(frame.method));
			stack.stack_bytes.push_back(frame.stack_bytes);
		}
	return keep(std::move(stack));
}

// The set compares stacks by their index, so the new one is appended before it is looked up.
std::optional<Index> Aggregate::keep(ReportStack stack)
{
	const std::size_t frames = stack.frames.size();
	const auto index = static_cast<Index>(collected_.stacks.size());
	collected_.stacks.push_back(std::move(stack));
	const auto [place, is_new] = stacks_.insert(index);
	if (!is_new) {
		collected_.stacks.pop_back();
		return *place;
	}
	if (index < limits_.stacks && stack_frames_ + frames <= limits_.stack_frames) {
		stack_frames_ += frames;
		return index;
	}
	stacks_.erase(place);
	collected_.stacks.pop_back();
	return std::nullopt;
}

void Aggregate::add(const StackRecord& record, const OnFile& on_file)
{
	const bool room = collected_.samples.size() < limits_.samples;
	const auto process = room ? process_of(record) : std::nullopt;
	if (!process) {
		collected_.samples_not_kept += record.weight;
		return;
	}
	ReportSample sample;
	sample.time_ns = record.time_ns;
	sample.process = *process;
	sample.pid = record.tgid;
	sample.tid = record.tid;
	sample.cpu = record.cpu;
	sample.weight = record.weight;
	sample.cookie = record.cookie;
	sample.lost = record.lost;
	if (record.stack) {
		sample.user_stack = stack_of(record, on_file);
		collected_.stacks_not_kept += !sample.user_stack;
	}
	collected_.samples.push_back(sample);
}

void Aggregate::reset()
{
	stacks_.clear();
	frames_.clear();
	images_.clear();
	files_.clear();
	stack_frames_ = 0;
}

Collected Aggregate::take()
{
	reset();
	return std::exchange(collected_, {});
}

} // namespace uwind
