// SPDX-License-Identifier: GPL-2.0
// Go's table of functions in all of its layouts, and the rows that it makes.
#include <sstream>

#include "tables/go/pclntab.h"
#include "unit/tables/go/image.h"
#include "unit/tables/lower.h"

using go_image::Function;
using go_image::Layout;
using go_image::Table;
using namespace image;
using uwind::Arch;

namespace {

constexpr Layout layouts[] = {Layout::go2, Layout::go16, Layout::go18, Layout::go20};

// "main.f 1000-1020 0@1000-1004 …; "
std::string text_of(const uwind::GoTable& table)
{
	std::ostringstream text;
	text << std::hex;
	for (const uwind::GoFunction& function : table.functions) {
		text << function.name << ' ' << function.start << '-' << function.end
		     << (function.writes_sp ? "!" : "");
		for (std::size_t i = 0; i < function.depths; i++) {
			const uwind::GoDepth& depth = table.depths[function.first_depth + i];
			text << ' ' << depth.depth << '@' << depth.start << '-' << depth.end;
		}
		text << "; ";
	}
	return text.str();
}

std::string read(const Table& table)
{
	const ByteVector bytes = table.bytes();
	const auto read = uwind::read_go_table(bytes, table.word, 0);
	return read ? text_of(*read) : read.error().message;
}

Table two_functions(Layout layout, unsigned word)
{
	Table table{layout, word, 0x1000, 0x1000, 0x1060, {}};
	table.functions = {{0x1000, "main.f", {{0, 4}, {0x58, 20}, {0, 1}}}, {0x1040, "main.g", {{0, 32}}, 2}};
	return table;
}

// Rows of a program whose table describes the code at the text's first byte.
std::string rows_of(const ByteVector& code, std::vector<Function> functions, Layout layout = Layout::go20)
{
	Table table{layout, 8, text_address, text_address, text_address + code.size(), std::move(functions)};
	for (Function& function : table.functions)
		function.start += text_address;
	return image::text_of(lower(Image().code(0, code, ".text").section(".gopclntab", table.bytes())), Arch::x86_64);
}

// That many functions of 4 KiB, which share one record and as many depths.
ByteVector shared_depths(std::uint64_t functions)
{
	constexpr std::uint64_t first = 16, record_bytes = 64;
	const std::uint64_t record = first + (2 * functions + 1) * 8;
	ByteVector bytes;
	put(bytes, static_cast<std::uint32_t>(Layout::go2), 4);
	put(bytes, 0x08010000, 4);
	put(bytes, functions, 8);
	for (std::uint64_t i = 0; i < functions; i++) {
		put(bytes, 0x100000 + i * 4096, 8);
		put(bytes, record, 8);
	}
	put(bytes, 0x100000 + functions * 4096, 8);
	put(bytes, 0, 20);
	put(bytes, record + record_bytes, 4);
	bytes.resize(record + record_bytes);
	for (std::uint64_t i = 0; i < functions; i++)
		bytes = bytes + ByteVector{static_cast<std::uint8_t>(i % 2 ? 1 : i ? 2 : 4), 1}; // 1, 0, 1, …
	return bytes;
}

// A program with Go's table and a .debug_frame in which each of the functions has a row of its own: rsp + 64.
std::string rows_with_debug_frame(const ByteVector& code, const std::vector<Function>& functions)
{
	Table table{Layout::go20, 8, text_address, text_address, text_address + code.size(), functions};
	ByteVector frames = fixed(14, 4) + fixed(0xffffffff, 4) + ByteVector{1, 0, 1, 0x78, 16, 0x0c, 7, 64, 0x90, 1};
	for (std::size_t i = 0; i < functions.size(); i++) {
		const std::uint64_t end = i + 1 < functions.size() ? functions[i + 1].start : code.size();
		table.functions[i].start += text_address;
		frames = frames + fixed(20, 4) + fixed(0, 4) + fixed(text_address + functions[i].start, 8) +
			 fixed(end - functions[i].start, 8);
	}
	return image::text_of(lower(Image().code(0, code, ".text")
					    .section(".gopclntab", table.bytes())
					    .section(".debug_frame", frames)),
			      Arch::x86_64);
}

const std::string leaf = "cfa=rsp+8 ra=[cfa-8] rbp=same rbx=lost";

} // namespace

TEST_CASE("Go's functions and their depths are read from each layout, with words of both sizes")
{
	for (const unsigned word : {4u, 8u})
		for (const Layout layout : layouts) {
			CAPTURE(word, static_cast<std::uint32_t>(layout));
			const std::string flag = layout == Layout::go2 ? "" : "!";
			CHECK(read(two_functions(layout, word)) ==
			      "main.f 1000-1040 0@1000-1004 58@1004-1018 0@1018-1019; "
			      "main.g 1040-1060" +
				      flag + " 0@1040-1060; ");
		}
}

TEST_CASE("what Go's addresses are counted from may be said elsewhere")
{
	Table table = two_functions(Layout::go20, 8);
	table.text = 0;
	const ByteVector bytes = table.bytes();
	const auto read = uwind::read_go_table(bytes, 8, 0x7000);
	REQUIRE(read);
	CHECK(read->functions[1].start == 0x7040);
	CHECK(uwind::go_text(bytes, 8).at == 24);
	CHECK(uwind::go_text(bytes, 8).address == 0);
	CHECK(uwind::go_text(two_functions(Layout::go18, 8).bytes(), 8).address == 0x1000);
	CHECK(uwind::go_text(two_functions(Layout::go16, 8).bytes(), 8).at == 0);
}

TEST_CASE("a table of Go's functions that is cut off or lies is refused, or has less")
{
	for (const unsigned word : {4u, 8u})
		for (const Layout layout : layouts) {
			const ByteVector whole = two_functions(layout, word).bytes();
			for (std::size_t bytes = 0; bytes < whole.size(); bytes++) {
				const uwind::Bytes cut = uwind::Bytes(whole).first(bytes);
				const auto table = uwind::read_go_table(cut, word, 0);
				CHECK((!table || table->functions.size() <= 2));
			}
			CHECK_FALSE(uwind::read_go_table(whole, 12 - word, 0));
		}
	ByteVector bytes = two_functions(Layout::go20, 8).bytes();
	bytes[8 + 7] = 0x7f; // functions
	CHECK_FALSE(uwind::read_go_table(bytes, 8, 0));
	Table backwards = two_functions(Layout::go20, 8);
	std::swap(backwards.functions[0], backwards.functions[1]);
	CHECK_FALSE(uwind::read_go_table(backwards.bytes(), 8, 0));
}

TEST_CASE("depths end with their function, and where they say nothing more")
{
	Table table{Layout::go20, 8, 0x1000, 0x1000, 0x1010, {{0x1000, "f", {{0, 4}, {8, 4000}, {16, 4}}}}};
	CHECK(read(table) == "f 1000-1010 0@1000-1004 8@1004-1010; ");
	table.functions[0].depths = {{0, 4}, {8, 0}, {16, 4}};
	CHECK(read(table) == "f 1000-1010 0@1000-1004; ");
	table.functions[0].depths = {{-1, 4}, {8, 4}};
	CHECK(read(table) == "f 1000-1010 8@1004-1008; ");
}

TEST_CASE("functions that share their depths have no more of them than the table could hold")
{
	constexpr std::uint64_t functions = 1000;
	const ByteVector bytes = shared_depths(functions);
	const auto table = uwind::read_go_table(bytes, 8, 0);
	REQUIRE(table);
	CHECK(table->functions.size() == functions);
	CHECK(table->functions[3].depths == functions);
	CHECK(table->depths.size() == bytes.size() / 2);
}

TEST_CASE("a stripped Go program has a row for every depth")
{
	// sub $0x18,%rsp; mov %rbp,0x10(%rsp); lea 0x10(%rsp),%rbp; mov 0x10(%rsp),%rbp; add $0x18,%rsp; ret
	const ByteVector moved = {0x48, 0x83, 0xec, 0x18, 0x48, 0x89, 0x6c, 0x24, 0x10, 0x48, 0x8d, 0x6c,
				  0x24, 0x10, 0x48, 0x8b, 0x6c, 0x24, 0x10, 0x48, 0x83, 0xc4, 0x18, 0xc3};
	CHECK(rows_of(moved, {{0, "main.f", {{0, 4}, {0x18, 19}, {0, 1}}}}) ==
	      "0 " + leaf +
		      "; 4 cfa=rsp+32 ra=[cfa-8] rbp=same rbx=lost; 9 cfa=rsp+32 ra=[cfa-8] rbp=[cfa-16] "
		      "rbx=lost; 23 " +
		      leaf + "; 24 none");
	// push %rbp; mov %rsp,%rbp; sub $0x10,%rsp; add $0x10,%rsp; pop %rbp; ret
	const ByteVector pushed = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10, 0x48, 0x83, 0xc4, 0x10, 0x5d, 0xc3};
	CHECK(rows_of(pushed, {{0, "main.f", {{0, 1}, {8, 7}, {0x18, 4}, {8, 1}, {0, 1}}}}) ==
	      "0 " + leaf +
		      "; 1 cfa=rsp+16 ra=[cfa-8] rbp=[cfa-16] rbx=lost; 8 cfa=rsp+32 ra=[cfa-8] rbp=[cfa-16] "
		      "rbx=lost; 12 cfa=rsp+16 ra=[cfa-8] rbp=[cfa-16] rbx=lost; 13 " +
		      leaf + "; 14 none");
	// sub $0x18,%rsp; xor %ebp,%ebp; add $0x18,%rsp; ret
	const ByteVector general = {0x48, 0x83, 0xec, 0x18, 0x31, 0xed, 0x48, 0x83, 0xc4, 0x18, 0xc3};
	CHECK(rows_of(general, {{0, "main.f", {{0, 4}, {0x18, 6}, {0, 1}}}}) ==
	      "0 " + leaf + "; 4 cfa=rsp+32 ra=[cfa-8] rbp=lost rbx=lost; 10 " + leaf + "; 11 none");
}

TEST_CASE("nobody called a goroutine's first caller, and a function that switches stacks is read from its code")
{
	// nop; call; nop
	const ByteVector code = {0x90, 0xe8, 0, 0, 0, 0, 0x90};
	for (const char* name : {"runtime.goexit", "runtime.goexit.abi0", "runtime.rt0_go"})
		CHECK(rows_of(code, {{0, name, {{0, 7}}}}) == "0 outermost; 7 none");
	// mov %rbx,%rsp; ret
	const ByteVector stack_switch = {0x48, 0x89, 0xdc, 0xc3, 0xcc, 0xc3};
	const std::string plain = "cfa=rsp+8 ra=[cfa-8] rbp=same";
	CHECK(rows_of(stack_switch, {{0, "f", {{0, 4}}, 2}, {5, "g", {{0, 1}}}}) == "5 " + leaf + "; 6 none");
	// nop; hlt
	CHECK(rows_of({0x90, 0xf4}, {{0, "f", {{0, 2}}, 2}}) == "0 " + plain + "; 2 none");
}

// As asmcgocall does: mov %rsp,%rdx; mov (%rsi),%rsp; sub $64,%rsp; and $-16,%rsp; call *%rax; mov %rdx,%rsp; ret.
const ByteVector other_stack = {0x48, 0x89, 0xe2, 0x48, 0x8b, 0x26, 0x48, 0x83, 0xec, 0x40, 0x48,
				0x83, 0xe4, 0xf0, 0xff, 0xd0, 0x48, 0x89, 0xd4, 0xc3, 0xc3};

TEST_CASE("what switches stacks shows in the code where Go's table does not say it")
{
	for (const Layout layout : layouts) {
		CAPTURE(static_cast<std::uint32_t>(layout));
		CHECK(rows_of(other_stack, {{0, "asmcgocall", {{0, 10}, {64, 10}}}, {20, "g", {{0, 1}}}}, layout) ==
		      "20 " + leaf + "; 21 none");
	}
}

TEST_CASE("a function with a frame of 32 MiB switches no stacks")
{
	// sub $0x2000000,%rsp; add $0x2000000,%rsp; ret
	CHECK(rows_of({0x48, 0x81, 0xec, 0, 0, 0, 2, 0x48, 0x81, 0xc4, 0, 0, 0, 2, 0xc3},
		      {{0, "f", {{0, 7}, {0x2000000, 7}, {0, 1}}}}) ==
	      "0 " + leaf + "; 7 cfa=rsp+33554440 ra=[cfa-8] rbp=lost rbx=lost; 14 " + leaf + "; 15 none");
}

TEST_CASE("what Go's linker writes into .debug_frame does not count where stacks are switched or end")
{
	const ByteVector code = other_stack + ByteVector{0x90, 0xe8, 0, 0, 0, 0, 0x90};
	for (const std::uint8_t flags : {0, 2})
		CHECK(rows_with_debug_frame(code, {{0, "asmcgocall", {{0, 10}, {64, 10}}, flags},
						   {20, "g", {{0, 1}}},
						   {21, "runtime.goexit", {{0, 7}}}}) ==
		      "20 cfa=rsp+64 ra=[cfa-8] rbp=same; 21 outermost; 28 none");
}

TEST_CASE("call frame information comes before Go's table")
{
	const Table table{Layout::go20,      8,
			  text_address,      text_address,
			  text_address + 32, {{text_address, "f", {{0, 16}}}, {text_address + 16, "g", {{0, 16}}}}};
	Image file = Image().code(0, ByteVector(32, 0x90), ".text").section(".gopclntab", table.bytes());
	CfiText cfi(file.next_address());
	cfi.fde(cfi.cie(CieText{}), text_address, 16, {0x0e, 99});
	file.section(".eh_frame", cfi.bytes());
	CHECK(image::text_of(lower(file), Arch::x86_64)
		      .starts_with("0 cfa=rsp+99 ra=[cfa-8] rbp=same; 16 " + leaf + "; 32 "));
}
