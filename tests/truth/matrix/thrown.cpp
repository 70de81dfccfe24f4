// SPDX-License-Identifier: GPL-2.0
// An exception on its way through several frames, one of which has something to clean
// up.
#include <exception>

#define KEPT __attribute__((noinline))

namespace {

volatile int cleaned;

struct Thrown {
	int value;
};

struct Cleanup {
	~Cleanup() { cleaned = cleaned + 1; }
};

KEPT int thrower(int depth)
{
	if (depth == 0)
		throw Thrown{cleaned};
	return thrower(depth - 1) + 1;
}

KEPT int cleaning(int depth)
{
	Cleanup cleanup;
	return thrower(depth) + 1;
}

} // namespace

extern "C" KEPT int thrown(int depth)
{
	try {
		return cleaning(depth);
	} catch (const Thrown& thrown) {
		return thrown.value;
	}
}
