// SPDX-License-Identifier: GPL-2.0
// What one process's perf map and jitdump say of addresses in the code that it generated.
#include "app/code_notes.h"

#include <algorithm>
#include <cerrno>
#include <spdlog/spdlog.h>

namespace uwind {
namespace {

constexpr std::size_t most_moved = 1u << 20; // pieces of code whose names are kept for their moves

// The last line that begins at or before the address.
const JitLine* line_at(const std::vector<JitLine>& lines, std::uint64_t address)
{
	const JitLine* best = nullptr;
	for (const JitLine& line : lines)
		if (line.address <= address && (!best || line.address >= best->address))
			best = &line;
	return best;
}

} // namespace

// Between both readings and beyond by what they say of the processor's clock.
std::uint64_t ClockReadings::boottime_ns(std::uint64_t time, bool cycles) const
{
	if (!cycles)
		return time + (end.boottime_ns - end.monotonic_ns);
	if (end.cycles <= begin.cycles || end.boottime_ns <= begin.boottime_ns)
		return end.boottime_ns;
	const double ns_each = double(end.boottime_ns - begin.boottime_ns) / double(end.cycles - begin.cycles);
	const double since_begin = (double(time) - double(begin.cycles)) * ns_each;
	return static_cast<std::uint64_t>(std::clamp(double(begin.boottime_ns) + since_begin, 0.0, 1.8e19));
}

ProcessCode::ProcessCode(const std::vector<std::uint64_t>& places, CodeLabels& labels, EventCounter& events)
    : labels_(labels), events_(events), map_(places, most_changes), dump_(places, most_changes)
{
}

void ProcessCode::read(GeneratingProcess& process, const ClockReadings& clocks)
{
	read_dump(process, clocks);
	read_map(process);
	for (CodeTimes* times : {&map_, &dump_}) {
		times->settle();
		events_.count("code_changes_not_kept", times->not_kept());
	}
}

CodeTimes::Span ProcessCode::at(std::uint64_t place, std::uint64_t time_ns) const
{
	CodeTimes::Span span = dump_.at(place, time_ns);
	if (!span.label)
		span.label = map_.at(place, time_ns).label;
	return span;
}

CodeTimes::Label ProcessCode::counted(CodeTimes::Label label)
{
	if (!label)
		events_.count("code_changes_not_kept");
	return label;
}

void ProcessCode::refuse(const std::string& path, const Error& error)
{
	events_.count("code_notes_refused");
	spdlog::warn("names of generated code are not read: {}: {}", path, error.message);
}

void ProcessCode::note_flaws(const std::string& path, const NotesFlaws& flaws, const char* where)
{
	events_.count("code_notes_bad", flaws.bad);
	if (flaws.bad)
		spdlog::warn("{}: {} entries cannot be read, the first of them at {} {}", path, flaws.bad, where,
			     flaws.first);
	if (flaws.longer)
		refuse(path, Error{EFBIG, "what follows the first " + std::to_string(most_notes_bytes >> 20) + " MiB"});
	if (flaws.refused)
		refuse(path, *flaws.refused);
}

// The file has no times: what was said last of an address is what was there last.
void ProcessCode::read_map(GeneratingProcess& process)
{
	const auto notes = process.perf_map();
	if (!notes) {
		if (notes.error().code != ENOENT)
			refuse("perf's map", notes.error());
		return;
	}
	events_.count("code_notes_read");
	const std::string path = (*notes)->path();
	const auto flaws = read_perf_map(**notes, [&](const PerfMapEntry& entry) {
		map_.set(entry.start, entry.bytes, 0, [&](std::uint64_t) {
			return counted(labels_.label_of({entry.start, entry.name, path, "", 0}));
		});
	});
	note_flaws(path, flaws, "line");
}

ProcessCode::MovedCode ProcessCode::moved_code(CodeNotes& notes) const
{
	MovedCode moved;
	JitdumpVisitor visitor;
	visitor.move = [&](const JitMove& move) {
		if (moved.size() < most_moved && dump_.concerns(move.to, move.bytes))
			moved.try_emplace(move.index);
	};
	read_jitdump(notes, nullptr, visitor);
	return moved;
}

void ProcessCode::read_dump(GeneratingProcess& process, const ClockReadings& clocks)
{
	const auto first = process.jitdump();
	if (!first)
		return refuse("a jitdump", first.error());
	if (!*first)
		return;
	MovedCode moved = moved_code(**first);
	const auto notes = process.jitdump();
	if (!notes || !*notes)
		return;
	events_.count("code_notes_read");
	const std::string path = (*notes)->path();
	bool cycles = false;
	JitdumpVisitor visitor;
	visitor.wants_lines = [&](std::uint64_t start, std::uint64_t bytes) { return dump_.concerns(start, bytes); };
	visitor.load = [&](const JitLoad& loaded) {
		load(loaded, clocks.boottime_ns(loaded.time, cycles), path, moved);
	};
	visitor.move = [&](const JitMove& moves) { move(moves, clocks.boottime_ns(moves.time, cycles), path, moved); };
	const Jitdump dump = read_jitdump(
		**notes, [&](bool its) { cycles = its; }, visitor);
	note_flaws(path, dump.flaws, "byte");
}

void ProcessCode::load(const JitLoad& load, std::uint64_t time_ns, const std::string& path, MovedCode& moved)
{
	if (const auto known = moved.find(load.index); known != moved.end())
		known->second = load.name.substr(0, CodeLabels::most_name_bytes);
	dump_.set(load.start, load.bytes, time_ns, [&](std::uint64_t place) {
		const JitLine* line = line_at(load.lines, place);
		const std::string_view file = line ? line->file : "";
		return counted(labels_.label_of({load.start, load.name, path, file, line ? line->line : 0}));
	});
}

// Where it was, there is nothing until other code is loaded. It has no lines any more.
void ProcessCode::move(const JitMove& move, std::uint64_t time_ns, const std::string& path, const MovedCode& moved)
{
	dump_.set(move.from, move.bytes, time_ns, [](std::uint64_t) { return CodeTimes::Label{0}; });
	const auto known = moved.find(move.index);
	if (known == moved.end() || known->second.empty())
		return;
	dump_.set(move.to, move.bytes, time_ns, [&](std::uint64_t) {
		return counted(labels_.label_of({move.to, known->second, path, "", 0}));
	});
}

} // namespace uwind
