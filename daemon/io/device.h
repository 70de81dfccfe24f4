// SPDX-License-Identifier: GPL-2.0
// /dev/uwind: the module's ioctls.
#pragma once

#include <memory>

#include "base/handle.h"
#include "port/kernel.h"

namespace uwind {

class Device : public Kernel {
public:
	// ENXIO: the module is not loaded. EPROTO: it speaks another ABI.
	static Result<std::unique_ptr<Device>> open();

	int fd() const { return fd_.get(); }

	const ModuleVersion& version() const override { return version_; }
	Result<MadeTable> create_table(const TableContent& content) override;
	Status destroy_table(std::uint32_t table) override;
	Status tie_table(std::uint32_t table, int fd) override;
	Status tie_table_to_vdso(std::uint32_t table) override;
	Result<std::vector<TableInfo>> tables() override;
	Result<ModuleStats> module_stats() override;
	Result<StartedSession> start_session(const SessionOptions& options) override;
	Status enable_session() override;
	Result<SessionStats> session_stats() override;
	Result<SessionStats> stop_session() override;
	// Requests a thread's stack. Returns the cookie of the record that answers. ESRCH: the
	// thread has no user stack any more; EAGAIN: too many requests.
	Result<std::uint64_t> ask(std::int32_t tid);

private:
	explicit Device(UniqueFd fd) : fd_(std::move(fd)) {}
	Status check_abi();
	Status tie(std::uint32_t table, int fd, std::uint32_t flags);

	UniqueFd fd_;
	ModuleVersion version_;
};

} // namespace uwind
