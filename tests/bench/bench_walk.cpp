// SPDX-License-Identifier: GPL-2.0
// What a frame takes, on real stacks of this program, next to other unwinders on the same stacks in the same run. Exits
// with 1 if they do not all see the same frames.
//
// Usage: bench_walk          prints samples (report.h)
//        bench_walk agree    only looks whether all see the same frames, at each depth
//        bench_walk ours     walks a stack 1,000 times with ours alone: count its instructions with callgrind
#include <cstdio>
#include <cstdlib>
#include <string>

#include "bench/report.h"
#include "bench/walk/ours.h"
#include "bench/walk/peers.h"

using namespace bench;

namespace {

constexpr std::size_t depths[] = {10, 30, 100, 300, 1000, 2000};
constexpr std::size_t middle_depth = 100;

const LoadedCode* code;
Calls calls;

const char* name_of(Method method)
{
	switch (method) {
	case Method::sframe:
		return "SFrame";
	case Method::eh_frame:
		return ".eh_frame";
	default:
		return "frame pointers";
	}
}

std::string name_of(Method method, Known known)
{
	constexpr const char* suffixes[] = {"", ", steps remembered", ", as the last time"};
	return std::string(name_of(method)) + suffixes[static_cast<int>(known)];
}

// Without frame pointers there is nothing to follow.
std::vector<Method> methods_of(Calls calls)
{
	if (calls == Calls::plain)
		return {Method::sframe, Method::eh_frame};
	return {Method::sframe, Method::eh_frame, Method::frame_pointer};
}

template <typename Walk>
Contestant contestant(const std::string& name, const Stack& stack, std::shared_ptr<Walk> walk, bool from_here = false)
{
	for (int i = 0; i < 3; i++) { // of what it remembers, too
		walk->run();
		must_agree(name.c_str(), walk->seen(), stack, from_here);
	}
	return {name, [walk] { walk->run(); }, static_cast<double>(walk->seen().size())};
}

// Of a stack whose outer frames are this program's and libc's, and which passes qsort_r().
void must_use(const std::string& name, const OurWalk& walk, const Stack& stack)
{
	constexpr std::size_t outer = 10;
	const std::size_t nr = walk.nr_by_method();
	if (nr && 2 * nr + outer >= stack.pcs.size())
		return;
	std::fprintf(stderr, "%s has found %zu of %zu frames only\n", name.c_str(), nr, stack.pcs.size());
	std::exit(1);
}

void add_ours(std::vector<Contestant>& all, const Stack& stack)
{
	for (const Method method : methods_of(calls))
		for (const Known known : {Known::nothing, Known::steps, Known::trail}) {
			const std::string name = name_of(method, known);
			const auto walk = std::make_shared<OurWalk>(*code, stack, method, known);
			all.push_back(contestant(name, stack, walk));
			must_use(name, *walk, stack);
		}
}

void add_peers(std::vector<Contestant>& all, const Stack& stack)
{
	all.push_back(contestant("libunwind unw_step", stack, std::make_shared<CursorWalk>(stack)));
	all.push_back(
		contestant("libunwind unw_backtrace", stack, std::make_shared<CalledWalk>(stack, unw_backtrace), true));
	all.push_back(contestant("glibc backtrace", stack,
				 std::make_shared<CalledWalk>(stack, CalledWalk::backtrace_of_glibc()), true));
	all.push_back(contestant("libdw", stack, std::make_shared<LibdwWalk>(stack)));
}

Key key_of(const Stack& stack)
{
	return {{"stack", calls == Calls::framed ? "framed" : "plain"}, {"frames", std::to_string(stack.pcs.size())}};
}

void print_first_steps(const Stack& stack)
{
	CursorWalk walk(stack);
	Samples samples;
	for (int i = 0; i < 11; i++) {
		CursorWalk::forget();
		empty_caches();
		samples.push_back(nanoseconds_of([&] { walk.run(); }) / static_cast<double>(stack.pcs.size()));
	}
	Key key = key_of(stack);
	key.emplace_back("caches", "empty");
	print_samples("frames", key, "libunwind unw_step, code not seen before", "ns per frame", samples);
}

std::vector<Contestant> all_on(const Stack& stack)
{
	std::vector<Contestant> all;
	add_ours(all, stack);
	add_peers(all, stack);
	return all;
}

void agree(Stack& stack)
{
	const std::vector<Contestant> all = all_on(stack);
	std::printf("%zu walks see the same %zu frames\n", all.size(), stack.pcs.size());
}

void compare(Stack& stack)
{
	std::vector<Contestant> all = all_on(stack);
	time_all(all);
	print_all("frames", key_of(stack), "ns per frame", all);
	if (stack.pcs.size() == middle_depth)
		print_first_steps(stack);
}

void walk_ours(Stack& stack)
{
	std::vector<Contestant> all;
	add_ours(all, stack);
	for (const Contestant& walk : all)
		for (int i = 0; i < 1000; i++)
			walk.call();
}

void at_all_depths(void (*use)(Stack&))
{
	for (const std::size_t depth : depths)
		at_depth(calls, depth, use);
}

} // namespace

int main(int argc, char** argv)
{
	const std::string verb = argc == 2 ? argv[1] : "";
	if (argc > 2 || (argc == 2 && verb != "ours" && verb != "agree")) {
		std::fprintf(stderr, "usage: bench_walk [agree|ours]\n");
		return 64;
	}
	const LoadedCode loaded;
	code = &loaded;
	for (const Calls way : {Calls::framed, Calls::plain}) {
		calls = way;
		if (verb == "ours")
			at_depth(way, middle_depth, walk_ours);
		else
			at_all_depths(verb == "agree" ? agree : compare);
	}
	return 0;
}
