// SPDX-License-Identifier: GPL-2.0
// Reads the record stream in a thread of its own.
#include "app/intake.h"

#include <algorithm>

namespace uwind {
namespace {

constexpr std::chrono::milliseconds longest_silence(1000); // finish() ends it

} // namespace

bool is_urgent(const RecordBatch& batch)
{
	return std::ranges::any_of(batch.records, [](const Record& record) {
		const auto* stack = std::get_if<StackRecord>(&record);
		return std::holds_alternative<FileRecord>(record) || (stack && stack->unfinished);
	});
}

Intake::Intake(RecordStream& stream, Threads& threads, std::size_t limit)
    : stream_(stream), threads_(threads), queue_(limit), thread_([this] { run(); })
{
}

Intake::~Intake()
{
	finish();
	queue_.close();
	thread_.join();
}

std::optional<Error> Intake::error()
{
	std::lock_guard lock(mutex_);
	return error_;
}

void Intake::run()
{
	threads_.prefer_this_one();
	for (;;) {
		const bool draining = draining_;
		auto received = stream_.receive(draining ? std::chrono::milliseconds(0) : longest_silence);
		if (!received) {
			std::lock_guard lock(mutex_);
			error_ = received.error();
			break;
		}
		if (!*received && draining)
			break;
		if (!*received)
			continue;
		const bool urgent = is_urgent(**received);
		if (!queue_.push(std::move(**received), urgent))
			break;
	}
	queue_.close();
}

} // namespace uwind
