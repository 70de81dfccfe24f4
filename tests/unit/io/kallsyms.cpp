// SPDX-License-Identifier: GPL-2.0
// Names of kernel code, in texts as /proc has them.
#include <catch2/catch.hpp>
#include <sys/syscall.h>

#include "io/kallsyms.h"
#include "io/syscall_names.h"

using namespace uwind;

namespace {

constexpr std::string_view kallsyms = "0000000000000000 A fixed_percpu_data\n"
				      "ffffffff81000000 T _stext\n"
				      "ffffffff81000000 T _text\n"
				      "ffffffff81001000 t local\n"
				      "ffffffff81001000 T __global\n"
				      "ffffffff81001000 T global\n"
				      "ffffffff81001800 D data\n"
				      "ffffffffc0a00010 t inside\t[nf_tables]\n"
				      "ffffffffc0b00000 t bpf_prog_6deef7357e7b4530_sd_fw\t[bpf]\n"
				      "not a line\n";

std::vector<std::optional<KernelName>> find(std::vector<std::uint64_t> addresses)
{
	return find_in_kallsyms(kallsyms, addresses);
}

std::vector<std::uint8_t> note(std::uint32_t type, std::string name, std::vector<std::uint8_t> content)
{
	std::vector<std::uint8_t> bytes;
	const auto word = [&](std::uint32_t value) {
		for (int i = 0; i < 4; i++)
			bytes.push_back(static_cast<std::uint8_t>(value >> 8 * i));
	};
	name.push_back('\0');
	word(static_cast<std::uint32_t>(name.size()));
	word(static_cast<std::uint32_t>(content.size()));
	word(type);
	bytes.insert(bytes.end(), name.begin(), name.end());
	bytes.resize((bytes.size() + 3) / 4 * 4);
	bytes.insert(bytes.end(), content.begin(), content.end());
	bytes.resize((bytes.size() + 3) / 4 * 4);
	return bytes;
}

} // namespace

TEST_CASE("functions of a module's init that ftrace still remembers name nothing")
{
	const auto names =
		find_in_kallsyms("ffffffff81000000 T _stext\n"
				 "ffffffffc0a00010 t function\t[new]\n"
				 "ffffffffc0a00040 t last\t[new]\n"
				 "ffffffffc0b00000 t other\t[old]\n"
				 "ffffffffc0a00010 T init_of_old\t[old]\n"
				 "ffffffffc0a00020 T init_of_new\t[new]\n"
				 "ffffffffc0c00000 t program\t[bpf]\n",
				 {0xffffffffc0a00010, 0xffffffffc0a00024, 0xffffffffc0b00000, 0xffffffffc0c00000});
	REQUIRE(names.size() == 4);
	CHECK(names[0]->symbol == "function");
	CHECK(names[1]->symbol == "function");
	CHECK(names[1]->module == "new");
	CHECK(names[2]->symbol == "other");
	CHECK(names[3]->symbol == "program");
}

TEST_CASE("an address has the name of the code symbol before it, the best of several")
{
	const auto names = find({0xffffffff81001000, 0xffffffff810017ff, 0xffffffff810000ff, 0xffffffff81001fff});
	REQUIRE(names.size() == 4);
	CHECK(names[0]->symbol == "global");
	CHECK(names[0]->offset == 0);
	CHECK(names[1]->symbol == "global");
	CHECK(names[1]->offset == 0x7ff);
	CHECK_FALSE(names[3]); // data lies before it
	CHECK(names[2]->symbol == "_stext");
}

TEST_CASE("modules and BPF programs are said with the name")
{
	const auto names = find({0xffffffffc0a00020, 0xffffffffc0b00001});
	CHECK(names[0]->symbol == "inside");
	CHECK(names[0]->module == "nf_tables");
	CHECK(names[1]->module == "bpf");
}

TEST_CASE("below all symbols there is no name, nor where a user may see no address")
{
	CHECK_FALSE(find({0x1000})[0]);
	CHECK_FALSE(find_in_kallsyms("0000000000000000 T _text\n", {0xffffffff81000000})[0]);
	CHECK_FALSE(find_in_kallsyms("", {1})[0]);
}

TEST_CASE("a symbol of the kernel itself has its address, a module's of that name has not")
{
	constexpr const char* names = "ffffffffc0000000 t _text\t[module]\n"
				      "ffffffff81000000 T my_text\n"
				      "ffffffff82000000 T _text\n";
	CHECK(address_in_kallsyms(names, "_text") == 0xffffffff82000000);
	CHECK(address_in_kallsyms(names, "text") == 0);
}

TEST_CASE("a module's code begins where /proc/modules says")
{
	constexpr std::string_view modules = "nf_tables_more 10 0 - Live 0xffffffffc0c00000\n"
					     "nf_tables 262144 1 nft_ct,nft_log, Live 0xffffffffc0a00000 (OE)\n";
	CHECK(module_start_in(modules, "nf_tables") == 0xffffffffc0a00000);
	CHECK(module_start_in(modules, "nf") == 0);
	CHECK(module_start_in("", "nf") == 0);
}

TEST_CASE("the build id is found among other notes, and bytes that are none have none")
{
	auto notes = note(1, "Linux", {1, 2, 3});
	const auto id = note(3, "GNU", {0xab, 0xcd, 0xef});
	notes.insert(notes.end(), id.begin(), id.end());
	CHECK(build_id_in(notes) == "abcdef");
	for (std::size_t length = 0; length < notes.size(); length++)
		CHECK((build_id_in(Bytes(notes).first(length)).empty() || length + 1 == notes.size()));
	CHECK(build_id_in(note(3, "XYZ", {1})).empty());
}

TEST_CASE("this machine's kernel names what it shows, and finds nothing where it shows nothing")
{
	Kallsyms kernel;
	CHECK(kernel.find({}).empty());
	CHECK(kernel.find({0}).size() == 1);
	CHECK(kernel.module("no_such_module").start == 0);
}

TEST_CASE("system calls have this machine's names, and 32-bit programs' theirs")
{
	CHECK(name_of_syscall(__NR_nanosleep, false) == "nanosleep");
	CHECK(name_of_syscall(__NR_futex, false) == "futex");
	CHECK(name_of_syscall(3, true) == "read"); // of i386 and of Arm alike
	CHECK(name_of_syscall(0x7fffffff, false).empty());
}
