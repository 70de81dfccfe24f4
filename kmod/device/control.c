// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/uwind: permissions, ioctl table, readers.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "access/quota.h"
#include "access/viewer.h"
#include "device/client.h"
#include "device/control.h"
#include "device/ioctl.h"
#include "device/status.h"
#include "kernel/kstack.h"
#include "session/running.h"
#include "store/tie.h"
#include "uwind.h"

static int fill_stats(void *context, void *data)
{
	uw_status_fill(data);
	return 0;
}

/* It shows all tasks, and where the kernel's code lies. */
static int kstack_open(void *context, void *data)
{
	const struct uw_client *client = context;

	return client->privileged ? uw_kstack_open(data) : -EPERM;
}

static const struct uw_ioctl control_ioctls[] = {
	{ UWIND_IOC_ABI, sizeof(struct uwind_abi), false, uw_ioctl_abi },
	{ UWIND_IOC_TABLE_CREATE, sizeof(struct uwind_table_create), true, uw_client_table_create },
	{ UWIND_IOC_TABLE_DESTROY, sizeof(struct uwind_table_destroy), true, uw_client_table_destroy },
	{ UWIND_IOC_TABLE_TIE, sizeof(struct uwind_table_tie), true, uw_client_table_tie },
	{ UWIND_IOC_RANGE_BIND, sizeof(struct uwind_range_bind), true, uw_client_range_bind },
	{ UWIND_IOC_RANGE_UNBIND, sizeof(struct uwind_range_unbind), true, uw_client_range_unbind },
	{ UWIND_IOC_TABLE_NEXT, sizeof(struct uwind_table_next), true, uw_client_table_next },
	{ UWIND_IOC_STATS, sizeof(struct uwind_stats), true, fill_stats },
	{ UWIND_IOC_SESSION_START, sizeof(struct uwind_session_start), true, uw_client_session_start },
	{ UWIND_IOC_SESSION_ENABLE, 0, true, uw_client_session_enable },
	{ UWIND_IOC_SESSION_ASK, sizeof(struct uwind_session_ask), true, uw_client_session_ask },
	{ UWIND_IOC_SESSION_STATS, sizeof(struct uwind_session_stats), true, uw_client_session_stats },
	{ UWIND_IOC_SESSION_STOP, sizeof(struct uwind_session_stats), true, uw_client_session_stop },
	{ UWIND_IOC_WATCH_TEXT, sizeof(struct uwind_watch_text), true, uw_client_watch_text },
	{ UWIND_IOC_KSTACK, sizeof(struct uwind_kstack), true, kstack_open },
};

/*
 * A descriptor may be passed on. One that was opened with privilege works for those
 * who still have it; any other works for its opener.
 */
static bool control_allows(const struct uw_client *client, const struct cred *cred, bool privileged)
{
	return client->privileged ? privileged : uw_viewer_is(client->cred, cred);
}

static long control_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct uw_client *client = file->private_data;

	return uw_ioctl_run(control_ioctls, ARRAY_SIZE(control_ioctls), client,
			    control_allows(client, current_cred(), perfmon_capable()), cmd, arg);
}

static void client_free(struct uw_client *client)
{
	uw_reader_deinit(&client->reader);
	if (client->quota)
		uw_quota_put(client->quota);
	put_cred(client->cred);
	kfree(client);
}

static int control_open(struct inode *inode, struct file *file)
{
	struct uw_client *client = kzalloc(sizeof(*client), GFP_KERNEL_ACCOUNT);

	if (!client)
		return -ENOMEM;
	mutex_init(&client->mutex);
	client->cred = get_current_cred();
	client->privileged = perfmon_capable();
	if (!client->privileged) {
		client->quota = uw_quota_get(GFP_KERNEL_ACCOUNT);
		if (!client->quota) {
			client_free(client);
			return -ENOMEM;
		}
	}
	file->private_data = client;
	return 0;
}

static int control_release(struct inode *inode, struct file *file)
{
	struct uw_client *client = file->private_data;

	if (client->session)
		uw_running_stop(client->session, NULL);
	uw_tie_destroy_all(client);
	client_free(client);
	return 0;
}

static const struct file_operations control_fops = {
	.owner = THIS_MODULE,
	.open = control_open,
	.release = control_release,
	.unlocked_ioctl = control_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

/* Generic netlink handles messages one at a time, whatever their family: so this waits for nothing. */
static int client_attach(struct uw_client *client, struct uw_reader *socket, bool privileged)
{
	int err = -EBUSY;

	if (!control_allows(client, socket->file->f_cred, privileged) ||
	    !control_allows(client, current_cred(), privileged))
		return -EPERM;
	if (!mutex_trylock(&client->mutex))
		return -EBUSY;
	if (!client->session) {
		swap(client->reader, *socket);
		err = 0;
	}
	mutex_unlock(&client->mutex);
	return err;
}

int uw_control_attach(int fd, struct uw_reader *socket, bool privileged)
{
	struct file *file = fget(fd);
	int err = -EBADF;

	if (!file)
		return -EBADF;
	if (file->f_op == &control_fops)
		err = client_attach(file->private_data, socket, privileged);
	fput(file);
	return err;
}

static struct miscdevice control_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "uwind",
	.fops = &control_fops,
	.mode = 0660,
};

int uw_control_init(void)
{
	return misc_register(&control_device);
}

void uw_control_exit(void)
{
	misc_deregister(&control_device);
}
