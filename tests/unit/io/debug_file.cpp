// SPDX-License-Identifier: GPL-2.0
// Separate debug files: where they are looked for, and which are refused. Programs are
// made with the compiler and objcopy, as packages are.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

#include "io/procfs.h"
#include "objects/elf_objects.h"

using namespace uwind;
namespace fs = std::filesystem;

namespace {

void run(const std::string& command)
{
	INFO(command);
	REQUIRE(std::system(command.c_str()) == 0);
}

// A folder with a stripped library whose only name is in its debug file, bin/.debug/lib.debug.
class Stripped {
public:
	explicit Stripped(const std::string& options = "")
	{
		char name[] = "/tmp/uwind-debug-XXXXXX";
		REQUIRE(::mkdtemp(name));
		root_ = name;
		fs::create_directories(root_ / "bin/.debug");
		fs::create_directories(root_ / "debug");
		build("hidden", "lib", options);
		// No longer than its link says, which has the name alone.
		run("cd " + bin() +
		    " && objcopy --only-keep-debug lib .debug/lib.debug && objcopy --strip-all "
		    "--add-gnu-debuglink=.debug/lib.debug lib");
	}
	~Stripped() { fs::remove_all(root_); }

	// Another program's debug file, under any name.
	void build(const std::string& function, const std::string& name, const std::string& options)
	{
		std::ofstream(root_ / "source.c") << "__attribute__((noinline, used)) static int " << function
						  << "(int x) { return x * 7; }\n"
						     "int shown(int x) { return "
						  << function << "(x) + 1; }\n";
		run("cd " + bin() + " && cc -O1 -g -shared -fPIC " + options + " -o " + name + " ../source.c");
	}

	std::unique_ptr<Object> object() const
	{
		auto file = Procfs().open_path(lib());
		REQUIRE(file);
		auto object = ElfObjects(debug()).open(std::make_shared<UniqueFd>(std::move(file->fd)));
		REQUIRE(object);
		return std::move(*object);
	}

	Functions functions() const { return object()->functions(lib()); }
	std::string build_id() const { return object()->facts().build_id; }

	void move_debug_file(const fs::path& to) const
	{
		fs::create_directories(to.parent_path());
		fs::rename(debug_file(), to);
	}

	std::string bin() const { return root_ / "bin"; }
	std::string lib() const { return root_ / "bin/lib"; }
	std::string debug() const { return root_ / "debug"; }
	fs::path debug_file() const { return root_ / "bin/.debug/lib.debug"; }
	fs::path by_build_id() const
	{
		const std::string id = build_id();
		return root_ / "debug/.build-id" / id.substr(0, 2) / (id.substr(2) + ".debug");
	}

private:
	fs::path root_;
};

bool names(const Functions& functions, const std::string& name)
{
	return std::any_of(functions.symbols.begin(), functions.symbols.end(),
			   [&](const Symbol& symbol) { return symbol.name == name; });
}

} // namespace

TEST_CASE("a stripped file's symbols come from its debug file, wherever gdb would find it")
{
	const Stripped stripped;
	const std::string place = GENERATE("beside it", "in .debug", "below the debug folder", "by its build-id");
	INFO(place);
	if (place == "beside it")
		stripped.move_debug_file(stripped.bin() + "/lib.debug");
	else if (place == "below the debug folder")
		stripped.move_debug_file(stripped.debug() + stripped.bin() + "/lib.debug");
	else if (place == "by its build-id")
		stripped.move_debug_file(stripped.by_build_id());
	const Functions functions = stripped.functions();
	CHECK(names(functions, "hidden"));
	CHECK(names(functions, "shown"));
	CHECK(functions.refused == "");
}

TEST_CASE("without a debug file the names are those of .dynsym, and nothing is said")
{
	const Stripped stripped;
	fs::remove(stripped.debug_file());
	const Functions functions = stripped.functions();
	CHECK_FALSE(names(functions, "hidden"));
	CHECK(names(functions, "shown"));
	CHECK(functions.refused == "");
}

TEST_CASE("a debug file with another build-id is refused, and named")
{
	Stripped stripped;
	const bool linked = GENERATE(true, false);
	stripped.build("other", "other", "");
	const fs::path path = linked ? stripped.debug_file() : stripped.by_build_id();
	fs::remove(stripped.debug_file());
	fs::create_directories(path.parent_path());
	fs::rename(stripped.bin() + "/other", path);
	const Functions functions = stripped.functions();
	CHECK_FALSE(names(functions, "other"));
	CHECK(names(functions, "shown"));
	CHECK(functions.refused.starts_with(path.string() + " is not the debug file of " + stripped.lib() +
					    ": its build-id is "));
	CHECK(functions.refused.ends_with(", not " + stripped.build_id()));
}

TEST_CASE("without a build-id the checksum in the link decides")
{
	const Stripped stripped("-Wl,--build-id=none");
	REQUIRE(stripped.build_id() == "");
	CHECK(names(stripped.functions(), "hidden"));
	std::ofstream(stripped.debug_file(), std::ios::app) << "changed";
	const Functions functions = stripped.functions();
	CHECK_FALSE(names(functions, "hidden"));
	CHECK(names(functions, "shown"));
	CHECK(functions.refused.find(": its checksum is 0x") != std::string::npos);
}

TEST_CASE("a debug file that fits is used though another place has one that does not")
{
	Stripped stripped;
	stripped.build("other", "lib.debug", "");
	const Functions functions = stripped.functions();
	CHECK(names(functions, "hidden"));
	CHECK(functions.refused == "");
}

TEST_CASE("what is no regular file, or no ELF file, is no debug file")
{
	const Stripped stripped;
	fs::remove(stripped.debug_file());
	REQUIRE(::mkfifo(stripped.debug_file().c_str(), 0600) == 0); // would block whoever opens it
	CHECK(stripped.functions().refused == "");
	fs::remove(stripped.debug_file());
	std::ofstream(stripped.debug_file()) << "text";
	CHECK(stripped.functions().refused.ends_with(": not an ELF file"));
}

TEST_CASE("a link that leads out of its folder is not followed")
{
	const Stripped stripped;
	fs::rename(stripped.debug_file(), stripped.debug() + "/lib.debug");
	// The name, padded to four bytes, and the file's checksum, which is not looked at when there are build-ids.
	std::ofstream(stripped.bin() + "/link", std::ios::binary) << std::string("../debug/lib.debug\0\0sum!", 24);
	run("cd " + stripped.bin() +
	    " && objcopy --remove-section .gnu_debuglink lib && objcopy --add-section .gnu_debuglink=link lib");
	CHECK_FALSE(names(stripped.functions(), "hidden"));
	fs::rename(stripped.debug() + "/lib.debug", stripped.bin() + "/short");
	std::ofstream(stripped.bin() + "/link", std::ios::binary) << std::string("short\0\0\0sum!", 12);
	run("cd " + stripped.bin() +
	    " && objcopy --remove-section .gnu_debuglink lib && objcopy --add-section .gnu_debuglink=link lib");
	CHECK(names(stripped.functions(), "hidden"));
}
