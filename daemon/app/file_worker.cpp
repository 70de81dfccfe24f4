// SPDX-License-Identifier: GPL-2.0
// The thread that opens files and makes their tables.
#include "app/file_worker.h"

namespace uwind {

FileWorker::FileWorker(Threads& threads, WorkQueue& queue, FileOpener opener, TableMaker& maker)
    : threads_(threads), queue_(queue), opener_(opener), maker_(maker), thread_([this] { run(); })
{
}

FileWorker::~FileWorker()
{
	queue_.close();
	thread_.join();
}

// A stack ends early in a file without a table: be quick, even on a busy machine.
void FileWorker::run()
{
	threads_.prefer_this_one();
	while (auto work = queue_.take())
		perform(std::move(*work));
}

void FileWorker::perform(Work work)
{
	if (auto* job = std::get_if<FileJob>(&work))
		opener_.open(std::move(*job));
	else
		maker_.make(std::get<OpenedModule>(work));
}

} // namespace uwind
