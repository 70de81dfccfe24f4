// SPDX-License-Identifier: GPL-2.0
/*
 * The ioctl that begins to watch the kernel's text.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/log2.h>
#include <linux/string.h>

#include "device/client.h"
#include "kernel/text_watch.h"
#include "uwind.h"

static int watch_check(const struct uwind_watch_text *arg)
{
	const u32 known = UWIND_WATCH_MODULES | UWIND_WATCH_CHANGES | UWIND_WATCH_CONTENT;

	if (!arg->flags || (arg->flags & ~known) ||
	    (arg->flags & UWIND_WATCH_CONTENT && !(arg->flags & UWIND_WATCH_MODULES)))
		return -EINVAL;
	if (!is_power_of_2(arg->bytes) || arg->bytes < UWIND_MIN_TEXT_BYTES || arg->bytes > UWIND_MAX_TEXT_BYTES)
		return -EINVAL;
	return 0;
}

/*
 * The descriptor is in the caller's table before the caller has read its number. Should the caller's memory not be
 * writable any more, it has a descriptor without knowing which, until it exits.
 */
int uw_client_watch_text(void *context, void *data)
{
	struct uwind_watch_text *arg = data;
	struct uw_client *client = context;
	const char *why = "";
	struct file *file;
	int err = watch_check(arg), fd;

	if (err)
		return err;
	if (!client->privileged)
		return -EPERM;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;
	file = uw_text_watch_open(arg->flags, arg->bytes, &why);
	strscpy_pad(arg->why, why, sizeof(arg->why));
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		return PTR_ERR(file);
	}
	fd_install(fd, file);
	arg->fd = fd;
	return 0;
}
