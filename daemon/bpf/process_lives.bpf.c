// SPDX-License-Identifier: GPL-2.0
// Tells when processes fork, exec, map executable memory of files, change their name, and exit.
#include "kernel_types.h"

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "life_filter.h"
#include "life_record.h"

const char terms[] SEC("license") = "GPL";

#define VM_EXEC       4
#define FMODE_BACKING (1 << 24) // as 6.12 and 7.2 number it
#define MINOR_BITS    20

const volatile __u8 follows_all;      // but for those that are excluded
const volatile __u8 follows_children; // of those that are followed
const volatile __u8 has_cgroup;
const volatile __u32 page_bytes = 4096;

__u64 lost; // records that had no room

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, LIFE_RING_BYTES);
} records SEC(".maps");

// By tgid: an enum life_mark.
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, LIFE_MARKS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u32);
} marks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} cgroup SEC(".maps");

static __u32 mark_of(__u32 tgid)
{
	__u32 *mark = bpf_map_lookup_elem(&marks, &tgid);

	return mark ? *mark : 0;
}

static bool is_followed(__u32 tgid)
{
	const __u32 mark = mark_of(tgid);

	if (mark == LIFE_EXCLUDED || (!follows_all && mark != LIFE_FOLLOWED))
		return false;
	return !has_cgroup || bpf_current_task_under_cgroup(&cgroup, 0) == 1;
}

// Room for a record of that type, or null.
#define NEW_RECORD(type) ((type *)reserve(bpf_ringbuf_reserve(&records, sizeof(type), 0)))

static void *reserve(void *record)
{
	if (!record)
		__sync_fetch_and_add(&lost, 1);
	return record;
}

static void fill_head(struct life_head *head, __u32 kind, struct task_struct *task)
{
	struct task_struct *leader = BPF_CORE_READ(task, group_leader);

	head->kind = kind;
	head->tgid = BPF_CORE_READ(task, tgid);
	head->time_ns = bpf_ktime_get_boot_ns();
	head->start_ns = BPF_CORE_READ(leader, start_boottime);
	head->exec_id = BPF_CORE_READ(task, self_exec_id);
}

static __u32 ns_pid_of(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, group_leader, thread_pid);
	const __u32 level = BPF_CORE_READ(pid, level);
	void *numbers = (void *)pid + bpf_core_field_offset(struct pid, numbers);
	struct upid *number = numbers + level * bpf_core_type_size(struct upid); // the kernel's has more members

	return BPF_CORE_READ(number, nr);
}

static void put_name(struct life_path *to, const void *name)
{
	const __u32 at = to->bytes;
	long bytes;

	if (at >= LIFE_PATH_BYTES)
		return;
	bytes = bpf_probe_read_kernel_str(to->names + at, LIFE_NAME_BYTES, name);
	if (bytes > 0)
		to->bytes = at + bytes;
}

static void begin_path(struct life_path *to)
{
	to->bytes = 0;
	to->is_whole = 0;
}

static bool has_room(const struct life_path *to)
{
	return to->bytes < LIFE_PATH_BYTES;
}

static struct mount *mount_of(struct vfsmount *mnt)
{
	return (void *)mnt - bpf_core_field_offset(struct mount, mnt);
}

static struct vfsmount *vfsmount_of(struct mount *mount)
{
	return (void *)mount + bpf_core_field_offset(struct mount, mnt);
}

// What is mapped for a file of an overlay is the file below. Since 6.7 it has a path of its own, and that of the other.
static bool is_backing(struct file *file)
{
	return bpf_core_field_exists(((struct backing_file *)file)->user_path) &&
	       (BPF_CORE_READ(file, f_mode) & FMODE_BACKING);
}

// As /proc/PID/maps shows it.
static struct path *path_of(struct file *file)
{
	if (is_backing(file))
		return (void *)file + bpf_core_field_offset(struct backing_file, user_path);
	return (void *)file + bpf_core_field_offset(struct file, f_path);
}

static struct inode *inode_of(struct file *file)
{
	return is_backing(file) ? BPF_CORE_READ(path_of(file), dentry, d_inode) : BPF_CORE_READ(file, f_inode);
}

// As the current process sees it. A file that lies in no folder (memfd) has its own name.
static void put_path(struct life_path *to, struct file *file)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct dentry *root = BPF_CORE_READ(task, fs, root.dentry);
	struct vfsmount *root_mnt = BPF_CORE_READ(task, fs, root.mnt);
	struct path *path = path_of(file);
	struct dentry *dentry = BPF_CORE_READ(path, dentry);
	struct vfsmount *mnt = BPF_CORE_READ(path, mnt);

	begin_path(to);
	for (int i = 0; i < LIFE_PATH_NAMES && has_room(to); i++) {
		struct dentry *parent = BPF_CORE_READ(dentry, d_parent);
		struct mount *mount = mount_of(mnt);

		if (dentry == root && mnt == root_mnt) {
			to->is_whole = 1;
			return;
		}
		if (dentry == BPF_CORE_READ(mnt, mnt_root)) {
			struct mount *below = BPF_CORE_READ(mount, mnt_parent);

			if (below == mount) {
				to->is_whole = 1;
				return;
			}
			dentry = BPF_CORE_READ(mount, mnt_mountpoint);
			mnt = vfsmount_of(below);
			continue;
		}
		put_name(to, BPF_CORE_READ(dentry, d_name.name));
		if (parent == dentry)
			return;
		dentry = parent;
	}
}

static struct kernfs_node *parent_of(struct kernfs_node *node)
{
	struct kernfs_node___6_15 *newer = (void *)node;

	if (bpf_core_field_exists(newer->__parent))
		return BPF_CORE_READ(newer, __parent);
	return BPF_CORE_READ(node, parent);
}

static void put_cgroup(struct life_path *to, struct task_struct *task)
{
	struct kernfs_node *node = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn);

	begin_path(to);
	for (int i = 0; i < LIFE_PATH_NAMES && has_room(to); i++) {
		struct kernfs_node *parent = parent_of(node);

		if (!parent) {
			to->is_whole = 1;
			return;
		}
		put_name(to, BPF_CORE_READ(node, name));
		node = parent;
	}
}

static void put_arguments(struct life_exec *exec, struct mm_struct *mm)
{
	const unsigned long start = BPF_CORE_READ(mm, arg_start);
	unsigned long bytes = BPF_CORE_READ(mm, arg_end) - start;

	if (bytes > LIFE_ARGUMENT_BYTES)
		bytes = LIFE_ARGUMENT_BYTES;
	exec->argument_bytes = bpf_probe_read_user(exec->arguments, bytes, (void *)start) ? 0 : bytes;
}

// What is marked has children that are, if it says so. The marks are full: the child is not followed.
static void inherit_mark(__u32 parent, __u32 child)
{
	const __u32 mark = mark_of(parent);

	if (mark == LIFE_EXCLUDED || (mark == LIFE_FOLLOWED && follows_children))
		bpf_map_update_elem(&marks, &child, &mark, BPF_ANY);
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	const __u32 tgid = BPF_CORE_READ(child, tgid), parent_tgid = BPF_CORE_READ(parent, tgid);
	struct life_fork *fork;

	if (BPF_CORE_READ(child, pid) != tgid)
		return 0;
	inherit_mark(parent_tgid, tgid);
	if (!is_followed(tgid))
		return 0;
	fork = NEW_RECORD(struct life_fork);
	if (!fork)
		return 0;
	fill_head(&fork->head, LIFE_FORK, child);
	fork->parent_tgid = parent_tgid;
	fork->ns_pid = ns_pid_of(child);
	fork->parent_start_ns = BPF_CORE_READ(parent, group_leader, start_boottime);
	fork->parent_exec_id = BPF_CORE_READ(parent, self_exec_id);
	BPF_CORE_READ_INTO(&fork->comm, child, comm);
	bpf_ringbuf_submit(fork, 0);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task)
{
	struct mm_struct *mm = BPF_CORE_READ(task, mm);
	struct life_exec *exec;

	if (!is_followed(BPF_CORE_READ(task, tgid)))
		return 0;
	exec = NEW_RECORD(struct life_exec);
	if (!exec)
		return 0;
	fill_head(&exec->head, LIFE_EXEC, task);
	exec->parent_tgid = BPF_CORE_READ(task, real_parent, tgid);
	exec->ns_pid = ns_pid_of(task);
	exec->mount_namespace = BPF_CORE_READ(task, nsproxy, mnt_ns, ns.inum);
	BPF_CORE_READ_INTO(&exec->comm, task, comm);
	put_arguments(exec, mm);
	put_path(&exec->exe, BPF_CORE_READ(mm, exe_file));
	put_cgroup(&exec->cgroup, task);
	bpf_ringbuf_submit(exec, 0);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
	const __u32 tgid = BPF_CORE_READ(task, tgid);
	const bool followed = is_followed(tgid);
	struct life_exit *exit;

	if (BPF_CORE_READ(task, signal, live.counter) != 0)
		return 0;
	bpf_map_delete_elem(&marks, &tgid);
	exit = followed ? NEW_RECORD(struct life_exit) : NULL;
	if (!exit)
		return 0;
	fill_head(&exit->head, LIFE_EXIT, task);
	bpf_ringbuf_submit(exit, 0);
	return 0;
}

// exec tells of its new name itself.
SEC("tp_btf/task_rename")
int BPF_PROG(on_rename, struct task_struct *task, const char *name)
{
	const __u32 tgid = BPF_CORE_READ(task, tgid);
	struct life_comm *comm;

	if (BPF_CORE_READ(task, pid) != tgid || !is_followed(tgid))
		return 0;
	comm = NEW_RECORD(struct life_comm);
	if (!comm)
		return 0;
	fill_head(&comm->head, LIFE_COMM, task);
	bpf_probe_read_kernel_str(comm->comm, sizeof(comm->comm), name);
	bpf_ringbuf_submit(comm, 0);
	return 0;
}

// The kernel calls it for each mapping that becomes executable, whether perf listens or not.
SEC("kprobe/perf_event_mmap")
int BPF_KPROBE(on_map, struct vm_area_struct *vma)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct file *file = BPF_CORE_READ(vma, vm_file);
	struct life_map *map;
	struct inode *inode;
	__u32 dev;

	if (!file || !(BPF_CORE_READ(vma, vm_flags) & VM_EXEC) || !is_followed(BPF_CORE_READ(task, tgid)))
		return 0;
	map = NEW_RECORD(struct life_map);
	if (!map)
		return 0;
	fill_head(&map->head, LIFE_MAP, task);
	map->start = BPF_CORE_READ(vma, vm_start);
	map->end = BPF_CORE_READ(vma, vm_end);
	map->offset = BPF_CORE_READ(vma, vm_pgoff) * page_bytes;
	inode = inode_of(file);
	map->inode = BPF_CORE_READ(inode, i_ino);
	dev = BPF_CORE_READ(inode, i_sb, s_dev);
	map->dev_major = dev >> MINOR_BITS;
	map->dev_minor = dev & ((1 << MINOR_BITS) - 1);
	put_path(&map->path, file);
	bpf_ringbuf_submit(map, 0);
	return 0;
}
