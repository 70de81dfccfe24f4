// SPDX-License-Identifier: GPL-2.0
// What a lookup takes: among 1 to 1,000,000 rows of a table and ranges of a process, and in 1 to 10,000 processes. The
// same is looked up in the standard library's structures in the same run. Exits with 1 if they do not find the same.
//
// The ranges are the module's (kmod/store/ranges.c, compiled for one thread); its table of processes is the kernel's,
// and is not measured: a process's ranges are at hand. The module has fewer ranges for a process than the largest sets
// here.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>

#include "bench/report.h"
#include "unit/core/world.h"

extern "C" {
#include "store/ranges.h"
#include "store/table_store.h"

// The tables outlive all ranges here, and no range has a file.
void uw_table_store_bind_copy(struct uw_stored_table*) {}
void uw_table_store_unbind(struct uw_stored_table*) {}
void uw_file_put(struct uw_file*) {}
}

using namespace bench;

namespace {

constexpr u32 warm_lookups = 4096, cold_lookups = 64;
constexpr u32 ranges_of_process = 100, rows_of_range = 1000, nr_tables = 8;
constexpr u64 text = 0x7f0000000000;
constexpr u64 range_bytes = 1 << 16, apart = 1 << 17;

std::mt19937 dice(7);

u32 below(std::size_t limit)
{
	return static_cast<u32>(dice() % limit);
}

using Lookup = std::function<u64(u64)>; // of an address, or of its place in a list

struct Method {
	const char* name;
	Lookup lookup;
};

Call repeat(const Method& method, const std::vector<u64>& places)
{
	return [method, places] {
		u64 sum = 0;
		for (u64 place : places)
			sum += method.lookup(place);
		keep(sum);
	};
}

void must_agree(const std::vector<Method>& methods, const std::vector<u64>& places)
{
	for (u64 place : places)
		for (const Method& method : methods)
			if (method.lookup(place) != methods.front().lookup(place)) {
				std::fprintf(stderr, "%s and %s find different things at %#llx\n", method.name,
					     methods.front().name, static_cast<unsigned long long>(place));
				std::exit(1);
			}
}

// pick: a place to look up.
void compare(const char* what, std::size_t nr, const std::vector<Method>& methods, const std::function<u64()>& pick)
{
	std::vector<u64> many(warm_lookups), few(cold_lookups);
	std::ranges::generate(many, pick);
	std::ranges::generate(few, pick);
	must_agree(methods, many);
	std::vector<Contestant> warm, cold;
	for (const Method& method : methods) {
		warm.push_back({method.name, repeat(method, many), warm_lookups});
		cold.push_back({method.name, repeat(method, few), cold_lookups});
	}
	time_all(warm, {21, 0});
	time_all(cold, {0, 15});
	const Key key = {{"in", what}, {"nr", std::to_string(nr)}};
	print_all("lookups", key, "ns per lookup", warm);
	print_all("lookups", key, "ns per lookup", cold);
}

// Rows as a compiler makes them: 25 to 120 bytes apart, and some hundreds of different rules.
struct MadeTable {
	explicit MadeTable(u32 rows)
	{
		core::Draft draft(rows, 1024);
		u32 at = 4096;
		for (; draft.draft.nr_rows < rows; at += 25 + below(95)) {
			const u32 before = draft.draft.nr_rows;
			const s32 off = 16 + 8 * static_cast<s32>(below(40));
			draft.add(at, below(3) ? core::x86_rule(UW_X86_SP, off) : core::x86_rule(UW_X86_SP, off, -off));
			if (draft.draft.nr_rows > before)
				starts.push_back(at);
		}
		bytes = uw_table_form_of(&draft.draft).bytes;
		for (u32 i = 0; i < rows; i++)
			by_start[starts[i]] = draft.draft.rules[draft.draft.rows[i].rule].cfa_off;
		for (u32 i = 0; i < rows; i++)
			offsets.push_back(draft.draft.rules[draft.draft.rows[i].rule].cfa_off);
		table = std::make_unique<core::Table>(draft.draft);
	}

	u64 sorted(u64 place) const
	{
		return static_cast<u64>(
			offsets[static_cast<std::size_t>(std::ranges::upper_bound(starts, place) - starts.begin()) -
				1]);
	}

	u64 tree(u64 place) const
	{
		return static_cast<u64>(std::prev(by_start.upper_bound(static_cast<u32>(place)))->second);
	}
	u64 ours(u64 place) const { return static_cast<u64>(uw_table_find(&table->table, place)->cfa_off); }

	std::unique_ptr<core::Table> table;
	u64 bytes = 0;
	std::vector<u32> starts;
	std::vector<s32> offsets;
	std::map<u32, s32> by_start;
};

void bench_rows()
{
	for (u32 nr = 1; nr <= 1000000; nr *= 10) {
		const MadeTable made(nr);
		compare("rows of a table", nr,
			{{"ours", [&](u64 place) { return made.ours(place); }},
			 {"std::upper_bound", [&](u64 place) { return made.sorted(place); }},
			 {"std::map", [&](u64 place) { return made.tree(place); }}},
			[&] { return made.starts[below(nr)] + below(25); });
		print_samples("lookups", {{"in", "rows of a table"}, {"nr", std::to_string(nr)}}, "ours",
			      "bytes per row", {static_cast<double>(made.bytes) / nr});
	}
}

// The module's tables of code, which each process maps.
std::vector<std::unique_ptr<uw_stored_table>> make_stored(const std::vector<MadeTable>& tables)
{
	std::vector<std::unique_ptr<uw_stored_table>> stored;
	for (const MadeTable& table : tables) {
		stored.push_back(std::make_unique<uw_stored_table>());
		stored.back()->table = table.table->table;
	}
	return stored;
}

// The ranges of a process: in the module's set, and in others.
class Process {
public:
	Process(u32 nr, const std::vector<std::unique_ptr<uw_stored_table>>& stored)
	{
		uw_range_set_init(&set_);
		std::vector<uw_range> ranges(nr);
		for (u32 i = 0; i < nr; i++) {
			ranges[i].start = text + i * apart;
			ranges[i].end = ranges[i].start + range_bytes;
			ranges[i].stored = stored[i % stored.size()].get();
			starts.push_back(ranges[i].start);
			by_start[ranges[i].start] = i % nr_tables;
		}
		if (uw_range_set_add(&set_, ranges.data(), nr, nr, 0))
			std::abort();
	}
	~Process() { uw_range_set_destroy(&set_); }
	Process(const Process&) = delete;

	const uw_range* find(u64 address) const { return uw_ranges_find_living(set_.ranges, address); }

	std::vector<u64> starts;
	std::map<u64, u32> by_start; // the table's number

private:
	uw_range_set set_;
};

void bench_ranges()
{
	std::vector<MadeTable> none;
	none.emplace_back(1);
	const auto stored = make_stored(none);
	for (u32 nr = 1; nr <= 1000000; nr *= 10) {
		const Process process(nr, stored);
		const auto& starts = process.starts;
		compare("ranges of a process", nr,
			{{"ours", [&](u64 place) { return process.find(place)->start; }},
			 {"std::upper_bound",
			  [&](u64 place) { return *std::prev(std::ranges::upper_bound(starts, place)); }},
			 {"std::map",
			  [&](u64 place) { return std::prev(process.by_start.upper_bound(place))->first; }}},
			[&] { return starts[below(nr)] + below(range_bytes); });
	}
}

// An address in a process.
struct Visit {
	u32 process;
	u64 address;
};

// Processes that map the same code. What is found: the range, and then the row in the range's table.
class Population {
public:
	Population()
	{
		for (u32 i = 0; i < nr_tables; i++)
			tables_.emplace_back(rows_of_range);
		stored_ = make_stored(tables_);
	}

	// Up to so many, of which any is visited.
	void grow(u32 nr)
	{
		while (processes_.size() < nr)
			processes_.push_back(std::make_unique<Process>(ranges_of_process, stored_));
		visits_.resize(1 << 16);
		for (Visit& visit : visits_)
			visit = {below(nr),
				 text + below(ranges_of_process) * apart + tables_[0].starts[below(500)] + 8000};
	}

	u64 pick() const { return below(visits_.size()); }

	u64 ours(u64 place) const
	{
		const Visit& visit = visits_[place];
		const uw_range* range = processes_[visit.process]->find(visit.address);
		return static_cast<u64>(uw_table_find(&range->stored->table, visit.address - range->start)->cfa_off);
	}

	u64 sorted(u64 place) const
	{
		const Visit& visit = visits_[place];
		const auto& starts = processes_[visit.process]->starts;
		const auto range = std::prev(std::ranges::upper_bound(starts, visit.address));
		const auto number = static_cast<std::size_t>(range - starts.begin()) % nr_tables;
		return tables_[number].sorted(visit.address - *range);
	}

	u64 tree(u64 place) const
	{
		const Visit& visit = visits_[place];
		const auto range = std::prev(processes_[visit.process]->by_start.upper_bound(visit.address));
		return tables_[range->second].tree(visit.address - range->first);
	}

private:
	std::vector<MadeTable> tables_;
	std::vector<std::unique_ptr<uw_stored_table>> stored_;
	std::vector<std::unique_ptr<Process>> processes_;
	std::vector<Visit> visits_;
};

void bench_processes()
{
	Population population;
	for (u32 nr = 1; nr <= 10000; nr *= 10) {
		population.grow(nr);
		compare("processes of 100 ranges, range and row", nr,
			{{"ours", [&](u64 place) { return population.ours(place); }},
			 {"std::upper_bound", [&](u64 place) { return population.sorted(place); }},
			 {"std::map", [&](u64 place) { return population.tree(place); }}},
			[&] { return population.pick(); });
	}
}

} // namespace

int main()
{
	bench_rows();
	bench_ranges();
	bench_processes();
	return 0;
}
