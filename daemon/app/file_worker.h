// SPDX-License-Identifier: GPL-2.0
// The thread that opens files and makes their tables.
#pragma once

#include <thread>

#include "app/file_opener.h"
#include "app/table_maker.h"
#include "app/work_queue.h"

namespace uwind {

// One thread for both steps: opening must go first, and a second thread would only
// take another CPU from the programs that are sampled.
class FileWorker {
public:
	// Works until the destructor, which does not wait for what is left in the queue.
	FileWorker(Threads& threads, WorkQueue& queue, FileOpener opener, TableMaker& maker);
	~FileWorker();

private:
	void run();
	void perform(Work work);

	Threads& threads_;
	WorkQueue& queue_;
	FileOpener opener_; // this thread's alone
	TableMaker& maker_;
	std::thread thread_; // last: it uses the others
};

} // namespace uwind
