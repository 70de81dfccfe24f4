// SPDX-License-Identifier: GPL-2.0
// Samples whose user chain comes later, in a record of its own.
#include "convert/deferred_chains.h"

namespace uwind {

void DeferredChains::add(PerfSample sample)
{
	if (waiting_.size() >= limit_) {
		PerfSample& oldest = waiting_.front();
		const auto thread = threads_.find(oldest.tid);
		thread->second.pop_front();
		if (thread->second.empty())
			threads_.erase(thread);
		done_(oldest, false);
		waiting_.pop_front();
	}
	const std::uint32_t tid = sample.tid;
	threads_[tid].push_back(waiting_.insert(waiting_.end(), std::move(sample)));
}

// A thread's chains come in the order of their cookies: those of its samples that have another one, and came before,
// will have none.
bool DeferredChains::add(const PerfDeferredChain& chain)
{
	bool is_wanted = false;
	const auto thread = threads_.find(chain.tid);
	if (thread == threads_.end())
		return false;
	for (const Place place : thread->second) {
		const bool has_chain = place->cookie == chain.cookie;
		if (has_chain)
			place->user_chain = chain.user_chain;
		is_wanted = is_wanted || has_chain;
		done_(*place, has_chain);
		waiting_.erase(place);
	}
	threads_.erase(thread);
	return is_wanted;
}

void DeferredChains::finish()
{
	for (PerfSample& sample : waiting_)
		done_(sample, false);
	waiting_.clear();
	threads_.clear();
}

} // namespace uwind
