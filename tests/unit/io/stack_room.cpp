// SPDX-License-Identifier: GPL-2.0
// What /proc says of the stack of a process' first thread.
#include <catch2/catch.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include "io/procfs.h"
#include "io/stack_room.h"

using namespace uwind;

namespace {

constexpr char maps[] = "7f00-8000 r-xp 00001000 08:01 77      /bin/[stack]x\n"
			"8000-9000 rw-p 00000000 00:00 0 \n"
			"7ffc7a000000-7ffc7a022000 rw-p 00000000 00:00 0                          [stack]\n"
			"7ffc7a0ff000-7ffc7a101000 r-xp 00000000 00:00 0                          [vdso]\n";
constexpr char limits[] = "Limit                     Soft Limit           Hard Limit           Units     \n"
			  "Max data size             unlimited            unlimited            bytes     \n"
			  "Max stack size            8388608              unlimited            bytes     \n"
			  "Max core file size        0                    unlimited            bytes     \n";

} // namespace

TEST_CASE("a first thread's stack has a mapping and a limit")
{
	const auto room = stack_room_in(maps, limits);
	REQUIRE(room);
	CHECK(*room == StackRoom{0x22000, 8388608});
}

TEST_CASE("a stack may be unlimited")
{
	const auto room =
		stack_room_in(maps, "Max stack size            unlimited            unlimited            bytes     \n");
	REQUIRE(room);
	CHECK(*room == StackRoom{0x22000, std::nullopt});
}

TEST_CASE("of a stack that is not there, or of which nothing is said, nothing is known")
{
	const std::string file = "7ffc7a000000-7ffc7a022000 rw-p 00000000 08:01 77      /tmp/[stack]\n";
	CHECK_FALSE(stack_room_in(file, limits));
	CHECK_FALSE(stack_room_in("", limits));
	CHECK_FALSE(stack_room_in("7ffc-7ffb rw-p 00000000 00:00 0  [stack]\n", limits));
	CHECK_FALSE(stack_room_in("x-y rw-p 00000000 00:00 0  [stack]\n", limits));
	CHECK_FALSE(stack_room_in(maps, ""));
	CHECK_FALSE(stack_room_in(maps, "Max stack size"));
	CHECK_FALSE(stack_room_in(maps, "Max stack size            some                 unlimited            bytes\n"));
}

TEST_CASE("this process has a stack with the limit that it has")
{
	const auto room = Procfs().stack_room(static_cast<std::uint32_t>(getpid()));
	REQUIRE(room);
	CHECK(room->mapped_bytes >= 4096);
	rlimit limit{};
	REQUIRE(getrlimit(RLIMIT_STACK, &limit) == 0);
	CHECK(room->limit_bytes.value_or(RLIM_INFINITY) == limit.rlim_cur);
	CHECK_FALSE(Procfs().stack_room(0));
}
