// SPDX-License-Identifier: GPL-2.0
// Records of perf: what they say, in the order of their times.
#include <catch2/catch.hpp>

#include "perf_data/registers.h"
#include "unit/perf_data/perf_file.h"
#include "unit/perf_data/read_recording.h"
#include "unit/temporary_folder.h"

using namespace uwind;
using namespace perf_file;

namespace {

constexpr std::uint64_t with_time = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;

Read read(const File& file)
{
	const TemporaryFolder folder;
	file.write(folder.at("perf.data"));
	return read_recording(folder.at("perf.data"));
}

File file_of(const Event& event)
{
	File file;
	file.events = {event};
	return file;
}

template <typename T>
T only(const Read& read)
{
	REQUIRE(read.records.size() == 1);
	REQUIRE(std::holds_alternative<T>(read.records[0]));
	return std::get<T>(read.records[0]);
}

std::vector<std::uint64_t> times(const Read& read)
{
	std::vector<std::uint64_t> times;
	for (const PerfRecord& record : read.records)
		times.push_back(std::get<PerfName>(record).time_ns);
	return times;
}

void add_name(File& file, std::uint64_t time_ns)
{
	Blob body;
	body.u32(1).u32(1).text("sh");
	file.add(PERF_RECORD_COMM, 0, trailer(body, 1, time_ns));
}

} // namespace

TEST_CASE("a sample's parts are read in the order of their bits")
{
	Event all =
		event(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
		      PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ |
		      PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER |
		      PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC);
	all.ids = {70, 71};
	all.attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | 16;
	all.attr.branch_sample_type = 1u << 17 | 1u << 19;
	all.attr.sample_regs_user = 1 << 0 | 1 << 7 | 1 << 8 | 1 << 16; // ax, sp, ip, r8
	Blob body;
	body.u64(71).u64(0xffffffff81000010).u32(5).u32(6).u64(1000).u64(1).u64(71).u64(2).u32(3).u32(0).u64(4);
	body.u64(2).u64(9).u64(1).u64(70).u64(0).u64(1).u64(71).u64(0); // two counts, a time, ids, losses
	body.u64(5).u64(-128).u64(0xffffffff81000010).u64(-512).u64(0x401000).u64(0x402000);
	body.u32(4).u32(0xabcd);
	body.u64(1).u64(0).u64(1).u64(2).u64(3).u64(4); // a branch, and its counters
	body.u64(PERF_SAMPLE_REGS_ABI_64).u64(11).u64(0x7fff0000).u64(0x401000).u64(18);
	body.u64(16).u64(0x1111).u64(0x2222).u64(8);
	body.u64(0).u64(0);
	File file = file_of(all);
	file.add(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, body);
	const PerfSample sample = only<PerfSample>(read(file));
	CHECK(sample.event == 0u);
	CHECK(sample.ip == 0xffffffff81000010);
	CHECK(sample.pid == 5);
	CHECK(sample.tid == 6);
	CHECK(sample.time_ns == 1000);
	CHECK(sample.cpu == 3);
	CHECK(sample.period == 4);
	CHECK(sample.kernel_chain == std::vector<std::uint64_t>{0xffffffff81000010});
	CHECK(sample.user_chain == std::vector<std::uint64_t>{0x401000, 0x402000});
	CHECK_FALSE(sample.in_user_mode);
	REQUIRE(sample.registers);
	CHECK(sample.registers->arch == Arch::x86_64);
	CHECK(sample.registers->pc == 0x401000);
	CHECK(sample.registers->registers[0] == 11);
	CHECK(sample.registers->registers[7] == 0x7fff0000);
	CHECK(sample.registers->registers[8] == 18);
	CHECK(sample.registers->known == (1u << 0 | 1u << 7 | 1u << 8));
	CHECK(sample.registers->stack.get().size() == 8);
}

TEST_CASE("a sample that says it has more than it has is counted, and the next one is read")
{
	const std::uint64_t parts = with_time | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER;
	const auto sample = [](std::uint64_t chain, std::uint64_t stack, std::uint64_t filled) {
		return Blob().u32(1).u32(1).u64(1).u64(chain).u64(-512).u64(0x401000).u64(stack).u64(0).u64(filled);
	};
	File file = file_of(event(parts));
	file.add(PERF_RECORD_SAMPLE, 2, sample(1ull << 61, 8, 8));
	file.add(PERF_RECORD_SAMPLE, 2, sample(2, 1ull << 60, 8));
	file.add(PERF_RECORD_SAMPLE, 2, sample(2, 8, 9));
	file.add(PERF_RECORD_SAMPLE, 2, Blob().u32(1));
	file.add(PERF_RECORD_SAMPLE, 2, sample(2, 8, 8));
	const Read result = read(file);
	CHECK(result.skipped.malformed == 4);
	CHECK(only<PerfSample>(result).user_chain == std::vector<std::uint64_t>{0x401000});
}

TEST_CASE("a deferred sample has its cookie, and its chain the same one")
{
	File file = file_of(event(with_time | PERF_SAMPLE_CALLCHAIN));
	file.add(PERF_RECORD_SAMPLE, 1,
		 Blob().u32(7).u32(8).u64(1).u64(4).u64(-128).u64(0xffffffff81000000).u64(-640).u64(1234));
	file.add(PERF_RECORD_SAMPLE, 1, Blob().u32(7).u32(8).u64(2).u64(1).u64(-640)); // without a cookie
	Blob chain;
	chain.u64(1234).u64(3).u64(-512).u64(0x401000).u64(0x402000).u32(7).u32(8).u64(3);
	file.add(22, 0, chain);
	const Read result = read(file);
	REQUIRE(result.records.size() == 3);
	CHECK(std::get<PerfSample>(result.records[0]).cookie == 1234u);
	CHECK(std::get<PerfSample>(result.records[0]).kernel_chain.size() == 1);
	CHECK_FALSE(std::get<PerfSample>(result.records[1]).cookie);
	const auto& deferred = std::get<PerfDeferredChain>(result.records[2]);
	CHECK(deferred.cookie == 1234);
	CHECK(deferred.pid == 7);
	CHECK(deferred.tid == 8);
	CHECK(deferred.user_chain == std::vector<std::uint64_t>{0x401000, 0x402000});
}

TEST_CASE("a mapping says which file it is by inode or by build-id")
{
	File file = file_of(event(with_time));
	Blob by_inode, by_build_id, data;
	by_inode.u32(7).u32(7).u64(0x400000).u64(0x1000).u64(0x2000).u32(8).u32(1).u64(99).u64(0).u32(5).u32(2).text(
		"/a");
	file.add(PERF_RECORD_MMAP2, 2, trailer(by_inode, 7, 1));
	by_build_id.u32(7).u32(7).u64(0x500000).u64(0x1000).u64(0).u32(20).all(std::vector<std::uint8_t>(20, 0xab));
	by_build_id.u32(5).u32(2).text("/b");
	file.add(PERF_RECORD_MMAP2, 2 | 1 << 14, trailer(by_build_id, 7, 2));
	data.u32(7).u32(7).u64(0x600000).u64(0x1000).u64(0).text("/c");
	file.add(PERF_RECORD_MMAP, 2 | 1 << 13, trailer(data, 7, 3));
	const Read result = read(file);
	REQUIRE(result.records.size() == 3);
	const auto& first = std::get<PerfMapping>(result.records[0]);
	CHECK(first.mapping.start == 0x400000);
	CHECK(first.mapping.end == 0x401000);
	CHECK(first.mapping.pgoff == 0x2000);
	CHECK(first.mapping.inode == 99);
	CHECK(first.mapping.path == "/a");
	CHECK(first.executable);
	CHECK(first.build_id.empty());
	const auto& second = std::get<PerfMapping>(result.records[1]);
	CHECK(second.build_id == std::string("abababababababababababababababababababab"));
	CHECK(second.mapping.inode == 0);
	CHECK_FALSE(std::get<PerfMapping>(result.records[2]).executable);
}

TEST_CASE("forks, execs, ends and losses are read")
{
	File file = file_of(event(with_time));
	Blob fork, exec, end, lost, samples, symbol;
	fork.u32(8).u32(7).u32(8).u32(7).u64(1);
	file.add(PERF_RECORD_FORK, 0, trailer(fork, 7, 1));
	exec.u32(8).u32(8).text("ls");
	file.add(PERF_RECORD_COMM, 1 << 13, trailer(exec, 8, 2));
	end.u32(8).u32(7).u32(8).u32(7).u64(3);
	file.add(PERF_RECORD_EXIT, 0, trailer(end, 8, 3));
	lost.u64(1).u64(12);
	file.add(PERF_RECORD_LOST, 0, trailer(lost, 8, 4));
	samples.u64(13);
	file.add(PERF_RECORD_LOST_SAMPLES, 0, trailer(samples, 8, 5));
	symbol.u64(0xffffffffc0000000).u32(64).u16(1).u16(0).text("bpf_prog_1");
	file.add(17, 0, trailer(symbol, 8, 6));
	const Read result = read(file);
	REQUIRE(result.records.size() == 6);
	CHECK(std::get<PerfFork>(result.records[0]).parent == 7);
	CHECK(std::get<PerfFork>(result.records[0]).pid == 8);
	CHECK(std::get<PerfName>(result.records[1]).exec);
	CHECK(std::get<PerfName>(result.records[1]).comm == "ls");
	CHECK(std::get<PerfExit>(result.records[2]).tid == 8);
	CHECK(std::get<PerfLost>(result.records[3]).records == 12);
	CHECK(std::get<PerfLost>(result.records[4]).records == 13);
	const auto& program = std::get<KernelRegionEvent>(result.records[5]);
	CHECK(program.time_ns == 6);
	CHECK(program.change == KernelRegionChange::comes);
	CHECK(program.region.start == 0xffffffffc0000000);
	CHECK(program.region.bytes == 64);
	CHECK(program.region.owner == "bpf");
	CHECK(program.region.symbol == "bpf_prog_1");
}

TEST_CASE("other records that contradict themselves, or are unknown, are counted")
{
	File file = file_of(event(with_time));
	Blob endless;
	endless.u32(8).u32(8);
	endless.bytes.resize(16, 'x');
	file.add(PERF_RECORD_COMM, 0, trailer(endless, 8, 2));
	file.add(PERF_RECORD_FORK, 0, Blob().u32(1));
	file.add(1000, 0, Blob().u64(1));
	file.add(PERF_RECORD_THROTTLE, 0, Blob().u64(1)); // known, and of no use
	const Read result = read(file);
	CHECK(result.records.empty());
	CHECK(result.skipped.malformed == 2);
	CHECK(result.skipped.unknown == 1);
}

TEST_CASE("records of several events are told apart by their ids")
{
	const std::uint64_t parts = with_time | PERF_SAMPLE_IDENTIFIER;
	Event first = event(parts), second = event(parts | PERF_SAMPLE_PERIOD);
	first.ids = {10};
	second.ids = {20};
	second.name = "cycles:u";
	File file = file_of(first);
	file.events.push_back(second);
	file.add(PERF_RECORD_SAMPLE, 2, Blob().u64(20).u32(1).u32(1).u64(1).u64(777));
	file.add(PERF_RECORD_SAMPLE, 2, Blob().u64(10).u32(1).u32(1).u64(2));
	file.add(PERF_RECORD_SAMPLE, 2, Blob().u64(30).u32(1).u32(1).u64(3));
	const Read result = read(file);
	REQUIRE(result.records.size() == 3);
	CHECK(std::get<PerfSample>(result.records[0]).event == 1u);
	CHECK(std::get<PerfSample>(result.records[0]).period == 777);
	CHECK(std::get<PerfSample>(result.records[1]).event == 0u);
	CHECK_FALSE(std::get<PerfSample>(result.records[2]).event);
	CHECK(result.header.events[1].name == "cycles:u");
}

TEST_CASE("records go on in the order of their times, round by round")
{
	File file = file_of(event(with_time));
	for (const std::uint64_t time_ns : {5, 9, 3})
		add_name(file, time_ns);
	file.end_round();
	for (const std::uint64_t time_ns : {12, 7, 11})
		add_name(file, time_ns);
	file.end_round();
	for (const std::uint64_t time_ns : {10, 13})
		add_name(file, time_ns);
	const Read result = read(file);
	CHECK(times(result) == std::vector<std::uint64_t>{3, 5, 7, 9, 10, 11, 12, 13});
	CHECK(result.skipped.late == 0);
}

TEST_CASE("above the sorter's limit half of the records go on, and later ones are counted")
{
	perf_data::Sorter sorter(1000);
	const std::vector<std::uint8_t> body(100);
	for (std::uint64_t time_ns = 10; time_ns < 20; time_ns++)
		sorter.add({1, 0, body}, std::nullopt, time_ns);
	std::size_t gone = 0;
	while (sorter.next())
		gone++;
	CHECK(gone >= 5);
	CHECK(gone < 10);
	sorter.add({1, 0, body}, std::nullopt, 1);
	CHECK(sorter.late() == 1);
	sorter.end();
	while (sorter.next())
		gone++;
	CHECK(gone == 11);
}

TEST_CASE("registers of perf have DWARF's numbers on each kind of machine")
{
	using namespace perf_data;
	const unsigned x86[] = {0, 1, 2, 3, 4, 5, 6, 7}; // ax bx cx dx si di bp sp
	std::vector<int> wide, narrow;
	for (const unsigned number : x86) {
		wide.push_back(place_of(Arch::x86_64, number));
		narrow.push_back(place_of(Arch::i386, number));
	}
	CHECK(wide == std::vector<int>{0, 3, 2, 1, 4, 5, 6, 7});
	CHECK(narrow == std::vector<int>{0, 3, 1, 2, 6, 7, 5, 4});
	CHECK(place_of(Arch::x86_64, 8) == is_pc);
	CHECK(place_of(Arch::x86_64, 16) == 8);
	CHECK(place_of(Arch::x86_64, 23) == 15);
	CHECK(place_of(Arch::x86_64, 24) == not_kept);
	CHECK(place_of(Arch::i386, 16) == not_kept);
	CHECK(place_of(Arch::arm64, 31) == 31);
	CHECK(place_of(Arch::arm64, 32) == is_pc);
	CHECK(place_of(Arch::arm64, 46) == not_kept);
	CHECK(place_of(Arch::arm, 13) == 13);
	CHECK(place_of(Arch::arm, 15) == not_kept);
	CHECK(place_of(Arch::arm, 32) == is_pc);
}

TEST_CASE("registers of a 32-bit program are cut to its words")
{
	const Blob values = Blob().u64(0xffffffff'00000001).u64(0xffffffff'00001000).u64(0xffffffff'08048000);
	ByteCursor cursor(values.bytes);
	const Unfinished frame = perf_data::first_frame(Arch::i386, 1 << 0 | 1 << 7 | 1 << 8, cursor);
	CHECK(frame.registers[0] == 1);
	CHECK(frame.registers[4] == 0x1000);
	CHECK(frame.pc == 0x08048000);
	CHECK(frame.exact);
}

TEST_CASE("what a file says of its recording is read")
{
	File file = file_of(event(with_time));
	file.events[0].attr.use_clockid = 1;
	file.events[0].attr.clockid = 7;
	file.events[0].attr.exclude_kernel = 1;
	Blob build_ids;
	build_ids.u32(0).u16(1 | 1 << 15).u16(8 + 4 + 24 + 24).u32(~0u).all(std::vector<std::uint8_t>(20, 0xcd));
	build_ids.u8(8).u8(0).u16(0).text("[kernel.kallsyms]");
	file.sections = {{2, build_ids},
			 {3, Blob().counted("box")},
			 {4, Blob().counted("6.1.0")},
			 {5, Blob().counted("6.1.187")},
			 {11, Blob().u32(3).counted("perf").counted("record").counted("a b")}};
	add_name(file, 1);
	const PerfHeader header = read(file).header;
	CHECK(header.hostname == "box");
	CHECK(header.release == "6.1.0");
	CHECK(header.perf == "6.1.187");
	CHECK(header.machine == "x86_64");
	CHECK(header.command == "perf record 'a b'");
	CHECK(header.clock == 7u);
	REQUIRE(header.events.size() == 1);
	CHECK(header.events[0].name == "cpu-clock");
	CHECK(header.events[0].rate == 99);
	CHECK(header.events[0].user_only);
	REQUIRE(header.build_ids.size() == 1);
	CHECK(header.build_ids[0].kernel);
	CHECK(header.build_ids[0].path == "[kernel.kallsyms]");
	CHECK(header.build_ids[0].build_id == "cdcdcdcdcdcdcdcd");
}
