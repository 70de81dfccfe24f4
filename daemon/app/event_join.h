// SPDX-License-Identifier: GPL-2.0
// Brings together what a counter has noted, and the stack in user space that was requested then.
#pragma once

#include <functional>
#include <list>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/records.h"

namespace uwind {

// For one thread. Several events may share one stack. Stacks come before or after their events, mostly soon, but late
// where a task stays in the kernel, and never where a message was lost: what waits for longest gives way.
class EventJoin {
public:
	static constexpr std::size_t usual_limit = 1u << 17;

	// answer: null if there is none, or not yet.
	using Done = std::function<void(const EventRecord& event, const StackRecord* answer)>;
	// limit: events that wait, and cookies.
	explicit EventJoin(Done done, std::size_t limit = usual_limit) : done_(std::move(done)), limit_(limit) {}

	void add(const EventRecord& event);
	// An answer that says it has events.
	void add(const StackRecord& answer);
	// Those that still wait are done without an answer.
	void finish();
	// Events that gave way without their stack.
	std::uint64_t too_many() const { return too_many_; }

private:
	struct Waiting {
		std::uint64_t cookie;
		std::vector<EventRecord> events;
		std::optional<StackRecord> answer;
		std::uint64_t expected = 0; // events that the answer has yet to get
	};
	using Place = std::list<Waiting>::iterator;

	Place place_of(std::uint64_t cookie);
	void let_oldest_go();
	void give_up(Place place);
	void erase(Place place);

	const Done done_;
	const std::size_t limit_;
	std::list<Waiting> waiting_; // the oldest first
	std::unordered_map<std::uint64_t, Place> known_;
	std::size_t events_ = 0; // in all of them
	std::uint64_t too_many_ = 0;
};

} // namespace uwind
