// SPDX-License-Identifier: GPL-2.0
// What binutils' readelf says about a file's call frame information, row by row.
#pragma once

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/table_rows.h"

namespace uwind::readelf {

// One line of readelf's table.
struct OracleRow {
	std::uint64_t start, end;
	std::string cfa, ra, fp, sp, base;
};

struct OracleFunction {
	std::uint64_t start = 0, end = 0;
	std::vector<OracleRow> rows;
	std::uint64_t cie = 0; // its offset
};

inline std::vector<std::string> words_of(const std::string& line)
{
	constexpr char blanks[] = " \t\r\n";
	std::vector<std::string> words;
	for (std::size_t at = line.find_first_not_of(blanks); at != std::string::npos;) {
		const std::size_t end = line.find_first_of(blanks, at);
		words.push_back(line.substr(at, end - at));
		at = line.find_first_not_of(blanks, end);
	}
	return words;
}

// "00000018 … FDE cie=00000000 pc=0000000000027dc0..0000000000027de6"
inline bool parse_head(const std::string& line, OracleFunction& function)
{
	const auto at = line.find(" FDE ");
	if (at == std::string::npos)
		return false;
	unsigned long long cie = 0, start = 0, end = 0;
	if (std::sscanf(line.c_str() + at, " FDE cie=%llx pc=%llx..%llx", &cie, &start, &end) != 3)
		return false;
	function = OracleFunction{start, end, {}, cie};
	return true;
}

// readelf writes registers as "r8 (r8)" or "x15": the columns are split by that.
inline std::vector<std::string> columns_of(const std::string& line)
{
	std::vector<std::string> columns;
	for (const std::string& word : words_of(line))
		if (word.front() != '(')
			columns.push_back(word);
	return columns;
}

// What readelf calls the registers that rules speak of.
struct Columns {
	const char* fp;
	const char* sp;
	const char* base;
	std::size_t address_digits;
};

inline Columns columns_of(Arch arch)
{
	if (arch == Arch::arm64)
		return {"x29", "sp", "", 16};
	if (arch == Arch::arm)
		return {"r11", "r13", "r7", 8};
	return arch == Arch::i386 ? Columns{"ebp", "esp", "ebx", 8} : Columns{"rbp", "rsp", "rbx", 16};
}

inline OracleRow parse_row(const std::vector<std::string>& names, const std::vector<std::string>& columns,
			   const Columns& registers)
{
	OracleRow row{std::stoull(columns[0], nullptr, 16), 0, columns[1], "", "", "", ""};
	for (std::size_t i = 2; i < columns.size() && i < names.size(); i++) {
		if (names[i] == "ra")
			row.ra = columns[i];
		else if (names[i] == registers.fp)
			row.fp = columns[i];
		else if (names[i] == registers.sp)
			row.sp = columns[i];
		else if (names[i] == registers.base)
			row.base = columns[i];
	}
	return row;
}

struct CloseCommand {
	void operator()(FILE* pipe) const { pclose(pipe); }
};

// Takes readelf's lines in: heads of CIEs and FDEs, names of columns, rows.
class Reader {
public:
	explicit Reader(Arch arch) : registers_(columns_of(arch)) {}

	void take(const std::string& line);
	std::vector<OracleFunction> finished()
	{
		finish();
		return std::move(functions_);
	}

private:
	void finish();

	const Columns registers_;
	std::vector<OracleFunction> functions_;
	std::vector<std::string> names_;
	std::map<std::uint64_t, std::vector<OracleRow>> cies_; // by offset
	OracleFunction function_;
	bool is_cie_ = false;
};

// A function whose instructions change nothing is shown without rows: it has its CIE's.
inline void Reader::finish()
{
	std::vector<OracleRow>& rows = function_.rows;
	if (is_cie_)
		cies_[function_.cie] = rows;
	else if (rows.empty() && function_.end > function_.start && !cies_[function_.cie].empty()) {
		rows.push_back(cies_[function_.cie].back());
		rows.front().start = function_.start;
	}
	for (std::size_t i = 0; i < rows.size(); i++)
		rows[i].end = i + 1 < rows.size() ? rows[i + 1].start : function_.end;
	if (!is_cie_ && !rows.empty())
		functions_.push_back(std::move(function_));
	function_ = OracleFunction{};
	is_cie_ = false;
}

inline void Reader::take(const std::string& line)
{
	if (line.find("LOC") != std::string::npos) {
		names_ = words_of(line);
	} else if (line.find(" CIE ") != std::string::npos || line.find(" FDE ") != std::string::npos) {
		finish();
		is_cie_ = !parse_head(line, function_);
		if (is_cie_)
			function_.cie = std::stoull(line, nullptr, 16);
	} else if ((function_.end || is_cie_) && line.find("ZERO terminator") == std::string::npos &&
		   line.find_first_not_of("0123456789abcdef") == registers_.address_digits) {
		const auto columns = columns_of(line);
		if (columns.size() >= 2)
			function_.rows.push_back(parse_row(names_, columns, registers_));
	}
}

inline std::vector<OracleFunction> ask_readelf(const std::string& readelf, const std::string& path, Arch arch)
{
	const std::string command = readelf + " -W --debug-dump=frames-interp " + path + " 2>/dev/null";
	const std::unique_ptr<FILE, CloseCommand> pipe(popen(command.c_str(), "r"));
	Reader reader(arch);
	char line[4096];
	while (pipe && std::fgets(line, sizeof(line), pipe.get()))
		reader.take(line);
	return reader.finished();
}

// Parts of a function that a later one starts in are that one's.
inline std::vector<OracleFunction> without_overlap(std::vector<OracleFunction> functions)
{
	std::stable_sort(functions.begin(), functions.end(),
			 [](const auto& left, const auto& right) { return left.start < right.start; });
	for (std::size_t i = 0; i + 1 < functions.size(); i++)
		for (OracleRow& row : functions[i].rows)
			row.end = std::min(row.end, functions[i + 1].start);
	return functions;
}

} // namespace uwind::readelf
