// SPDX-License-Identifier: GPL-2.0
// What the benchmarks measure with, and print: one JSON object a line, which scripts/bench.py reads.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace bench {

// Nanoseconds of one call each.
using Samples = std::vector<double>;
using Call = std::function<void()>;
using Key = std::vector<std::pair<std::string, std::string>>;

// One walker, table or reader, and what it took.
struct Contestant {
	std::string name;
	Call call;
	double per = 1; // frames, rows or lookups of a call
	Samples warm{}, cold{};
};

// So many samples of each.
struct Rounds {
	int warm = 15;
	int cold = 7;
};

// Each round has a sample of every contestant, so that whatever else the machine does meets all of them alike.
void time_all(std::vector<Contestant>& contestants, const Rounds& rounds = {});

// Reads more than the caches of a core hold.
void empty_caches();

double nanoseconds_of(const Call& call);
// Of this process's processor time, for work that is long enough to be interrupted.
double cpu_nanoseconds_of(const Call& call);

// {"group": group, KEY..., "of": name, "unit": unit, "samples": [...]}
void print_samples(const std::string& group, const Key& key, const std::string& name, const std::string& unit,
		   const Samples& samples);

// The warm samples, and the cold ones where there are any, with "caches" in the key.
void print_all(const std::string& group, const Key& key, const std::string& unit,
	       const std::vector<Contestant>& contestants);

// The result of what is measured is used.
template <typename T>
void keep(const T& value)
{
	asm volatile("" : : "g"(&value) : "memory");
}

} // namespace bench
