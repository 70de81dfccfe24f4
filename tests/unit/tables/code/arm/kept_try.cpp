// SPDX-License-Identifier: GPL-2.0
// A try at a function of 32-bit Arm code is taken up only where it would come to the same.
#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "tables/code/arm/kept_try.h"
#include "tables/code/arm/paths.h"

using uwind::ArmEvidence;
using uwind::ArmFrameSet;
using uwind::ArmKeptTry;

namespace {

constexpr std::uint32_t first_address = 0x1000;
constexpr std::size_t room = 1000, callee = 6;

// push {r4, lr}; bl 0x100c; pop {r4, pc}; nop; nop; bx lr
const std::vector<std::uint8_t> code{0x10, 0xb5, 0x00, 0xf0, 0x03, 0xf8, 0x10,
				     0xbd, 0x00, 0xbf, 0x00, 0xbf, 0x70, 0x47};

struct Reader {
	const uwind::ArmText text{code, first_address};
	uwind::ArmProof proof{text};
	const std::vector<std::uint32_t> elsewhere{};
	uwind::ArmPaths paths{text, proof, elsewhere};

	std::unique_ptr<ArmKeptTry> scouted(std::size_t entries = room)
	{
		proof.places().set_begin(0, true);
		paths.scout(0, true);
		return paths.keep(entries);
	}
	bool follow() { return paths.follow(0, true, ArmFrameSet::first, ArmEvidence::none, true); }
};

} // namespace

TEST_CASE("a scouted function's calls are known, and its try is in force until it is kept")
{
	Reader reader;
	const std::vector<uwind::ArmCall> calls = reader.paths.scout(0, true);
	REQUIRE(calls.size() == 1);
	CHECK(calls[0].target == first_address + 2 * callee);
	CHECK(reader.proof.places().is_tried(0));
	const auto kept = reader.paths.keep(room);
	REQUIRE(kept);
	CHECK(kept->tried.instructions.size() == 3);
	CHECK(kept->steps == 3);
	CHECK(reader.proof.places().is_unseen(0));
}

TEST_CASE("a try that needs more room is not kept")
{
	Reader reader;
	const auto kept = reader.scouted();
	REQUIRE(kept);
	CHECK_FALSE(reader.scouted(kept->entries() - 1));
}

TEST_CASE("a try that is taken up comes to what it came to, and leaves what it left")
{
	Reader again, taken;
	taken.paths.take_up(taken.scouted());
	again.scouted();
	for (Reader* reader : {&again, &taken}) {
		CHECK(reader->follow());
		CHECK(reader->proof.verdict().evidence == ArmEvidence::strong);
		CHECK(reader->paths.findings().calls.size() == 1);
		reader->proof.settle();
		for (const std::size_t at : {0, 1, 3})
			CHECK(reader->proof.places().is_settled(at));
	}
	for (const std::size_t at : {0, 1, 3})
		CHECK(again.proof.frames()[again.proof.frame(at)] == taken.proof.frames()[taken.proof.frame(at)]);
}

TEST_CASE("a try does not hold any more when its calls, its beginning or its places are known otherwise")
{
	Reader reader;
	uwind::ArmLastCalls last_calls(reader.text, reader.elsewhere);
	const auto kept = reader.scouted();
	const auto holds = [&] { return uwind::still_holds(*kept, reader.proof, last_calls); };
	REQUIRE(holds());
	reader.proof.places().set_begin(3, true);
	CHECK_FALSE(holds());
	reader.proof.places().set_begin(3, false);
	last_calls.blame(1, true);
	CHECK_FALSE(holds());
	last_calls.blame(1, false);
	last_calls.add_function(callee);
	CHECK_FALSE(holds());
	reader.proof.places().add_data(3);
	CHECK_FALSE(reader.proof.try_again(kept->tried));
	CHECK(reader.proof.places().is_unseen(0));
}
