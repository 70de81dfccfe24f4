// SPDX-License-Identifier: GPL-2.0
// Times since 1970 of reports that say when they began, and of those that do not.
#include "export/wall_clock.h"

#include <catch2/catch.hpp>

#include "base/text.h"
#include "unit/export/sample_report.h"

using namespace uwind;

TEST_CASE("RFC 3339 is read with fractions and offsets, and nothing else")
{
	CHECK(parse_rfc3339("1970-01-01T00:00:10Z") == 10);
	CHECK(parse_rfc3339("2026-01-31T23:59:59Z") == 1769903999);
	CHECK(parse_rfc3339("2026-01-31T23:59:59.75Z") == 1769903999);
	CHECK(parse_rfc3339("2026-02-01T01:29:59+01:30") == 1769903999);
	CHECK(parse_rfc3339("2026-01-31T20:59:59-03:00") == 1769903999);
	CHECK(parse_rfc3339(rfc3339(1769903999)) == 1769903999);
	for (const char* none :
	     {"", "2026-01-31", "2026-01-31T23:59:59", "2026-01-31T23:59:59Zx", "2026-01-31T23:59:59."})
		CHECK(!parse_rfc3339(none));
}

TEST_CASE("times are counted from when the recording began, else from its first sample")
{
	Report report = sample_report();
	CHECK(WallClock(report).started_ns() == 1769903999'000'000'000);
	CHECK(WallClock(report).since_1970(1'000'000'005) == 1769903999'000'000'005);
	report.session.started_ns = 900'000'000;
	CHECK(WallClock(report).since_1970(1'000'000'005) == 1769903999'100'000'005);
	CHECK(WallClock(report).since_1970(0) == 1769903998'100'000'000);
	for (const char* unknown : {"soon", "1960-01-01T00:00:00Z", "9999-01-01T00:00:00Z"}) {
		report.session.started = unknown;
		CHECK(WallClock(report).started_ns() == 0);
		CHECK(WallClock(report).since_1970(7) == 7);
	}
	report.samples.clear();
	report.session.started_ns.reset();
	report.session.started = "2026-01-31T23:59:59Z";
	CHECK(WallClock(report).started_ns() == 1769903999'000'000'000);
}
