// SPDX-License-Identifier: GPL-2.0
// Rows of stock programs against binutils' reading of the same call frame
// information: CFA, return address and frame pointer of every row.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <unistd.h>

#include "base/handle.h"
#include "elf/sections.h"
#include "elf/segments.h"
#include "tables/file_rows.h"
#include "tables/rule_text.h"
#include "unit/source_folder.h"
#include "unit/tables/code/coverage.h"
#include "unit/tables/readelf_frames.h"

extern "C" {
#include "types.h"
}

using uwind::Arch;
using uwind::Coverage;
using uwind::Rule;
using uwind::TableRows;
using uwind::readelf::ask_readelf;
using uwind::readelf::OracleRow;
using uwind::readelf::without_overlap;

namespace {

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
	const int word = static_cast<int>(uwind::word_bytes(arch));
	row.base = rule.base_slot == 0     ? "same"
		   : rule.base_slot == 255 ? "lost"
					   : "c" + signed_text(-word * rule.base_slot);
	return row;
}

bool is_missing(const Rule& rule)
{
	return rule.kind == UW_RULE_NONE || rule.kind == UW_RULE_UNKNOWN;
}

// What is not compared, or cannot be, by reason.
constexpr char by_expression[] = "CFA or stack pointer by an expression, which readelf does not spell out: a rule";
constexpr char no_expression[] = "CFA or stack pointer by an expression of a form that rules do not have: no row";
constexpr char raised_cfa[] = "CFA higher than the CFI says, by what the function pushed before it (arm64's resolver)";
constexpr char from_sp[] = "CFA by the code from SP, by CFI without epilogues from x29";
constexpr char with_epilogue[] = "an epilogue is in the row, of which the CFI says nothing";
constexpr char before_it[] = "a frame from the first instruction on by CFI, by the code from where it is made";
constexpr char at_entry[] = "the entry point's first row: it is outermost, which the CFI says one instruction later";

struct Verdict {
	std::uint64_t equal = 0;
	std::map<std::string, std::uint64_t> exceptions; // rows
	std::vector<std::string> different;
	std::uint64_t rows = 0, rows_missing = 0;           // that readelf shows; without a rule of ours
	std::uint64_t functions = 0, functions_missing = 0; // any row of theirs

	void add(const Verdict& other);
};

void Verdict::add(const Verdict& other)
{
	equal += other.equal;
	rows += other.rows;
	rows_missing += other.rows_missing;
	functions += other.functions;
	functions_missing += other.functions_missing;
	for (const auto& [reason, count] : other.exceptions)
		exceptions[reason] += count;
}

// readelf says "u" both for undefined and for a register without a rule yet.
bool same_fp(const std::string& oracle, const std::string& ours)
{
	if (oracle.empty() || oracle == "u" || oracle == "s")
		return ours == "same" || (oracle == "u" && ours == "lost");
	return oracle == ours;
}

bool same_base(const std::string& oracle, const std::string& ours)
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

bool is_raised(const OracleRow& oracle, const Rule& rule, Arch arch)
{
	return arch == Arch::arm64 && rule.kind == UW_RULE_FRAME && oracle.cfa.compare(0, 2, "sp") == 0 &&
	       oracle.cfa == "sp" + signed_text(rule.cfa_off - 16);
}

bool same_row(const OracleRow& oracle, const Rule& rule, Arch arch)
{
	const OracleRow ours = text_of(rule, arch);
	const bool outermost = rule.kind == UW_RULE_OUTERMOST;
	return !is_missing(rule) && same_ra(oracle.ra, ours.ra, outermost, arch) &&
	       (outermost ||
		(oracle.cfa == ours.cfa && same_fp(oracle.fp, ours.fp) && same_base(oracle.base, ours.base)));
}

std::string difference(const OracleRow& oracle, const Rule& rule, Arch arch)
{
	std::ostringstream text;
	text << std::hex << oracle.start << ": " << oracle.cfa << " ra " << oracle.ra << " fp " << oracle.fp << " base "
	     << oracle.base << "; ours: " << uwind::rule_text(rule, arch);
	return text.str();
}

// The same places, from a CFA that is counted from another register.
bool is_from_sp(const OracleRow& oracle, const Rule& rule, Arch arch)
{
	const OracleRow ours = text_of(rule, arch);
	return (rule.kind == UW_RULE_FRAME || rule.kind == UW_RULE_READ) && oracle.cfa.starts_with("x29") &&
	       ours.cfa.starts_with("sp") && same_ra(oracle.ra, ours.ra, false, arch) && same_fp(oracle.fp, ours.fp);
}

// As clang 14 writes it for arm64: no row is as the first one again.
bool has_no_epilogue(const std::vector<OracleRow>& rows, Arch arch)
{
	const auto as_at_entry = [&](const OracleRow& row) {
		return row.cfa == rows.front().cfa && row.ra == rows.front().ra;
	};
	return arch == Arch::arm64 && rows.size() > 1 && std::none_of(rows.begin() + 1, rows.end(), as_at_entry);
}

// clang 14 moves what makes a frame behind instructions that need none, and its CFI stays where it was. Where a
// function begins there is none.
bool is_before_it(const OracleRow& oracle, const Rule& rule, Arch arch)
{
	const OracleRow ours = text_of(rule, arch);
	return arch == Arch::arm64 && oracle.cfa.starts_with("sp+") && oracle.ra.empty() && ours.cfa == "sp+0" &&
	       same_ra(oracle.ra, ours.ra, false, arch);
}

// Of the row's function.
struct Place {
	bool no_epilogue; // has_no_epilogue()
	bool begins;
};

void compare(const OracleRow& oracle, const Rule& rule, Arch arch, Place place, Verdict& verdict)
{
	const bool own_sp = !oracle.sp.empty() && oracle.sp != "u";
	if (oracle.cfa == "exp" || own_sp)
		verdict.exceptions[is_missing(rule) ? no_expression : by_expression]++;
	else if (is_raised(oracle, rule, arch))
		verdict.exceptions[raised_cfa]++;
	else if (same_row(oracle, rule, arch))
		verdict.equal++;
	else if (place.no_epilogue && is_from_sp(oracle, rule, arch))
		verdict.exceptions[from_sp]++;
	else if (place.begins && is_before_it(oracle, rule, arch))
		verdict.exceptions[before_it]++;
	else
		verdict.different.push_back(difference(oracle, rule, arch));
}

Rule find(const TableRows& table, std::uint32_t offset)
{
	auto row = std::upper_bound(table.rows.begin(), table.rows.end(), offset,
				    [](std::uint32_t at, const uwind::Row& row) { return at < row.start; });
	return row == table.rows.begin() ? Rule{} : table.rules[row[-1].rule];
}

const char* readelf_for(Arch arch)
{
	return arch == Arch::arm64 ? "aarch64-linux-gnu-readelf" : "readelf";
}

// Whether the row, in all of its length, has a rule.
bool compare_row(const OracleRow& row, Place place, const uwind::ElfFile& file, const TableRows& table,
		 Verdict& verdict)
{
	const auto range = uwind::offsets_of(file.segments(), row.start, row.end - row.start);
	REQUIRE(range);
	const Rule rule = find(table, range->start);
	verdict.rows++;
	verdict.rows_missing += is_missing(rule);
	if (row.start == file.entry() && rule.kind == UW_RULE_OUTERMOST && !same_row(row, rule, file.arch())) {
		verdict.exceptions[at_entry]++;
		return true;
	}
	compare(row, rule, file.arch(), place, verdict);
	const bool stepped = row.cfa == "exp";
	if (!stepped && !(find(table, range->end - 1) == rule)) {
		if (place.no_epilogue)
			verdict.exceptions[with_epilogue]++;
		else
			verdict.different.push_back("row ends early");
	}
	return !is_missing(rule);
}

Verdict compare_file(const uwind::ElfFile& file, const TableRows& table, const std::string& path)
{
	Verdict verdict;
	for (const auto& function : without_overlap(ask_readelf(readelf_for(file.arch()), path, file.arch()))) {
		bool complete = true;
		const bool no_epilogue = has_no_epilogue(function.rows, file.arch());
		for (const OracleRow& row : function.rows)
			if (row.start < row.end)
				complete &= compare_row(row, {no_epilogue, &row == &function.rows.front()}, file, table,
							verdict);
		verdict.functions++;
		verdict.functions_missing += !complete;
	}
	return verdict;
}

void report_differences(const std::string& path, const Verdict& verdict)
{
	constexpr std::size_t most = 10;
	INFO(path << ": " << verdict.different.size() << " rows differ");
	for (std::size_t i = 0; i < verdict.different.size() && i < most; i++)
		UNSCOPED_INFO(verdict.different[i]);
	CHECK(verdict.different.empty());
}

void check_file(const std::string& path, std::uint64_t not_said = 0, std::uint64_t least = 500)
{
	const uwind::UniqueFd fd(open(path.c_str(), O_RDONLY));
	const auto file = uwind::ElfFile::open(fd.get());
	if (!file ||
	    std::system((std::string(readelf_for(file->arch())) + " --version >/dev/null 2>&1").c_str()) != 0) {
		WARN(path << " or its readelf is absent: not compared");
		return;
	}
	const auto table = uwind::rows_of_file(*file);
	REQUIRE(table);
	const Verdict verdict = compare_file(*file, *table, path);
	report_differences(path, verdict);
	CHECK(verdict.equal > least);
	CHECK(verdict.rows_missing <= not_said);
}

// All files of a list, summed up.
struct Survey {
	Verdict verdict;
	Coverage text, code;                              // .text alone; every section with code
	std::map<std::string, std::uint64_t> left_out;    // of our reasons: rows
	std::map<std::string, std::uint64_t> without;     // files without rows: why
	std::map<std::string, std::uint64_t> without_row; // by file: bytes of code
	std::uint64_t files = 0, different = 0;

	void take(const std::string& path);
	void print() const;
};

// Of functions that are called late: the dynamic linker's; a static program has a copy.
bool has_resolver(const std::string& path)
{
	return path.find("/ld-linux-aarch64.so") != std::string::npos || path.ends_with("/ldconfig");
}

void Survey::take(const std::string& path)
{
	const uwind::UniqueFd fd(open(path.c_str(), O_RDONLY));
	const auto file = uwind::ElfFile::open(fd.get());
	if (!file) {
		without[file.error().message]++;
		return;
	}
	const auto table = uwind::rows_of_file(*file);
	if (!table) {
		without[table.error().message]++;
		return;
	}
	const Verdict one = compare_file(*file, *table, path);
	report_differences(path, one);
	INFO(path);
	CHECK((!one.exceptions.contains(raised_cfa) || has_resolver(path)));
	files++;
	different += one.different.size();
	verdict.add(one);
	for (const auto& [reason, count] : table->inexpressible)
		left_out[reason] += count;
	for (const uwind::ElfSection& section : uwind::code_sections(*file)) {
		const Coverage part = coverage_of(section, *file, *table);
		code.add(part);
		without_row[path] += part.bytes - part.covered - part.padding;
		if (section.address == file->section_address(".text"))
			text.add(part);
	}
}

void print_counts(const char* what, const std::map<std::string, std::uint64_t>& counts)
{
	for (const auto& [reason, count] : counts)
		std::cout << what << ' ' << count << ": " << reason << '\n';
}

// The files with most code that has no row.
void print_poorest(const std::map<std::string, std::uint64_t>& bytes_without_row)
{
	constexpr std::size_t most = 12;
	std::multimap<std::uint64_t, std::string, std::greater<>> poorest;
	for (const auto& [path, bytes] : bytes_without_row)
		poorest.emplace(bytes, path);
	std::size_t shown = 0;
	for (auto at = poorest.begin(); at != poorest.end() && at->first && shown < most; ++at, shown++)
		std::cout << "no row     " << at->first << " bytes of " << at->second << '\n';
}

void Survey::print() const
{
	std::cout << "files      " << files << " with rows\n";
	print_counts("no rows   ", without);
	std::cout << "rows       " << verdict.rows << " of readelf's; " << verdict.equal << " equal, " << different
		  << " different\n";
	print_counts("exception ", verdict.exceptions);
	std::cout << "CFI        " << verdict.functions_missing << " of " << verdict.functions << " functions, "
		  << verdict.rows_missing << " of " << verdict.rows << " rows could not be expressed\n";
	print_counts("left out  ", left_out);
	std::cout << ".text      " << text.said() << "\nall code   " << code.said() << '\n';
	print_poorest(without_row);
}

const std::string host_libraries = "/usr/lib/x86_64-linux-gnu/";
const std::string arm64_libraries = "/usr/aarch64-linux-gnu/lib/";

} // namespace

TEST_CASE("every row of stock amd64 files is what readelf says")
{
	check_file(host_libraries + "libc.so.6");
	check_file(host_libraries + "ld-linux-x86-64.so.2");
	check_file(host_libraries + "libstdc++.so.6");
	check_file("/bin/bash");
	// Three rows have a CFA with an index register: *(rsp + 8 + r9 * 8) + 8.
	check_file(host_libraries + "libcrypto.so.3", 3);
}

TEST_CASE("every row of stock arm64 files is what readelf says")
{
	check_file(arm64_libraries + "libc.so.6");
	check_file(arm64_libraries + "libgcc_s.so.1");
	check_file(arm64_libraries + "libasan.so.8");
}

// There is no 32-bit library on most machines; the compiler makes one, with a PLT.
TEST_CASE("every row of an i386 library is what readelf says")
{
	const std::string folder = "/tmp/uwind-i386-" + std::to_string(getpid());
	const std::string source = in_sources("tests/unit/i386_functions.c");
	REQUIRE(std::system(("mkdir -p " + folder).c_str()) == 0);
	int number = 0;
	for (const char* flags : {"-O0", "-O2", "-Os", "-O2 -fno-omit-frame-pointer",
				  "-O2 -fcf-protection -Wl,-z,ibtplt", "-O2 -mstackrealign", "-O3 -msse2"}) {
		const std::string library = folder + "/" + std::to_string(number++) + ".so";
		const std::string command =
			std::string("x86_64-linux-gnu-gcc -m32 -g0 -fPIC -shared -nostdlib -Wl,--build-id ") + flags +
			" -o " + library + " " + source;
		INFO(command);
		REQUIRE(std::system(command.c_str()) == 0);
		check_file(library, 0, 50);
	}
	CHECK(std::system(("rm -r " + folder).c_str()) == 0);
}

TEST_CASE("every row of every file in the list UWIND_FILES is what readelf says", "[.long]")
{
	const char* list = std::getenv("UWIND_FILES");
	REQUIRE(list);
	std::ifstream paths(list);
	Survey survey;
	for (std::string path; std::getline(paths, path);)
		survey.take(path);
	survey.print();
	CHECK(survey.files > 0);
}
