// SPDX-License-Identifier: GPL-2.0
// A kernel module and a record stream in memory, with the manners of uwind.h.
#pragma once

#include <cerrno>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "port/kernel.h"

namespace uwind {

class FakeStream : public RecordStream {
public:
	void send(RecordBatch batch)
	{
		std::lock_guard lock(mutex_);
		batches_.push_back(std::move(batch));
		waits_ = false;
		changed_.notify_all();
	}

	// Until the recording has what was sent in its queue.
	void wait_until_received()
	{
		std::unique_lock lock(mutex_);
		changed_.wait_for(lock, std::chrono::seconds(10), [this] { return waits_; });
	}

	Result<std::optional<RecordBatch>> receive(std::chrono::milliseconds timeout) override
	{
		std::unique_lock lock(mutex_);
		waits_ = batches_.empty();
		changed_.notify_all();
		changed_.wait_for(lock, timeout, [this] { return !batches_.empty() || interrupted_; });
		interrupted_ = false;
		if (batches_.empty())
			return std::optional<RecordBatch>();
		std::optional batch(std::move(batches_.front()));
		batches_.pop_front();
		return batch;
	}

	void interrupt() override
	{
		std::lock_guard lock(mutex_);
		interrupted_ = true;
		changed_.notify_all();
	}

	std::uint64_t overruns() const override { return overruns_; }

	std::uint64_t overruns_ = 0;

private:
	std::mutex mutex_;
	std::condition_variable changed_;
	std::deque<RecordBatch> batches_;
	bool interrupted_ = false;
	bool waits_ = false; // who receives, for more
};

class FakeKernel : public Kernel {
public:
	struct Table {
		std::uint32_t rows = 0;
		int fd = -1; // tied to this; -1: not tied
		bool vdso = false;
	};

	const ModuleVersion& version() const override { return version_; }

	Result<MadeTable> create_table(const TableContent& content) override
	{
		std::lock_guard lock(mutex_);
		if (tables_now_.size() >= budget_)
			return Error{ENOSPC, "budget"};
		const auto number = ++last_table_;
		const auto* rows = std::get_if<TableRows>(&content);
		tables_now_[number].rows = rows ? rows->rows.size() : 1;
		created_++;
		return MadeTable{number, tables_now_[number].rows, 64, rows ? Method(rows->method) : Method::SFRAME_V2};
	}

	Status destroy_table(std::uint32_t table) override
	{
		std::lock_guard lock(mutex_);
		return tables_now_.erase(table) ? Status(Nothing{}) : Status(Error{ENOENT, "no table"});
	}

	Status tie_table(std::uint32_t table, int fd) override
	{
		std::lock_guard lock(mutex_);
		if (served_by_others_ > 0) {
			served_by_others_--;
			return Error{EEXIST, "tied already"};
		}
		tables_now_.at(table).fd = fd;
		return Nothing{};
	}

	Status tie_table_to_vdso(std::uint32_t table) override
	{
		std::lock_guard lock(mutex_);
		tables_now_.at(table).vdso = true;
		return Nothing{};
	}

	Result<std::vector<TableInfo>> tables() override { return others_; }
	Result<ModuleStats> module_stats() override { return ModuleStats{}; }

	Result<StartedSession> start_session(const SessionOptions& options) override
	{
		calls_.push_back("start");
		options_ = options;
		return StartedSession{session, options.user_only || grants_user_only, options.stack_bytes};
	}

	Status enable_session() override
	{
		std::lock_guard lock(mutex_);
		calls_.push_back("enable after " + std::to_string(tables_now_.size()) + " tables");
		return Nothing{};
	}

	Result<SessionStats> session_stats() override { return stats_; }
	Result<SessionStats> stop_session() override { return stats_; }

	std::size_t table_count()
	{
		std::lock_guard lock(mutex_);
		return tables_now_.size();
	}

	static constexpr std::uint32_t session = 7;
	bool grants_user_only = false;
	ModuleVersion version_{1, Arch::x86_64, "fake"};
	SessionOptions options_;
	SessionStats stats_;
	std::vector<TableInfo> others_; // what the module lists
	std::vector<std::string> calls_;
	std::size_t budget_ = 1000; // tables
	int served_by_others_ = 0;  // so many ties give EEXIST
	std::uint32_t created_ = 0;

private:
	std::mutex mutex_;
	std::map<std::uint32_t, Table> tables_now_;
	std::uint32_t last_table_ = 0;
};

} // namespace uwind
