/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ioctls as tables: what both devices share.
 */
#ifndef UW_IOCTL_H
#define UW_IOCTL_H

#include <linux/types.h>

/* The biggest struct that an ioctl takes. */
#define UW_IOCTL_MAX_BYTES 1024

/* Constant. */
struct uw_ioctl {
	unsigned int cmd;                     /* its size field is not compared: structs grow */
	u32 bytes;                            /* of the struct as we know it; 0: takes none */
	bool restricted;                      /* not for everyone */
	int (*run)(void *context, void *arg); /* arg: a copy, copied back */
};

/*
 * Find cmd in table and run it; allowed: restricted ones too.
 * -ENOTTY, -EPERM, -EFAULT, -E2BIG, -EINVAL …
 */
long uw_ioctl_run(const struct uw_ioctl *table, u32 nr, void *context, bool allowed, unsigned int cmd,
		  unsigned long user);

struct uw_reject;

/* Fill the two output fields that say why input was refused. */
void uw_ioctl_reject(const struct uw_reject *reject, __u64 *offset, char *why, size_t bytes);

int uw_ioctl_abi(void *context, void *arg);

#endif
