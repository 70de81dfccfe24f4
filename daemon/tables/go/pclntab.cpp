// SPDX-License-Identifier: GPL-2.0
// The format: Go's src/runtime/symtab.go and cmd/link/internal/ld/pcln.go. All numbers are
// little-endian here.
//
//   header     magic, 0, 0, quantum of pcs, bytes of a word; words: number of functions, …
//   functions  for each, rising: its address, and where its record is; then the last one's end
//   record     address, name, …, where its depths are, …
//   depths     pairs of varints: the change of the depth, and for how many quanta it holds
#include "tables/go/pclntab.h"

extern "C" {
#include "table.h"
}

#include <algorithm>
#include <cerrno>

namespace uwind {
namespace {

constexpr std::uint32_t magic_2 = 0xfffffffb, magic_16 = 0xfffffffa, magic_18 = 0xfffffff0, magic_20 = 0xfffffff1;
constexpr std::uint64_t header_bytes = 8; // before the words
constexpr std::uint8_t writes_sp = 2;     // of a function's flags
constexpr std::uint64_t pair_bytes = 2;   // of depths, at least

class GoReader {
public:
	GoReader(Bytes table, unsigned word, std::uint64_t text)
	    : table_(table), word_(word), text_(text),
	      depths_left_(std::min<std::uint64_t>(table.size() / pair_bytes, UW_MAX_ROWS))
	{
	}
	Result<GoTable> run();
	bool read_header();

private:
	std::uint64_t number(ByteCursor& cursor) const { return word_ == 4 ? cursor.u32() : cursor.u64(); }
	std::uint64_t header_word(unsigned index) const;
	void read_function(std::uint64_t start, std::uint64_t end, std::uint64_t record);
	void read_depths(GoFunction& function, std::uint64_t at);
	std::string_view name_at(std::uint64_t at) const;

	const Bytes table_;
	const unsigned word_;
	std::uint64_t text_;
	std::uint32_t magic_ = 0;
	std::uint8_t quantum_ = 0;
	bool short_ = false;                               // entries of 4 bytes, counted from text_
	std::uint64_t functions_ = 0;                      // how many
	std::uint64_t first_ = 0, records_ = 0;            // where they begin, what records are counted from
	std::uint64_t names_ = 0, depths_ = 0, flags_ = 0; // 0: a record has no flags
	std::uint64_t depths_left_;                        // functions may share depths, but not all of a table
	GoTable result_;
};

std::uint64_t GoReader::header_word(unsigned index) const
{
	ByteCursor cursor(table_, header_bytes + std::uint64_t{index} * word_);
	return number(cursor);
}

bool GoReader::read_header()
{
	ByteCursor cursor(table_);
	magic_ = cursor.u32();
	const std::uint16_t zero = cursor.u16();
	quantum_ = cursor.u8();
	const std::uint8_t word = cursor.u8();
	functions_ = header_word(0);
	short_ = magic_ == magic_18 || magic_ == magic_20;
	if (magic_ == magic_2) {
		first_ = header_bytes + word_;
	} else if (magic_ == magic_16) {
		names_ = header_word(2);
		depths_ = header_word(5);
		first_ = records_ = header_word(6);
		flags_ = word_ + 33;
	} else if (short_) {
		text_ = header_word(2) ? header_word(2) : text_;
		names_ = header_word(3);
		depths_ = header_word(6);
		first_ = records_ = header_word(7);
		flags_ = magic_ == magic_18 ? 37 : 41;
	} else {
		return false;
	}
	const unsigned entry = short_ ? 8 : 2 * word_;
	return cursor.ok() && !zero && word == word_ && (quantum_ == 1 || quantum_ == 2 || quantum_ == 4) &&
	       first_ < table_.size() && functions_ <= (table_.size() - first_) / entry;
}

std::string_view GoReader::name_at(std::uint64_t at) const
{
	if (at >= table_.size())
		return {};
	const Bytes rest = table_.subspan(at);
	const std::string_view text(reinterpret_cast<const char*>(rest.data()),
				    std::min(rest.size(), most_go_name_bytes));
	return text.substr(0, text.find('\0'));
}

// Every pair goes on by a quantum at least, so that a function's code bounds them; and all of a table's, what it could
// hold if nothing were shared.
void GoReader::read_depths(GoFunction& function, std::uint64_t at)
{
	ByteCursor cursor(table_, at);
	std::uint64_t pc = function.start;
	std::int64_t depth = -1;
	function.first_depth = result_.depths.size();
	for (bool first = true; pc < function.end && depths_left_; first = false, depths_left_--) {
		const auto change = static_cast<std::uint32_t>(cursor.uleb());
		const std::uint64_t quanta = static_cast<std::uint32_t>(cursor.uleb());
		if (!cursor.ok() || (!change && !first) || !quanta)
			break;
		const std::int64_t half = change >> 1;
		depth += change & 1 ? -half - 1 : half;
		const std::uint64_t end = std::min(pc + quanta * quantum_, function.end);
		if (depth >= 0 && depth <= INT32_MAX)
			result_.depths.push_back({pc, end, static_cast<std::int32_t>(depth)});
		pc = end;
	}
	function.depths = result_.depths.size() - function.first_depth;
}

void GoReader::read_function(std::uint64_t start, std::uint64_t end, std::uint64_t record)
{
	const unsigned address = short_ ? 4 : word_;
	GoFunction function;
	ByteCursor cursor(table_, records_ + record);
	cursor.skip(address);
	const std::uint32_t name = cursor.u32();
	cursor.skip(8); // arguments, deferred returns
	const std::uint32_t depths = cursor.u32();
	if (!cursor.ok())
		return;
	function.start = start;
	function.end = end;
	function.name = name_at(names_ + name);
	// Before Go 1.17, zeros.
	function.writes_sp = flags_ && ByteCursor(table_, records_ + record + flags_).u8() & writes_sp;
	if (depths)
		read_depths(function, depths_ + depths);
	result_.functions.push_back(function);
}

Result<GoTable> GoReader::run()
{
	if (!read_header())
		return Error{EBADMSG, "it is no table of Go's functions, or not all of one"};
	ByteCursor cursor(table_, first_);
	const auto next = [&] { return short_ ? cursor.u32() : number(cursor); };
	std::uint64_t start = next();
	for (std::uint64_t left = functions_; left; left--) {
		const std::uint64_t record = next(), end = next();
		const std::uint64_t base = short_ ? text_ : 0;
		if (!cursor.ok() || end < start || base + end < base)
			return Error{EBADMSG, "Go's functions are not in order"};
		if (end > start && record < table_.size())
			read_function(base + start, base + end, record);
		start = end;
	}
	result_.bytes = table_.size();
	return std::move(result_);
}

} // namespace

Result<GoTable> read_go_table(Bytes table, unsigned word, std::uint64_t text)
{
	return GoReader(table, word, text).run();
}

bool is_go_table(Bytes table, unsigned word)
{
	return GoReader(table, word, 0).read_header();
}

GoText go_text(Bytes table, unsigned word)
{
	ByteCursor cursor(table);
	const std::uint32_t magic = cursor.u32();
	if (magic != magic_18 && magic != magic_20)
		return {};
	const std::uint64_t at = header_bytes + std::uint64_t{2} * word;
	cursor = ByteCursor(table, at);
	const std::uint64_t address = word == 4 ? cursor.u32() : cursor.u64();
	return cursor.ok() ? GoText{at, address} : GoText{};
}

} // namespace uwind
