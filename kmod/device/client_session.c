// SPDX-License-Identifier: GPL-2.0
/*
 * ioctls about the session of an open file.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "device/client.h"
#include "session/running.h"
#include "session/session.h"
#include "stall.h"
#include "uwind.h"

#define UW_MAX_RATE_HZ 100000
#define UW_MIN_PERIOD  10000

/* Of those without privilege. */
#define UW_MEMBER_RATE_HZ   10000
#define UW_MEMBER_PERIOD_NS 100000
#define UW_MEMBER_CYCLES    500000 /* as if no processor were faster than 5 GHz */

static u64 least_period(const struct uwind_session_start *arg, bool privileged)
{
	if (privileged)
		return UW_MIN_PERIOD;
	return arg->event == UWIND_EVENT_CYCLES ? UW_MEMBER_CYCLES : UW_MEMBER_PERIOD_NS;
}

static int rate_check(const struct uwind_session_start *arg, bool privileged)
{
	u64 most = privileged ? UW_MAX_RATE_HZ : UW_MEMBER_RATE_HZ;

	if (arg->event == UWIND_EVENT_REQUESTS)
		return arg->rate || (arg->flags & (UWIND_SESSION_FREQUENCY | UWIND_SESSION_USER)) ? -EINVAL : 0;
	if (arg->flags & UWIND_SESSION_FREQUENCY)
		return arg->rate && arg->rate <= most ? 0 : -EINVAL;
	return arg->rate >= least_period(arg, privileged) && arg->rate <= S64_MAX ? 0 : -EINVAL;
}

static int session_check(const struct uwind_session_start *arg, bool privileged)
{
	const u32 flags = UWIND_SESSION_FREQUENCY | UWIND_SESSION_ALL | UWIND_SESSION_INHERIT | UWIND_SESSION_DISABLED |
			  UWIND_SESSION_CGROUP | UWIND_SESSION_USER;
	bool all = arg->flags & UWIND_SESSION_ALL;

	if ((arg->flags & ~flags) || arg->event >= UWIND_NR_EVENTS || arg->max_frames > UWIND_MAX_FRAMES ||
	    arg->nr_targets > UWIND_MAX_TARGETS || all == !!arg->nr_targets || arg->nr_excludes > UWIND_MAX_TARGETS ||
	    arg->nr_cpus > nr_cpu_ids || arg->stack_bytes > UWIND_MAX_STACK_BYTES || arg->stack_bytes % 8 ||
	    (arg->cgroup_fd && !(arg->flags & UWIND_SESSION_CGROUP)))
		return -EINVAL;
	return rate_check(arg, privileged);
}

static int client_begin(struct uw_client *client, struct uwind_session_start *arg, const struct uw_filter_lists *lists)
{
	const struct uw_session_owner owner = { &client->reader, uw_client_viewer(client), client->quota };
	struct uw_session *session;

	lockdep_assert_held(&client->mutex);
	if (client->session)
		return -EBUSY;
	if (!client->reader.file || uw_reader_is_gone(&client->reader))
		return -ENOTCONN;
	/* Others' right to read memory is up to security modules, which cannot be asked here. */
	if (arg->stack_bytes && !capable(CAP_SYS_PTRACE))
		arg->stack_bytes = 0;
	if (!client->privileged && arg->event != UWIND_EVENT_REQUESTS && !uw_may_count_kernel())
		arg->flags |= UWIND_SESSION_USER;
	session = uw_running_start(arg, lists, &owner);
	if (IS_ERR(session))
		return PTR_ERR(session);
	client->session = session;
	arg->session = session->number;
	return 0;
}

/* Numbers of 32 bits; NULL for none. */
static void *numbers_copy(u64 user, u32 nr, int *err)
{
	void *numbers;

	if (!nr || *err)
		return NULL;
	numbers = vmemdup_user(u64_to_user_ptr(user), nr * sizeof(u32));
	if (!IS_ERR(numbers))
		return numbers;
	*err = PTR_ERR(numbers);
	return NULL;
}

int uw_client_session_start(void *context, void *data)
{
	struct uwind_session_start *arg = data;
	struct uw_client *client = context;
	int err = session_check(arg, client->privileged);
	struct uw_filter_lists lists;

	lists.targets = numbers_copy(arg->targets, arg->nr_targets, &err);
	lists.excludes = numbers_copy(arg->excludes, arg->nr_excludes, &err);
	lists.cpus = numbers_copy(arg->cpus, arg->nr_cpus, &err);
	mutex_lock(&client->mutex);
	if (!err)
		err = client_begin(client, arg, &lists);
	mutex_unlock(&client->mutex);
	kvfree(lists.targets);
	kvfree(lists.excludes);
	kvfree(lists.cpus);
	return err;
}

/* act, with the session that the file must have. */
static int session_act(struct uw_client *client, void *data, int (*act)(struct uw_client *client, void *data))
{
	int err = -EINVAL;

	mutex_lock(&client->mutex);
	uw_stall_asleep(UW_STALL_CLIENT_HELD);
	if (client->session)
		err = act(client, data);
	mutex_unlock(&client->mutex);
	return err;
}

static int act_enable(struct uw_client *client, void *data)
{
	lockdep_assert_held(&client->mutex);
	uw_session_enable(client->session);
	return 0;
}

static int act_ask(struct uw_client *client, void *data)
{
	struct uwind_session_ask *arg = data;

	lockdep_assert_held(&client->mutex);
	return uw_session_ask(client->session, client->quota, arg->tid, &arg->cookie);
}

static int act_stats(struct uw_client *client, void *data)
{
	lockdep_assert_held(&client->mutex);
	memset(data, 0, sizeof(struct uwind_session_stats));
	uw_session_stats(client->session, data);
	return 0;
}

static int act_stop(struct uw_client *client, void *data)
{
	lockdep_assert_held(&client->mutex);
	memset(data, 0, sizeof(struct uwind_session_stats));
	uw_running_stop(client->session, data);
	client->session = NULL;
	return 0;
}

int uw_client_session_enable(void *context, void *data)
{
	return session_act(context, data, act_enable);
}

int uw_client_session_ask(void *context, void *data)
{
	return session_act(context, data, act_ask);
}

int uw_client_session_stats(void *context, void *data)
{
	return session_act(context, data, act_stats);
}

int uw_client_session_stop(void *context, void *data)
{
	return session_act(context, data, act_stop);
}
