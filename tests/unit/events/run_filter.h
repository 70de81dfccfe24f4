// SPDX-License-Identifier: GPL-2.0
// What the steps of a filter mean: the reference that the module's evaluation agrees with.
#pragma once

#include <cstring>

#include "events/glob.h"
#include "model/event.h"

// A tracepoint's entry, and the moment of it.
struct Moment {
	std::string entry;
	std::uint32_t cpu = 0;
	std::string comm;
};

inline std::uint64_t number_at(const Moment& moment, const uwind::FilterStep& step)
{
	std::uint64_t value = 0;
	std::memcpy(&value, moment.entry.data() + step.offset, step.bytes);
	const unsigned unused = 64 - step.bytes * 8;
	if (step.is_signed)
		value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
	return value;
}

// Up to a zero or the end of its room.
inline std::string text_at(const Moment& moment, std::size_t offset, std::size_t bytes)
{
	const std::string room = moment.entry.substr(offset, bytes);
	return room.substr(0, room.find('\0'));
}

inline std::string text_of(const Moment& moment, const uwind::FilterStep& step)
{
	if (step.kind == uwind::FilterKind::comm)
		return moment.comm;
	if (step.kind == uwind::FilterKind::chars)
		return text_at(moment, step.offset, step.bytes);
	std::uint32_t place;
	std::memcpy(&place, moment.entry.data() + step.offset, sizeof(place));
	const std::size_t from = step.kind == uwind::FilterKind::rel_loc ? step.offset + sizeof(place) : 0;
	return text_at(moment, from + (place & 0xffff), place >> 16);
}

inline bool compare_text(const std::string& text, const uwind::FilterStep& step)
{
	switch (step.compare) {
	case uwind::FilterCompare::equal:
		return text == step.text;
	case uwind::FilterCompare::not_equal:
		return text != step.text;
	case uwind::FilterCompare::glob:
		return uwind::glob_matches(step.text, text);
	default:
		return !uwind::glob_matches(step.text, text);
	}
}

template <typename Number>
bool compare_numbers(Number a, Number b, uwind::FilterCompare compare)
{
	switch (compare) {
	case uwind::FilterCompare::equal:
		return a == b;
	case uwind::FilterCompare::not_equal:
		return a != b;
	case uwind::FilterCompare::less:
		return a < b;
	case uwind::FilterCompare::less_equal:
		return a <= b;
	case uwind::FilterCompare::greater:
		return a > b;
	case uwind::FilterCompare::greater_equal:
		return a >= b;
	default:
		return (a & b) != 0;
	}
}

inline bool is_true(const Moment& moment, const uwind::FilterStep& step)
{
	if (step.kind != uwind::FilterKind::number && step.kind != uwind::FilterKind::cpu)
		return compare_text(text_of(moment, step), step);
	const std::uint64_t value = step.kind == uwind::FilterKind::cpu ? moment.cpu : number_at(moment, step);
	if (step.is_signed)
		return compare_numbers(static_cast<std::int64_t>(value), static_cast<std::int64_t>(step.value),
				       step.compare);
	return compare_numbers(value, step.value, step.compare);
}

inline bool takes(const std::vector<uwind::FilterStep>& steps, const Moment& moment)
{
	std::size_t at = steps.empty() ? uwind::filter_take : 0;
	while (at < steps.size())
		at = is_true(moment, steps[at]) ? steps[at].if_true : steps[at].if_false;
	return at == uwind::filter_take;
}

// What the module may rely on. "": all of it.
inline std::string broken(const std::vector<uwind::FilterStep>& steps)
{
	if (steps.size() > uwind::most_filter_steps)
		return "too many steps";
	for (std::size_t i = 0; i < steps.size(); i++) {
		const uwind::FilterStep& step = steps[i];
		for (const std::size_t next : {step.if_true, step.if_false})
			if (next != uwind::filter_take && next != uwind::filter_leave &&
			    (next <= i || next >= steps.size()))
				return "a step that leads backwards, or nowhere";
		if (step.text.size() > uwind::most_filter_text || step.text.find('\0') != std::string::npos)
			return "a text that is too long";
		const bool number = step.kind == uwind::FilterKind::number;
		if (number && step.bytes != 1 && step.bytes != 2 && step.bytes != 4 && step.bytes != 8)
			return "a number of odd size";
		const bool is_text = !number && step.kind != uwind::FilterKind::cpu;
		const bool globs = step.compare >= uwind::FilterCompare::glob;
		if (is_text ? step.compare > uwind::FilterCompare::not_equal && !globs : globs)
			return "a comparison that the kind does not know";
	}
	return "";
}
