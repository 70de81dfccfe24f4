// SPDX-License-Identifier: GPL-2.0
// Where the kernel's text and its patched places are: tables, sections of modules, a core file, records of perf.
#include <catch2/catch.hpp>

#include <cerrno>
#include <cstring>
#include <elf.h>
#include <fstream>

#include "io/kernel_image.h"
#include "io/kernel_memory.h"
#include "io/module_text.h"
#include "io/text_changes_perf.h"
#include "unit/temporary_folder.h"

using namespace uwind;

namespace {

template <typename... T>
std::vector<std::uint8_t> packed(T... values)
{
	std::vector<std::uint8_t> bytes;
	const auto add = [&](auto value) {
		const auto* at = reinterpret_cast<const std::uint8_t*>(&value);
		bytes.insert(bytes.end(), at, at + sizeof(value));
	};
	(add(values), ...);
	return bytes;
}

std::vector<std::uint8_t> record_of(std::uint32_t type, std::vector<std::uint8_t> body, std::uint64_t time_ns)
{
	body.resize((body.size() + 7) / 8 * 8);
	const auto trailer = packed(std::uint32_t{5}, std::uint32_t{6}, time_ns, std::uint64_t{1});
	body.insert(body.end(), trailer.begin(), trailer.end());
	auto record = packed(type, std::uint16_t{0}, static_cast<std::uint16_t>(body.size() + 8));
	record.insert(record.end(), body.begin(), body.end());
	return record;
}

} // namespace

TEST_CASE("entries of a jump table are relative to themselves, and the key's flags are left out")
{
	constexpr std::uint64_t at = 0xffffffff82000000;
	const auto table =
		packed(std::int32_t{-0x1000}, std::int32_t{-0xf00}, std::int64_t{0x501}, std::int32_t{0x20},
		       std::int32_t{0}, std::int64_t{-0x10 + 2}, std::int32_t{0}, std::int32_t{0}, std::int64_t{0});
	const auto found = jump_labels_in(table, at);
	REQUIRE(found.size() == 2); // and what follows the table is none
	CHECK(found[0] == std::pair<std::uint64_t, std::uint64_t>(at - 0x1000, at + 8 + 0x500));
	CHECK(found[1] == std::pair<std::uint64_t, std::uint64_t>(at + 16 + 0x20, at + 24 - 0x10));
	CHECK(jump_labels_in(Bytes(table).first(15), at).empty());
}

TEST_CASE("sites of static calls are relative to themselves")
{
	constexpr std::uint64_t at = 0xffffffff82000000;
	const auto found = static_calls_in(packed(std::int32_t{-0x100}, std::int32_t{0x205}), at);
	REQUIRE(found.size() == 1);
	CHECK(found[0] == std::pair<std::uint64_t, std::uint64_t>(at - 0x100, at + 4 + 0x204 - 0));
}

TEST_CASE("a module's text is that of its sections of code, without those of its init")
{
	const ModuleSections joined{{".text", 0xc0000000},
				    {".text.unlikely", 0xc0001800},
				    {".rodata", 0xc0003000},
				    {".init.text", 0xc0009000},
				    {".data", 0xc0005000}};
	const TextRange text = text_in_sections(joined, {0xc0000000, 0xc0001900, 0xc0000100});
	CHECK(text.address == 0xc0000000);
	CHECK(text.bytes == 0x3000); // up to the data: the last function may go over its page's end
	const ModuleSections apart{{".text", 0xc0000040}, {".rodata", 0xd0000000}};
	CHECK(text_in_sections(apart, {0xc0002345}).bytes == 0x3000);
	CHECK(text_in_sections(apart, {0xd0000010 + (std::uint64_t{1} << 40)}).bytes == 0x1000);
	CHECK(text_in_sections({{".data", 0xc0000000}}, {}).bytes == 0);
	// The names of what init had stay, where it was.
	CHECK(text_in_sections(joined, {0xc0001900, 0xc0009000, 0xc0009040}).bytes == 0x3000);
	const ModuleSections far{{".text", 0xc0000000}, {".data", 0xc0020000}, {".init.text", 0xc00a0000}};
	CHECK(text_in_sections(far, {0xc001fb00, 0xc00a0000}).bytes == 0x20000);
	CHECK(section_of_module(joined, ".rodata").bytes == 0x2000);
	CHECK(section_of_module(joined, "__jump_table").bytes == 0);
}

TEST_CASE("memory is read by the segments of a core file")
{
	const TemporaryFolder folder;
	const std::string path = folder.at("core");
	Elf64_Ehdr header{};
	std::memcpy(header.e_ident, ELFMAG, SELFMAG);
	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_type = ET_CORE;
	header.e_phoff = sizeof(header);
	header.e_phentsize = sizeof(Elf64_Phdr);
	header.e_phnum = 1;
	Elf64_Phdr segment{};
	segment.p_type = PT_LOAD;
	segment.p_vaddr = 0xffffffff81000000;
	segment.p_offset = 512;
	segment.p_memsz = 16;
	std::vector<char> file(528, 7);
	std::memcpy(file.data(), &header, sizeof(header));
	std::memcpy(file.data() + sizeof(header), &segment, sizeof(segment));
	std::ofstream(path, std::ios::binary).write(file.data(), static_cast<std::streamsize>(file.size()));
	const auto memory = KernelMemory::open(path);
	REQUIRE(memory);
	std::vector<std::uint8_t> bytes(8);
	REQUIRE(memory->read(0xffffffff81000008, bytes));
	CHECK(bytes == std::vector<std::uint8_t>(8, 7));
	CHECK(memory->read(0xffffffff81000009, bytes).error().code == EFAULT);
	CHECK(memory->read(0xffffffff80ffffff, bytes).error().code == EFAULT);
	std::ofstream(path, std::ios::binary).write(file.data(), 100);
	CHECK(KernelMemory::open(path).error().code == EPROTO);
	CHECK(KernelMemory::open(folder.at("none")).error().code == ENOENT);
}

TEST_CASE("records of perf say what has changed, and who did it")
{
	const auto poke = text_event_in(record_of(
		20, packed(std::uint64_t{0x1000}, std::uint16_t{2}, std::uint16_t{2}, std::uint32_t{0x04030201}), 77));
	REQUIRE(poke);
	const auto& change = std::get<TextChange>(*poke);
	CHECK(change.address == 0x1000);
	CHECK(change.before == std::vector<std::uint8_t>{1, 2});
	CHECK(change.after == std::vector<std::uint8_t>{3, 4});
	CHECK(change.from_ns == 77);
	CHECK(change.tid == 6);
	CHECK(change.cpu == 1);
	const auto symbol = text_event_in(record_of(
		17, packed(std::uint64_t{0x2000}, std::uint32_t{64}, std::uint16_t{2}, std::uint16_t{1}, 'p', '\0'),
		78));
	REQUIRE(symbol);
	const auto& region = std::get<TextRegion>(*symbol);
	CHECK_FALSE(region.comes);
	CHECK(region.owner == TextOwner::OUT_OF_LINE);
	CHECK(region.name == "p");
	CHECK(region.ranges.front().bytes == 64);
}

TEST_CASE("a record that is too short for what it says is none")
{
	CHECK_FALSE(
		text_event_in(record_of(20, packed(std::uint64_t{0x1000}, std::uint16_t{20}, std::uint16_t{20}), 1)));
	CHECK_FALSE(text_event_in(
		record_of(20, packed(std::uint64_t{0x1000}, std::uint16_t{1}, std::uint16_t{2}, std::uint32_t{0}), 1)));
	CHECK_FALSE(text_event_in(packed(std::uint32_t{20}, std::uint16_t{0}, std::uint16_t{16}, std::uint64_t{0})));
	CHECK_FALSE(text_event_in(record_of(3, packed(std::uint64_t{0x1000}, std::uint64_t{0}), 1)));
}

TEST_CASE("a record that says it is longer than it is, as where others are told too, is read as far as it goes")
{
	auto record = record_of(
		20, packed(std::uint64_t{0x1000}, std::uint16_t{1}, std::uint16_t{1}, std::uint16_t{0x0201}), 77);
	record.resize(record.size() + 24);
	const auto event = text_event_in(record);
	REQUIRE(event);
	CHECK(std::get<TextChange>(*event).until_ns == 77);
	CHECK(std::get<TextChange>(*event).tid == 6);
}
