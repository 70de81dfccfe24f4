// SPDX-License-Identifier: GPL-2.0
// The threads that open files and make their tables.
#include "app/file_workers.h"

#include <algorithm>

namespace uwind {

// A stack ends early in a file without a table, so that one of them is to be quick even on a busy machine. All of them
// would take its processors from the programs that are sampled.
FileWorkers::FileWorkers(Threads& threads, WorkQueue& queue, FileOpener opener, TableMaker& maker)
    : queue_(queue), opener_(opener), maker_(maker)
{
	threads_.emplace_back([this, &threads] {
		threads.prefer_this_one();
		work();
	});
	const unsigned wanted = std::min(std::thread::hardware_concurrency(), max_threads);
	while (threads_.size() < wanted)
		threads_.emplace_back([this] { work(); });
}

FileWorkers::~FileWorkers()
{
	queue_.close();
	for (std::thread& thread : threads_)
		thread.join();
}

void FileWorkers::work()
{
	while (auto work = queue_.take()) {
		const auto kind = WorkQueue::kind_of(*work);
		perform(std::move(*work));
		queue_.done(kind);
	}
}

void FileWorkers::perform(Work work)
{
	if (auto* job = std::get_if<FileJob>(&work))
		opener_.open(std::move(*job));
	else
		maker_.make(std::get<OpenedModule>(work));
}

} // namespace uwind
