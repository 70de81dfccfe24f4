/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernels. The only file that may ask which kernel this is;
 * included into every file by the command line. HAVE_* come from probes/: each
 * file there that compiles with the kernel's headers defines one.
 */
#ifndef UW_COMPAT_H
#define UW_COMPAT_H

/* Before the first header of the kernel. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/sched.h>

#include "probed.h"

/* Its indirect calls have the right types, but nobody has run it there: the first wrong one would be a panic. */
#if defined(CONFIG_CFI_CLANG) || defined(CONFIG_CFI)
#error "uwind has never run on a kernel with clang's control-flow integrity (CONFIG_CFI): build a kernel without it"
#endif

/*
 * Threads that run in user processes but never return to user space: io_uring
 * workers, and since Linux 6.4 (f9010dbdce91 "fork, vhost: Use CLONE_THREAD to
 * fix freezer/ps regression") vhost's.
 */
#ifdef PF_USER_WORKER
#define UW_PF_USER_WORKER PF_USER_WORKER
#else
#define UW_PF_USER_WORKER PF_IO_WORKER
#endif

/* Exported, but declared in the kernel's private kernel/rcu/rcu.h only. */
void rcu_expedite_gp(void);
void rcu_unexpedite_gp(void);

#ifdef HAVE_EXEC_STATE
#include <linux/sched/exec_state.h>
#else
#include <linux/sched/coredump.h>
#endif

#define UW_DUMPABLE_OWNER 1 /* as prctl(PR_SET_DUMPABLE) numbers it */

/* Under rcu_read_lock(); the task's mm does not go away meanwhile. */
static inline int uw_task_dumpable(const struct task_struct *task)
{
#ifdef HAVE_EXEC_STATE
	const struct task_exec_state *state = rcu_dereference(task->exec_state);

	return state ? state->dumpable : 0;
#else
	return get_dumpable(task->mm);
#endif
}

/* BPF programs can call functions of modules that have type information. */
#ifdef HAVE_KFUNCS
#define UW_KFUNCS 1
#endif

/*
 * Where current's shadow stack has its last return address; 0: it has none. Since Linux 6.13 on arm64
 * (Guarded Control Stack).
 */
#ifdef HAVE_GCS
#include <linux/prctl.h>
#include <linux/uaccess.h>

#include <asm/cpufeature.h>
#include <asm/gcs.h>
#endif

static inline u64 uw_shadow_pointer(void)
{
#ifdef HAVE_GCS
	if (system_supports_gcs() && task_gcs_el0_enabled(current))
		return read_sysreg_s(SYS_GCSPR_EL0);
#endif
	return 0;
}

#ifdef CONFIG_DYNAMIC_FTRACE
#include <linux/ftrace.h>
#include <linux/ptrace.h>
#include <linux/string.h>

#ifdef HAVE_FTRACE_ARGUMENTS
#define UW_FTRACE_FLAGS 0
#else
#define UW_FTRACE_FLAGS FTRACE_OPS_FL_SAVE_REGS
#endif

/* Register n for arguments, of 6, of a traced function that is being called. */
static inline unsigned long uw_ftrace_argument(struct ftrace_regs *fregs, unsigned int n)
{
#ifdef HAVE_FTRACE_ARGUMENTS
	return ftrace_regs_get_argument(fregs, n);
#else
	return regs_get_kernel_argument(ftrace_get_regs(fregs), n);
#endif
}

/* As much as a tracepoint's caller has: pc, SP, and that this is the kernel. */
static inline void uw_ftrace_regs(struct ftrace_regs *fregs, struct pt_regs *regs)
{
	memset(regs, 0, sizeof(*regs));
#ifdef CONFIG_ARM64
	regs->pstate = PSR_MODE_EL1h;
#endif
#ifdef HAVE_FTRACE_ARGUMENTS
	instruction_pointer_set(regs, ftrace_regs_get_instruction_pointer(fregs));
	regs->sp = ftrace_regs_get_stack_pointer(fregs);
#else
	instruction_pointer_set(regs, instruction_pointer(ftrace_get_regs(fregs)));
	regs->sp = kernel_stack_pointer(ftrace_get_regs(fregs));
#endif
}

/* Where a traced function is entered. */
struct uw_ftrace_place {
	unsigned long pc;
	unsigned long sp; /* as its caller left it; on x86 the return address is there */
	unsigned long fp; /* the caller's. arm64 only */
	unsigned long lr; /* arm64 only */
};

static __always_inline void uw_ftrace_place(struct ftrace_regs *fregs, unsigned long pc, struct uw_ftrace_place *place)
{
	place->pc = pc;
#ifdef HAVE_FTRACE_ARGUMENTS
	place->sp = ftrace_regs_get_stack_pointer(fregs);
#ifdef CONFIG_ARM64
	place->fp = arch_ftrace_regs(fregs)->fp;
	place->lr = arch_ftrace_regs(fregs)->lr;
#endif
#else
	place->sp = kernel_stack_pointer(ftrace_get_regs(fregs));
#ifdef CONFIG_ARM64
	place->fp = ftrace_get_regs(fregs)->regs[29];
	place->lr = ftrace_get_regs(fregs)->regs[30];
#endif
#endif
}
#endif

/*
 * Words that function_graph has put aside for current: a struct ftrace_ret_stack for each function that will return to it,
 * the innermost one last, and later others in between.
 */
static inline const unsigned long *uw_graph_words(unsigned int *nr)
{
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	const int last = READ_ONCE(current->curr_ret_stack);
	const unsigned long *words = (const unsigned long *)READ_ONCE(current->ret_stack);
#ifdef HAVE_GRAPH_WORDS
	const int used = last; /* words */
	const int most = PAGE_SIZE / sizeof(long);
#else
	const int used = (last + 1) * (int)(sizeof(struct ftrace_ret_stack) / sizeof(long));
	const int most = FTRACE_RETFUNC_DEPTH * (int)(sizeof(struct ftrace_ret_stack) / sizeof(long));
#endif

	*nr = words && used > 0 ? min(used, most) : 0;
	return words;
#else
	*nr = 0;
	return NULL;
#endif
}

/* Of a thread with user space: has it entered the kernel by a system call? Else by an exception or interrupt. */
static __always_inline bool uw_in_syscall(void)
{
#ifdef CONFIG_ARM64
	return task_pt_regs(current)->syscallno != NO_SYSCALL;
#else
	return (long)task_pt_regs(current)->orig_ax >= 0;
#endif
}

#include <linux/mm.h>

/* mmap_lock is held as long as *locked says so. */
static inline long uw_get_user_pages_remote(struct mm_struct *mm, unsigned long start, unsigned long nr,
					    struct page **pages, int *locked)
{
#ifdef HAVE_GUP_VMAS
	return get_user_pages_remote(mm, start, nr, 0, pages, NULL, locked);
#else
	return get_user_pages_remote(mm, start, nr, 0, pages, locked);
#endif
}

#include <linux/fs.h>

static inline s64 uw_inode_mtime_ns(const struct inode *inode)
{
#ifdef HAVE_INODE_GET_MTIME
	const struct timespec64 mtime = inode_get_mtime(inode);
#else
	const struct timespec64 mtime = inode->i_mtime;
#endif

	return timespec64_to_ns(&mtime);
}

/* Where a mapped file lies, as /proc/PID/maps shows it; or an error. */
static inline char *uw_mapped_path(struct file *file, char *buffer, int bytes)
{
#ifdef HAVE_FILE_USER_PATH
	return d_path(file_user_path(file), buffer, bytes);
#else
	return file_path(file, buffer, bytes);
#endif
}

#include <linux/mm_types.h>

/*
 * How often mmap_lock was taken and given back by writers, or 0 where nothing counts
 * that. Odd: a writer is at work.
 */
static inline u64 uw_mm_sequence(const struct mm_struct *mm)
{
#ifdef HAVE_MM_LOCK_SEQ
#define UW_MM_SEQUENCE 1
	return READ_ONCE(mm->mm_lock_seq.sequence);
#else
#define UW_MM_SEQUENCE 0
	return 0;
#endif
}

#include <linux/capability.h>
#include <linux/perf_event.h>

/*
 * May current count what the kernel does, by kernel.perf_event_paranoid? Where no module can ask, as if the answer
 * were no.
 */
static inline bool uw_may_count_kernel(void)
{
#ifdef HAVE_PERF_ALLOW_KERNEL
	return perf_allow_kernel() == 0;
#else
	return perfmon_capable();
#endif
}

#include <linux/module.h>

struct uw_text_range {
	unsigned long address;
	unsigned long bytes;
};

/* A module's text, without that of its init. */
static inline struct uw_text_range uw_module_text(const struct module *module)
{
#ifdef HAVE_MODULE_MEMORY
	const struct module_memory *text = &module->mem[MOD_TEXT];

	return (struct uw_text_range){ (unsigned long)text->base, text->size };
#else
	const struct module_layout *core = &module->core_layout;

	return (struct uw_text_range){ (unsigned long)core->base, core->text_size };
#endif
}

/* Of its init only. There is none once that has run. */
static inline struct uw_text_range uw_module_init_text(const struct module *module)
{
#ifdef HAVE_MODULE_MEMORY
	const struct module_memory *text = &module->mem[MOD_INIT_TEXT];

	return (struct uw_text_range){ (unsigned long)text->base, text->size };
#else
	const struct module_layout *init = &module->init_layout;

	return (struct uw_text_range){ (unsigned long)init->base, init->text_size };
#endif
}

#include <linux/tracepoint.h>

/*
 * Waits until no probe that was unregistered runs any more, but for those of system calls: they may wait for user
 * space, and so would this. None of ours is one.
 */
static inline void uw_tracepoint_synchronize(void)
{
#ifdef HAVE_TRACEPOINT_SRCU
	synchronize_srcu(&tracepoint_srcu);
#else
	tracepoint_synchronize_unregister();
#endif
}

#endif
