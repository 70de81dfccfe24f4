// SPDX-License-Identifier: GPL-2.0
// The generic netlink socket on which the module's records arrive.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include <netlink/socket.h>

#include "base/handle.h"
#include "port/kernel.h"

namespace uwind {

class NetlinkStream : public RecordStream {
public:
	// ENXIO: the module is not loaded.
	static Result<std::unique_ptr<NetlinkStream>> open();

	// Makes this socket the reader of the session of this open /dev/uwind.
	Status attach(int device_fd);

	Result<std::optional<RecordBatch>> receive(std::chrono::milliseconds timeout) override;
	void interrupt() override;
	std::uint64_t overruns() const override { return overruns_; }

private:
	using Socket = std::unique_ptr<nl_sock, FreeWith<&nl_socket_free>>;

	NetlinkStream(Socket socket, int family);
	Result<bool> wait_for_data(std::chrono::milliseconds timeout);
	Result<std::optional<RecordBatch>> receive_now();

	Socket socket_;
	int family_;
	UniqueFd interrupted_; // an eventfd
	std::vector<std::uint8_t> buffer_;
	std::atomic<std::uint64_t> overruns_ = 0;
};

} // namespace uwind
