// SPDX-License-Identifier: GPL-2.0
// What perf, the module and /proc say of kernel code that comes and goes.
#include <catch2/catch.hpp>

#include "io/kallsyms_text.h"
#include "io/ksymbols.h"
#include "io/module_watch.h"
#include "io/present_regions.h"
#include "unit/skipped.h"
#include "uwind.h"

using namespace uwind;

namespace {

template <typename T>
void append(std::vector<std::uint8_t>& bytes, const T& value)
{
	const auto* raw = reinterpret_cast<const std::uint8_t*>(&value);
	bytes.insert(bytes.end(), raw, raw + sizeof(value));
}

std::vector<std::uint8_t> ksymbol(std::uint16_t type, std::uint16_t flags, std::string name)
{
	name.resize((name.size() + 8) & ~std::size_t{7}, 0);
	std::vector<std::uint8_t> record;
	append(record, perf_event_header{PERF_RECORD_KSYMBOL, 0, static_cast<std::uint16_t>(32 + name.size())});
	append(record, std::uint64_t{0xffffffffc0001000});
	append(record, std::uint32_t{0x80});
	append(record, type);
	append(record, flags);
	record.insert(record.end(), name.begin(), name.end());
	append(record, std::uint64_t{77});
	return record;
}

std::vector<std::uint8_t> module_record(std::uint16_t type, std::uint64_t time_ns, std::uint64_t address,
					std::string name)
{
	name.resize((name.size() + 8) & ~std::size_t{7}, 0);
	uwind_text_record record{};
	record.size = static_cast<std::uint32_t>(sizeof(record) + name.size());
	record.type = type;
	record.after_ns = record.before_ns = time_ns;
	record.address = address;
	record.bytes = 0x1000;
	std::vector<std::uint8_t> bytes;
	append(bytes, record);
	bytes.insert(bytes.end(), name.begin(), name.end());
	return bytes;
}

std::string text_of(const std::vector<KernelRegionEvent>& events)
{
	std::string text;
	for (const auto& event : events)
		text += "cs-"[int(event.change)] + event.region.owner + "@" + std::to_string(event.region.start) + "/" +
			std::to_string(event.time_ns) + " ";
	return text;
}

constexpr char kallsyms[] = "ffffffff81000000 T _stext\n"
			    "ffffffffc0002000 t first\t[module]\n"
			    "ffffffffc0002000 T first_too\t[module]\n"
			    "ffffffffc0002100 t second\t[module]\n"
			    "ffffffffc0003000 d data\t[module]\n"
			    "ffffffffc0005000 t only\t[other]\n"
			    "ffffffffc0009000 t bpf_prog_0123_name\t[bpf]\n"
			    "ffffffffc0009080 t bpf_prog_4567\t[bpf]\n"
			    "ffffffffd0000000 t ftrace_trampoline\t[__builtin__ftrace]\n"
			    "ffffffffe0000000 t kprobe_insn_page\t[__builtin__kprobes]\n";

} // namespace

TEST_CASE("what else is told of a symbol makes its record longer, not later")
{
	auto record = ksymbol(PERF_RECORD_KSYMBOL_TYPE_BPF, 0, "bpf_prog_0123456789abcdef_name");
	record.resize(record.size() + 24);
	const auto event = ksymbol_in(record);
	REQUIRE(event);
	CHECK(event->time_ns == 77);
	CHECK(event->region.symbol == "bpf_prog_0123456789abcdef_name");
}

TEST_CASE("perf's record of a program is its place, its name and its time")
{
	const auto event = ksymbol_in(ksymbol(PERF_RECORD_KSYMBOL_TYPE_BPF, 0, "bpf_prog_0123456789abcdef_name"));
	REQUIRE(event);
	CHECK(event->change == KernelRegionChange::comes);
	CHECK(event->time_ns == 77);
	CHECK(event->region.start == 0xffffffffc0001000);
	CHECK(event->region.bytes == 0x80);
	CHECK(event->region.owner == "bpf");
	CHECK(event->region.symbol == "bpf_prog_0123456789abcdef_name");
	const auto gone =
		ksymbol_in(ksymbol(PERF_RECORD_KSYMBOL_TYPE_BPF, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER, "name"));
	CHECK(gone->change == KernelRegionChange::goes);
	const auto owner = [](const char* name) {
		return ksymbol_in(ksymbol(PERF_RECORD_KSYMBOL_TYPE_OOL, 0, name))->region.owner;
	};
	CHECK(owner("ftrace_trampoline") == "__builtin__ftrace");
	CHECK(owner("kprobe_insn_page") == "__builtin__kprobes");
}

TEST_CASE("a record that is cut off, or another one, is none of a program")
{
	auto record = ksymbol(PERF_RECORD_KSYMBOL_TYPE_BPF, 0, "name");
	for (std::size_t bytes = 0; bytes < 32; bytes++)
		CHECK_FALSE(ksymbol_in(Bytes(record).first(bytes)));
	CHECK_FALSE(ksymbol_in(ksymbol(PERF_RECORD_KSYMBOL_TYPE_BPF, 0, "")));
	record[0] = PERF_RECORD_COMM;
	CHECK_FALSE(ksymbol_in(record));
}

TEST_CASE("a module's init goes when the module settles, or with it")
{
	ModuleRecords records;
	std::vector<KernelRegionEvent> events;
	std::vector<std::uint8_t> bytes;
	const auto add = [&](std::uint16_t type, std::uint64_t time_ns, std::uint64_t address, const char* name) {
		const auto record = module_record(type, time_ns, address, name);
		bytes.insert(bytes.end(), record.begin(), record.end());
	};
	add(UWIND_TEXT_MODULE_COMING, 1, 100, "good");
	add(UWIND_TEXT_MODULE_COMING, 1, 500, "good");
	add(UWIND_TEXT_MODULE_LIVE, 2, 100, "good");
	add(UWIND_TEXT_MODULE_COMING, 3, 200, "failing");
	add(UWIND_TEXT_MODULE_COMING, 3, 500, "failing");
	add(UWIND_TEXT_MODULE_GOING, 4, 200, "failing");
	add(UWIND_TEXT_FLUSH, 5, 200, "");
	add(UWIND_TEXT_MODULE_GOING, 6, 100, "good");
	records.take(bytes, 1000, events);
	CHECK(text_of(events) ==
	      "cgood@100/1001 cgood@500/1001 -good@500/1002 sgood@100/1002 "
	      "cfailing@200/1003 cfailing@500/1003 -failing@500/1004 -failing@200/1004 -good@100/1006 ");
}

TEST_CASE("records of modules that are cut off or were lost")
{
	ModuleRecords records;
	std::vector<KernelRegionEvent> events;
	const auto record = module_record(UWIND_TEXT_MODULE_LIVE, 2, 100, "name");
	records.take(Bytes(record).first(record.size() - 1), 0, events);
	CHECK(events.empty());
	auto lost = module_record(UWIND_TEXT_LOST, 2, 0, "");
	records.take(lost, 0, events);
	CHECK(events.empty());
	CHECK(records.lost() == 0x1000); // its bytes say how many
	lost[0] = 1;
	records.take(lost, 0, events);
	CHECK(events.empty());
}

TEST_CASE("the kernel's own symbols come first, and can be passed before the others are read")
{
	CHECK(core_bytes_of(kallsyms) == std::string_view("ffffffff81000000 T _stext\n").size());
	CHECK(core_bytes_of("ffffffff81000000 T _stext\n") == 26);
	CHECK(core_bytes_of("ffffffffc0005000 t only\t[other]\n") == 0);
	OwnedKallsyms owned;
	owned.get_ready(); // nothing is known yet
	const auto all = owned.read();
	REQUIRE(all);
	if (core_bytes_of(*all) == all->size() && !skipped("this kernel has no modules"))
		return;
	owned.get_ready();
	const auto rest = owned.read();
	REQUIRE(rest);
	CHECK(rest->size() < all->size());
	CHECK(rest->substr(0, rest->find('\n')).ends_with(']'));
	CHECK(all->ends_with(*rest));
}

TEST_CASE("modules have symbols of code, and programs are regions that end where the next begins")
{
	const auto owned = owned_symbols(kallsyms, {});
	REQUIRE(owned.modules.size() == 2);
	const KernelSymbols& symbols = *owned.modules.at("module");
	REQUIRE(symbols.places.size() == 2);
	CHECK(symbols.name_of(symbols.places[0]) == "first_too");
	CHECK(symbols.name_of(symbols.places[1]) == "second");
	REQUIRE(owned.others.size() == 4);
	CHECK(owned.others[0].symbol == "bpf_prog_0123_name");
	CHECK(owned.others[0].bytes == 0x80);
	CHECK(owned.others[1].bytes == 1u << 20);
	CHECK(owned.others[2].owner == "__builtin__ftrace");
	CHECK(owned.others[3].bytes == 4096);
	const auto one = owned_symbols(kallsyms, {"other"});
	CHECK(one.modules.size() == 1);
	CHECK(one.modules.contains("other"));
	CHECK(one.others.empty());
}

TEST_CASE("modules lie where /proc/modules says, if this user may see that")
{
	const auto regions = module_regions("nf_tables 311296 2 nft_a,nft_b, Live 0xffffffffc0a00000\n"
					    "tainted 16384 0 - Live 0xffffffffc0b00000 (OE)\n"
					    "hidden 16384 0 - Live 0x0000000000000000\n"
					    "broken\n");
	REQUIRE(regions.size() == 2);
	CHECK(regions[0].owner == "nf_tables");
	CHECK(regions[0].start == 0xffffffffc0a00000);
	CHECK(regions[0].bytes == 311296);
	CHECK(regions[0].is_module());
	CHECK(regions[1].start == 0xffffffffc0b00000);
}
