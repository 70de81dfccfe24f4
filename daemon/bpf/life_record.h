/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the BPF programs tell the daemon of processes' lives: one record for each event, in a ring buffer of BPF.
 *
 * Times are CLOCK_BOOTTIME, in ns. Numbers of processes and threads are those of the initial pid namespace. A path
 * comes as its names, the last one first, each with a NUL behind it: that is the way from a file to the root.
 */
#pragma once

#include <linux/types.h>

enum life_kind {
	LIFE_FORK = 1, /* of a process: threads are not told of */
	LIFE_EXEC,
	LIFE_EXIT, /* of its last thread */
	LIFE_COMM, /* of its first thread */
	LIFE_MAP,  /* executable memory of a file */
};

enum life_limits {
	LIFE_NAME_BYTES = 256,  /* of a name in a path, with its NUL: the kernel's NAME_MAX + 1 */
	LIFE_PATH_NAMES = 48,   /* deeper folders are cut off at the root's side */
	LIFE_PATH_BYTES = 1024, /* the same */
	LIFE_ARGUMENT_BYTES = 512,
	LIFE_COMM_BYTES = 16,
};

struct life_path {
	__u32 bytes;    /* of names[] */
	__u32 is_whole; /* it begins at a root: of the process, or of the cgroup file system */
	/* The last name may begin in the last byte before the limit. */
	char names[LIFE_PATH_BYTES + LIFE_NAME_BYTES];
};

struct life_head {
	__u32 kind; /* enum life_kind */
	__u32 tgid;
	__u64 time_ns;
	__u64 start_ns; /* of the process */
	__u64 exec_id;  /* counts its execs, and its ancestors' */
};

struct life_fork {
	struct life_head head; /* the child's */
	__u32 parent_tgid;
	__u32 ns_pid; /* in the child's own pid namespace */
	__u64 parent_start_ns;
	__u64 parent_exec_id;
	char comm[LIFE_COMM_BYTES];
};

struct life_exec {
	struct life_head head;
	__u32 parent_tgid;
	__u32 ns_pid;
	__u32 mount_namespace; /* its inode number */
	__u32 argument_bytes;  /* of arguments[], each with a NUL behind it */
	char comm[LIFE_COMM_BYTES];
	char arguments[LIFE_ARGUMENT_BYTES];
	struct life_path exe;
	struct life_path cgroup; /* of version 2 */
};

struct life_exit {
	struct life_head head;
};

struct life_comm {
	struct life_head head;
	char comm[LIFE_COMM_BYTES];
};

struct life_map {
	struct life_head head;
	__u64 start, end;
	__u64 offset; /* of start in the file, bytes */
	__u64 inode;
	__u32 dev_major, dev_minor;
	struct life_path path;
};
