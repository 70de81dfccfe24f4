// SPDX-License-Identifier: GPL-2.0
// The format: Linux, tools/perf/Documentation/jitdump-specification.txt. All numbers are in the byte order of the
// process, which is little-endian wherever this runs.
//
//   header   "DTiJ", version, size of the header, machine, 0, pid; time, flags
//   record   id, size of the record; time; then, by id:
//     load        pid, tid; address, address, bytes, index of the code; name; the code
//     move        pid, tid; address, old address, new address, bytes, index of the code
//     debug info  address, number of entries: address, line, discriminator, file; it stands before its load
#include "jit/jitdump.h"

#include <algorithm>
#include <cerrno>
#include <limits>

#include "base/byte_cursor.h"

namespace uwind {
namespace {

constexpr std::uint32_t magic = 0x4a695444, magic_swapped = 0x4454694a;
constexpr std::uint32_t version = 1, header_bytes = 40;
constexpr std::uint64_t arch_timestamp = 1; // of the flags
constexpr std::uint32_t record_header_bytes = 16;
constexpr std::uint32_t load_id = 0, move_id = 1, debug_id = 2;
constexpr std::uint64_t most_load_bytes = 64u << 10;  // before its code
constexpr std::uint64_t most_debug_bytes = 16u << 20; // of all lines of one piece of code
constexpr std::uint64_t line_bytes = 17;              // of an entry, at least: its file's name may be empty
constexpr std::string_view same = "\xff";             // as the one before

bool wraps(std::uint64_t start, std::uint64_t bytes)
{
	return bytes > std::numeric_limits<std::uint64_t>::max() - start;
}

// Nothing: it does not end.
std::optional<std::string_view> text_at(ByteCursor& cursor, Bytes all)
{
	const Bytes rest = all.subspan(cursor.position());
	const auto end = std::find(rest.begin(), rest.end(), 0);
	if (end == rest.end())
		return std::nullopt;
	const auto length = static_cast<std::size_t>(end - rest.begin());
	cursor.skip(length + 1);
	return std::string_view(reinterpret_cast<const char*>(rest.data()), length);
}

class Reader {
public:
	Reader(CodeNotes& notes, const JitdumpVisitor& visitor) : notes_(notes), visitor_(visitor) {}

	bool read_header(Jitdump& dump);
	void read_records();
	NotesFlaws flaws;

private:
	bool fetch(std::vector<std::uint8_t>& into, std::uint64_t bytes);
	bool pass_over(std::uint64_t bytes);
	bool read_record();
	bool read_body(std::uint32_t id, std::uint64_t time, std::uint64_t bytes);
	bool use_load(std::uint64_t time);
	bool use_move(std::uint64_t time);
	std::vector<JitLine> lines_of(const JitLoad& load) const;
	void spoilt(std::uint64_t at);

	CodeNotes& notes_;
	const JitdumpVisitor& visitor_;
	std::uint64_t at_ = 0;
	std::vector<std::uint8_t> head_, body_, debug_; // debug_: of the code that is loaded next
};

// Exactly so many bytes. False: the file ends before, or is not read further.
bool Reader::fetch(std::vector<std::uint8_t>& into, std::uint64_t bytes)
{
	flaws.longer = flaws.longer || at_ + bytes > most_notes_bytes;
	if (flaws.longer)
		return false;
	into.resize(bytes);
	for (std::size_t have = 0; have < bytes;) {
		const auto got = notes_.read(std::span(into).subspan(have));
		if (!got)
			flaws.refused = got.error();
		if (!got || !*got)
			return false;
		have += *got;
	}
	at_ += bytes;
	return true;
}

bool Reader::pass_over(std::uint64_t bytes)
{
	constexpr std::uint64_t piece = 64u << 10;
	for (; bytes; bytes -= std::min(bytes, piece))
		if (!fetch(head_, std::min(bytes, piece)))
			return false;
	return true;
}

bool Reader::read_header(Jitdump& dump)
{
	if (!fetch(head_, header_bytes)) {
		if (!flaws.refused)
			flaws.refused = Error{EBADMSG, "it is too short for a jitdump"};
		return false;
	}
	ByteCursor cursor(head_);
	const std::uint32_t found = cursor.u32(), its_version = cursor.u32(), its_bytes = cursor.u32();
	cursor.skip(header_bytes - 12 - 8);
	dump.cycles = cursor.u64() & arch_timestamp;
	if (found == magic_swapped)
		flaws.refused = Error{ENOTSUP, "it is a jitdump of the other byte order"};
	else if (found != magic)
		flaws.refused = Error{EBADMSG, "it is no jitdump"};
	else if (its_version != version)
		flaws.refused =
			Error{ENOTSUP, "its version of jitdumps, " + std::to_string(its_version) + ", is not known"};
	else if (its_bytes < header_bytes)
		flaws.refused = Error{EBADMSG, "its header is too short for a jitdump"};
	return !flaws.refused && pass_over(its_bytes - header_bytes);
}

void Reader::spoilt(std::uint64_t at)
{
	if (!flaws.bad++)
		flaws.first = at;
}

void Reader::read_records()
{
	while (read_record())
		;
}

// A record whose size is wrong hides where the next one begins.
bool Reader::read_record()
{
	const std::uint64_t start = at_;
	if (!fetch(head_, record_header_bytes))
		return false;
	ByteCursor cursor(head_);
	const std::uint32_t id = cursor.u32(), size = cursor.u32();
	const std::uint64_t time = cursor.u64();
	if (size < record_header_bytes) {
		spoilt(start);
		flaws.refused = Error{EBADMSG, "a record is shorter than its header"};
		return false;
	}
	const std::uint64_t end = start + size;
	if (!read_body(id, time, size - record_header_bytes))
		spoilt(start);
	return !flaws.refused && !flaws.longer && at_ <= end && pass_over(end - at_);
}

// False: the record is broken. Of what is cut off by the file's end nothing is used. Code, which ends a load, is passed
// over.
bool Reader::read_body(std::uint32_t id, std::uint64_t time, std::uint64_t bytes)
{
	const bool is_load = id == load_id && visitor_.load, is_move = id == move_id && visitor_.move;
	const bool is_debug = id == debug_id && visitor_.load && visitor_.wants_lines;
	if (!is_load && !is_move && !is_debug)
		return true;
	if (bytes > most_debug_bytes && !is_load)
		return false;
	if (!fetch(is_debug ? debug_ : body_, is_load ? std::min(bytes, most_load_bytes) : bytes))
		return true;
	if (is_load)
		return use_load(time);
	return is_debug || use_move(time);
}

bool Reader::use_load(std::uint64_t time)
{
	ByteCursor cursor(body_);
	JitLoad load;
	load.time = time;
	cursor.skip(8 + 8); // who; the same address
	load.start = cursor.u64();
	load.bytes = cursor.u64();
	load.index = cursor.u64();
	if (!cursor.ok())
		return false;
	const auto name = text_at(cursor, body_);
	if (!name || wraps(load.start, load.bytes))
		return false;
	load.name = *name;
	if (!debug_.empty() && visitor_.wants_lines(load.start, load.bytes))
		load.lines = lines_of(load);
	debug_.clear();
	visitor_.load(load);
	return true;
}

// As far as they can be read.
std::vector<JitLine> Reader::lines_of(const JitLoad& load) const
{
	std::vector<JitLine> lines;
	ByteCursor cursor(debug_);
	if (cursor.u64() != load.start)
		return lines;
	const std::uint64_t count = std::min(cursor.u64(), cursor.left() / line_bytes);
	std::string_view before;
	for (std::uint64_t i = 0; i < count; i++) {
		JitLine line;
		line.address = cursor.u64();
		line.line = cursor.u32();
		cursor.skip(4);
		const auto file = cursor.ok() ? text_at(cursor, debug_) : std::nullopt;
		if (!file)
			break;
		before = line.file = *file == same ? before : *file;
		lines.push_back(line);
	}
	return lines;
}

bool Reader::use_move(std::uint64_t time)
{
	ByteCursor cursor(body_);
	JitMove move;
	move.time = time;
	cursor.skip(8 + 8);
	move.from = cursor.u64();
	move.to = cursor.u64();
	move.bytes = cursor.u64();
	move.index = cursor.u64();
	if (!cursor.ok() || wraps(move.from, move.bytes) || wraps(move.to, move.bytes))
		return false;
	visitor_.move(move);
	return true;
}

} // namespace

Jitdump read_jitdump(CodeNotes& notes, const std::function<void(bool cycles)>& clock, const JitdumpVisitor& visitor)
{
	Jitdump dump;
	Reader reader(notes, visitor);
	if (reader.read_header(dump)) {
		if (clock)
			clock(dump.cycles);
		reader.read_records();
	}
	dump.flaws = std::move(reader.flaws);
	return dump;
}

} // namespace uwind
