// SPDX-License-Identifier: GPL-2.0
// Names of frames in code that processes generate.
#include "app/generated_code.h"

#include "app/stack_split.h"

#include <algorithm>
#include <spdlog/spdlog.h>

namespace uwind {
namespace {

bool has_generated(const StackPart* part)
{
	for (; part; part = part->below.get())
		for (const StackFrame& frame : part->frames)
			if (!frame.file)
				return true;
	return false;
}

// Of samples, and of those who woke threads. found: of a stack, which it may change if collected is not const; its
// process; the time.
template <typename Collection, typename Found>
void each_user_stack(Collection& collected, const Found& found)
{
	for (auto& sample : collected.samples) {
		if (sample.user_stack)
			found(sample.user_stack, sample.process, sample.time_ns);
		if (!sample.off_cpu)
			continue;
		auto& off_cpu = collected.off_cpu[*sample.off_cpu];
		if (off_cpu.waker && off_cpu.waker->user_stack)
			found(off_cpu.waker->user_stack, off_cpu.waker->process,
			      sample.time_ns - std::min(sample.time_ns, off_cpu.runnable_ns.value_or(0)));
	}
}

} // namespace

void GeneratedNames::apply(Report& report)
{
	for (const auto& [index, label] : frames_)
		labels_.name(label, report.frames[index], report);
}

GeneratedFrames::GeneratedFrames(GeneratedCode& code, Processes& processes)
    : code_(code), processes_(processes), begin_(code.clocks())
{
}

GeneratedFrames::Image* GeneratedFrames::image_of(const StackRecord& record)
{
	const auto process = images_.find({record.tgid, record.start_time_ns});
	if (process == images_.end())
		return nullptr;
	const auto known = std::ranges::find(process->second, record.exec_id, &Image::exec_id);
	return known == process->second.end() ? nullptr : &*known;
}

std::unique_ptr<GeneratingProcess> GeneratedFrames::follow(const StackRecord& record)
{
	if (held_ >= most_processes)
		return nullptr;
	auto process = code_.process(record.tgid);
	const auto facts = processes_.describe(record.tgid);
	if (!process || !facts || !started_at(*facts, record.start_time_ns))
		return nullptr;
	held_++;
	return std::move(*process);
}

void GeneratedFrames::note(const StackRecord& record)
{
	if (Image* known = image_of(record)) {
		known->since_ns = std::min(known->since_ns, record.time_ns);
		return;
	}
	if (!has_generated(record.stack.get()))
		return;
	Image image{record.exec_id, record.time_ns, ++last_number_, follow(record)};
	if (!image.process)
		events_.count("code_processes_missed");
	images_[{record.tgid, record.start_time_ns}].push_back(std::move(image));
}

// The last that had begun; null: none.
const GeneratedFrames::Image* GeneratedFrames::image_at(const ReportProcess& process, std::uint64_t time_ns) const
{
	const auto known = images_.find({process.pid, process.start_time_ns});
	if (known == images_.end())
		return nullptr;
	const Image* best = nullptr;
	for (const Image& image : known->second)
		if (image.since_ns <= time_ns && (!best || image.since_ns >= best->since_ns))
			best = &image;
	return best && best->process ? best : nullptr;
}

std::map<std::size_t, ProcessCode> GeneratedFrames::read(const Collected& collected, CodeLabels& labels)
{
	std::map<const Image*, std::set<Index>> stacks;
	each_user_stack(collected, [&](const std::optional<Index>& stack, Index process, std::uint64_t time_ns) {
		if (const Image* image = image_at(collected.processes[process], time_ns))
			stacks[image].insert(*stack);
	});
	const ClockReadings clocks{begin_, code_.clocks()};
	std::map<std::size_t, ProcessCode> codes;
	for (const auto& [image, its_stacks] : stacks) {
		std::set<std::uint64_t> places;
		for (const Index stack : its_stacks)
			for (const Index frame : collected.stacks[stack].frames)
				if (is_generated(collected.frames[frame]))
					places.insert(place_of(collected.frames[frame]));
		if (places.empty())
			continue;
		auto& code =
			codes.try_emplace(image->number, std::vector(places.begin(), places.end()), labels, events_)
				.first->second;
		code.read(*image->process, clocks);
	}
	return codes;
}

GeneratedNames GeneratedFrames::name(Collected& collected)
{
	GeneratedNames names;
	if (!held_) {
		forget_ended();
		return names;
	}
	const auto codes = read(collected, names.labels_);
	StackSplit split(collected);
	each_user_stack(collected, [&](std::optional<Index>& stack, Index process, std::uint64_t time_ns) {
		const Image* image = image_at(collected.processes[process], time_ns);
		const auto code = image ? codes.find(image->number) : codes.end();
		const auto label_at = [&](std::uint64_t place, std::uint64_t at_ns) {
			return code == codes.end() ? CodeTimes::Span{} : code->second.at(place, at_ns);
		};
		stack = split.of(*stack, code == codes.end() ? 0 : image->number, time_ns, label_at);
		collected.stacks_not_kept += !stack;
	});
	names.frames_ = split.labels();
	forget_ended();
	return names;
}

void GeneratedFrames::forget_ended()
{
	for (auto& [key, images] : images_)
		std::erase_if(images, [this](const Image& image) {
			const bool ended = !image.process || image.process->has_ended();
			held_ -= image.process && ended;
			return ended;
		});
	std::erase_if(images_, [](const auto& entry) { return entry.second.empty(); });
}

} // namespace uwind
