// SPDX-License-Identifier: GPL-2.0
/*
 * ioctls about the session of an open file.
 */
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "client.h"
#include "session.h"
#include "uwind.h"

#define UW_MAX_RATE_HZ    100000
#define UW_MIN_PERIOD     10000
#define UW_MEMBER_RATE_HZ 10000
#define UW_MEMBER_PERIOD  100000

/* Whoever has no privilege asks less often. */
static int uw_rate_check(const struct uwind_session_start *arg, bool privileged)
{
	u64 most = privileged ? UW_MAX_RATE_HZ : UW_MEMBER_RATE_HZ;
	u64 least = privileged ? UW_MIN_PERIOD : UW_MEMBER_PERIOD;

	if (arg->event == UWIND_EVENT_REQUESTS)
		return arg->rate || (arg->flags & UWIND_SESSION_FREQUENCY) ? -EINVAL : 0;
	if (arg->flags & UWIND_SESSION_FREQUENCY)
		return arg->rate && arg->rate <= most ? 0 : -EINVAL;
	return arg->rate >= least && arg->rate <= S64_MAX ? 0 : -EINVAL;
}

static int uw_session_check(const struct uwind_session_start *arg, bool privileged)
{
	const u32 flags = UWIND_SESSION_FREQUENCY | UWIND_SESSION_ALL | UWIND_SESSION_INHERIT |
			  UWIND_SESSION_DISABLED;
	bool all = arg->flags & UWIND_SESSION_ALL;

	if ((arg->flags & ~flags) || arg->event >= UWIND_NR_EVENTS ||
	    arg->max_frames > UWIND_MAX_FRAMES || arg->nr_targets > UWIND_MAX_TARGETS ||
	    all == !!arg->nr_targets)
		return -EINVAL;
	return uw_rate_check(arg, privileged);
}

static int uw_session_begin(struct uw_client *client, struct uwind_session_start *arg,
			    const s32 *pids)
{
	struct uw_session *session;

	if (client->session)
		return -EBUSY;
	if (!client->reader.net || client->reader.gone)
		return -ENOTCONN;
	session = uw_session_start(arg, pids, &client->reader, uw_client_viewer(client));
	if (IS_ERR(session))
		return PTR_ERR(session);
	client->session = session;
	arg->session = session->number;
	return 0;
}

int uw_client_session_start(void *context, void *data)
{
	struct uwind_session_start *arg = data;
	struct uw_client *client = context;
	s32 *pids = NULL;
	int err = uw_session_check(arg, client->privileged);

	if (err)
		return err;
	if (arg->nr_targets) {
		pids = kvmalloc_array(arg->nr_targets, sizeof(*pids), GFP_KERNEL);
		if (!pids)
			return -ENOMEM;
		if (copy_from_user(pids, u64_to_user_ptr(arg->targets),
				   arg->nr_targets * sizeof(*pids)))
			err = -EFAULT;
	}
	mutex_lock(&client->mutex);
	if (!err)
		err = uw_session_begin(client, arg, pids);
	mutex_unlock(&client->mutex);
	kvfree(pids);
	return err;
}

/* act, with the session that the file must have. */
static int uw_session_act(struct uw_client *client, void *data,
			  int (*act)(struct uw_client *client, void *data))
{
	int err = -EINVAL;

	mutex_lock(&client->mutex);
	if (client->session)
		err = act(client, data);
	mutex_unlock(&client->mutex);
	return err;
}

static int uw_act_enable(struct uw_client *client, void *data)
{
	uw_session_enable(client->session);
	return 0;
}

static int uw_act_ask(struct uw_client *client, void *data)
{
	struct uwind_session_ask *arg = data;

	return uw_session_ask(client->session, arg->tid, &arg->cookie);
}

static int uw_act_stats(struct uw_client *client, void *data)
{
	memset(data, 0, sizeof(struct uwind_session_stats));
	uw_session_stats(client->session, data);
	return 0;
}

static int uw_act_stop(struct uw_client *client, void *data)
{
	memset(data, 0, sizeof(struct uwind_session_stats));
	uw_session_stop(client->session, data);
	client->session = NULL;
	return 0;
}

int uw_client_session_enable(void *context, void *data)
{
	return uw_session_act(context, data, uw_act_enable);
}

int uw_client_session_ask(void *context, void *data)
{
	return uw_session_act(context, data, uw_act_ask);
}

int uw_client_session_stats(void *context, void *data)
{
	return uw_session_act(context, data, uw_act_stats);
}

int uw_client_session_stop(void *context, void *data)
{
	return uw_session_act(context, data, uw_act_stop);
}
