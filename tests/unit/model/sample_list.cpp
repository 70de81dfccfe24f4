// SPDX-License-Identifier: GPL-2.0
// Samples that are packed, beside a vector of the same.
#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <random>

#include "model/sample_list.h"

using namespace uwind;

namespace {

constexpr std::size_t some_blocks = 2 * SampleList::block_samples + 5;

template <typename T>
std::optional<T> maybe(std::mt19937_64& random)
{
	return random() % 2 ? std::optional<T>(static_cast<T>(random())) : std::nullopt;
}

ReportSample any_sample(std::mt19937_64& random)
{
	ReportSample sample;
	sample.time_ns = random();
	sample.process = static_cast<Index>(random());
	sample.pid = static_cast<std::uint32_t>(random());
	sample.tid = static_cast<std::uint32_t>(random());
	sample.cpu = random() % 2 ? static_cast<std::uint32_t>(random()) : static_cast<std::uint32_t>(random() % 100);
	sample.weight = static_cast<std::uint32_t>(random());
	sample.cookie = random();
	sample.user_stack = maybe<Index>(random);
	sample.kernel_stack = maybe<Index>(random);
	if (random() % 2)
		sample.lost = Loss::EXEC;
	sample.event = maybe<Index>(random);
	sample.period = maybe<std::uint64_t>(random);
	sample.off_cpu = maybe<Index>(random);
	sample.call = maybe<Index>(random);
	return sample;
}

// What a clock on eight CPUs samples in a minute of many threads.
ReportSample usual_sample(std::mt19937_64& random, std::size_t number)
{
	ReportSample sample;
	sample.cpu = number % 8;
	sample.time_ns = 5'000'000'000'000 + number / 8 * 10'101'010 + random() % 100'000;
	sample.process = random() % 300;
	sample.pid = 1000 + sample.process;
	sample.tid = sample.pid + random() % 30;
	sample.weight = 1;
	sample.cookie = (std::uint64_t{sample.cpu} << 48) + number;
	sample.user_stack = random() % 200'000;
	sample.kernel_stack = random() % 2 ? std::optional<Index>(random() % 50'000) : std::nullopt;
	sample.event = 0;
	sample.period = 10'101'010;
	return sample;
}

} // namespace

TEST_CASE("samples are what they were, whatever they are")
{
	std::mt19937_64 random(1);
	SampleList list;
	std::vector<ReportSample> expected;
	ReportSample most = any_sample(random);
	most.period = most.time_ns = most.cookie = std::numeric_limits<std::uint64_t>::max();
	most.user_stack = most.event = most.call = std::numeric_limits<Index>::max();
	for (const ReportSample& sample : {most, ReportSample(), most}) {
		list.push_back(sample);
		expected.push_back(sample);
	}
	while (expected.size() < some_blocks) {
		expected.push_back(any_sample(random));
		list.push_back(expected.back());
		CHECK(list.size() == expected.size());
	}
	CHECK(std::ranges::equal(std::as_const(list), expected));
	CHECK(list[SampleList::block_samples] == expected[SampleList::block_samples]);
	CHECK(list[7] == expected[7]);
	const SampleList copy = list;
	CHECK(std::ranges::equal(copy, expected));
}

TEST_CASE("samples that are changed stay so after others were looked at")
{
	std::mt19937_64 random(2);
	SampleList list;
	for (std::size_t i = 0; i < some_blocks; i++)
		list.push_back(usual_sample(random, i));
	std::vector<ReportSample> expected(std::as_const(list).begin(), std::as_const(list).end());
	for (const std::size_t i : {std::size_t{0}, SampleList::block_samples, some_blocks - 1}) {
		list[i].tid = expected[i].tid = 77;
		CHECK(std::ranges::equal(std::as_const(list), expected));
	}
	for (ReportSample& sample : list)
		sample.user_stack.reset();
	for (ReportSample& sample : expected)
		sample.user_stack.reset();
	CHECK(std::ranges::equal(list, expected));
}

TEST_CASE("samples are taken out, and more of them added")
{
	std::mt19937_64 random(3);
	SampleList list;
	for (std::size_t i = 0; i < some_blocks; i++)
		list.push_back(usual_sample(random, i));
	std::vector<ReportSample> expected(std::as_const(list).begin(), std::as_const(list).end());
	list[5].pid = 0; // in a packed block
	expected[5].pid = 0;
	const auto odd = [](const ReportSample& sample) { return sample.pid % 2 == 1; };
	list.erase_if(odd);
	std::erase_if(expected, odd);
	CHECK(std::ranges::equal(list, expected));
	for (const std::size_t size : {expected.size() + 3, std::size_t{10}, some_blocks, std::size_t{0}}) {
		list.resize(size);
		expected.resize(size);
		CHECK(std::ranges::equal(list, expected));
	}
	CHECK(list.empty());
}

TEST_CASE("a list from which all was moved is as good as a new one")
{
	std::mt19937_64 random(5);
	SampleList list;
	for (std::size_t i = 0; i < some_blocks; i++)
		list.push_back(usual_sample(random, i));
	list[0].tid = 77;
	const SampleList moved = std::move(list);
	CHECK(moved[0].tid == 77);
	list.resize(some_blocks); // NOLINT(bugprone-use-after-move)
	list.erase_if([](const ReportSample& sample) { return sample.tid == 0; });
	CHECK(list.empty());
}

TEST_CASE("a sample takes less than 20 bytes")
{
	constexpr std::size_t count = 500'000;
	std::mt19937_64 random(4);
	SampleList list;
	for (std::size_t i = 0; i < count; i++)
		list.push_back(usual_sample(random, i));
	CHECK(list.bytes() < count * 20);
}
