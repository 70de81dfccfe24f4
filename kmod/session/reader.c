// SPDX-License-Identifier: GPL-2.0
/*
 * Messages are sent by port number, and a number is no identity: when its socket
 * is released, the next one may be bound to it, before any notifier is called.
 *
 * So the socket is held by a reference to its file, from the message that attached
 * it until no session can send any more. netlink_release(), which alone takes a
 * socket out of the table of ports, is called when the last reference to the file
 * is dropped; a bound socket never changes its port (netlink_bind(), netlink_insert());
 * a user's socket holds its network namespace. Whatever its owners do with their
 * descriptors, by close, exit, dup, fork or SCM_RIGHTS: the number means this socket.
 *
 * No cycle of references keeps both alive after their process has died: a netlink socket
 * takes no SCM_RIGHTS, so it never holds a file of /dev/uwind.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/net.h>
#include <linux/skbuff.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include "session/reader.h"

int uw_reader_init(struct uw_reader *reader, const struct genl_family *family, const struct sk_buff *request)
{
	struct sock *sk = NETLINK_CB(request).sk;

	if (!sk || !sk->sk_socket || !sk->sk_socket->file)
		return -ENOTSOCK;
	reader->file = get_file(sk->sk_socket->file);
	reader->family = family;
	reader->net = sock_net(sk);
	reader->portid = NETLINK_CB(request).portid;
	return 0;
}

void uw_reader_deinit(struct uw_reader *reader)
{
	if (reader->file)
		fput(reader->file);
	memset(reader, 0, sizeof(*reader));
}

bool uw_reader_is_gone(const struct uw_reader *reader)
{
	return file_count(reader->file) == 1;
}

int uw_reader_send(const struct uw_reader *reader, struct sk_buff *message)
{
	might_sleep();
	if (uw_reader_is_gone(reader)) {
		kfree_skb(message);
		return -ECONNREFUSED;
	}
	return genlmsg_unicast(reader->net, message, reader->portid);
}
