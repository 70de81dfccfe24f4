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
#include "device/event_input.h"
#include "session/firing.h"
#include "session/running.h"
#include "session/session.h"
#include "stall.h"
#include "uwind.h"

static int session_check(const struct uwind_session_start *arg)
{
	const u32 flags = UWIND_SESSION_FREQUENCY | UWIND_SESSION_ALL | UWIND_SESSION_INHERIT | UWIND_SESSION_DISABLED |
			  UWIND_SESSION_CGROUP | UWIND_SESSION_USER;
	bool all = arg->flags & UWIND_SESSION_ALL;

	if ((arg->flags & ~flags) || arg->event >= UWIND_NR_EVENTS || arg->max_frames > UWIND_MAX_FRAMES ||
	    arg->nr_targets > UWIND_MAX_TARGETS || all == !!arg->nr_targets || arg->nr_excludes > UWIND_MAX_TARGETS ||
	    arg->nr_cpus > nr_cpu_ids || arg->stack_bytes > UWIND_MAX_STACK_BYTES || arg->stack_bytes % 8 ||
	    (arg->cgroup_fd && !(arg->flags & UWIND_SESSION_CGROUP)))
		return -EINVAL;
	return 0;
}

/* As far as it is known before: what is set here is said to the caller. */
static void session_restrict(struct uwind_session_start *arg, bool privileged)
{
	/* Others' right to read memory is up to security modules, which cannot be asked here. */
	if (arg->stack_bytes && !capable(CAP_SYS_PTRACE))
		arg->stack_bytes = 0;
	if (!privileged && arg->event != UWIND_EVENT_REQUESTS && !uw_may_count_kernel())
		arg->flags |= UWIND_SESSION_USER;
}

static int client_begin(struct uw_client *client, struct uwind_session_start *arg, const struct uw_filter_lists *lists,
			struct uw_event_list *events)
{
	const struct uw_session_owner owner = {
		.fired = uw_session_fired,
		.takes = uw_session_takes,
		.reader = &client->reader,
		.viewer = uw_client_viewer(client),
		.quota = client->quota,
	};
	struct uw_session *session;

	lockdep_assert_held(&client->mutex);
	if (client->session)
		return -EBUSY;
	if (!client->reader.file || uw_reader_is_gone(&client->reader))
		return -ENOTCONN;
	session_restrict(arg, client->privileged);
	session = uw_running_start(arg, lists, events, &owner);
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
	int err = session_check(arg);
	struct uw_filter_lists lists;
	struct uw_event_list events = { .bad = arg->nr_counters };

	if (!err)
		err = uw_event_input(&events, arg, client->privileged);
	lists.targets = numbers_copy(arg->targets, arg->nr_targets, &err);
	lists.excludes = numbers_copy(arg->excludes, arg->nr_excludes, &err);
	lists.cpus = numbers_copy(arg->cpus, arg->nr_cpus, &err);
	mutex_lock(&client->mutex);
	if (!err)
		err = client_begin(client, arg, &lists, &events);
	mutex_unlock(&client->mutex);
	arg->bad_counter = events.bad;
	uw_event_input_free(&events);
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
