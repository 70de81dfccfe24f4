// SPDX-License-Identifier: GPL-2.0
/*
 * The descriptor of a watch. What the kernel is probed and asked for is there as long as somebody watches it.
 */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/slab.h>

#include "kernel/text_module.h"
#include "kernel/text_probe.h"
#include "kernel/text_watch.h"
#include "kernel/text_watchers.h"

struct text_watch {
	struct uw_text_watcher watcher;
	struct mutex reader; /* one at a time */
};

static DEFINE_MUTEX(watch_mutex);              /* Order: outside the chain of module notifiers */
static u32 nr_watches, nr_modules, nr_changes; /* watches; those that want either. Protected by: watch_mutex */

static int modules_get(void)
{
	int err = nr_modules ? 0 : uw_text_module_start();

	if (!err)
		nr_modules++;
	return err;
}

static void modules_put(void)
{
	if (!--nr_modules)
		uw_text_module_stop();
}

static int changes_get(const char **why)
{
	int err = nr_changes ? 0 : uw_text_probe_start(why);

	if (!err)
		nr_changes++;
	return err;
}

static void changes_put(void)
{
	if (!--nr_changes)
		uw_text_probe_stop();
}

/* What is wanted. All or nothing. */
static int sources_get(u32 flags, const char **why)
{
	int err = 0;

	lockdep_assert_held(&watch_mutex);
	if (flags & UWIND_WATCH_MODULES)
		err = modules_get();
	if (err || !(flags & UWIND_WATCH_CHANGES))
		return err;
	err = changes_get(why);
	if (err && (flags & UWIND_WATCH_MODULES))
		modules_put();
	return err;
}

static void sources_put(u32 flags)
{
	lockdep_assert_held(&watch_mutex);
	if (flags & UWIND_WATCH_CHANGES)
		changes_put();
	if (flags & UWIND_WATCH_MODULES)
		modules_put();
}

/* First it is in the list: nothing that a source says is missed. */
static int watch_begin(struct text_watch *watch, const char **why)
{
	int err = -EBUSY;

	mutex_lock(&watch_mutex);
	if (nr_watches < UWIND_MAX_TEXT_WATCHES) {
		uw_text_watcher_add(&watch->watcher);
		err = sources_get(watch->watcher.flags, why);
		if (err)
			uw_text_watcher_remove(&watch->watcher);
		else
			nr_watches++;
	}
	mutex_unlock(&watch_mutex);
	return err;
}

static void watch_end(struct text_watch *watch)
{
	mutex_lock(&watch_mutex);
	uw_text_watcher_remove(&watch->watcher);
	sources_put(watch->watcher.flags);
	nr_watches--;
	mutex_unlock(&watch_mutex);
}

static void watch_free(struct text_watch *watch)
{
	uw_text_watcher_deinit(&watch->watcher);
	mutex_destroy(&watch->reader);
	kfree(watch);
}

static int watch_release(struct inode *inode, struct file *file)
{
	watch_end(file->private_data);
	watch_free(file->private_data);
	return 0;
}

static ssize_t watch_read_once(struct text_watch *watch, char __user *user, size_t bytes)
{
	ssize_t done;

	if (mutex_lock_interruptible(&watch->reader))
		return -ERESTARTSYS;
	done = uw_text_ring_read(&watch->watcher.ring, user, bytes);
	if (!done) {
		uw_text_watcher_report_lost(&watch->watcher);
		done = uw_text_ring_read(&watch->watcher.ring, user, bytes);
	}
	mutex_unlock(&watch->reader);
	return done;
}

static ssize_t watch_read(struct file *file, char __user *user, size_t bytes, loff_t *offset)
{
	struct text_watch *watch = file->private_data;
	ssize_t done;
	int err;

	for (;;) {
		done = watch_read_once(watch, user, bytes);
		if (done)
			return done;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		err = wait_event_interruptible(watch->watcher.readers, !uw_text_ring_is_empty(&watch->watcher.ring));
		if (err)
			return err;
	}
}

static __poll_t watch_poll(struct file *file, poll_table *table)
{
	struct text_watch *watch = file->private_data;

	poll_wait(file, &watch->watcher.readers, table);
	return uw_text_ring_is_empty(&watch->watcher.ring) ? 0 : EPOLLIN | EPOLLRDNORM;
}

static const struct file_operations watch_fops = {
	.owner = THIS_MODULE,
	.release = watch_release,
	.read = watch_read,
	.poll = watch_poll,
};

static struct text_watch *watch_create(u32 flags, u32 bytes)
{
	struct text_watch *watch = kzalloc(sizeof(*watch), GFP_KERNEL_ACCOUNT);

	if (!watch)
		return NULL;
	mutex_init(&watch->reader);
	if (!uw_text_watcher_init(&watch->watcher, flags, bytes))
		return watch;
	watch_free(watch);
	return NULL;
}

struct file *uw_text_watch_open(u32 flags, u32 bytes, const char **why)
{
	struct text_watch *watch = watch_create(flags, bytes);
	struct file *file;
	int err;

	if (!watch)
		return ERR_PTR(-ENOMEM);
	err = watch_begin(watch, why);
	if (err) {
		watch_free(watch);
		return ERR_PTR(err);
	}
	file = anon_inode_getfile("[uwind-text]", &watch_fops, watch, O_RDONLY);
	if (IS_ERR(file)) {
		watch_end(watch);
		watch_free(watch);
	}
	return file;
}
