// SPDX-License-Identifier: GPL-2.0
// The generic netlink socket on which the module's records arrive.
#include "io/netlink.h"

#include <cerrno>
#include <cstring>
#include <iterator>
#include <netlink/errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "io/message.h"
#include "uwind.h"

namespace uwind {
namespace {

constexpr int socket_buffer_bytes = 32 << 20;
constexpr std::size_t message_room_bytes = 1 << 20;

using Message = std::unique_ptr<nl_msg, FreeWith<&nlmsg_free>>;

Error netlink_error(int code, const std::string& what)
{
	if (code == -NLE_OBJ_NOTFOUND)
		return Error{ENXIO, "the kernel module is not loaded: run `modprobe uwind`"};
	if (code == -NLE_PERM || code == -NLE_NOACCESS)
		return Error{EPERM, what + ": permission denied: run as root, or with CAP_PERFMON"};
	return Error{EPROTONOSUPPORT, what + ": " + nl_geterror(code)};
}

// The first option needs CAP_NET_ADMIN; net.core.rmem_max limits the second.
void enlarge_receive_buffer(int fd)
{
	const int bytes = socket_buffer_bytes;
	if (::setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) < 0)
		(void)::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

Message attach_message(int family, int device_fd)
{
	Message message(nlmsg_alloc());
	if (!message ||
	    !genlmsg_put(message.get(), NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, 0, UWIND_CMD_ATTACH,
			 UWIND_GENL_VERSION) ||
	    nla_put_u32(message.get(), UWIND_A_FD, device_fd) < 0)
		return nullptr;
	return message;
}

} // namespace

NetlinkStream::NetlinkStream(Socket socket, int family)
    : socket_(std::move(socket)), family_(family), interrupted_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      buffer_(message_room_bytes)
{
}

Result<std::unique_ptr<NetlinkStream>> NetlinkStream::open()
{
	Socket socket(nl_socket_alloc());
	if (!socket)
		return errno_error(ENOMEM, "netlink socket");
	if (const int code = genl_connect(socket.get()); code < 0)
		return netlink_error(code, "connect to generic netlink");
	const int family = genl_ctrl_resolve(socket.get(), UWIND_GENL_NAME);
	if (family < 0)
		return netlink_error(family, "find the netlink family " UWIND_GENL_NAME);
	enlarge_receive_buffer(nl_socket_get_fd(socket.get()));
	return std::unique_ptr<NetlinkStream>(new NetlinkStream(std::move(socket), family));
}

Status NetlinkStream::attach(int device_fd)
{
	const Message message = attach_message(family_, device_fd);
	if (!message)
		return errno_error(ENOMEM, "netlink message");
	int code = nl_send_auto(socket_.get(), message.get());
	if (code >= 0)
		code = nl_wait_for_ack(socket_.get());
	if (code < 0)
		return netlink_error(code, "attach to the session");
	return Nothing{};
}

Result<bool> NetlinkStream::wait_for_data(std::chrono::milliseconds timeout)
{
	pollfd fds[] = {{nl_socket_get_fd(socket_.get()), POLLIN, 0}, {interrupted_.get(), POLLIN, 0}};
	const int ready = ::poll(fds, std::size(fds), static_cast<int>(timeout.count()));
	if (ready < 0 && errno != EINTR)
		return errno_error(errno, "wait for records");
	eventfd_t times = 0;
	if (ready > 0 && fds[1].revents)
		(void)::eventfd_read(interrupted_.get(), &times);
	return ready > 0 && fds[0].revents;
}

void NetlinkStream::interrupt()
{
	(void)::eventfd_write(interrupted_.get(), 1);
}

// A batch without a session only says that something arrived.
Result<std::optional<RecordBatch>> NetlinkStream::receive_now()
{
	sockaddr_nl sender{};
	iovec room{buffer_.data(), buffer_.size()};
	msghdr message{};
	message.msg_name = &sender;
	message.msg_namelen = sizeof(sender);
	message.msg_iov = &room;
	message.msg_iovlen = 1;
	const ssize_t bytes = ::recvmsg(nl_socket_get_fd(socket_.get()), &message, MSG_DONTWAIT);
	if (bytes < 0 && errno == ENOBUFS) {
		overruns_++;
		return std::optional(RecordBatch{});
	}
	if (bytes < 0 && (errno == EAGAIN || errno == EINTR))
		return std::optional<RecordBatch>();
	if (bytes < 0)
		return errno_error(errno, "receive records");
	if (message.msg_flags & MSG_TRUNC)
		return std::optional(malformed_message());
	if (sender.nl_pid != 0)
		return std::optional(RecordBatch{});
	return std::optional(decode_message({buffer_.data(), static_cast<std::size_t>(bytes)}, family_));
}

Result<std::optional<RecordBatch>> NetlinkStream::receive(std::chrono::milliseconds timeout)
{
	auto received = receive_now();
	if (!received || *received || timeout.count() == 0)
		return received;
	const auto ready = wait_for_data(timeout);
	if (!ready)
		return ready.error();
	return *ready ? receive_now() : Result<std::optional<RecordBatch>>(std::nullopt);
}

} // namespace uwind
