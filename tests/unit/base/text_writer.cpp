// SPDX-License-Identifier: GPL-2.0
// Text on its way to a stream: all of it arrives, in its order, however long its pieces are.
#include <catch2/catch.hpp>

#include <cstdint>
#include <limits>
#include <sstream>

#include "base/text_writer.h"

using namespace uwind;

TEST_CASE("numbers are written as digits, characters as themselves")
{
	std::ostringstream out;
	{
		TextWriter writer(out);
		writer << "a" << 'b' << std::string("c") << 0 << -1 << std::uint8_t(65)
		       << std::numeric_limits<std::uint64_t>::max() << std::numeric_limits<std::int64_t>::min();
		CHECK(out.str().empty());
	}
	CHECK(out.str() == "abc0-16518446744073709551615-9223372036854775808");
}

TEST_CASE("pieces that fit the writer's room, fill it, or are longer, arrive in their order")
{
	const std::size_t room = TextWriter::max_kept;
	std::ostringstream out;
	std::string expected;
	TextWriter writer(out);
	for (const std::size_t size :
	     {std::size_t(1), room - 1, std::size_t(1), room, room + 1, std::size_t(3), 3 * room}) {
		const std::string piece(size, static_cast<char>('a' + expected.size() % 23));
		writer << piece;
		expected += piece;
	}
	writer.flush();
	CHECK(out.str() == expected);
}

TEST_CASE("a stream that takes nothing says so")
{
	struct Full : std::streambuf {
	} full;
	std::ostream out(&full);
	TextWriter writer(out);
	writer << "lost";
	CHECK(out);
	writer.flush();
	CHECK_FALSE(out);
}
