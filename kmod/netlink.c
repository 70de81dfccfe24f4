// SPDX-License-Identifier: GPL-2.0
/*
 * How a socket becomes a session's reader, and how it ceases to be one: a port
 * number may be used again by another user as soon as its socket is closed.
 */
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include "control.h"
#include "netlink.h"
#include "session.h"
#include "uwind.h"

static int uw_netlink_attach(struct sk_buff *skb, struct genl_info *info)
{
	/* Of whoever opened the socket, too: a privileged writer may be tricked. */
	struct uw_socket socket = {
		.net = genl_info_net(info),
		.portid = info->snd_portid,
		.cred = NETLINK_CB(skb).sk->sk_socket->file->f_cred,
		.privileged = netlink_capable(skb, CAP_PERFMON) ||
			      netlink_capable(skb, CAP_SYS_ADMIN),
	};

	if (!info->attrs[UWIND_A_FD])
		return -EINVAL;
	return uw_control_attach(nla_get_u32(info->attrs[UWIND_A_FD]), &socket);
}

static const struct nla_policy uw_policy[UWIND_A_FD + 1] = {
	[UWIND_A_FD] = { .type = NLA_U32 },
};

static const struct genl_ops uw_ops[] = {
	{ .cmd = UWIND_CMD_ATTACH, .doit = uw_netlink_attach },
};

struct genl_family uw_genl_family __ro_after_init = {
	.name = UWIND_GENL_NAME,
	.version = UWIND_GENL_VERSION,
	.maxattr = UWIND_A_FD,
	.policy = uw_policy,
	.netnsok = true,
	.module = THIS_MODULE,
	.ops = uw_ops,
	.n_ops = ARRAY_SIZE(uw_ops),
	.resv_start_op = UWIND_CMD_ATTACH + 1,
};

static int uw_netlink_event(struct notifier_block *block, unsigned long event, void *data)
{
	const struct netlink_notify *notify = data;

	if (event == NETLINK_URELEASE && notify->protocol == NETLINK_GENERIC) {
		uw_control_detach(notify->net, notify->portid);
		uw_session_reader_gone(notify->net, notify->portid);
	}
	return NOTIFY_DONE;
}

static struct notifier_block uw_netlink_block = { .notifier_call = uw_netlink_event };

int uw_netlink_init(void)
{
	int err = netlink_register_notifier(&uw_netlink_block);

	if (err)
		return err;
	err = genl_register_family(&uw_genl_family);
	if (err)
		netlink_unregister_notifier(&uw_netlink_block);
	return err;
}

void uw_netlink_exit(void)
{
	genl_unregister_family(&uw_genl_family);
	netlink_unregister_notifier(&uw_netlink_block);
}
