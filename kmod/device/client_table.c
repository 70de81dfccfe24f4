// SPDX-License-Identifier: GPL-2.0
/*
 * ioctls about tables and ranges.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "access/pidfd.h"
#include "access/quota.h"
#include "device/client.h"
#include "device/ioctl.h"
#include "device/table_input.h"
#include "store/ranges.h"
#include "store/registry.h"
#include "store/table_store.h"
#include "store/tie.h"
#include "uwind.h"

#define UW_PATH_BYTES PATH_MAX

static int create_from_section(const struct uw_maker *maker, struct uwind_table_create *arg, struct uw_reject *reject,
			       struct uw_stored_table **stored)
{
	struct uw_segment segments[UWIND_MAX_SEGMENTS];
	struct uw_process process;
	struct uw_section section = {
		.data = arg->data,
		.bytes = arg->data_bytes,
		.address = arg->address,
		.segments = segments,
		.nr_segments = arg->nr_segments,
	};
	int err;

	if (!arg->nr_segments || arg->nr_segments > UWIND_MAX_SEGMENTS || arg->rules || arg->nr_rules || arg->method ||
	    arg->arch || arg->reserved)
		return -EINVAL;
	if (copy_from_user(segments, u64_to_user_ptr(arg->segments), arg->nr_segments * sizeof(*segments)))
		return -EFAULT;
	if (arg->source == UWIND_SOURCE_SFRAME_REMOTE) {
		err = uw_process_get(&process, arg->pidfd, maker->viewer);
		if (err)
			return err;
		section.process = &process;
	} else if (arg->pidfd != -1) {
		return -EINVAL;
	}
	*stored = uw_table_from_section(&section, maker, reject);
	if (section.process)
		uw_process_put(&process);
	return PTR_ERR_OR_ZERO(*stored);
}

static int create_from_rows(const struct uw_maker *maker, struct uwind_table_create *arg, struct uw_reject *reject,
			    struct uw_stored_table **stored)
{
	if (arg->address || arg->segments || arg->nr_segments || arg->pidfd != -1 || arg->reserved)
		return -EINVAL;
	*stored = uw_table_from_rows(arg, maker, reject);
	return PTR_ERR_OR_ZERO(*stored);
}

static int create_table(const struct uw_client *client, struct uwind_table_create *arg, struct uw_reject *reject,
			struct uw_stored_table **stored)
{
	const struct uw_maker maker = {
		.owner = client,
		.viewer = uw_client_viewer(client),
		.quota = client->quota,
	};

	switch (arg->source) {
	case UWIND_SOURCE_SFRAME_BYTES:
	case UWIND_SOURCE_SFRAME_REMOTE:
		return create_from_section(&maker, arg, reject, stored);
	case UWIND_SOURCE_ROWS:
		return create_from_rows(&maker, arg, reject, stored);
	}
	return -EINVAL;
}

int uw_client_table_create(void *context, void *data)
{
	struct uwind_table_create *arg = data;
	struct uw_client *client = context;
	struct uw_reject reject = {};
	struct uw_stored_table *stored;
	int err = uw_quota_begin_input(client->quota);

	if (err)
		return err;
	err = create_table(client, arg, &reject, &stored);
	uw_quota_end_input(client->quota);
	uw_ioctl_reject(&reject, &arg->bad_offset, arg->bad_why, sizeof(arg->bad_why));
	if (err)
		return err;
	arg->table = stored->number;
	arg->nr_rows = stored->table.nr_rows;
	arg->bytes = stored->bytes;
	return 0;
}

int uw_client_table_destroy(void *context, void *data)
{
	struct uwind_table_destroy *arg = data;

	return uw_tie_destroy(context, arg->table);
}

static int tie_fd(struct uw_stored_table *stored, int fd)
{
	struct file *file = fget(fd);
	int err;

	if (!file)
		return -EBADF;
	err = uw_tie_add(stored, file);
	fput(file);
	return err;
}

int uw_client_table_tie(void *context, void *data)
{
	struct uwind_table_tie *arg = data;
	bool vdso = arg->flags & UWIND_TIE_VDSO;
	struct uw_stored_table *stored;
	int err;

	if ((arg->flags & ~UWIND_TIE_VDSO) || (vdso && arg->fd != -1))
		return -EINVAL;
	stored = uw_table_store_find(context, arg->table);
	if (!stored)
		return -ENOENT;
	err = vdso ? uw_tie_add(stored, NULL) : tie_fd(stored, arg->fd);
	uw_table_store_put(stored);
	return err;
}

/* Rising and apart. */
static bool ranges_valid(const struct uwind_range *ranges, u32 nr)
{
	u64 last = 0;
	u32 i;

	for (i = 0; i < nr; i++) {
		if (ranges[i].start < last || ranges[i].end <= ranges[i].start || ranges[i].end > TASK_SIZE_MAX ||
		    ranges[i].offset > U32_MAX)
			return false;
		last = ranges[i].end;
	}
	return true;
}

static int bind_pidfd(struct uw_stored_table *stored, int pidfd, const struct uwind_range *ranges, u32 nr)
{
	struct mm_struct *mm = uw_pidfd_mm(pidfd, stored->maker.viewer);
	int err;

	if (IS_ERR(mm))
		return PTR_ERR(mm);
	err = uw_registry_bind(mm, stored, ranges, nr, 0);
	mmput(mm);
	return err;
}

int uw_client_range_bind(void *context, void *data)
{
	struct uwind_range ranges[UWIND_MAX_RANGES / 4], *many = ranges;
	struct uwind_range_bind *arg = data;
	struct uw_stored_table *stored;
	int err = 0;

	if (!arg->nr_ranges || arg->nr_ranges > UWIND_MAX_RANGES)
		return -EINVAL;
	stored = uw_table_store_find(context, arg->table);
	if (!stored)
		return -ENOENT;
	if (arg->nr_ranges > ARRAY_SIZE(ranges))
		many = kmalloc_array(arg->nr_ranges, sizeof(*many), GFP_KERNEL_ACCOUNT);
	if (!many)
		err = -ENOMEM;
	else if (copy_from_user(many, u64_to_user_ptr(arg->ranges), arg->nr_ranges * sizeof(*many)))
		err = -EFAULT;
	else if (!ranges_valid(many, arg->nr_ranges))
		err = -EINVAL;
	else
		err = bind_pidfd(stored, arg->pidfd, many, arg->nr_ranges);
	if (many != ranges)
		kfree(many);
	uw_table_store_put(stored);
	return err;
}

int uw_client_range_unbind(void *context, void *data)
{
	struct uwind_range_unbind *arg = data;
	struct mm_struct *mm = uw_pidfd_mm(arg->pidfd, uw_client_viewer(context));
	struct uw_range_set *set;
	int err = -ENOENT;

	if (IS_ERR(mm))
		return PTR_ERR(mm);
	set = uw_registry_bound(mm);
	if (set)
		err = uw_range_set_remove_start(set, arg->start);
	mmput(mm);
	return err;
}

static int copy_path(const struct uwind_table_next *arg, const char *path)
{
	size_t bytes = strlen(path) + 1;

	if (!arg->path_bytes)
		return 0;
	if (bytes > arg->path_bytes)
		return -ENAMETOOLONG;
	return copy_to_user(u64_to_user_ptr(arg->path), path, bytes) ? -EFAULT : 0;
}

int uw_client_table_next(void *context, void *data)
{
	struct uwind_table_next *arg = data;
	struct uw_stored_table *stored;
	char *path;
	int err;

	if (arg->reserved)
		return -EINVAL;
	path = kmalloc(UW_PATH_BYTES, GFP_KERNEL);
	if (!path)
		return -ENOMEM;
	stored = uw_table_store_next(uw_client_viewer(context), arg->after);
	arg->table = 0;
	path[0] = '\0';
	if (stored) {
		arg->table = stored->number;
		arg->method = stored->method;
		arg->nr_rows = stored->table.nr_rows;
		arg->nr_rules = stored->table.nr_rules;
		arg->bytes = stored->bytes;
		arg->owner_pid = stored->owner_pid;
		arg->file = uw_tie_file(stored, path, UW_PATH_BYTES);
		uw_table_store_put(stored);
	}
	err = copy_path(arg, path);
	kfree(path);
	return err;
}
