// SPDX-License-Identifier: GPL-2.0
// The threads that open files and make their tables.
#pragma once

#include <thread>
#include <vector>

#include "app/file_opener.h"
#include "app/table_maker.h"
#include "app/work_queue.h"

namespace uwind {

// Any of them does whatever comes next in the queue.
class FileWorkers {
public:
	static constexpr unsigned max_threads = 4; // each may hold a large table while it is made

	// As many threads as processors. They work until the destructor, which does not wait for what is left in the
	// queue.
	FileWorkers(Threads& threads, WorkQueue& queue, FileOpener opener, TableMaker& maker);
	~FileWorkers();

private:
	void work();
	void perform(Work work);

	WorkQueue& queue_;
	FileOpener opener_;
	TableMaker& maker_;
	std::vector<std::thread> threads_; // last: they use the others
};

} // namespace uwind
