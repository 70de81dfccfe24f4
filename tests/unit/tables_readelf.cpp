// SPDX-License-Identifier: GPL-2.0
// Rows of stock programs against binutils' reading of the same call frame
// information: CFA, return address and frame pointer of every row.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <unistd.h>

#include "base/handle.h"
#include "tables/eh_frame.h"
#include "tables/rule_text.h"
#include "tables/segments.h"

using uwind::Arch;
using uwind::Rule;
using uwind::TableRows;

namespace {

// One line of readelf's table.
struct OracleRow {
	std::uint64_t start, end;
	std::string cfa, ra, fp, sp, bx;
};

struct OracleFunction {
	std::uint64_t start = 0, end = 0;
	std::vector<OracleRow> rows;
};

std::vector<std::string> words_of(const std::string& line)
{
	std::istringstream stream(line);
	std::vector<std::string> words;
	for (std::string word; stream >> word;)
		words.push_back(word);
	return words;
}

// "… FDE cie=00000000 pc=0000000000027dc0..0000000000027de6"
bool parse_head(const std::string& line, OracleFunction& function)
{
	const auto at = line.find(" FDE ");
	const auto pc = line.find(" pc=");
	if (at == std::string::npos || pc == std::string::npos)
		return false;
	unsigned long long start = 0, end = 0;
	if (std::sscanf(line.c_str() + pc, " pc=%llx..%llx", &start, &end) != 2)
		return false;
	function = OracleFunction{start, end, {}};
	return true;
}

// readelf writes registers as "r8 (r8)" or "x15": the columns are split by that.
std::vector<std::string> columns_of(const std::string& line)
{
	std::vector<std::string> columns;
	for (const std::string& word : words_of(line))
		if (word.front() != '(')
			columns.push_back(word);
	return columns;
}

OracleRow parse_row(const std::vector<std::string>& names, const std::vector<std::string>& columns, const char* fp,
		    const char* sp)
{
	OracleRow row{std::stoull(columns[0], nullptr, 16), 0, columns[1], "", "", "", ""};
	for (std::size_t i = 2; i < columns.size() && i < names.size(); i++) {
		if (names[i] == "ra")
			row.ra = columns[i];
		else if (names[i] == fp)
			row.fp = columns[i];
		else if (names[i] == sp)
			row.sp = columns[i];
		else if (names[i] == "rbx")
			row.bx = columns[i];
	}
	return row;
}

void finish(std::vector<OracleFunction>& functions, OracleFunction& function)
{
	for (std::size_t i = 0; i < function.rows.size(); i++)
		function.rows[i].end = i + 1 < function.rows.size() ? function.rows[i + 1].start : function.end;
	if (!function.rows.empty())
		functions.push_back(std::move(function));
	function = OracleFunction{};
}

struct CloseCommand {
	void operator()(FILE* pipe) const { pclose(pipe); }
};

std::vector<OracleFunction> ask_readelf(const std::string& readelf, const std::string& path, Arch arch)
{
	const std::string command = readelf + " -W --debug-dump=frames-interp " + path + " 2>/dev/null";
	const std::unique_ptr<FILE, CloseCommand> pipe(popen(command.c_str(), "r"));
	const char* fp = arch == Arch::arm64 ? "x29" : "rbp";
	const char* sp = arch == Arch::arm64 ? "sp" : "rsp";
	std::vector<OracleFunction> functions;
	OracleFunction function;
	std::vector<std::string> names;
	char buffer[4096];
	while (pipe && std::fgets(buffer, sizeof(buffer), pipe.get())) {
		const std::string line = buffer;
		if (line.find("LOC") != std::string::npos) {
			names = words_of(line);
		} else if (line.find(" CIE ") != std::string::npos || line.find(" FDE ") != std::string::npos) {
			finish(functions, function);
			parse_head(line, function);
		} else if (function.end && line.find_first_not_of("0123456789abcdef") == 16) {
			const auto columns = columns_of(line);
			if (columns.size() >= 2)
				function.rows.push_back(parse_row(names, columns, fp, sp));
		}
	}
	finish(functions, function);
	return functions;
}

std::string signed_text(std::int64_t value)
{
	return (value < 0 ? "" : "+") + std::to_string(value);
}

std::string place_text(std::uint8_t place, std::uint8_t reg, std::int32_t offset)
{
	switch (place) {
	case 0:
		return "same";
	case 1:
		return "c" + signed_text(offset);
	case 2:
		return "v" + signed_text(offset);
	case 3:
		return "exp";
	case 4:
		return offset ? "vexp" : "r" + std::to_string(reg);
	default:
		return "lost";
	}
}

// What readelf would say of our rule.
OracleRow text_of(const Rule& rule, Arch arch)
{
	OracleRow row{};
	row.cfa = rule.cfa_kind ? "exp" : uwind::register_name(arch, rule.cfa_reg) + signed_text(rule.cfa_off);
	row.ra = place_text(rule.ra_place, rule.ra_reg, rule.ra_off);
	row.fp = place_text(rule.fp_place, rule.fp_reg, rule.fp_off);
	row.bx = rule.rbx_slot == 0 ? "same" : rule.rbx_slot == 255 ? "lost" : "c" + signed_text(-8 * rule.rbx_slot);
	return row;
}

struct Verdict {
	std::uint64_t equal = 0, by_count = 0, expressions = 0;
	std::uint64_t raised = 0; // arm64's resolver, whose CFA is not where readelf says
	std::vector<std::string> different;
};

// readelf says "u" both for undefined and for a register without a rule yet.
bool same_fp(const std::string& oracle, const std::string& ours)
{
	if (oracle.empty() || oracle == "u" || oracle == "s")
		return ours == "same" || (oracle == "u" && ours == "lost");
	return oracle == ours;
}

bool same_bx(const std::string& oracle, const std::string& ours)
{
	return same_fp(oracle, ours) || (ours == "lost" && oracle.compare(0, 2, "c-") != 0);
}

bool same_ra(const std::string& oracle, const std::string& ours, bool outermost, Arch arch)
{
	if (outermost)
		return oracle == "u";
	if (arch == Arch::arm64 && (oracle.empty() || oracle == "u" || oracle == "s"))
		return ours == "same" || ours == "r15"; // the column of some functions of libc
	return oracle == ours;
}

void compare(const OracleRow& oracle, const Rule& rule, Arch arch, Verdict& verdict)
{
	const OracleRow ours = text_of(rule, arch);
	const bool own_sp = !oracle.sp.empty() && oracle.sp != "u";
	if (oracle.cfa == "exp" || own_sp) {
		verdict.expressions++;
		verdict.by_count += rule.kind != 0;
		return;
	}
	if (arch == Arch::arm64 && rule.kind == 1 && oracle.cfa.compare(0, 2, "sp") == 0 &&
	    oracle.cfa == "sp" + signed_text(rule.cfa_off - 16)) {
		verdict.raised++;
		return;
	}
	const bool outermost = rule.kind == 2;
	const bool equal =
		rule.kind != 0 && same_ra(oracle.ra, ours.ra, outermost, arch) &&
		(outermost || (oracle.cfa == ours.cfa && same_fp(oracle.fp, ours.fp) && same_bx(oracle.bx, ours.bx)));
	verdict.equal += equal;
	if (!equal && verdict.different.size() < 10) {
		std::ostringstream text;
		text << std::hex << oracle.start << ": " << oracle.cfa << " ra " << oracle.ra << " fp " << oracle.fp
		     << " rbx " << oracle.bx << "; ours: " << uwind::rule_text(rule, arch);
		verdict.different.push_back(text.str());
	} else if (!equal) {
		verdict.different.push_back("");
	}
}

Rule find(const TableRows& table, std::uint32_t offset)
{
	auto row = std::upper_bound(table.rows.begin(), table.rows.end(), offset,
				    [](std::uint32_t at, const uwind::Row& row) { return at < row.start; });
	return row == table.rows.begin() ? Rule{} : table.rules[row[-1].rule];
}

// Parts of a function that a later one starts in are that one's.
std::vector<OracleFunction> without_overlap(std::vector<OracleFunction> functions)
{
	std::stable_sort(functions.begin(), functions.end(),
			 [](const auto& left, const auto& right) { return left.start < right.start; });
	for (std::size_t i = 0; i + 1 < functions.size(); i++)
		for (OracleRow& row : functions[i].rows)
			row.end = std::min(row.end, functions[i + 1].start);
	return functions;
}

Verdict compare_file(const std::string& readelf, const std::string& path)
{
	const uwind::UniqueFd fd(open(path.c_str(), O_RDONLY));
	const auto file = uwind::ElfFile::open(fd.get());
	REQUIRE(file);
	const auto table = uwind::lower_eh_frame(*file);
	REQUIRE(table);
	Verdict verdict;
	for (const auto& function : without_overlap(ask_readelf(readelf, path, file->arch())))
		for (const OracleRow& row : function.rows) {
			if (row.start >= row.end)
				continue;
			const auto range = uwind::offsets_of(file->segments(), row.start, row.end - row.start);
			REQUIRE(range);
			const Rule rule = find(*table, range->start);
			if (row.start == file->entry() && rule.kind == 2)
				continue; // outermost, whatever its first instruction's row says
			compare(row, rule, file->arch(), verdict);
			const bool stepped = row.cfa == "exp";
			if (!stepped && !(find(*table, range->end - 1) == rule))
				verdict.different.push_back("row ends early");
		}
	return verdict;
}

void check_file(const std::string& readelf, const std::string& path, std::uint64_t not_said = 0)
{
	if (access(path.c_str(), R_OK) != 0 || std::system((readelf + " --version >/dev/null 2>&1").c_str()) != 0) {
		WARN(path << " or " << readelf << " is absent: not compared");
		return;
	}
	const Verdict verdict = compare_file(readelf, path);
	INFO(path);
	for (const std::string& text : verdict.different)
		if (!text.empty())
			UNSCOPED_INFO(text);
	CHECK(verdict.different.empty());
	CHECK(verdict.equal > 500);
	CHECK(verdict.expressions - verdict.by_count <= not_said);
	SUCCEED(path << ": " << verdict.equal << " rows equal, " << verdict.by_count << " of " << verdict.expressions
		     << " expressions have a rule");
}

// Every file of a list; files without unwind rows are passed over.
void check_list(std::istream& paths)
{
	Verdict sum;
	std::uint64_t files = 0, without = 0;
	for (std::string path; std::getline(paths, path);) {
		const uwind::UniqueFd fd(open(path.c_str(), O_RDONLY));
		const auto file = uwind::ElfFile::open(fd.get());
		if (!file || !uwind::lower_eh_frame(*file)) {
			without++;
			continue;
		}
		const Verdict verdict =
			compare_file(file->arch() == Arch::arm64 ? "aarch64-linux-gnu-readelf" : "readelf", path);
		INFO(path);
		for (const std::string& text : verdict.different)
			if (!text.empty())
				UNSCOPED_INFO(text);
		CHECK(verdict.different.empty());
		CHECK((verdict.raised == 0 || path.find("/ld-linux-aarch64.so") != std::string::npos));
		files++;
		sum.equal += verdict.equal;
		sum.by_count += verdict.by_count;
		sum.expressions += verdict.expressions;
		sum.raised += verdict.raised;
	}
	std::cout << files << " files, " << without << " without rows; " << sum.equal << " rows equal, " << sum.by_count
		  << " of " << sum.expressions << " expressions have a rule, " << sum.raised
		  << " rows with a raised CFA\n";
	CHECK(files > 0);
}

const std::string host_libraries = "/usr/lib/x86_64-linux-gnu/";
const std::string arm64_libraries = "/usr/aarch64-linux-gnu/lib/";

} // namespace

TEST_CASE("every row of stock amd64 files is what readelf says")
{
	check_file("readelf", host_libraries + "libc.so.6");
	check_file("readelf", host_libraries + "ld-linux-x86-64.so.2");
	check_file("readelf", host_libraries + "libstdc++.so.6");
	check_file("readelf", "/bin/bash");
	// Three rows have a CFA with an index register: *(rsp + 8 + r9 * 8) + 8.
	check_file("readelf", host_libraries + "libcrypto.so.3", 3);
}

TEST_CASE("every row of stock arm64 files is what readelf says")
{
	check_file("aarch64-linux-gnu-readelf", arm64_libraries + "libc.so.6");
	check_file("aarch64-linux-gnu-readelf", arm64_libraries + "libgcc_s.so.1");
	check_file("aarch64-linux-gnu-readelf", arm64_libraries + "libasan.so.8");
}

TEST_CASE("every row of every file in the list UWIND_FILES is what readelf says", "[.long]")
{
	const char* list = std::getenv("UWIND_FILES");
	REQUIRE(list);
	std::ifstream paths(list);
	check_list(paths);
}
