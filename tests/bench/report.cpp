// SPDX-License-Identifier: GPL-2.0
#include "bench/report.h"

#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

// A sample is shorter than a time slice of a busy machine, and long beside the clock's own cost.
constexpr double sample_ns = 50e3;
constexpr double most_calls = 2000;

constexpr std::size_t ballast_words = 4u << 20; // 32 MiB

int calls_of(const Contestant& contestant)
{
	contestant.call();
	const double once = std::max(nanoseconds_of(contestant.call), 1.0);
	return static_cast<int>(std::clamp(sample_ns / once, 1.0, most_calls));
}

void add_warm(Contestant& contestant, int calls)
{
	const double took = nanoseconds_of([&] {
		for (int i = 0; i < calls; i++)
			contestant.call();
	});
	contestant.warm.push_back(took / calls / contestant.per);
}

} // namespace

double nanoseconds_of(const Call& call)
{
	const auto start = Clock::now();
	call();
	return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

double cpu_nanoseconds_of(const Call& call)
{
	timespec before, after;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
	call();
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
	return 1e9 * static_cast<double>(after.tv_sec - before.tv_sec) +
	       static_cast<double>(after.tv_nsec - before.tv_nsec);
}

void empty_caches()
{
	static std::vector<std::uint64_t> ballast(ballast_words);
	for (std::size_t i = 0; i < ballast.size(); i += 8)
		ballast[i]++;
}

void time_all(std::vector<Contestant>& contestants, const Rounds& rounds)
{
	std::vector<int> calls;
	for (const Contestant& contestant : contestants)
		calls.push_back(calls_of(contestant));
	for (int round = 0; round < rounds.warm; round++)
		for (std::size_t i = 0; i < contestants.size(); i++)
			add_warm(contestants[i], calls[i]);
	for (int round = 0; round < rounds.cold; round++)
		for (Contestant& contestant : contestants) {
			empty_caches();
			contestant.cold.push_back(nanoseconds_of(contestant.call) / contestant.per);
		}
}

void print_samples(const std::string& group, const Key& key, const std::string& name, const std::string& unit,
		   const Samples& samples)
{
	if (samples.empty())
		return;
	std::printf("{\"group\": \"%s\"", group.c_str());
	for (const auto& [what, value] : key)
		std::printf(", \"%s\": \"%s\"", what.c_str(), value.c_str());
	std::printf(", \"of\": \"%s\", \"unit\": \"%s\", \"samples\": [", name.c_str(), unit.c_str());
	for (std::size_t i = 0; i < samples.size(); i++)
		std::printf("%s%.3f", i ? ", " : "", samples[i]);
	std::printf("]}\n");
}

void print_all(const std::string& group, const Key& key, const std::string& unit,
	       const std::vector<Contestant>& contestants)
{
	for (const Contestant& contestant : contestants) {
		Key whole = key;
		whole.emplace_back("caches", "warm");
		print_samples(group, whole, contestant.name, unit, contestant.warm);
		whole.back().second = "empty";
		print_samples(group, whole, contestant.name, unit, contestant.cold);
	}
}

} // namespace bench
