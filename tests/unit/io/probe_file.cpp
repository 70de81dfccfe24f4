// SPDX-License-Identifier: GPL-2.0
// Where probes can be put into files: static probes with and without semaphores, functions of debug files.
#include "io/probe_file.h"

#include <fstream>

#include "unit/tables/lower.h"
#include "unit/temporary_folder.h"

using namespace image;
using uwind::ProbeFile;

namespace {

ByteVector text(const std::string& word)
{
	ByteVector bytes(word.begin(), word.end());
	bytes.push_back(0);
	return bytes;
}

// A static probe's note; owner and texts have lengths that need no padding.
ByteVector note(std::uint64_t address, std::uint64_t semaphore)
{
	const ByteVector content =
		fixed(address, 8) + fixed(0, 8) + fixed(semaphore, 8) + text("db") + text("begin") + text("xx");
	return fixed(8, 4) + fixed(content.size(), 4) + fixed(3, 4) + text("stapsdt") + content;
}

// A library whose function "hidden" has a name in .symtab only, and what becomes of it.
class Library {
public:
	Library()
	{
		make("whole", "hidden");
		run("objcopy --only-keep-debug whole lib.debug");
		run("objcopy --strip-all --add-gnu-debuglink=lib.debug whole lib");
	}

	void make(const std::string& name, const std::string& function) const
	{
		std::ofstream(folder_.at("source.c")) << "__attribute__((noinline, used)) static int " << function
						      << "(int x) { return x * 7; }\n"
							 "int shown(int x) { return "
						      << function << "(x) + 1; }\n";
		run("cc -O1 -g -shared -fPIC -Wl,--build-id -o " + name + " source.c");
	}

	void run(const std::string& command) const
	{
		INFO(command);
		REQUIRE(std::system(("cd " + folder_.path.string() + " && " + command).c_str()) == 0);
	}

	// The offset of a function. Nothing: it is not known.
	std::optional<std::uint64_t> offset(const char* file, const std::string& function) const
	{
		const auto probes = uwind::read_probe_file(folder_.at(file));
		REQUIRE(probes);
		for (const uwind::ProbeSymbol& symbol : probes->symbols)
			if (symbol.name == function)
				return symbol.offset;
		return std::nullopt;
	}

private:
	TemporaryFolder folder_;
};

} // namespace

TEST_CASE("a static probe without a semaphore has none, and one whose semaphore is not in the file is left out")
{
	Image made;
	made.section(".note.stapsdt", note(text_address + 4, 0) + note(text_address + 8, text_address + 0x100) +
					      note(text_address + 12, 1) + note(1, 0));
	const TemporaryFolder folder;
	const ByteVector bytes = made.build();
	std::ofstream(folder.at("program"), std::ios::binary)
		.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
	const auto probes = uwind::read_probe_file(folder.at("program"));
	REQUIRE(probes);
	REQUIRE(probes->places.size() == 2);
	CHECK(probes->places[0].provider == "db");
	CHECK(probes->places[0].name == "begin");
	CHECK(probes->places[0].offset == text_offset + 4);
	CHECK(probes->places[0].semaphore_offset == 0);
	CHECK(probes->places[1].offset == text_offset + 8);
	CHECK(probes->places[1].semaphore_offset == text_offset + 0x100);
}

TEST_CASE("functions of a stripped library are those of its debug file, at their places in the library")
{
	const Library library;
	const auto hidden = library.offset("whole", "hidden");
	REQUIRE(hidden);
	CHECK(library.offset("lib", "hidden") == hidden);
	CHECK(library.offset("lib", "shown") == library.offset("whole", "shown"));
	library.run("mkdir .debug && mv lib.debug .debug");
	CHECK(library.offset("lib", "hidden") == hidden);
	library.run("rm .debug/lib.debug");
	CHECK(library.offset("lib", "hidden") == std::nullopt);
	CHECK(library.offset("lib", "shown") == library.offset("whole", "shown"));
}

TEST_CASE("another library's debug file gives no functions")
{
	const Library library;
	library.make("other", "elsewhere");
	library.run("objcopy --only-keep-debug other lib.debug");
	CHECK(library.offset("lib", "elsewhere") == std::nullopt);
	CHECK(library.offset("lib", "shown"));
}

TEST_CASE("without a debug file, functions are those of .gnu_debugdata")
{
	const Library library;
	library.run(
		"objcopy -S --keep-symbol hidden --keep-symbol shown lib.debug names && xz names && rm lib.debug && "
		"objcopy --add-section .gnu_debugdata=names.xz lib packed");
	CHECK(library.offset("packed", "hidden") == library.offset("whole", "hidden"));
	CHECK(library.offset("lib", "hidden") == std::nullopt);
}
