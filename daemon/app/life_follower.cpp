// SPDX-License-Identifier: GPL-2.0
// Takes in what is told of processes' lives.
#include "app/life_follower.h"

#include <spdlog/spdlog.h>

namespace uwind {
namespace {

constexpr std::chrono::milliseconds longest_wait(1000); // finish() ends it

} // namespace

LifeFollower::LifeFollower(const Ports& ports)
    : lives_(ports.lives), processes_(ports.processes), threads_(ports.threads)
{
}

void LifeFollower::begin(const SessionOptions& session, Tracker& tracker)
{
	if (const auto watching = lives_.watch(session); !watching) {
		spdlog::debug("{}", watching.error().message);
		return;
	}
	for (const std::string& why : lives_.untold())
		spdlog::debug("{}", why);
	thread_ = std::thread([this, &tracker] { run(tracker); });
}

void LifeFollower::finish()
{
	if (!thread_.joinable())
		return;
	finishing_ = true;
	lives_.interrupt();
	thread_.join();
}

// A process may be gone soon, and what it maps with it.
void LifeFollower::run(Tracker& tracker)
{
	threads_.prefer_this_one();
	for (bool last = false; !last;) {
		last = finishing_;
		for (const LifeRecord& record : lives_.wait(last ? std::chrono::milliseconds(0) : longest_wait))
			take(record, tracker);
	}
}

void LifeFollower::take(const LifeRecord& record, Tracker& tracker)
{
	if (const auto* forked = std::get_if<ProcessForked>(&record))
		learn_parent(forked->parent);
	known_.take(record);
	if (const auto* mapped = std::get_if<FileMapped>(&record))
		tracker.note_mapped(mapped->image.pid, mapped->mapping);
}

// What began before has children that say what it is, and are sooner gone.
void LifeFollower::learn_parent(const ProcessImage& parent)
{
	if (known_.find(parent))
		return;
	const auto facts = processes_.describe(parent.pid);
	if (!facts || !started_at(*facts, parent.start_time_ns))
		return;
	auto details = processes_.details(parent.pid);
	known_.add(parent, {facts->exe, facts->comm, details ? std::move(*details) : ProcessDetails{}});
}

} // namespace uwind
