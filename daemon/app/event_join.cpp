// SPDX-License-Identifier: GPL-2.0
// Brings together what a counter has noted, and the stack in user space that was requested then.
#include "app/event_join.h"

namespace uwind {

void EventJoin::add(const EventRecord& event)
{
	if (!event.cookie)
		return done_(event, nullptr);
	const auto known = waiting_.find(event.cookie);
	if (known != waiting_.end() && known->second.answer) {
		done_(event, &*known->second.answer);
		if (--known->second.expected == 0)
			waiting_.erase(known);
		return;
	}
	if (events_ >= limit_) {
		too_many_++;
		return done_(event, nullptr);
	}
	waiting_[event.cookie].events.push_back(event);
	events_++;
}

void EventJoin::add(const StackRecord& answer)
{
	Waiting& waiting = waiting_[answer.cookie];
	for (const EventRecord& event : waiting.events)
		done_(event, &answer);
	events_ -= waiting.events.size();
	if (waiting.events.size() >= answer.events) {
		waiting_.erase(answer.cookie);
		return;
	}
	waiting.expected = answer.events - waiting.events.size();
	waiting.events.clear();
	waiting.answer = answer;
	if (waiting_.size() >
	    limit_) // some events of others were lost, or this one's are late: they have no stack then
		waiting_.erase(answer.cookie);
}

void EventJoin::finish()
{
	for (const auto& [cookie, waiting] : waiting_)
		for (const EventRecord& event : waiting.events)
			done_(event, nullptr);
	waiting_.clear();
	events_ = 0;
}

} // namespace uwind
