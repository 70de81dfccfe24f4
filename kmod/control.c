// SPDX-License-Identifier: GPL-2.0
/*
 * The privileged device: tables, ranges, one session per open file.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <net/net_namespace.h>

#include "control.h"
#include "file_store.h"
#include "ioctl.h"
#include "pidfd.h"
#include "registry.h"
#include "session.h"
#include "space.h"
#include "stats.h"
#include "table_input.h"
#include "table_store.h"
#include "uwind.h"

#define UW_MAX_RATE_HZ    100000
#define UW_MIN_PERIOD     10000
#define UW_PATH_BYTES     PATH_MAX

/* One open file. Also the owner of what it created. */
struct uw_client {
	struct list_head node;      /* Protected by: clients_mutex               */
	struct mutex mutex;         /* Order: inside clients_mutex               */
	struct uw_reader reader;    /* Protected by: mutex                       */
	struct uw_session *session; /* Protected by: mutex                       */
};

static DEFINE_MUTEX(clients_mutex);
static LIST_HEAD(clients); /* Protected by: clients_mutex */

static int uw_control_from_section(struct uw_client *client, struct uwind_table_create *arg,
				   struct uw_reject *reject, struct uw_kept **kept)
{
	struct uw_segment segments[UWIND_MAX_SEGMENTS];
	struct uw_section section = {
		.data = arg->data,
		.bytes = arg->data_bytes,
		.address = arg->address,
		.segments = segments,
		.nr_segments = arg->nr_segments,
		.owner = client,
	};

	if (!arg->nr_segments || arg->nr_segments > UWIND_MAX_SEGMENTS || arg->rules ||
	    arg->nr_rules || arg->method)
		return -EINVAL;
	if (copy_from_user(segments, u64_to_user_ptr(arg->segments),
			   arg->nr_segments * sizeof(*segments)))
		return -EFAULT;
	if (arg->source == UWIND_SOURCE_SFRAME_REMOTE) {
		section.task = uw_pidfd_task(arg->pidfd);
		if (IS_ERR(section.task))
			return PTR_ERR(section.task);
	} else if (arg->pidfd != -1) {
		return -EINVAL;
	}
	*kept = uw_table_from_section(&section, reject);
	if (section.task)
		put_task_struct(section.task);
	return PTR_ERR_OR_ZERO(*kept);
}

static int uw_control_from_rows(struct uw_client *client, struct uwind_table_create *arg,
				struct uw_reject *reject, struct uw_kept **kept)
{
	if (arg->address || arg->segments || arg->nr_segments || arg->pidfd != -1)
		return -EINVAL;
	*kept = uw_table_from_rows(arg, client, reject);
	return PTR_ERR_OR_ZERO(*kept);
}

static int uw_table_create(void *context, void *data)
{
	struct uwind_table_create *arg = data;
	struct uw_reject reject = {};
	struct uw_kept *kept;
	int err = -EINVAL;

	switch (arg->source) {
	case UWIND_SOURCE_SFRAME_BYTES:
	case UWIND_SOURCE_SFRAME_REMOTE:
		err = uw_control_from_section(context, arg, &reject, &kept);
		break;
	case UWIND_SOURCE_ROWS:
		err = uw_control_from_rows(context, arg, &reject, &kept);
		break;
	}
	uw_ioctl_reject(&reject, &arg->bad_offset, arg->bad_why, sizeof(arg->bad_why));
	if (err)
		return err;
	arg->table = kept->number;
	arg->nr_rows = kept->table.nr_rows;
	arg->bytes = kept->bytes;
	return 0;
}

static int uw_table_destroy(void *context, void *data)
{
	struct uwind_table_destroy *arg = data;

	return uw_table_store_destroy(context, arg->table);
}

static int uw_tie_fd(struct uw_kept *kept, int fd)
{
	struct file *file = fget(fd);
	int err;

	if (!file)
		return -EBADF;
	err = uw_file_tie(kept, file);
	fput(file);
	return err;
}

static int uw_table_tie(void *context, void *data)
{
	struct uwind_table_tie *arg = data;
	bool vdso = arg->flags & UWIND_TIE_VDSO;
	struct uw_kept *kept;
	int err;

	if ((arg->flags & ~UWIND_TIE_VDSO) || (vdso && arg->fd != -1))
		return -EINVAL;
	kept = uw_table_store_find(context, arg->table);
	if (!kept)
		return -ENOENT;
	err = vdso ? uw_file_tie(kept, NULL) : uw_tie_fd(kept, arg->fd);
	uw_table_store_put(kept);
	return err;
}

/* Rising and apart. */
static bool uw_ranges_valid(const struct uwind_range *ranges, u32 nr)
{
	u64 last = 0;
	u32 i;

	for (i = 0; i < nr; i++) {
		if (ranges[i].start < last || ranges[i].end <= ranges[i].start ||
		    ranges[i].end > TASK_SIZE_MAX || ranges[i].offset > U32_MAX)
			return false;
		last = ranges[i].end;
	}
	return true;
}

static int uw_bind_pidfd(struct uw_kept *kept, int pidfd, const struct uwind_range *ranges, u32 nr)
{
	struct mm_struct *mm = uw_pidfd_mm(pidfd);
	int err;

	if (IS_ERR(mm))
		return PTR_ERR(mm);
	err = uw_registry_bind(mm, kept, ranges, nr, 0);
	mmput(mm);
	return err == -EINTR ? -ERESTARTSYS : err;
}

static int uw_range_bind(void *context, void *data)
{
	struct uwind_range ranges[UWIND_MAX_RANGES / 4], *many = ranges;
	struct uwind_range_bind *arg = data;
	struct uw_kept *kept;
	int err = 0;

	if (!arg->nr_ranges || arg->nr_ranges > UWIND_MAX_RANGES)
		return -EINVAL;
	kept = uw_table_store_find(context, arg->table);
	if (!kept)
		return -ENOENT;
	if (arg->nr_ranges > ARRAY_SIZE(ranges))
		many = kmalloc_array(arg->nr_ranges, sizeof(*many), GFP_KERNEL);
	if (!many)
		err = -ENOMEM;
	else if (copy_from_user(many, u64_to_user_ptr(arg->ranges),
				arg->nr_ranges * sizeof(*many)))
		err = -EFAULT;
	else if (!uw_ranges_valid(many, arg->nr_ranges))
		err = -EINVAL;
	else
		err = uw_bind_pidfd(kept, arg->pidfd, many, arg->nr_ranges);
	if (many != ranges)
		kfree(many);
	uw_table_store_put(kept);
	return err;
}

static int uw_range_unbind(void *context, void *data)
{
	struct uwind_range_unbind *arg = data;
	struct mm_struct *mm = uw_pidfd_mm(arg->pidfd);
	struct uw_space *space;
	int err = -ENOENT;

	if (IS_ERR(mm))
		return PTR_ERR(mm);
	space = uw_space_find(mm);
	if (space)
		err = uw_space_remove_start(space, arg->start);
	mmput(mm);
	return err;
}

static int uw_copy_path(const struct uwind_table_next *arg, const char *path)
{
	size_t bytes = strlen(path) + 1;

	if (!arg->path_bytes)
		return 0;
	if (bytes > arg->path_bytes)
		return -ENAMETOOLONG;
	return copy_to_user(u64_to_user_ptr(arg->path), path, bytes) ? -EFAULT : 0;
}

static int uw_table_next(void *context, void *data)
{
	struct uwind_table_next *arg = data;
	struct uw_kept *kept;
	char *path;
	int err;

	if (arg->reserved)
		return -EINVAL;
	path = kmalloc(UW_PATH_BYTES, GFP_KERNEL);
	if (!path)
		return -ENOMEM;
	kept = uw_table_store_next(arg->after);
	arg->table = 0;
	path[0] = '\0';
	if (kept) {
		arg->table = kept->number;
		arg->method = kept->method;
		arg->nr_rows = kept->table.nr_rows;
		arg->nr_rules = kept->table.nr_rules;
		arg->bytes = kept->bytes;
		arg->owner_pid = kept->owner_pid;
		arg->file = uw_file_of(kept, path, UW_PATH_BYTES);
		uw_table_store_put(kept);
	}
	err = uw_copy_path(arg, path);
	kfree(path);
	return err;
}

static int uw_stats(void *context, void *data)
{
	struct uwind_stats *stats = data;

	memset(stats, 0, sizeof(*stats));
	uw_stats_fill(stats);
	return 0;
}

static int uw_session_check(const struct uwind_session_start *arg)
{
	const u32 flags = UWIND_SESSION_FREQUENCY | UWIND_SESSION_ALL | UWIND_SESSION_INHERIT |
			  UWIND_SESSION_DISABLED;
	bool all = arg->flags & UWIND_SESSION_ALL;

	if ((arg->flags & ~flags) || arg->event > UWIND_EVENT_CYCLES ||
	    arg->max_frames > UWIND_MAX_FRAMES || arg->nr_targets > UWIND_MAX_TARGETS ||
	    all == !!arg->nr_targets)
		return -EINVAL;
	if (arg->flags & UWIND_SESSION_FREQUENCY)
		return arg->rate && arg->rate <= UW_MAX_RATE_HZ ? 0 : -EINVAL;
	return arg->rate >= UW_MIN_PERIOD && arg->rate <= S64_MAX ? 0 : -EINVAL;
}

static int uw_session_begin(struct uw_client *client, struct uwind_session_start *arg,
			    const s32 *pids)
{
	struct uw_session *session;

	if (client->session)
		return -EBUSY;
	if (!client->reader.net || client->reader.gone)
		return -ENOTCONN;
	session = uw_session_start(arg, pids, &client->reader);
	if (IS_ERR(session))
		return PTR_ERR(session);
	client->session = session;
	arg->session = session->number;
	return 0;
}

static int uw_session_start_ioctl(void *context, void *data)
{
	struct uwind_session_start *arg = data;
	struct uw_client *client = context;
	s32 *pids = NULL;
	int err = uw_session_check(arg);

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

static int uw_session_enable_ioctl(void *context, void *data)
{
	struct uw_client *client = context;
	int err = -EINVAL;

	mutex_lock(&client->mutex);
	if (client->session) {
		uw_session_enable(client->session);
		err = 0;
	}
	mutex_unlock(&client->mutex);
	return err;
}

static int uw_session_ask_ioctl(void *context, void *data)
{
	struct uwind_session_ask *arg = data;
	struct uw_client *client = context;
	int err = -EINVAL;

	mutex_lock(&client->mutex);
	if (client->session)
		err = uw_session_ask(client->session, arg->tid, &arg->cookie);
	mutex_unlock(&client->mutex);
	return err;
}

static int uw_session_stats_ioctl(void *context, void *data)
{
	struct uwind_session_stats *stats = data;
	struct uw_client *client = context;
	int err = -EINVAL;

	memset(stats, 0, sizeof(*stats));
	mutex_lock(&client->mutex);
	if (client->session) {
		uw_session_stats(client->session, stats);
		err = 0;
	}
	mutex_unlock(&client->mutex);
	return err;
}

static int uw_session_stop_ioctl(void *context, void *data)
{
	struct uwind_session_stats *stats = data;
	struct uw_client *client = context;
	int err = -EINVAL;

	memset(stats, 0, sizeof(*stats));
	mutex_lock(&client->mutex);
	if (client->session) {
		uw_session_stop(client->session, stats);
		client->session = NULL;
		err = 0;
	}
	mutex_unlock(&client->mutex);
	return err;
}

static const struct uw_ioctl uw_control_ioctls[] = {
	{ UWIND_IOC_ABI, sizeof(struct uwind_abi), false, uw_ioctl_abi },
	{ UWIND_IOC_TABLE_CREATE, sizeof(struct uwind_table_create), true, uw_table_create },
	{ UWIND_IOC_TABLE_DESTROY, sizeof(struct uwind_table_destroy), true, uw_table_destroy },
	{ UWIND_IOC_TABLE_TIE, sizeof(struct uwind_table_tie), true, uw_table_tie },
	{ UWIND_IOC_RANGE_BIND, sizeof(struct uwind_range_bind), true, uw_range_bind },
	{ UWIND_IOC_RANGE_UNBIND, sizeof(struct uwind_range_unbind), true, uw_range_unbind },
	{ UWIND_IOC_TABLE_NEXT, sizeof(struct uwind_table_next), true, uw_table_next },
	{ UWIND_IOC_STATS, sizeof(struct uwind_stats), true, uw_stats },
	{ UWIND_IOC_SESSION_START, sizeof(struct uwind_session_start), true,
	  uw_session_start_ioctl },
	{ UWIND_IOC_SESSION_ENABLE, 0, true, uw_session_enable_ioctl },
	{ UWIND_IOC_SESSION_ASK, sizeof(struct uwind_session_ask), true, uw_session_ask_ioctl },
	{ UWIND_IOC_SESSION_STATS, sizeof(struct uwind_session_stats), true,
	  uw_session_stats_ioctl },
	{ UWIND_IOC_SESSION_STOP, sizeof(struct uwind_session_stats), true,
	  uw_session_stop_ioctl },
};

static long uw_control_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return uw_ioctl_run(uw_control_ioctls, ARRAY_SIZE(uw_control_ioctls),
			    file->private_data, cmd, arg);
}

static int uw_control_open(struct inode *inode, struct file *file)
{
	struct uw_client *client = kzalloc(sizeof(*client), GFP_KERNEL_ACCOUNT);

	if (!client)
		return -ENOMEM;
	mutex_init(&client->mutex);
	mutex_lock(&clients_mutex);
	list_add(&client->node, &clients);
	mutex_unlock(&clients_mutex);
	file->private_data = client;
	return 0;
}

static int uw_control_release(struct inode *inode, struct file *file)
{
	struct uw_client *client = file->private_data;

	mutex_lock(&clients_mutex);
	list_del(&client->node);
	mutex_unlock(&clients_mutex);
	if (client->session)
		uw_session_stop(client->session, NULL);
	uw_table_store_destroy_all(client);
	if (client->reader.net)
		put_net(client->reader.net);
	kfree(client);
	return 0;
}

static const struct file_operations uw_control_fops = {
	.owner = THIS_MODULE,
	.open = uw_control_open,
	.release = uw_control_release,
	.unlocked_ioctl = uw_control_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

int uw_control_attach(int fd, struct net *net, u32 portid)
{
	struct file *file = fget(fd);
	struct uw_client *client;
	int err = -EBUSY;

	if (!file)
		return -EBADF;
	if (file->f_op != &uw_control_fops) {
		fput(file);
		return -EBADF;
	}
	client = file->private_data;
	mutex_lock(&client->mutex);
	if (!client->session) {
		if (client->reader.net)
			put_net(client->reader.net);
		client->reader.net = get_net(net);
		client->reader.portid = portid;
		client->reader.gone = false;
		err = 0;
	}
	mutex_unlock(&client->mutex);
	fput(file);
	return err;
}

void uw_control_detach(const struct net *net, u32 portid)
{
	struct uw_client *client;

	mutex_lock(&clients_mutex);
	list_for_each_entry(client, &clients, node) {
		mutex_lock(&client->mutex);
		if (client->reader.net == net && client->reader.portid == portid)
			client->reader.gone = true;
		mutex_unlock(&client->mutex);
	}
	mutex_unlock(&clients_mutex);
}

static struct miscdevice uw_control_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "uwind",
	.fops = &uw_control_fops,
	.mode = 0660,
};

int uw_control_init(void)
{
	return misc_register(&uw_control_device);
}

void uw_control_exit(void)
{
	misc_deregister(&uw_control_device);
}
