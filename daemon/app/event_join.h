// SPDX-License-Identifier: GPL-2.0
// Brings together what a counter has noted, and the stack in user space that was requested then.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>

#include "model/records.h"

namespace uwind {

// For one thread. Several events may share one stack. Stacks come before or after their events, mostly soon, but late
// where a task stays in the kernel.
class EventJoin {
public:
	static constexpr std::size_t usual_limit = 1u << 18;

	// answer: null if there is none, or not yet.
	using Done = std::function<void(const EventRecord& event, const StackRecord* answer)>;
	// limit: events that wait.
	explicit EventJoin(Done done, std::size_t limit = usual_limit) : done_(std::move(done)), limit_(limit) {}

	void add(const EventRecord& event);
	// An answer that says it has events.
	void add(const StackRecord& answer);
	// Those that still wait are done without an answer.
	void finish();
	// Events that did not wait for their stack, as too many did already.
	std::uint64_t too_many() const { return too_many_; }

private:
	struct Waiting {
		std::deque<EventRecord> events;
		std::optional<StackRecord> answer;
		std::uint64_t expected = 0; // events that the answer has yet to get
	};

	const Done done_;
	const std::size_t limit_;
	std::unordered_map<std::uint64_t, Waiting> waiting_; // by cookie
	std::size_t events_ = 0;                             // in all of them
	std::uint64_t too_many_ = 0;
};

} // namespace uwind
