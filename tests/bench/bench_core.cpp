// SPDX-License-Identifier: GPL-2.0
// What a table costs in memory and a frame in time, next to libunwind on the
// same stack in the same run. Prints figures and ratios; fails only if the two
// do not see the same frames.
#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <random>

#include "unit/core/world.h"

using namespace core;

namespace {

constexpr u32 libllvm_rows = 837200; // .eh_frame of Debian's libLLVM, lowered
constexpr u32 depth = 48;
constexpr u64 text = 0x7f0000000000;

// Larger than the caches that matter: reading it all empties them.
std::vector<u64> ballast(8u << 20);

void evict()
{
	for (std::size_t i = 0; i < ballast.size(); i += 8)
		ballast[i]++;
}

using Clock = std::chrono::steady_clock;

double ns_since(Clock::time_point start)
{
	return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

// Nanoseconds of one call, the best of many rounds, each shorter than a time
// slice of a busy machine.
double time_hot(const std::function<void()>& call)
{
	constexpr int calls = 10;
	double best = 1e12;
	for (int round = 0; round < 600; round++) {
		auto start = Clock::now();
		for (int i = 0; i < calls; i++)
			call();
		best = std::min(best, ns_since(start) / calls);
	}
	return best;
}

// The median with nothing in the caches.
double time_cold(
	const std::function<void()>& call, const std::function<void()>& forget = [] {})
{
	std::vector<double> times;
	for (int i = 0; i < 41; i++) {
		forget();
		evict();
		auto start = Clock::now();
		call();
		times.push_back(ns_since(start));
	}
	std::nth_element(times.begin(), times.begin() + 20, times.end());
	return times[20];
}

struct Timing {
	double hot;
	double cold;
};

Timing time_per_frame(std::size_t frames, const std::function<void()>& call)
{
	call();
	return {time_hot(call) / static_cast<double>(frames), time_cold(call) / static_cast<double>(frames)};
}

void print(const char* what, Timing timing)
{
	std::printf("%-44s %8.1f ns hot %9.1f ns cold\n", what, timing.hot, timing.cold);
}

void print_ratio(const char* what, Timing other, Timing ours)
{
	std::printf("%-44s %8.1f x  hot %9.1f x  cold\n", what, other.hot / ours.hot, other.cold / ours.cold);
}

// As many rows as libLLVM has: functions of some rows, 25 to 120 bytes apart,
// and some hundreds of different rules.
std::unique_ptr<Draft> make_large_draft()
{
	auto draft = std::make_unique<Draft>(libllvm_rows, UW_MAX_RULES);
	std::mt19937 random(7);
	u32 at = 0x1000000;
	while (draft->draft.nr_rows < libllvm_rows) {
		s32 off = 16 + 8 * static_cast<s32>(random() % 40);
		draft->add(at, random() % 3 ? x86_rule(UW_X86_SP, off) : x86_rule(UW_X86_SP, off, -off));
		at += 25 + random() % 95;
	}
	return draft;
}

// A stack of 48 frames in functions all over the table.
struct SyntheticStack {
	uw_regs regs{};
	std::vector<u64> memory = std::vector<u64>(depth * 64);
};

SyntheticStack make_stack(const Draft& draft, u32 seed)
{
	SyntheticStack stack;
	std::mt19937 random(seed);
	auto pick = [&] { return draft.draft.rows[random() % draft.draft.nr_rows]; };
	uw_draft_row row = pick();
	stack.regs.pc = text + row.start + 1;
	stack.regs.r[UW_X86_SP] = reinterpret_cast<u64>(stack.memory.data());
	stack.regs.known = 1u << UW_X86_SP | 1u << UW_X86_FP;
	u64 slot = 0;
	for (u32 i = 0; i < depth; i++) {
		slot += static_cast<u64>(draft.draft.rules[row.rule].cfa_off) / 8;
		row = pick();
		stack.memory[slot - 1] = i + 1 < depth ? text + row.start + 2 : 0;
	}
	return stack;
}

// What a walk may use of earlier ones.
enum class Known { nothing, steps, trail };

uw_walk walk_once(const uw_regs& regs, uw_port& port, std::vector<uw_frame>& frames, Known known = Known::nothing)
{
	static Memory memory;
	uw_walk walk{};
	if (known != Known::nothing)
		memory.lend(walk);
	if (known == Known::steps)
		walk.along = nullptr;
	walk.regs = regs;
	walk.arch = UW_ARCH_X86_64;
	walk.max_frames = static_cast<u32>(frames.size());
	walk.frames = frames.data();
	uw_walk_run(&walk, &port);
	return walk;
}

void bench_lookup(const Draft& draft, const Table& table)
{
	constexpr u32 lookups = 4096;
	std::mt19937 random(3);
	std::vector<u32> offsets;
	for (u32 i = 0; i < lookups; i++)
		offsets.push_back(draft.draft.rows[random() % draft.draft.nr_rows].start);
	volatile u64 sink = 0;
	print("lookup, 4096 places of libLLVM", time_per_frame(lookups, [&] {
		      u64 sum = 0;
		      for (u32 offset : offsets)
			      sum += uw_table_find(&table.table, offset)->kind;
		      sink = sum;
	      }));
}

void bench_synthetic(const Draft& draft, const Table& table)
{
	SyntheticStack stack = make_stack(draft, 11);
	const uw_port_code code{text, text + (1ull << 32), 0, &table.table, 1, UW_METHOD_EH_FRAME};
	const uw_port_slice slice{reinterpret_cast<u64>(stack.memory.data()), stack.memory.size() * 8,
				  reinterpret_cast<const u8*>(stack.memory.data())};
	uw_port port{&code, 1, &slice, 1, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0};
	std::vector<uw_frame> frames(64);
	if (walk_once(stack.regs, port, frames).nr_frames != depth)
		std::abort();
	print("walk, 48 frames all over libLLVM, per frame",
	      time_per_frame(depth, [&] { walk_once(stack.regs, port, frames); }));
}

#ifdef __x86_64__

struct RealFrame {
	u64 pc;
	u64 sp;
};

std::vector<RealFrame> unwind_by_cursor(unw_context_t* context)
{
	std::vector<RealFrame> frames;
	unw_cursor_t cursor;
	unw_init_local(&cursor, context);
	do {
		unw_word_t pc, sp;
		unw_get_reg(&cursor, UNW_REG_IP, &pc);
		unw_get_reg(&cursor, UNW_REG_SP, &sp);
		frames.push_back({pc, sp});
	} while (unw_step(&cursor) > 0);
	return frames;
}

int step_through(unw_context_t* context)
{
	unw_cursor_t cursor;
	int steps = 1;
	unw_init_local(&cursor, context);
	while (unw_step(&cursor) > 0)
		steps++;
	return steps;
}

// Code near some frames, with a table that has their rows, and the large one's
// behind them.
struct RealCode {
	u64 base;
	Draft draft{libllvm_rows + 2048, UW_MAX_RULES};
	std::unique_ptr<Table> table;
};

constexpr u64 code_bytes = 16u << 20; // below where the large table begins

std::unique_ptr<RealCode> make_code(const Draft& large, const std::vector<RealFrame>& frames, u64 near)
{
	auto code = std::make_unique<RealCode>();
	code->base = near < code_bytes / 2 ? 0 : near - code_bytes / 2; // valgrind puts programs that low
	Rows rows;
	for (std::size_t i = 0; i < frames.size(); i++) {
		if (frames[i].pc - code->base >= code_bytes)
			continue;
		u32 at = static_cast<u32>(frames[i].pc - code->base);
		bool last = i + 1 == frames.size();
		rows.push_back({at - 1, last ? kind_rule(UW_RULE_OUTERMOST)
					     : x86_rule(UW_X86_SP, static_cast<s32>(frames[i + 1].sp - frames[i].sp))});
		rows.push_back({at + 1, kind_rule(UW_RULE_NONE)});
	}
	std::stable_sort(rows.begin(), rows.end(), [](auto& a, auto& b) { return a.first < b.first; });
	for (const auto& [start, rule] : rows)
		code->draft.add(start, rule);
	for (u32 i = 0; i < large.draft.nr_rows; i++)
		code->draft.add(large.draft.rows[i].start, large.draft.rules[large.draft.rows[i].rule]);
	code->table = std::make_unique<Table>(code->draft.draft);
	return code;
}

void compare_frames(const uw_walk& walk, const std::vector<RealFrame>& frames)
{
	bool same = walk.nr_frames == frames.size();
	for (u32 i = 0; same && i < walk.nr_frames; i++)
		same = walk.frames[i].pc == frames[i].pc;
	if (same)
		return;
	std::printf("the two disagree: %u frames, libunwind has %zu\n", walk.nr_frames, frames.size());
	std::exit(1);
}

struct Ours {
	Timing fresh, steps, trail;
};

void print_against(const Ours& all, Timing cursor, Timing backtrace, double first)
{
	const Timing ours = all.fresh;
	print("the same, this program's stack", ours);
	print("the same, its steps are remembered", all.steps);
	print("the same, the stack is as the last time", all.trail);
	print("libunwind unw_init_local and unw_step", cursor);
	print("libunwind unw_backtrace", backtrace);
	print_ratio("unw_step / ours", cursor, ours);
	print_ratio("unw_backtrace / ours", backtrace, ours);
	print_ratio("unw_backtrace / ours, steps remembered", backtrace, all.steps);
	print_ratio("unw_backtrace / ours, as the last time", backtrace, all.trail);
	std::printf("%-44s %26.1f ns cold\n", "unw_step, code it has not seen before", first);
	std::printf("%-44s %26.1f x  cold\n", "unw_step, code it has not seen before / ours", first / ours.cold);
}

// libunwind keeps what it found out about code; a profiler meets code for the
// first time often.
double time_first_steps(unw_context_t* context, std::size_t frames)
{
	return time_cold([&] { step_through(context); }, [] { unw_flush_cache(unw_local_addr_space, 0, 0); }) /
	       static_cast<double>(frames);
}

// Called by the innermost of the functions, whose frames stay while this runs.
__attribute__((noinline)) void bench_real(const Draft& large)
{
	unw_context_t context;
	unw_getcontext(&context);
	const auto frames = unwind_by_cursor(&context);
	auto program = make_code(large, frames, frames.front().pc);
	auto libc = make_code(large, frames, frames[frames.size() - 2].pc);
	const uw_port_code codes[] = {
		{program->base, program->base + code_bytes, 0, &program->table->table, 1, UW_METHOD_EH_FRAME},
		{libc->base, libc->base + code_bytes, 0, &libc->table->table, 2, UW_METHOD_EH_FRAME}};
	const u64 sp = frames.front().sp;
	const uw_port_slice slice{sp, frames.back().sp - sp, reinterpret_cast<const u8*>(sp)};
	uw_port port{codes, 2, &slice, 1, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0};
	std::vector<uw_frame> out(frames.size() + 1);
	uw_regs regs{};
	regs.pc = frames.front().pc;
	regs.r[UW_X86_SP] = sp;
	regs.known = 1u << UW_X86_SP;
	port.key = 1;
	const auto time_known = [&](Known known) {
		for (int i = 0; i < 3; i++)
			compare_frames(walk_once(regs, port, out, known), frames);
		return time_per_frame(frames.size(), [&] { walk_once(regs, port, out, known); });
	};

	std::vector<void*> addresses(frames.size() + 8);
	print_against({time_known(Known::nothing), time_known(Known::steps), time_known(Known::trail)},
		      time_per_frame(frames.size(), [&] { step_through(&context); }),
		      time_per_frame(frames.size(),
				     [&] { unw_backtrace(addresses.data(), static_cast<int>(addresses.size())); }),
		      time_first_steps(&context, frames.size()));
}

// Every frame is another function, as in a real stack.
template <u32 Left>
__attribute__((noinline)) u32 descend(const Draft& large)
{
	if constexpr (Left == 0)
		bench_real(large);
	else
		descend<Left - 1>(large);
	asm volatile("" ::: "memory"); // the call above is no tail call
	return Left;
}

#endif

} // namespace

int main()
{
	auto draft = make_large_draft();
	Table table(draft->draft);
	u64 bytes = uw_table_bytes(&draft->draft);
	std::printf("%u rows, %u rules: %.1f MB, %.2f bytes a row\n", draft->draft.nr_rows, draft->draft.nr_rules,
		    static_cast<double>(bytes) / 1e6, static_cast<double>(bytes) / libllvm_rows);
	bench_lookup(*draft, table);
	bench_synthetic(*draft, table);
#ifdef __x86_64__
	descend<depth - 1>(*draft);
#endif
}
