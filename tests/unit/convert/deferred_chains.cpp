// SPDX-License-Identifier: GPL-2.0
// Samples that wait for their user chain.
#include <catch2/catch.hpp>

#include "convert/deferred_chains.h"

using namespace uwind;

namespace {

struct Done {
	std::uint64_t time_ns;
	bool has_chain;
	std::size_t frames;
	bool operator==(const Done&) const = default;
};

PerfSample sample(std::uint32_t tid, std::uint64_t cookie, std::uint64_t time_ns)
{
	PerfSample sample;
	sample.tid = tid;
	sample.cookie = cookie;
	sample.time_ns = time_ns;
	return sample;
}

PerfDeferredChain chain(std::uint32_t tid, std::uint64_t cookie)
{
	PerfDeferredChain chain;
	chain.tid = tid;
	chain.cookie = cookie;
	chain.user_chain = {1, 2};
	return chain;
}

} // namespace

TEST_CASE("a chain goes to the samples of its thread with its cookie, and to no other thread's")
{
	std::vector<Done> done;
	DeferredChains chains([&](const PerfSample& one, bool has_chain) {
		done.push_back({one.time_ns, has_chain, one.user_chain.size()});
	});
	chains.add(sample(1, 5, 10));
	chains.add(sample(2, 5, 11));
	chains.add(sample(1, 5, 12));
	CHECK(chains.add(chain(1, 5)));
	CHECK(done == std::vector<Done>{{10, true, 2}, {12, true, 2}});
	CHECK_FALSE(chains.add(chain(1, 5)));
	chains.finish();
	CHECK(done.back() == Done{11, false, 0});
}

TEST_CASE("when a later chain of its thread comes, a sample waits no more")
{
	std::vector<Done> done;
	DeferredChains chains([&](const PerfSample& one, bool has_chain) {
		done.push_back({one.time_ns, has_chain, one.user_chain.size()});
	});
	chains.add(sample(1, 5, 10));
	chains.add(sample(1, 6, 11));
	CHECK(chains.add(chain(1, 6)));
	CHECK(done == std::vector<Done>{{10, false, 0}, {11, true, 2}});
}

TEST_CASE("when too many samples wait, the oldest goes on without its chain")
{
	std::vector<Done> done;
	DeferredChains chains(
		[&](const PerfSample& one, bool has_chain) {
			done.push_back({one.time_ns, has_chain, one.user_chain.size()});
		},
		2);
	for (std::uint64_t time_ns = 10; time_ns < 13; time_ns++)
		chains.add(sample(1, 5, time_ns));
	CHECK(done == std::vector<Done>{{10, false, 0}});
	CHECK(chains.add(chain(1, 5)));
	CHECK(done.size() == 3);
}
