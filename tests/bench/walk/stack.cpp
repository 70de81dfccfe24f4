// SPDX-License-Identifier: GPL-2.0
#include "bench/walk/stack.h"

#include <pthread.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace bench {
namespace {

std::uint64_t end_of_stack()
{
	pthread_attr_t attributes;
	void* start = nullptr;
	std::size_t bytes = 0;
	if (pthread_getattr_np(pthread_self(), &attributes))
		std::abort();
	pthread_attr_getstack(&attributes, &start, &bytes);
	pthread_attr_destroy(&attributes);
	return reinterpret_cast<std::uint64_t>(start) + bytes;
}

// libunwind's numbers of the first registers are those of DWARF.
uw_regs registers_of(unw_cursor_t& cursor)
{
	const uw_abi& abi = uw_abis[native];
	uw_regs regs{};
	unw_get_reg(&cursor, UNW_REG_IP, &regs.pc);
	for (u8 number : {abi.sp, abi.fp, abi.base, abi.lr}) {
		unw_word_t value;
		if (number == UW_NO_REG || unw_get_reg(&cursor, number, &value))
			continue;
		regs.r[number] = value;
		regs.known |= 1u << number;
	}
	return regs;
}

struct Way : bench_descent {
	void (*use)(Stack&);
};

// The last function of a way: its frame stays while the stack is used.
__attribute__((noinline)) void arrive(bench_descent* descent)
{
	unw_context_t context;
	unw_getcontext(&context);
	Stack stack(&context);
	static_cast<Way*>(descent)->use(stack);
	asm volatile("" ::: "memory"); // the call is no tail call
}

const std::vector<bench_function>& functions_of(Calls calls)
{
	static const auto join = [](auto... libraries) {
		std::vector<bench_function> all;
		(all.insert(all.end(), libraries, libraries + BENCH_FUNCTIONS), ...);
		return all;
	};
	static const auto framed = join(bench_framed_a, bench_framed_b, bench_framed_c);
	static const auto plain = join(bench_plain_a, bench_plain_b, bench_plain_c);
	return calls == Calls::framed ? framed : plain;
}

__attribute__((noinline)) void descend(Calls calls, unsigned left, unsigned sorts_from, void (*use)(Stack&))
{
	const auto& functions = functions_of(calls);
	Way way{{functions.data(), left, sorts_from, 1, arrive}, use};
	functions.front()(&way);
	asm volatile("" ::: "memory");
}

std::size_t noted;

void note_frames(Stack& stack)
{
	noted = stack.pcs.size();
}

} // namespace

Stack::Stack(unw_context_t* context) : context(context), end(end_of_stack())
{
	unw_cursor_t cursor;
	unw_init_local(&cursor, context);
	regs = registers_of(cursor);
	do {
		unw_word_t pc;
		unw_get_reg(&cursor, UNW_REG_IP, &pc);
		pcs.push_back(pc);
	} while (unw_step(&cursor) > 0);
}

void must_agree(const char* who, const Addresses& seen, const Stack& stack, bool from_here)
{
	const std::size_t outer = stack.pcs.size() - 1;
	// On arm64 unw_backtrace() gives an address within the call.
	const auto same_pc = [](std::uint64_t theirs, std::uint64_t pc) { return theirs == pc || theirs + 1 == pc; };
	const auto same_outside = [&] {
		return seen.size() > outer && std::equal(seen.end() - static_cast<std::ptrdiff_t>(outer), seen.end(),
							 stack.pcs.begin() + 1, same_pc);
	};
	if (from_here ? same_outside() : seen == stack.pcs)
		return;
	std::fprintf(stderr, "%s does not see the frames that libunwind sees: it has %zu, libunwind %zu\n", who,
		     seen.size(), stack.pcs.size());
	std::exit(1);
}

// A call is a frame, or some where it passes qsort_r(): as many calls as may pass it, and the rest do not.
void at_depth(Calls calls, std::size_t frames, void (*use)(Stack&))
{
	descend(calls, 0, 0, note_frames);
	const std::size_t least = noted;
	auto left = static_cast<unsigned>(frames - std::min(frames, least));
	unsigned sorts_from = calls == Calls::plain ? left : 0;
	descend(calls, left, sorts_from, note_frames);
	while (noted > frames && left) {
		sorts_from = left -= std::min(left, static_cast<unsigned>(noted - frames + 1) / 2);
		descend(calls, left, sorts_from, note_frames);
	}
	left += static_cast<unsigned>(frames - std::min(frames, noted));
	descend(calls, left, sorts_from, note_frames);
	if (noted != frames) {
		std::fprintf(stderr, "no stack has %zu frames: without any call there are %zu\n", frames, least);
		std::exit(1);
	}
	descend(calls, left, sorts_from, use);
	asm volatile("" ::: "memory");
}

} // namespace bench
