// SPDX-License-Identifier: GPL-2.0
// Functions whose names are hard to get right: templates, lambdas, aliases, clones, inlined ones, one
// that is chosen at load time, one without a size; and enough of the C library's own.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "work.h"

#define NOINLINE __attribute__((noinline))

namespace names {

template <typename T>
NOINLINE T turn(T value, unsigned int rounds)
{
	return static_cast<T>(work_mix(static_cast<uint64_t>(value) | 1, rounds));
}

struct Shape {
	virtual ~Shape() = default;
	virtual uint64_t area(uint64_t x) const = 0;
};

struct Square : Shape {
	NOINLINE uint64_t area(uint64_t x) const override
	{
		return work_mix(x, 2000) * x;
	}
	uint64_t operator()(uint64_t x) const
	{
		return area(x) + 1;
	}
};

// Inlined twice, one into the other.
inline uint64_t inner(uint64_t x)
{
	return work_mix(x ^ 0x5555, 1000);
}

inline uint64_t middle(uint64_t x)
{
	return inner(x) + inner(x + 1);
}

// The compiler makes a copy of its own for the one value that it is called with.
NOINLINE static uint64_t with_constant(uint64_t x, unsigned int rounds)
{
	return work_mix(x, rounds) + middle(x);
}

} // namespace names

extern "C" {

NOINLINE uint64_t alias_first(uint64_t x) noexcept
{
	return work_mix(x | 1, 3000);
}
uint64_t alias_other(uint64_t x) noexcept __attribute__((alias("alias_first")));
uint64_t alias_weak(uint64_t x) noexcept __attribute__((weak, alias("alias_first")));

static uint64_t chosen_one(uint64_t x)
{
	return work_mix(x | 1, 2500);
}
static uint64_t (*choose(void))(uint64_t)
{
	return chosen_one;
}
uint64_t chosen(uint64_t x) __attribute__((ifunc("choose")));

// As written by hand: a function whose symbol has no size, and one that has.
void sizeless(uint64_t rounds);
void sized(uint64_t rounds);
}

#if defined(__x86_64__)
#define LOOP "1: dec %rdi\n jnz 1b\n ret\n"
#elif defined(__aarch64__)
#define LOOP "1: subs x0, x0, #1\n b.ne 1b\n ret\n"
#endif

asm(".pushsection .text\n"
    ".globl sized\n .type sized, %function\n"
    "sized: .cfi_startproc\n" LOOP ".cfi_endproc\n .size sized, . - sized\n"
    ".globl sizeless\n .type sizeless, %function\n"
    "sizeless: .cfi_startproc\n" LOOP ".cfi_endproc\n"
    ".popsection\n");

namespace {

NOINLINE uint64_t sort_strings(uint64_t seed)
{
	std::vector<std::string> texts;
	for (int i = 0; i < 40; i++)
		texts.push_back("text number " + std::to_string(seed = work_mix(seed | 1, 1)));
	std::sort(texts.begin(), texts.end(), [](const std::string &a, const std::string &b) { return a > b; });
	return texts.front().size() + texts.back()[12];
}

NOINLINE uint64_t c_library(uint64_t x)
{
	static char from[16 << 10], to[16 << 10];
	char text[200];

	memset(from, static_cast<int>(x & 0x3f) + 1, sizeof(from) - 1);
	memcpy(to, from, sizeof(to));
	snprintf(text, sizeof(text), "%g %s %llu", static_cast<double>(x), "text", static_cast<unsigned long long>(x));
	return strlen(to) + strtoul(text + strlen(text) / 2, nullptr, 10) + (strstr(from, "no such") != nullptr);
}

uint64_t round_of_all(uint64_t x)
{
	const std::function<uint64_t(uint64_t)> lambda = [](uint64_t v) { return names::turn<uint64_t>(v, 3000); };

	x += names::turn<unsigned short>(static_cast<unsigned short>(x), 2000) + lambda(x) + names::Square()(x);
	x += names::with_constant(x, 2222) + alias_other(x) + alias_weak(x) + chosen(x);
	sized(3000);
	sizeless(3000);
	return x + sort_strings(x) + c_library(x) + work_sort(x);
}

} // namespace

int main(int argc, char **argv)
{
	const double end = work_clock(CLOCK_BOOTTIME) + work_seconds(argc, argv);
	uint64_t x = 1;

	WORK_UNTIL(CLOCK_BOOTTIME, end)
		x = round_of_all(x);
	work_sink = x;
	return 0;
}
