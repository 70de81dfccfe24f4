// SPDX-License-Identifier: GPL-2.0
/*
 * Since Linux 6.7 an inode's time of modification has accessor functions (077c212f0344 "fs: new accessor methods for
 * atime and mtime").
 */
#include <linux/fs.h>

struct timespec64 uw_probe(const struct inode *inode);
struct timespec64 uw_probe(const struct inode *inode)
{
	return inode_get_mtime(inode);
}
