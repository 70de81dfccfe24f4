// SPDX-License-Identifier: GPL-2.0
// Files of debug information, as binutils and elfutils make them: beside a program, and packed into it.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <unistd.h>

#include "base/handle.h"
#include "elf/xz.h"
#include "tables/file_rows.h"
#include "tables/rule_text.h"
#include "tables/table_builder.h"

using uwind::ElfFile;
using uwind::TableRows;

namespace {

// SP comes from elsewhere: only .debug_frame can say where the frame of f is. g is at no
// place where a function would be looked for, and a table of data lies before it.
constexpr char source[] = R"(
	.cfi_sections .debug_frame
	.globl f
	.type f, @function
f:	.cfi_startproc
	.cfi_def_cfa_offset 64
	mov %rdi, %rsp
	jmp *%rsi
	.cfi_endproc
	.size f, . - f
	.byte 6, 6, 6, 6, 6
	.type g, @function
g:	push %rbx
	call *%rdi
	pop %rbx
	ret
	.size g, . - g
)";

class Folder {
public:
	Folder() : path_("/tmp/uwind-debug-files-" + std::to_string(getpid()))
	{
		run("mkdir -p " + path_);
		std::ofstream(path_ + "/f.s") << source;
		run("x86_64-linux-gnu-gcc -nostdlib -shared -g -Wl,--build-id -o " + path_ + "/whole " + path_ +
		    "/f.s");
	}
	~Folder() { std::system(("rm -r " + path_).c_str()); }

	// In the folder.
	void make(const std::string& command) const { run("cd " + path_ + " && " + command); }
	std::vector<std::uint8_t> bytes(const std::string& name) const
	{
		std::ifstream in(path_ + "/" + name, std::ios::binary);
		return {std::istreambuf_iterator<char>(in), {}};
	}
	std::string rows(const std::string& name, const char* debug = nullptr) const
	{
		const uwind::UniqueFd fd(open((path_ + "/" + name).c_str(), O_RDONLY));
		const auto file = ElfFile::open(fd.get());
		if (!file)
			return file.error().message;
		const uwind::DebugFiles files = [&](const std::string&) {
			return uwind::UniqueFd(debug ? open((path_ + "/" + debug).c_str(), O_RDONLY) : -1);
		};
		const auto table = uwind::build_table(*file, uwind::SframeUse::completed, files);
		const auto rows = table ? uwind::rows_of_table(*table) : uwind::Result<TableRows>(table.error());
		return rows ? text(*rows) : rows.error().message;
	}

private:
	static void run(const std::string& command)
	{
		INFO(command);
		REQUIRE(std::system(command.c_str()) == 0);
	}
	static std::string text(const TableRows& table)
	{
		std::string text;
		for (const uwind::Row& row : table.rows)
			text += uwind::rule_text(table.rules[row.rule], uwind::Arch::x86_64) + "\n";
		return text;
	}

	const std::string path_;
};

const std::string described = "cfa=rsp+64 ra=[cfa-8] rbp=same";

} // namespace

TEST_CASE("what a program was stripped of comes from its debug file, whoever made that")
{
	const Folder folder;
	const std::string whole = folder.rows("whole");
	REQUIRE(whole.find(described) != std::string::npos);
	folder.make("objcopy --only-keep-debug whole objcopy.debug && strip -g -o stripped whole && "
		    "eu-strip -g -f eu.debug -o eu whole");
	CHECK(folder.rows("stripped").find(described) == std::string::npos);
	CHECK(folder.rows("stripped", "objcopy.debug") == whole);
	CHECK(folder.rows("eu", "eu.debug") == whole);
}

TEST_CASE("a debug file for itself has the rows of its .debug_frame")
{
	const Folder folder;
	folder.make("objcopy --only-keep-debug whole objcopy.debug && eu-strip -f eu.debug -o eu whole");
	CHECK(folder.rows("objcopy.debug").find(described) != std::string::npos);
	CHECK(folder.rows("eu.debug").find(described) != std::string::npos);
}

TEST_CASE("an .eh_frame that is not in the file is none")
{
	const Folder folder;
	folder.make("printf 'int g(int); int f(int a) { return g(a) + 1; }' >f.c && "
		    "x86_64-linux-gnu-gcc -g -O2 -nostdlib -shared -fPIC -o program f.c && "
		    "objcopy --only-keep-debug program objcopy.debug && eu-strip -f eu.debug -o eu program");
	for (const char* name : {"objcopy.debug", "eu.debug"})
		CHECK(folder.rows(name) == "there is neither .sframe nor .eh_frame in it");
}

// As distributions do: what is left of the debug file is its symbols.
TEST_CASE("a stripped program's .gnu_debugdata has its symbols and its .debug_frame")
{
	const Folder folder;
	const std::string whole = folder.rows("whole");
	folder.make(
		"objcopy --only-keep-debug whole all.debug && objcopy --keep-section .debug_frame -g all.debug mini && "
		"objcopy -S --keep-symbol g --keep-symbol f --remove-section .debug_frame all.debug names && "
		"strip -s -o bare whole && xz -k mini names && objcopy --add-section .gnu_debugdata=mini.xz bare "
		"packed && "
		"objcopy --add-section .gnu_debugdata=names.xz bare named");
	CHECK(folder.rows("bare") != whole);
	CHECK(folder.rows("packed") == whole);
	CHECK(folder.rows("bare").find("rbx=[cfa-16]") == std::string::npos);
	CHECK(folder.rows("named").find("rbx=[cfa-16]") != std::string::npos);
}

TEST_CASE("a .gnu_debugdata that is broken, too large or another program's is as good as none")
{
	const Folder folder;
	folder.make("objcopy --only-keep-debug whole all.debug && strip -s -o bare whole && xz -k all.debug && "
		    "head -c 99 all.debug.xz >short && head -c 70000000 /dev/zero | xz -1 >huge && echo none >text && "
		    "xz -k -c whole >code && for i in short huge text code; do "
		    "objcopy --add-section .gnu_debugdata=$i bare with-$i; done");
	const std::string bare = folder.rows("bare");
	for (const char* name : {"with-short", "with-huge", "with-text", "with-code"})
		CHECK(folder.rows(name) == bare);
}

// … however often that is repeated.
TEST_CASE("a .gnu_debugdata is not asked for another one that is in it")
{
	const Folder folder;
	folder.make("objcopy --only-keep-debug whole all.debug && strip -s -o bare whole && xz -k all.debug && "
		    "objcopy -S --remove-section .debug_frame all.debug empty && "
		    "objcopy --add-section .gnu_debugdata=all.debug.xz empty outer && xz -k outer && "
		    "objcopy --add-section .gnu_debugdata=all.debug.xz bare once && "
		    "objcopy --add-section .gnu_debugdata=outer.xz bare twice");
	CHECK(folder.rows("once").find(described) != std::string::npos);
	CHECK(folder.rows("twice") == folder.rows("bare"));
}

TEST_CASE("an .xz file is unpacked up to its limit, in no more memory, and no further")
{
	constexpr std::size_t bytes = 40'000'000;
	const Folder folder;
	folder.make("head -c " + std::to_string(bytes) + " /dev/zero | xz -1 >zeros");
	const std::vector<std::uint8_t> packed = folder.bytes("zeros");
	const auto zeros = uwind::unpack_xz(packed, bytes + 1);
	REQUIRE(zeros);
	CHECK(zeros->size() == bytes);
	CHECK(zeros->capacity() == bytes + 1);
	CHECK_FALSE(uwind::unpack_xz(packed, bytes - 1));
	CHECK_FALSE(uwind::unpack_xz({}, 100));
	const std::vector<std::uint8_t> text = {'n', 'o'};
	CHECK_FALSE(uwind::unpack_xz(text, 100));
}
