/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * The deepest stacks of the kernel itself. A part of the contract of its own: uwind.h has the rules for structs.
 *
 * UWIND_IOC_KSTACK on /dev/uwind returns a file descriptor. From then until it is closed, the module looks at the stack
 * pointer where the kernel's functions are entered. Where it is lower than ever before on this CPU in this kind of
 * entry, or of this task, the stack is walked and kept. read() returns what is kept.
 *
 * Depth is counted from the end of the stack that the stack pointer is on, down to the stack pointer at the entry of a
 * function. A frame is what lies between the stack pointer at the entry of a function and at the entry of its callee:
 * on x86-64 its own return address is not in it and its callee's is, which is the same number; on arm64 its frame
 * record is in it. So the frames of one stack add up to the depth.
 */
#ifndef UWIND_KSTACK_H
#define UWIND_KSTACK_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Limits. */
#define UWIND_MAX_KSTACKS       4u     /* at the same time */
#define UWIND_KSTACK_FRAMES     256u   /* of one stack */
#define UWIND_MAX_KSTACK_TASKS  4096u  /* stacks that are kept by task */
#define UWIND_KSTACK_READ_BYTES 16384u /* a smaller buffer may be refused; bigger than any record */

/* How the kernel was entered. A stack in an interrupt may go on in what was interrupted. */
enum uwind_kstack_kind {
	UWIND_KSTACK_SYSCALL,
	UWIND_KSTACK_EXCEPTION, /* a page fault, or another exception of user space, or an interrupt's end there */
	UWIND_KSTACK_KTHREAD,   /* no user space: kernel threads and user workers */
	UWIND_KSTACK_IDLE,
	UWIND_KSTACK_SOFTIRQ,
	UWIND_KSTACK_IRQ,
	UWIND_KSTACK_NMI, /* and what the kernel treats so: breakpoints */
	UWIND_NR_KSTACK_KINDS,
};

/* Which stack. */
enum uwind_kstack_on {
	UWIND_KSTACK_ON_TASK,
	UWIND_KSTACK_ON_IRQ,   /* the CPU's, for interrupts and softirqs */
	UWIND_KSTACK_ON_OTHER, /* x86-64: an exception's own */
};

#define UWIND_KSTACK_BY_TASK 1u /* keep the deepest of each task too */

/*
 * UWIND_IOC_KSTACK: returns a file descriptor (O_CLOEXEC). For those only who opened /dev/uwind with CAP_PERFMON or
 * CAP_SYS_ADMIN. EPERM: opened without; EBUSY: UWIND_MAX_KSTACKS run; ENODEV: this kernel traces none of its functions;
 * EINVAL: a flag or field is wrong, or none of the functions can be traced.
 */
struct uwind_kstack {
	__u32 size;
	__u32 flags;        /* UWIND_KSTACK_BY_TASK */
	__u32 nr_tasks;     /* 1 … UWIND_MAX_KSTACK_TASKS with BY_TASK, else 0: room. The deepest ones keep theirs */
	__u32 nr_functions; /* 0: all that can be traced; … UWIND_MAX_FUNCTIONS */
	__u64 functions;    /* __u64[nr_functions]: their addresses, as in /proc/kallsyms */
};

/* Each record of read() begins with it. Records are whole; EINVAL: the buffer has no room for the next one. */
struct uwind_kstack_head {
	__u32 size; /* of the record */
	__u32 type; /* enum uwind_kstack_record */
};

enum uwind_kstack_record {
	UWIND_KSTACK_RECORD_COUNTS = 1, /* struct uwind_kstack_counts: the first one */
	UWIND_KSTACK_RECORD_CPU,        /* struct uwind_kstack_stack: the deepest of a CPU, kind and stack */
	UWIND_KSTACK_RECORD_TASK,       /* struct uwind_kstack_stack: the deepest of a task on its own stack */
};

/* Since UWIND_IOC_KSTACK. What was not looked at may have been deeper than what is kept. */
struct uwind_kstack_counts {
	struct uwind_kstack_head head;
	__u64 entries;         /* functions that were entered, and looked at */
	__u64 walked;          /* stacks */
	__u64 missed_busy;     /* deeper ones, while an older one was read or written */
	__u64 missed_nested;   /* entered by what looks at entries; not looked at */
	__u64 missed_own;      /* interrupts on a task's stack above what looks at entries: not looked at */
	__u64 missed_rcu;      /* where RCU does not watch; not looked at */
	__u64 missed_stack;    /* on a stack that is not known */
	__u64 tasks_displaced; /* whose stacks gave way to deeper ones of others */
	__u64 tasks_missed;    /* stacks of tasks for which there was no room */
};

#define UWIND_KSTACK_EXACT       1u  /* bytes are exact: found by rules of this very code */
#define UWIND_KSTACK_INTERRUPTED 2u  /* pc is where it was interrupted; else where its callee returns to */
#define UWIND_KSTACK_REGISTERS   4u  /* its bytes hold the registers of what was interrupted */
#define UWIND_KSTACK_CROSSES     8u  /* the next frame lies on another stack */
#define UWIND_KSTACK_ENTERED     16u /* the function that was entered: it has taken nothing yet */

struct uwind_kstack_frame {
	__u64 pc;
	__u32 depth;         /* at the entry of its callee; of an interrupted one, where it was interrupted */
	__u32 static_bytes;  /* that each call takes, as the code says */
	__u32 dynamic_bytes; /* that this call took besides: alloca(), arrays of variable length, alignment. x86-64: 0 */
	__u8 flags;          /* UWIND_KSTACK_EXACT … */
	__u8 on;             /* enum uwind_kstack_on */
	__u16 ahead_bytes;   /* of UWIND_KSTACK_ENTERED: what its prologue will take; 0: not known. x86-64: 0 */
};

#define UWIND_KSTACK_COMPLETE  1u /* the walk reached the stack's end */
#define UWIND_KSTACK_TRUNCATED 2u /* it has more than UWIND_KSTACK_FRAMES frames */

struct uwind_kstack_stack {
	struct uwind_kstack_head head;
	__u64 time_ns; /* CLOCK_BOOTTIME */
	__u32 cpu;
	__s32 tid; /* of the thread that ran, or was interrupted; in the initial namespace */
	__s32 pid;
	__u32 depth;       /* of the innermost frame */
	__u32 stack_bytes; /* of the stack that it lies on; 0: not known */
	__u16 nr_frames;
	__u8 kind;  /* enum uwind_kstack_kind */
	__u8 flags; /* UWIND_KSTACK_COMPLETE … */
	char comm[16];
	__u8 on; /* enum uwind_kstack_on: of the innermost frame */
	__u8 reserved[7];
	struct uwind_kstack_frame frames[]; /* innermost first */
};

#define UWIND_IOC_KSTACK _IOWR(0xf7, 48, struct uwind_kstack)

#endif
