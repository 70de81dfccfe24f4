// SPDX-License-Identifier: GPL-2.0
// What the machine that runs the tests says of itself, against what else is known of it.
#include <catch2/catch.hpp>

#include <fstream>
#include <grp.h>
#include <pwd.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

#include "base/handle.h"
#include "io/this_machine.h"

using namespace uwind;

namespace {

struct TemporaryFile {
	char path[32] = "/tmp/uwind-machine-XXXXXX";
	TemporaryFile() { UniqueFd fd(::mkstemp(path)); }
	~TemporaryFile() { ::unlink(path); }
	void write(const std::string& text) const { std::ofstream(path, std::ios::binary) << text; }
};

} // namespace

TEST_CASE("the machine names its kernel and who asks")
{
	ThisMachine machine;
	utsname name{};
	::uname(&name);
	CHECK(machine.kernel().release == name.release);
	CHECK(machine.kernel().machine == name.machine);
	CHECK(machine.exists("/proc/self/status"));
	CHECK_FALSE(machine.exists("/proc/self/nothing"));
	const passwd* user = ::getpwuid(::geteuid());
	CHECK(machine.caller().user == (user ? user->pw_name : std::to_string(::geteuid())));
	const group* own = ::getgrgid(::getegid());
	CHECK_THAT(machine.caller().groups,
		   Catch::VectorContains<std::string>(own ? own->gr_name : std::to_string(::getegid())));
}

TEST_CASE("a device has its permissions and owner: another file is no device")
{
	ThisMachine machine;
	const auto null = machine.device("/dev/null");
	REQUIRE(null);
	CHECK(null->mode == 0666);
	CHECK(null->owner == "root");
	CHECK(null->openable);
	CHECK_FALSE(machine.device("/proc/self/status"));
	CHECK_FALSE(machine.device("/dev/no-such-device"));
}

TEST_CASE("effective capabilities are read as the kernel writes them")
{
	CHECK(effective_capabilities("Name:\tx\nCapPrm:\t0000000000000001\nCapEff:\t000001ffffffffff\nCapBnd:\t0\n") ==
	      0x1ffffffffff);
	CHECK(effective_capabilities("CapPrm:\t1\n") == 0);
	CHECK(effective_capabilities("\nCapEff:\tzzz\n") == 0);
	CHECK(effective_capabilities("\nCapEff:\t3") == 3);
}

TEST_CASE("a module is signed if its file ends with the kernel's mark")
{
	const TemporaryFile file;
	file.write("ELF~Module signature appended~\n");
	CHECK(has_signature(file.path));
	file.write("ELF~Module signature appended~\nx");
	CHECK_FALSE(has_signature(file.path));
	file.write("short");
	CHECK_FALSE(has_signature(file.path));
	CHECK_FALSE(has_signature("/nonexistent"));
}

TEST_CASE("the kernel's options are read through gzip, and damaged ones are refused")
{
	const TemporaryFile file;
	const std::string text(100'000, 'x');
	gzFile out = ::gzopen(file.path, "wb");
	REQUIRE(out);
	::gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
	::gzclose(out);
	const auto read = read_gzip(file.path);
	REQUIRE(read);
	CHECK(*read == text);
	std::fstream damage(file.path, std::ios::in | std::ios::out | std::ios::binary);
	damage.seekp(12);
	damage.write("\xff\xff\xff\xff", 4);
	damage.close();
	CHECK_FALSE(read_gzip(file.path));
	CHECK(read_gzip("/nonexistent").error().code == ENOENT);
}

TEST_CASE("the C library is found, and its debug file only where there is one")
{
	const auto debug = ThisMachine().debug_of_c_library();
	CHECK_THAT(debug.library, Catch::Contains("libc.so.6"));
	CHECK((debug.file.empty() || ::access(debug.file.c_str(), R_OK) == 0));
}
