// SPDX-License-Identifier: GPL-2.0
// The user-space stacks of a recording's samples.
#include "convert/stack_walks.h"

#include <algorithm>

namespace uwind {
namespace {

std::shared_ptr<const StackPart> part_of(std::vector<StackFrame> frames, Stop stop)
{
	auto part = std::make_shared<StackPart>();
	part->depth = frames.size();
	part->frames = std::move(frames);
	part->stop = stop;
	return part;
}

// The stack pointer's DWARF number.
unsigned stack_pointer(Arch arch)
{
	constexpr unsigned numbers[] = {0, 7, 31, 4, 13};
	return numbers[static_cast<unsigned>(arch)];
}

} // namespace

// The table of a file that was asked for before; else it is missed, and made then.
void StackWalks::supply(RecordedMapping& mapping, CodeMapping& to)
{
	RecordedFile* file = files_.of(mapping);
	to.table = file ? files_.table_of(*file) : nullptr;
	to.has_none = !to.table;
}

// Files are opened, and tables made, only where a walk comes to.
GoneOn StackWalks::go_on(const Unfinished& from, const std::vector<StackFrame>& before, RecordedCode& code)
{
	std::vector<CodeMapping> mappings;
	Places places;
	for (auto& [start, mapping] : code) {
		CodeMapping& to = mappings.emplace_back();
		to.start = mapping.mapping.start;
		to.end = mapping.mapping.end;
		to.offset = mapping.mapping.pgoff;
		places.push_back(&mapping);
		if (mapping.is_asked)
			supply(mapping, to);
	}
	GoneOn found;
	for (std::size_t tries = 0; tries <= mappings.size(); tries++) {
		found = unwinder_.go_on(from, before, mappings, max_frames_);
		if (!found.missed)
			break;
		supply(*places[*found.missed], mappings[*found.missed]);
	}
	for (std::size_t i = before.size(); i < found.frames.size(); i++) {
		StackFrame& frame = found.frames[i];
		frame.file = frame.file ? number_of(places[frame.file - 1]) : 0;
	}
	return found;
}

std::uint32_t StackWalks::number_of(RecordedMapping* mapping)
{
	const RecordedFile* file = mapping ? files_.of(*mapping) : nullptr;
	return file ? modules_.number_of(file->module) : 0;
}

RecordedStack StackWalks::walk(const Unfinished& from, RecordedCode& code)
{
	GoneOn found = go_on(from, {}, code);
	const auto bits = static_cast<std::uint8_t>(8 * word_bytes(from.arch));
	return {part_of(std::move(found.frames), found.stop), bits};
}

// A return address may be the first after its function.
StackFrame StackWalks::frame_at(std::uint64_t pc, bool is_innermost, RecordedCode& code)
{
	StackFrame frame;
	frame.pc = frame.offset = pc;
	frame.method = is_innermost ? Method::PC : Method::FP;
	RecordedMapping* mapping = mapping_at(code, pc - !is_innermost);
	if (!mapping)
		return frame;
	frame.file = number_of(mapping);
	frame.offset = pc - mapping->mapping.start + mapping->mapping.pgoff;
	return frame;
}

// A chain does not say why it ends. A table knows the code in which threads begin.
Stop StackWalks::end_of(const std::vector<StackFrame>& frames, Arch arch, RecordedCode& code)
{
	Unfinished last;
	last.arch = arch;
	last.nr_frames = static_cast<std::uint32_t>(frames.size() - 1);
	last.exact = frames.size() == 1;
	last.method = frames.back().method;
	last.pc = frames.back().pc;
	last.known = 1u << stack_pointer(arch);
	last.registers[stack_pointer(arch)] = word_bytes(arch); // nothing of the stack is there
	const Stop stop = go_on(last, {frames.begin(), frames.end() - 1}, code).stop;
	if (stop == Stop::OUTERMOST || stop == Stop::THREAD_START)
		return stop;
	return frames.size() >= usual_chain_frames ? Stop::DEPTH : Stop::NO_TABLE;
}

RecordedStack StackWalks::adopt(const std::vector<std::uint64_t>& chain, Arch arch, RecordedCode& code)
{
	std::vector<StackFrame> frames;
	for (const std::uint64_t pc : chain)
		if (frames.size() < max_frames_)
			frames.push_back(frame_at(pc, frames.empty(), code));
	RecordedMapping* outermost = mapping_at(code, frames.back().pc - (frames.size() > 1));
	RecordedFile* file = outermost ? files_.of(*outermost) : nullptr;
	if (file && file->arch != Arch::none)
		arch = file->arch;
	const Stop stop = arch == Arch::none ? Stop::NO_TABLE : end_of(frames, arch, code);
	const auto bits = static_cast<std::uint8_t>(8 * word_bytes(arch));
	return {part_of(std::move(frames), stop), bits};
}

} // namespace uwind
