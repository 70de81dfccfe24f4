// SPDX-License-Identifier: GPL-2.0
// Reads the record stream in a thread of its own.
#include "app/intake.h"

namespace uwind {

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
		auto received = stream_.receive(std::chrono::milliseconds(draining ? 0 : 50));
		if (!received) {
			std::lock_guard lock(mutex_);
			error_ = received.error();
			break;
		}
		if (!*received && draining)
			break;
		if (*received && !queue_.push(std::move(**received)))
			break;
	}
	queue_.close();
}

} // namespace uwind
