// SPDX-License-Identifier: GPL-2.0
// Catch2's main function, and what it does not know: tests that cannot run here. The last line counts all, for
// scripts/check/summary.py. If all were skipped, the exit status is that of a step that is (scripts/check/steps.sh).
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include <cstdio>
#include <sanitizer/lsan_interface.h>

#include "unit/skipped.h"

namespace {

constexpr int skipped_status = 77;

std::string reason_of_all; // of the first that was skipped
bool is_skipped = false;   // the test that runs
std::size_t passes = 0, failures = 0, skips = 0;

class Skips : public Catch::TestEventListenerBase {
public:
	using TestEventListenerBase::TestEventListenerBase;

	void testCaseStarting(const Catch::TestCaseInfo&) override { is_skipped = false; }
	void testCaseEnded(const Catch::TestCaseStats& stats) override
	{
		(stats.totals.testCases.failed ? failures : is_skipped ? skips : passes)++;
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

// LeakSanitizer asks for it. What libdebuginfod prints with dprintf() leaves glibc's buffers behind; a file that
// somebody forgets to close is no leak to it anyway.
extern "C" const char* __lsan_default_suppressions() // NOLINT(bugprone-reserved-identifier)
{
	return "leak:_IO_file_doallocate\n";
}

int main(int argc, char** argv)
{
	const int failed = Catch::Session().run(argc, argv);
	if (passes + failures + skips)
		std::printf("cases: %zu passed, %zu failed, %zu skipped%s%s\n", passes, failures, skips,
			    skips ? ": " : "", reason_of_all.c_str());
	return failed == 0 && skips && !passes ? skipped_status : failed;
}
