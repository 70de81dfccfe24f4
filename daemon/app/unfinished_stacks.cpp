// SPDX-License-Identifier: GPL-2.0
// Samples whose stacks ended for want of a table, until the table is there.
#include "app/unfinished_stacks.h"

#include <algorithm>

namespace uwind {
namespace {

std::size_t bytes_of(const StackRecord& record)
{
	return record.unfinished->stack.get().size();
}

// The innermost nr frames.
std::vector<StackFrame> first_frames(const StackPart& stack, std::size_t nr)
{
	std::vector<StackFrame> frames;
	for (const StackPart* part = &stack; part && frames.size() < nr; part = part->below.get()) {
		const auto more = std::min(nr - frames.size(), part->frames.size());
		frames.insert(frames.end(), part->frames.begin(), part->frames.begin() + std::ptrdiff_t(more));
	}
	return frames;
}

// Without tables, which walks ask for.
std::vector<CodeMapping> codes_of(const std::vector<Mapping>& mappings)
{
	std::vector<CodeMapping> codes;
	codes.reserve(mappings.size());
	for (const Mapping& mapping : mappings)
		codes.push_back({mapping.start, mapping.end, mapping.pgoff, nullptr, false});
	return codes;
}

} // namespace

void UnfinishedStacks::add(StackRecord record)
{
	Waiting waiting;
	waiting.mappings = maps_.of(record);
	waiting.pc = record.unfinished->lookup();
	waiting.record = std::move(record);
	bytes_ += bytes_of(waiting.record);
	if (!waiting.mappings || waiting.record.unfinished->nr_frames > waiting.record.stack->depth)
		return end(waiting, "unfinished_gone");
	waiting_.push_back(std::move(waiting));
	while (bytes_ > limit_) {
		end(waiting_.front(), "unfinished_too_many");
		waiting_.pop_front();
	}
}

void UnfinishedStacks::end(Waiting& waiting, const char* count)
{
	bytes_ -= bytes_of(waiting.record);
	counts_[count] += waiting.record.triggers();
	waiting.record.unfinished.reset();
	outside_.done(waiting.record);
}

// The file that was missed last has its table, or none for good.
bool UnfinishedStacks::is_ready(Waiting& waiting)
{
	const Mapping* mapping = waiting.missed ? nullptr : mapping_at(*waiting.mappings, waiting.pc);
	if (mapping)
		waiting.missed = modules_.of_mapping(*mapping);
	if (waiting.missed)
		return modules_.table_known(*waiting.missed);
	if (mapping && !waiting.looked)
		look(waiting, *mapping);
	return false;
}

void UnfinishedStacks::look(Waiting& waiting, const Mapping& mapping)
{
	outside_.look(waiting.record.tgid, mapping);
	waiting.looked = has_looked_ = true;
}

// A file was missed whose table may be there. False: it is not.
bool UnfinishedStacks::supply(const Mapping& mapping, CodeMapping& code, Waiting& waiting)
{
	waiting.missed = modules_.of_mapping(mapping);
	if (!waiting.missed)
		look(waiting, mapping);
	if (!waiting.missed || !modules_.table_known(*waiting.missed))
		return false;
	code.table = shelf_.get(*waiting.missed);
	code.has_none = !code.table && !modules_.has_table(*waiting.missed);
	return true;
}

// False: it has missed another file, whose table may come yet.
bool UnfinishedStacks::go_on(Waiting& waiting, Codes& all, GoneOn& found)
{
	const StackRecord& record = waiting.record;
	const Unfinished& unfinished = *record.unfinished;
	const auto [place, is_new] = all.try_emplace(waiting.mappings);
	auto& codes = place->second;
	if (is_new)
		codes = codes_of(*waiting.mappings);
	for (std::size_t tries = 0; tries <= codes.size(); tries++) {
		found = unwinder_.go_on(unfinished, first_frames(*record.stack, unfinished.nr_frames), codes,
					max_frames_);
		if (!found.missed)
			return true;
		waiting.pc = codes[*found.missed].start;
		waiting.looked = false;
		if (!supply((*waiting.mappings)[*found.missed], codes[*found.missed], waiting))
			return false;
		if (!codes[*found.missed].table && !codes[*found.missed].has_none)
			break; // another program's, or not kept
	}
	found = {};
	return true;
}

// It is longer than it was, or complete. If it is not, it lacks a table as before, or the bytes of its stack have
// ended.
void UnfinishedStacks::adopt(Waiting& waiting, GoneOn found)
{
	auto stack = std::make_shared<StackPart>();
	for (auto i = std::size_t(waiting.record.unfinished->nr_frames); i < found.frames.size(); i++)
		found.frames[i].file = number_of(waiting, found.frames[i].file);
	stack->frames = std::move(found.frames);
	stack->stop = is_complete(found.stop) || found.stop == Stop::DEPTH ? found.stop : Stop::NO_TABLE;
	stack->depth = stack->frames.size();
	stack->finished_later = true;
	waiting.record.stack = std::move(stack);
}

// place: from 1, of a mapping; 0: none.
std::uint32_t UnfinishedStacks::number_of(const Waiting& waiting, std::uint32_t place)
{
	const auto module = place ? modules_.of_mapping((*waiting.mappings)[place - 1]) : std::nullopt;
	return module ? modules_.number_of(*module) : 0;
}

void UnfinishedStacks::settle(Waiting& waiting, GoneOn found)
{
	const bool longer = is_complete(found.stop) || found.frames.size() > waiting.record.stack->depth;
	const bool helps = longer && maps_.agree(*waiting.mappings, *waiting.record.unfinished);
	if (helps) {
		const Stop before = waiting.record.stack->stop;
		adopt(waiting, std::move(found));
		stops_[{before, waiting.record.stack->stop}] += waiting.record.triggers();
	}
	end(waiting, helps ? "stacks_finished_later" : "unfinished_left");
}

bool UnfinishedStacks::is_due()
{
	return !waiting_.empty() &&
	       clock_.boottime_ns() > looked_ns_ + std::uint64_t(std::chrono::nanoseconds(look_again).count());
}

bool UnfinishedStacks::finish_some()
{
	Codes codes;
	const std::size_t before = waiting_.size();
	looked_ns_ = clock_.boottime_ns();
	has_looked_ = false;
	for (auto one = waiting_.begin(); one != waiting_.end();) {
		GoneOn found;
		if (!is_ready(*one) || !go_on(*one, codes, found)) {
			++one;
			continue;
		}
		settle(*one, std::move(found));
		one = waiting_.erase(one);
	}
	return has_looked_ || waiting_.size() < before;
}

void UnfinishedStacks::finish_all()
{
	Codes codes;
	for (Waiting& waiting : waiting_) {
		GoneOn found;
		go_on(waiting, codes, found);
		settle(waiting, std::move(found));
	}
	waiting_.clear();
}

} // namespace uwind
