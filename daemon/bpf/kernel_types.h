/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The members of the kernel's types that the BPF programs read. Where they lie is corrected when the programs are
 * loaded, by the running kernel's own BTF. A name with "___" in it stands for the type that is called as the part
 * before that.
 */
#pragma once

#define __VMLINUX_H__ /* bpf_tracing.h: registers have the kernel's names */

#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long di, si;
};
#elif defined(__TARGET_ARCH_arm64)
struct user_pt_regs {
	__u64 regs[31];
};
struct pt_regs {
	struct user_pt_regs user_regs;
};
#else
#error "no BPF programs for this architecture"
#endif

struct qstr {
	const unsigned char *name;
};

struct super_block {
	__u32 s_dev;
};

struct inode {
	struct super_block *i_sb;
	unsigned long i_ino;
};

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct file {
	unsigned int f_mode;
	struct path f_path;
	struct inode *f_inode;
};

struct backing_file { /* not in 6.1 */
	struct file file;
	struct path user_path;
};

struct vm_area_struct {
	unsigned long vm_start, vm_end, vm_pgoff, vm_flags;
	struct file *vm_file;
};

struct mm_struct {
	struct file *exe_file;
	unsigned long arg_start, arg_end;
};

struct upid {
	int nr;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct ns_common {
	unsigned int inum;
};

struct mnt_namespace {
	struct ns_common ns;
};

struct nsproxy {
	struct mnt_namespace *mnt_ns;
};

struct fs_struct {
	struct path root;
};

struct kernfs_node {
	struct kernfs_node *parent; /* until 6.14 */
	const char *name;
};

struct kernfs_node___6_15 {
	struct kernfs_node *__parent;
};

struct cgroup {
	struct kernfs_node *kn;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live;
};

struct task_struct {
	struct task_struct *group_leader, *real_parent;
	int pid, tgid;
	__u64 start_boottime;
	__u64 self_exec_id;
	char comm[16];
	struct mm_struct *mm;
	struct fs_struct *fs;
	struct nsproxy *nsproxy;
	struct pid *thread_pid;
	struct signal_struct *signal;
	struct css_set *cgroups;
};

#pragma clang attribute pop
