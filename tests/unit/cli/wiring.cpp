// SPDX-License-Identifier: GPL-2.0
// The ports as both programs open them.
#include <catch2/catch.hpp>

#include <fcntl.h>

#include "unit/logged.h"
#include "unit/temporary_folder.h"
#include "wiring.h"

using namespace uwind;

namespace {

bool has_table(Objects& objects)
{
	const auto object = objects.open(std::make_shared<UniqueFd>(::open("/bin/true", O_RDONLY | O_CLOEXEC)));
	return object && (*object)->table();
}

} // namespace

// Nobody makes a folder in /proc: ENOENT.
TEST_CASE("a table cache that cannot be made is a warning, and tables are made without it")
{
	const Logged logged;
	ElfObjects objects = objects_with("/proc/uwind/tables");
	CHECK(logged.lines() == 1);
	CHECK(logged.text().find("tables are not kept for the next time: /proc/uwind/tables") != std::string::npos);
	CHECK(has_table(objects));
}

TEST_CASE("a table cache is made below folders that are not there yet, and whoever wants none is not warned")
{
	const TemporaryFolder folder;
	const Logged logged;
	ElfObjects keeping = objects_with(folder.at("some") + "/tables");
	CHECK(has_table(keeping));
	CHECK(std::filesystem::exists(folder.path / "some" / "tables" / "key"));
	ElfObjects objects = objects_with("");
	CHECK(has_table(objects));
	CHECK(logged.lines() == 0);
}
