// SPDX-License-Identifier: GPL-2.0
// What is taken for a cgroup, and what is said of what is not one. None need be mounted.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include "io/cgroup.h"

using namespace uwind;

namespace {

// A folder that a list of mounts calls cgroup2, with one folder and one file in it.
struct FalseMount {
	char path[32] = "/tmp/uwind-cgroup-XXXXXX";
	const std::string folder = std::string(::mkdtemp(path)), group = folder + "/group", file = folder + "/procs",
			  mounts = folder + "/mounts";

	FalseMount()
	{
		::mkdir(group.c_str(), 0755);
		std::ofstream(file) << "";
		list("sysfs /sys sysfs rw 0 0\ncgroup2 " + folder + " cgroup2 rw,nosuid 0 0\n");
	}
	~FalseMount()
	{
		::unlink(mounts.c_str());
		::unlink(file.c_str());
		::rmdir(group.c_str());
		::rmdir(folder.c_str());
	}
	void list(const std::string& text) const { std::ofstream(mounts) << text; }

	std::string error_of(const std::string& cgroup) const
	{
		const auto opened = open_cgroup(cgroup, mounts);
		REQUIRE_FALSE(opened);
		CHECK(opened.error().code == EINVAL);
		return opened.error().message;
	}
};

} // namespace

TEST_CASE("a cgroup that is not there is named, with the place to look at")
{
	const FalseMount mount;
	CHECK(mount.error_of("none") ==
	      "cgroup none: there is none below " + mount.folder + ": `systemd-cgls` lists the existing ones");
	CHECK_THAT(mount.error_of("/no/such"), Catch::StartsWith("cgroup /no/such: there is none below"));
	CHECK_THAT(mount.error_of("procs"), Catch::StartsWith("cgroup procs: not a cgroup, but a file"));
	mount.list("sysfs /sys sysfs rw 0 0\ncgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n");
	CHECK_THAT(mount.error_of("none"), Catch::StartsWith("cgroup none: no cgroups of version 2 here"));
}

TEST_CASE("a folder of another file system is no cgroup, by whatever path")
{
	const FalseMount mount;
	for (const std::string& path : {std::string("group"), std::string("/group"), mount.group, std::string("/")})
		CHECK(mount.error_of(path) ==
		      "cgroup " + path + ": is a folder, but not a cgroup: use one below " + mount.folder);
}
