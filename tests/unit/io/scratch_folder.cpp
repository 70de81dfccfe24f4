// SPDX-License-Identifier: GPL-2.0
// A folder that goes with its process, however that ends.
#include "io/scratch_folder.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <fstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "unit/temporary_folder.h"

using namespace uwind;

TEST_CASE("a scratch folder is its owner's only, and goes with all that is in it")
{
	const TemporaryFolder folder;
	::setenv("TMPDIR", folder.path.c_str(), 1);
	{
		auto first = ScratchFolder::create();
		REQUIRE(first);
		const ScratchFolder scratch(std::move(*first));
		CHECK(scratch.path().find(folder.path.string() + "/uwind-") == 0);
		CHECK(std::filesystem::status(scratch.path()).permissions() == std::filesystem::perms::owner_all);
		std::filesystem::create_directories(scratch.path() + "/a/b");
		std::ofstream(scratch.path() + "/a/b/c") << "text";
	}
	CHECK(folder.files() == 0);
	::setenv("TMPDIR", "/nowhere", 1);
	CHECK(!ScratchFolder::create());
	::unsetenv("TMPDIR");
}

TEST_CASE("a scratch folder goes also when its process is killed")
{
	const TemporaryFolder folder;
	const pid_t child = ::fork();
	if (child == 0) {
		::setenv("TMPDIR", folder.path.c_str(), 1);
		const auto scratch = ScratchFolder::create();
		std::ofstream(scratch->path() + "/file") << "text";
		::kill(::getpid(), SIGKILL);
	}
	int status = 0;
	REQUIRE(::waitpid(child, &status, 0) == child);
	CHECK(WTERMSIG(status) == SIGKILL);
	for (int i = 0; i < 200 && folder.files(); i++)
		std::this_thread::sleep_for(std::chrono::milliseconds(20));
	CHECK(folder.files() == 0);
}
