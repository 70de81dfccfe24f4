// SPDX-License-Identifier: GPL-2.0
/*
 * How a socket becomes a session's reader.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <net/genetlink.h>

#include "device/control.h"
#include "device/netlink.h"
#include "session/reader.h"
#include "uwind.h"

static struct genl_family family;

static int netlink_attach_reader(struct sk_buff *skb, struct genl_info *info)
{
	/* Also of the task that opened the socket: a privileged writer may be tricked. */
	bool privileged = netlink_capable(skb, CAP_PERFMON) || netlink_capable(skb, CAP_SYS_ADMIN);
	struct uw_reader reader;
	int err;

	if (!info->attrs[UWIND_A_FD])
		return -EINVAL;
	err = uw_reader_init(&reader, &family, skb);
	if (err)
		return err;
	err = uw_control_attach(nla_get_u32(info->attrs[UWIND_A_FD]), &reader, privileged);
	uw_reader_deinit(&reader);
	return err;
}

static const struct nla_policy attach_policy[UWIND_A_FD + 1] = {
	[UWIND_A_FD] = { .type = NLA_U32 },
};

static const struct genl_ops commands[] = {
	{ .cmd = UWIND_CMD_ATTACH, .doit = netlink_attach_reader },
};

static struct genl_family family __ro_after_init = {
	.name = UWIND_GENL_NAME,
	.version = UWIND_GENL_VERSION,
	.maxattr = UWIND_A_FD,
	.policy = attach_policy,
	.netnsok = true,
	.module = THIS_MODULE,
	.ops = commands,
	.n_ops = ARRAY_SIZE(commands),
	.resv_start_op = UWIND_CMD_ATTACH + 1,
};

int uw_netlink_init(void)
{
	return genl_register_family(&family);
}

void uw_netlink_exit(void)
{
	genl_unregister_family(&family);
}
