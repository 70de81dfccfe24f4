// SPDX-License-Identifier: GPL-2.0
/*
 * Copying extensible structs in and out, and looking ioctls up.
 */
#include <linux/ioctl.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "core/types.h"
#include "device/ioctl.h"
#include "uwind.h"
#include "walk/regs.h"

static_assert((int)UWIND_ARCH_X86_64 == (int)UW_ARCH_X86_64);
static_assert((int)UWIND_ARCH_ARM64 == (int)UW_ARCH_ARM64);

static const struct uw_ioctl *ioctl_find(const struct uw_ioctl *table, u32 nr, unsigned int cmd)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (_IOC_TYPE(table[i].cmd) == _IOC_TYPE(cmd) && _IOC_NR(table[i].cmd) == _IOC_NR(cmd) &&
		    _IOC_DIR(table[i].cmd) == _IOC_DIR(cmd))
			return &table[i];
	return NULL;
}

static long ioctl_run_struct(const struct uw_ioctl *ioctl, void *context, void __user *user)
{
	u64 buffer[UW_IOCTL_MAX_BYTES / sizeof(u64)];
	u32 *size = (u32 *)buffer, bytes;
	int err;

	if (get_user(bytes, (u32 __user *)user))
		return -EFAULT;
	if (bytes < sizeof(*size))
		return -EINVAL;
	if (bytes > PAGE_SIZE)
		return -E2BIG;
	err = copy_struct_from_user(buffer, ioctl->bytes, user, bytes);
	if (err)
		return err;
	*size = bytes;
	err = ioctl->run(context, buffer);
	*size = bytes;
	if (copy_to_user(user, buffer, min(bytes, ioctl->bytes)))
		return -EFAULT;
	return err;
}

long uw_ioctl_run(const struct uw_ioctl *table, u32 nr, void *context, bool allowed, unsigned int cmd,
		  unsigned long user)
{
	const struct uw_ioctl *ioctl = ioctl_find(table, nr, cmd);

	if (!ioctl)
		return -ENOTTY;
	if (ioctl->restricted && !allowed)
		return -EPERM;
	if (!ioctl->bytes)
		return ioctl->run(context, NULL);
	return ioctl_run_struct(ioctl, context, (void __user *)user);
}

void uw_ioctl_reject(const struct uw_reject *reject, __u64 *offset, char *why, size_t bytes)
{
	*offset = reject->offset;
	strscpy_pad(why, reject->why ?: "", bytes);
}

int uw_ioctl_abi(void *context, void *arg)
{
	struct uwind_abi *abi = arg;

	if (abi->reserved)
		return -EINVAL;
	abi->version = UWIND_ABI_VERSION;
	abi->errata = 0;
	abi->arch = UW_ARCH;
	strscpy_pad(abi->module, UWIND_VERSION, sizeof(abi->module));
	return 0;
}
