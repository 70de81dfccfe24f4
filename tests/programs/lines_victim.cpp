// SPDX-License-Identifier: GPL-2.0
// Templates of the C++ library at work for so many seconds, much of them inlined, the rest in the library itself.
//
// Usage: lines_victim SECONDS
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::vector<std::string> words(unsigned seed)
{
	std::vector<std::string> found;
	for (unsigned i = 0; i < 2000; i++) {
		std::ostringstream word;
		word << std::hex << (seed = seed * 1664525 + 1013904223) << ' ' << i / 7.0;
		found.push_back(word.str());
	}
	return found;
}

std::size_t work(unsigned seed)
{
	std::vector<std::string> sorted = words(seed);
	std::sort(sorted.begin(), sorted.end(), [](const std::string& a, const std::string& b) { return b < a; });
	std::map<std::string, std::size_t> counted;
	for (const std::string& word : sorted)
		counted[word.substr(0, 3)]++;
	const std::regex digits("[0-9]+\\.[0-9]*");
	const auto matching = [&](const std::string& word) { return std::regex_search(word, digits); };
	return counted.size() + std::count_if(sorted.begin(), sorted.begin() + 100, matching);
}

} // namespace

int main(int argc, char** argv)
{
	const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(argc == 2 ? std::atoi(argv[1]) : 0);
	std::size_t sum = 0;
	for (unsigned seed = 1; std::chrono::steady_clock::now() < end; seed++)
		sum += work(seed);
	std::cout << sum << '\n';
}
