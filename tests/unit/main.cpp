// SPDX-License-Identifier: GPL-2.0
// Catch2's main function, and what it does not know: tests that cannot run here. If no other ran, the last line is
// what they need, and the exit status is that of a step that is skipped (scripts/check/steps.sh).
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include <cstdio>

#include "unit/skipped.h"

namespace {

constexpr int skipped_status = 77;

std::string reason_of_all; // of the first that was skipped
bool is_skipped = false;   // the test that runs
std::size_t skips = 0, runs = 0;

class Skips : public Catch::TestEventListenerBase {
public:
	using TestEventListenerBase::TestEventListenerBase;

	void testCaseStarting(const Catch::TestCaseInfo&) override { is_skipped = false; }
	void testCaseEnded(const Catch::TestCaseStats&) override
	{
		runs++;
		skips += is_skipped;
	}
};

} // namespace

CATCH_REGISTER_LISTENER(Skips)

bool skipped(const std::string& reason)
{
	is_skipped = true;
	if (reason_of_all.empty())
		reason_of_all = reason;
	return false;
}

int main(int argc, char** argv)
{
	const int failed = Catch::Session().run(argc, argv);
	if (skips)
		std::printf("%zu skipped: %s\n", skips, reason_of_all.c_str());
	return failed == 0 && skips && skips == runs ? skipped_status : failed;
}
