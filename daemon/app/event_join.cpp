// SPDX-License-Identifier: GPL-2.0
// Brings together what a counter has noted, and the stack in user space that was requested then.
#include "app/event_join.h"

namespace uwind {

// A new one comes last.
EventJoin::Place EventJoin::place_of(std::uint64_t cookie)
{
	if (const auto known = known_.find(cookie); known != known_.end())
		return known->second;
	if (waiting_.size() >= limit_)
		let_oldest_go();
	return known_[cookie] = waiting_.insert(waiting_.end(), Waiting{cookie, {}, {}, 0});
}

void EventJoin::erase(Place place)
{
	events_ -= place->events.size();
	known_.erase(place->cookie);
	waiting_.erase(place);
}

void EventJoin::give_up(Place place)
{
	for (const EventRecord& event : place->events)
		done_(event, nullptr);
	erase(place);
}

void EventJoin::let_oldest_go()
{
	too_many_ += waiting_.front().events.size();
	give_up(waiting_.begin());
}

void EventJoin::add(const EventRecord& event)
{
	if (!event.cookie)
		return done_(event, nullptr);
	while (events_ >= limit_)
		let_oldest_go();
	const Place place = place_of(event.cookie);
	if (!place->answer) {
		place->events.push_back(event);
		events_++;
		return;
	}
	done_(event, &*place->answer);
	if (--place->expected == 0)
		erase(place);
}

void EventJoin::add(const StackRecord& answer)
{
	const Place place = place_of(answer.cookie);
	for (const EventRecord& event : place->events)
		done_(event, &answer);
	const std::size_t joined = place->events.size();
	events_ -= joined;
	place->events.clear();
	if (joined >= answer.events)
		return erase(place);
	place->expected = answer.events - joined;
	place->answer = answer;
}

void EventJoin::finish()
{
	while (!waiting_.empty())
		give_up(waiting_.begin());
}

} // namespace uwind
