// SPDX-License-Identifier: GPL-2.0
// Static probes: notes that are read, and notes that lie.
#include "elf/probe_places.h"
#include "unit/tables/lower.h"

using namespace image;
using uwind::ElfFile;
using uwind::StapNote;

namespace {

ByteVector text(const std::string& word)
{
	ByteVector bytes(word.begin(), word.end());
	bytes.push_back(0);
	return bytes;
}

ByteVector padded(ByteVector bytes)
{
	bytes.resize((bytes.size() + 3) & ~std::size_t{3});
	return bytes;
}

ByteVector descriptor(std::uint64_t address, std::uint64_t base, std::uint64_t semaphore)
{
	return fixed(address, 8) + fixed(base, 8) + fixed(semaphore, 8) + text("db") + text("begin") + text("8@%rdi");
}

ByteVector note(const ByteVector& content, const std::string& owner = "stapsdt", std::uint32_t type = 3)
{
	return fixed(owner.size() + 1, 4) + fixed(content.size(), 4) + fixed(type, 4) + padded(text(owner)) +
	       padded(content);
}

std::vector<StapNote> notes(const ByteVector& section, std::uint64_t base = 0)
{
	Image file;
	file.section(".note.stapsdt", section);
	if (base)
		file.section(".stapsdt.base", ByteVector(1));
	auto elf = ElfFile::from_bytes(file.build());
	REQUIRE(elf);
	return uwind::stap_notes(*elf);
}

} // namespace

TEST_CASE("a static probe's note has its provider, its name, its address and its semaphore")
{
	const auto found = notes(note(descriptor(text_address + 4, 0, 0x8000)) + note(descriptor(text_address, 0, 0)));
	REQUIRE(found.size() == 2);
	CHECK(found[0].provider == "db");
	CHECK(found[0].name == "begin");
	CHECK(found[0].address == text_address + 4);
	CHECK(found[0].semaphore == 0x8000);
	CHECK(found[1].semaphore == 0);
}

TEST_CASE("a probe moves with .stapsdt.base")
{
	Image file;
	const std::uint64_t base = file.next_address();
	file.section(".stapsdt.base", ByteVector(1));
	file.section(".note.stapsdt", note(descriptor(0x100, base - 0x40, 0x200)));
	const auto elf = ElfFile::from_bytes(file.build());
	REQUIRE(elf);
	const auto found = uwind::stap_notes(*elf);
	REQUIRE(found.size() == 1);
	CHECK(found[0].address == 0x140);
	CHECK(found[0].semaphore == 0x240);
}

TEST_CASE("notes of others are left out, and a note that is cut short ends the list")
{
	const ByteVector good = note(descriptor(text_address, 0, 0));
	CHECK(notes(note(descriptor(1, 0, 0), "GNU") + good).size() == 1);
	CHECK(notes(note(descriptor(1, 0, 0), "stapsdt", 4) + good).size() == 1);
	CHECK(notes(note(ByteVector(20, 1)) + good).size() == 1);
	CHECK(notes(good + ByteVector(good.begin(), good.end() - 8)).size() == 1);
	CHECK(notes(good + fixed(8, 4) + fixed(0xffffffff, 4) + fixed(3, 4)).size() == 1);
	CHECK(notes(ByteVector(3, 1)).empty());
	CHECK(notes(note(fixed(text_address, 8) + fixed(0, 8) + fixed(0, 8) + ByteVector(4, 'x')))[0].name.empty());
}

TEST_CASE("an address is in the file where its segment has contents")
{
	const auto elf = ElfFile::from_bytes(Image().build());
	REQUIRE(elf);
	CHECK(uwind::offset_of_address(*elf, text_address + 3) == text_offset + 3);
	CHECK(uwind::offset_of_address(*elf, text_address + text_bytes) == std::nullopt);
	CHECK_FALSE(uwind::offset_of_address(*elf, 1));
}
