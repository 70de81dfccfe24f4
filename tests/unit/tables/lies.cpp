// SPDX-License-Identifier: GPL-2.0
// Files that lie: every field of every header wrong, cut off anywhere, every byte of the unwind sections changed. Each
// is refused in one line with a reason, or gives a table that the module would take.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <set>

#include "tables/module_view.h"
#include "tables/table_builder.h"
#include "unit/source_folder.h"

using namespace uwind;

namespace {

using Blob = std::vector<std::uint8_t>;

Blob sample(const std::string& name)
{
	std::ifstream in(in_sources("tests/sframe/set/" + name), std::ios::binary);
	return Blob(std::istreambuf_iterator<char>(in), {});
}

template <typename T>
T at(const Blob& file, std::size_t offset)
{
	T value{};
	if (offset + sizeof(value) <= file.size())
		std::memcpy(&value, file.data() + offset, sizeof(value));
	return value;
}

struct Verdicts {
	unsigned refused = 0;
	unsigned taken = 0;
	std::set<std::string> wrong; // what breaks the rule, each kind once
};

bool is_reason_about_data(int code)
{
	constexpr int codes[] = {ENOEXEC, EBADMSG, ENODATA, EFBIG, E2BIG, EPROTONOSUPPORT};
	return std::find(std::begin(codes), std::end(codes), code) != std::end(codes);
}

void judge_refusal(const Error& error, Verdicts& verdicts)
{
	verdicts.refused++;
	if (!is_reason_about_data(error.code) || error.message.empty() || error.message.find('\n') != std::string::npos)
		verdicts.wrong.insert(std::to_string(error.code) + " " + error.message);
}

void judge(const Blob& file, SframeUse use, Verdicts& verdicts)
{
	const auto elf = ElfFile::from_bytes(Blob(file));
	if (!elf)
		return judge_refusal(elf.error(), verdicts);
	const auto table = build_table(*elf, use);
	if (!table)
		return judge_refusal(table.error(), verdicts);
	const auto rows = rows_of_table(*table);
	if (!rows)
		return judge_refusal(rows.error(), verdicts);
	verdicts.taken++;
	if (const Status status = check_rows(*rows, table->arch); !status)
		verdicts.wrong.insert(status.error().message);
}

void judge(const Blob& file, Verdicts& verdicts)
{
	judge(file, SframeUse::completed, verdicts);
	judge(file, SframeUse::alone, verdicts);
}

// Every two bytes of [start, start + bytes) set to values that headers dislike, and every eight.
void lie_in(const Blob& good, std::size_t start, std::size_t bytes, Verdicts& verdicts)
{
	const std::uint64_t values[] = {0, 1, 0xffff, 0x7fffffff, ~0ull >> 1, ~0ull, good.size(), good.size() - 1};
	for (std::size_t i = start; i + 8 <= std::min(start + bytes, good.size()); i += 2)
		for (const std::uint64_t value : values)
			for (const std::size_t width : {std::size_t(2), std::size_t(8)}) {
				if (width == 8 && i % 8)
					continue;
				Blob file = good;
				std::memcpy(file.data() + i, &value, width);
				judge(file, verdicts);
			}
}

// Each byte in one way, its neighbours in others.
void spoil(const Blob& good, std::size_t start, std::size_t bytes, Verdicts& verdicts)
{
	constexpr std::uint8_t changes[] = {0x01, 0x80, 0xff};
	for (std::size_t i = start; i < std::min(start + bytes, good.size()); i++) {
		Blob file = good;
		file[i] ^= changes[i % std::size(changes)];
		judge(file, verdicts);
	}
}

void spoil_unwind_sections(const Blob& good, Verdicts& verdicts)
{
	const auto header = at<Elf64_Ehdr>(good, 0);
	const auto names = at<Elf64_Shdr>(good, header.e_shoff + header.e_shstrndx * sizeof(Elf64_Shdr));
	for (unsigned i = 0; i < header.e_shnum; i++) {
		const auto section = at<Elf64_Shdr>(good, header.e_shoff + i * sizeof(Elf64_Shdr));
		const char* name = reinterpret_cast<const char*>(good.data()) + names.sh_offset + section.sh_name;
		if (std::strstr(name, "frame"))
			spoil(good, section.sh_offset, section.sh_size, verdicts);
	}
}

std::size_t open_files()
{
	std::size_t count = 0;
	DIR* folder = ::opendir("/proc/self/fd");
	while (folder && ::readdir(folder))
		count++;
	::closedir(folder);
	return count;
}

const std::vector<std::string> samples = {"2.40-amd64/c", "2.44-arm64/asm", "2.47-amd64/asm", "2.47-arm64/c"};

} // namespace

TEST_CASE("a file whose headers lie is refused in one line, or gives a table that the module would take")
{
	const std::string name = GENERATE(from_range(samples));
	const Blob good = sample(name);
	REQUIRE(good.size() > sizeof(Elf64_Ehdr));
	const auto header = at<Elf64_Ehdr>(good, 0);
	Verdicts verdicts;
	lie_in(good, 0, sizeof(Elf64_Ehdr), verdicts);
	lie_in(good, header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr), verdicts);
	INFO(name);
	CHECK(verdicts.wrong == std::set<std::string>());
	CHECK(verdicts.refused > 100);
	CHECK(verdicts.taken > 100);
}

TEST_CASE("a file that is cut off anywhere is refused in one line, or gives a table that the module would take")
{
	const Blob good = sample(GENERATE(from_range(samples)));
	Verdicts verdicts;
	for (std::size_t length = 0; length < good.size(); length += 16)
		judge(Blob(good.begin(), good.begin() + static_cast<long>(length)), verdicts);
	CHECK(verdicts.wrong == std::set<std::string>());
	CHECK(verdicts.refused > 100);
}

TEST_CASE("a changed byte in an unwind section is refused in one line, or gives a table that the module would take")
{
	const Blob good = sample(GENERATE(from_range(samples)));
	const std::size_t before = open_files();
	Verdicts verdicts;
	spoil_unwind_sections(good, verdicts);
	CHECK(verdicts.wrong == std::set<std::string>());
	CHECK(verdicts.taken > 100);
	CHECK(open_files() == before);
}

TEST_CASE("a file of the other byte order is refused")
{
	Blob file = sample("2.40-amd64/c");
	file[EI_DATA] = ELFDATA2MSB;
	const auto elf = ElfFile::from_bytes(std::move(file));
	REQUIRE_FALSE(elf);
	CHECK(elf.error().code == ENOEXEC);
}
