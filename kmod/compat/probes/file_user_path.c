// SPDX-License-Identifier: GPL-2.0
/*
 * Since Linux 6.7 a file that is mapped for one of an overlay has the path of the file below, and that of the one on top
 * beside it (def3ae83da02 "fs: store real path instead of fake path in backing file f_path").
 */
#include <linux/fs.h>

const struct path *uw_probe(const struct file *file);
const struct path *uw_probe(const struct file *file)
{
	return file_user_path(file);
}
