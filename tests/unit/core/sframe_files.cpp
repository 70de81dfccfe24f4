// SPDX-License-Identifier: GPL-2.0
// Both descriptions become spans: stretches of code under one rule.
#include "unit/core/sframe_files.h"
#include "elf/sections.h"

#include "elf/segments.h"
#include "tables/file_rows.h"
#include "tables/sframe_rows.h"
#include "tables/table_builder.h"
#include "unit/core/sframe_known.h"

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <fstream>
#include <sstream>

namespace core::sframe {

namespace {

using uwind::TableRows;

// What one row says, where it says it. A handler returns to a signal frame's first
// byte, and is looked up one earlier: that may be ours alone.
struct Span {
	u64 start, end;
	uw_rule rule;
	u64 before = 0; // bytes in front of what the row describes
};

// Every plt.got entry jumps at once; the others have 16 bytes.
u64 block_bytes(const uwind::ElfFile& elf, const OracleFunction& function)
{
	return elf.section_address(".plt.got") == function.start ? 8 : 16;
}

void add_rows(const OracleFunction& function, u64 base, u64 limit, uw_arch arch, std::vector<Span>& spans)
{
	const u64 address = function.repeats ? base : 0;
	for (std::size_t i = 0; i < function.rows.size(); i++)
		spans.push_back({function.rows[i].start + address,
				 std::min(function.row_end(i, limit - address) + address, limit),
				 rule_of(function.rows[i], arch)});
}

void add_function(const uwind::ElfFile& elf, const OracleFunction& function, int version, uw_arch arch,
		  std::vector<Span>& spans)
{
	if (function.signal)
		spans.push_back({function.start, function.end(), kind_rule(UW_RULE_SIGFRAME)});
	else if (function.rows.empty())
		spans.push_back(
			{function.start, function.end(), kind_rule(version == 3 ? UW_RULE_OUTERMOST : UW_RULE_NONE)});
	else if (!function.repeats)
		add_rows(function, function.start, function.end(), arch, spans);
	else
		for (u64 at = function.start; at < function.end(); at += block_bytes(elf, function))
			add_rows(function, at, std::min(at + block_bytes(elf, function), function.end()), arch, spans);
}

std::vector<Span> spans_of(const uwind::ElfFile& elf, const Oracle& oracle, uw_arch arch)
{
	std::vector<Span> spans;
	for (const OracleFunction& function : oracle.functions)
		add_function(elf, function, oracle.version, arch, spans);
	std::stable_sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.start < b.start; });
	for (std::size_t i = 1; i < spans.size(); i++)
		if (spans[i].rule.kind == UW_RULE_SIGFRAME && spans[i - 1].end < spans[i].start)
			spans[i].start -= spans[i].before = 1;
	return spans;
}

// A file's rows, found by address.
class Rows {
public:
	Rows(const uwind::ElfFile& elf, const TableRows* table) : segments_(elf.segments()), table_(table) {}

	uw_rule at(u64 address) const
	{
		const auto range = uwind::offsets_of(segments_, address, 1);
		if (!range || !table_)
			return kind_rule(UW_RULE_NONE);
		auto row = std::upper_bound(table_->rows.begin(), table_->rows.end(), range->start,
					    [](u32 at, const uwind::Row& other) { return at < other.start; });
		uw_rule rule = kind_rule(UW_RULE_NONE);
		if (row != table_->rows.begin())
			std::memcpy(&rule, &table_->rules[row[-1].rule], sizeof(rule));
		return rule;
	}

private:
	const std::vector<uwind::Segment>& segments_;
	const TableRows* table_;
};

uw_arch arch_of(const uwind::ElfFile& elf)
{
	return elf.arch() == uwind::Arch::arm64 ? UW_ARCH_ARM64 : UW_ARCH_X86_64;
}

// The section's rows; nothing if it has none. why: it is refused.
std::optional<TableRows> lower_file(const uwind::ElfFile& elf, std::string& why)
{
	const auto found = uwind::sframe_section(elf);
	if (!found) {
		why = found.error().message;
		return {};
	}
	if (!*found)
		return {};
	uwind::SframeSection section;
	section.bytes.assign((*found)->bytes.begin(), (*found)->bytes.end());
	section.address = (*found)->address;
	section.segments = elf.segments();
	auto rows = uwind::lower_sframe(section, elf.arch());
	if (rows)
		return std::move(*rows);
	if (rows.error().code != ENODATA)
		why = rows.error().message;
	return {};
}

std::string text_of(const std::filesystem::path& file, u64 address, const uw_rule& theirs, const uw_rule& ours)
{
	std::ostringstream text;
	text << file.parent_path().filename().string() << "/" << file.filename().string() << " at 0x" << std::hex
	     << address << std::dec << ": " << theirs << "; ours: " << ours;
	return text.str();
}

// A file, opened once for both comparisons.
struct Opened {
	explicit Opened(const std::filesystem::path& file) : fd(open(file.c_str(), O_RDONLY | O_CLOEXEC))
	{
		auto opened = uwind::ElfFile::open(fd.get());
		REQUIRE(opened);
		elf.emplace(std::move(*opened));
		arch = arch_of(*elf);
		ours = lower_file(*elf, why);
		std::ifstream printed(file.string() + ".txt");
		REQUIRE(printed);
		oracle = parse_oracle(printed);
		spans = spans_of(*elf, oracle, arch);
	}

	uwind::UniqueFd fd;
	std::optional<uwind::ElfFile> elf;
	uw_arch arch = UW_ARCH_NONE;
	Oracle oracle;
	std::vector<Span> spans;
	std::optional<TableRows> ours;
	std::string why;
};

// Between two of readelf's rows there is none of ours.
void compare_gaps(const Opened& file, const Rows& rows, const std::filesystem::path& path, Tally& tally)
{
	for (const uwind::Segment& segment : file.elf->segments()) {
		auto next = file.spans.begin();
		for (u64 at = segment.address; at < segment.address + segment.bytes; at++) {
			while (next != file.spans.end() && next->end <= at)
				++next;
			if (next != file.spans.end() && next->start <= at)
				continue;
			const uw_rule rule = rows.at(at);
			if (rule.kind != UW_RULE_NONE)
				tally.different.push_back(text_of(path, at, kind_rule(UW_RULE_NONE), rule));
		}
	}
}

void compare_spans(const Opened& file, const Rows& rows, const std::filesystem::path& path, Tally& tally)
{
	for (const Span& span : file.spans) {
		u64 at = span.start;
		while (at < span.end && rows.at(at) == span.rule)
			at++;
		if (at >= span.end)
			tally.equal++;
		else
			tally.different.push_back(text_of(path, at, span.rule, rows.at(at)));
	}
}

// What readelf's words leave out.
void count_unsaid(const Oracle& oracle, Tally& tally)
{
	for (const OracleFunction& function : oracle.functions)
		for (const OracleRow& row : function.rows)
			if (row.ra == "U")
				tally.named["readelf does not say where the header fixes the return address"]++;
}

// .sframe knows nothing of RBX, nor of rows that were read from instructions.
uw_rule comparable(uw_rule rule, uw_arch arch)
{
	if (rule.kind == UW_RULE_READ)
		rule.kind = UW_RULE_FRAME;
	if (rule.kind == UW_RULE_FRAME && arch == UW_ARCH_X86_64)
		rule.base_slot = UW_BASE_LOST;
	return rule;
}

// The file beside FORM-stripped that still has names.
std::filesystem::path unstripped(const std::filesystem::path& path)
{
	const std::string suffix = "-stripped", name = path.string();
	if (name.size() < suffix.size() || name.compare(name.size() - suffix.size(), suffix.size(), suffix) != 0)
		return path;
	return name.substr(0, name.size() - suffix.size());
}

void count_difference(const Difference& difference, const std::filesystem::path& path, u64 at, Tally& tally)
{
	if (const char* name = known_difference(difference))
		tally.named[name]++;
	else
		tally.unknown.push_back(text_of(path, at, difference.cfi, difference.sframe) + " in " +
					difference.function);
}

// The table that the daemon registers.
void compare_plts(const Opened& file, const Rows& theirs, const Symbols& symbols, const std::filesystem::path& path,
		  Tally& tally)
{
	const auto registered = uwind::build_table(*file.elf);
	REQUIRE(registered);
	const auto table = uwind::rows_of_table(*registered);
	REQUIRE(table);
	const Rows rows(*file.elf, &*table);
	for (const Span& span : file.spans)
		for (u64 at = span.start; at < span.end && symbols.section_at(at).rfind(".plt", 0) == 0; at++)
			if (!(comparable(rows.at(at), file.arch) == comparable(theirs.at(at), file.arch)))
				tally.different.push_back(text_of(path, at, theirs.at(at), rows.at(at)) +
							  ", as registered");
}

} // namespace

void compare_with_readelf(const std::filesystem::path& path, Tally& tally)
{
	const Opened file(path);
	tally.files++;
	tally.functions += file.oracle.functions.size();
	tally.without += file.oracle.functions.empty() && !file.ours;
	count_unsaid(file.oracle, tally);
	if (!file.why.empty())
		tally.different.push_back(path.string() + " is refused: " + file.why);
	const Rows rows(*file.elf, file.ours ? &*file.ours : nullptr);
	compare_spans(file, rows, path, tally);
	compare_gaps(file, rows, path, tally);
}

void compare_with_cfi(const std::filesystem::path& path, Tally& tally)
{
	const Opened file(path);
	const auto cfi = uwind::rows_of_file(*file.elf);
	if (!file.ours || !cfi)
		return;
	const Symbols symbols(unstripped(path));
	const Rows ours(*file.elf, &*file.ours), theirs(*file.elf, &*cfi);
	compare_plts(file, theirs, symbols, path, tally);
	for (const Span& span : file.spans) {
		u64 at = span.start + span.before;
		while (at < span.end && ours.at(at) == comparable(theirs.at(at), file.arch))
			at++;
		if (at >= span.end)
			tally.same_as_cfi++;
		else
			count_difference({file.oracle.version, symbols.at(span.end - 1), symbols.section_at(at),
					  comparable(theirs.at(at), file.arch), ours.at(at)},
					 path, at, tally);
	}
}

} // namespace core::sframe
