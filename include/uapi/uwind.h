/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * uwind: user-space call stacks on stock Linux kernels. The contract between
 * the module uwind.ko and its users.
 *
 * Two devices take ioctls:
 *
 *   /dev/uwind       creates tables (how to unwind a file or a range of text),
 *                    lists them, reads statistics and runs one session per
 *                    open file. What was created through an open file ends with it.
 *   /dev/uwind-self  open to everybody: a process adds, removes and queries
 *                    .sframe sections of its own memory. They apply to that
 *                    memory only, are inherited by fork(), and end at exec() or exit.
 *
 * A process that opens /dev/uwind with CAP_PERFMON or CAP_SYS_ADMIN sees every
 * process, and its tables apply to every process. Any other process that the
 * file's mode lets in sees the processes that ptrace would let it read: all their
 * user and group ids are the opener's real ones, they have no more capabilities,
 * and they are dumpable, which programs with set-user-ID, set-group-ID or file
 * capabilities are not. A process is no longer seen as soon as that changes. The
 * opener's tables apply to those processes only, and are charged to the user. If
 * another user gets the descriptor, or a process without the capability that it
 * was opened with, only UWIND_IOC_ABI works; all else fails with EPERM.
 *
 * Stacks are sent over generic netlink (family UWIND_GENL_NAME). A socket becomes
 * a session's reader by UWIND_CMD_ATTACH, which carries the session's file
 * descriptor; UWIND_CMD_RECORDS messages then arrive there as unicasts.
 *
 * UWIND_IOC_WATCH_TEXT gives a descriptor of its own, on which the changes of the
 * kernel's text are read (uwind_text.h).
 *
 * Rules for every struct that goes through an ioctl: it begins with its own
 * size in bytes. A shorter struct is read as if zeros followed; a longer one is
 * refused with E2BIG unless its tail is zero. Unknown flags and non-zero
 * reserved fields give EINVAL. Pointers are passed as __u64.
 *
 * Errors that every ioctl can return: EFAULT (pointer), EINVAL (field), E2BIG
 * (size), EPERM (privilege), ENOTTY (unknown ioctl), ENOMEM. Those that name a
 * process can return EACCES: the opener may not see it.
 */
#ifndef UWIND_H
#define UWIND_H

#include <linux/ioctl.h>
#include <linux/types.h>

#include "uwind_events.h"
#include "uwind_records.h"
#include "uwind_text.h"
#include "uwind_words.h"

#define UWIND_ABI_VERSION 5

#define UWIND_DEVICE      "/dev/uwind"
#define UWIND_SELF_DEVICE "/dev/uwind-self"

/* Limits. */
#define UWIND_MAX_SECTION_BYTES (256u << 20) /* one .sframe section */
#define UWIND_MAX_ROWS          (16u << 20)  /* rows of one table */
#define UWIND_MAX_RULES         65535u       /* different rules of one table */
#define UWIND_MAX_SEGMENTS      16u          /* executable segments of a file */
#define UWIND_MAX_RANGES        64u          /* text ranges of one bind */
#define UWIND_MAX_TARGETS       4096u        /* processes of one session */
#define UWIND_MAX_SESSIONS      16u
#define UWIND_MAX_FRAMES        4096u /* frames of one stack */
#define UWIND_DEFAULT_FRAMES    512u
#define UWIND_PART_FRAMES       64u    /* frames of one UWIND_RECORD_STACK */
#define UWIND_MAX_PARTS         65u    /* of these, in one stack */
#define UWIND_MAX_STACK_BYTES   16384u /* of one UWIND_RECORD_UNFINISHED */

#define UWIND_ENUM_STOP(name, json, complete) UWIND_STOP_##name,
enum uwind_stop { UWIND_STOP_LIST(UWIND_ENUM_STOP) UWIND_NR_STOPS };

#define UWIND_ENUM_METHOD(name, json) UWIND_METHOD_##name,
enum uwind_method { UWIND_METHOD_LIST(UWIND_ENUM_METHOD) UWIND_NR_METHODS };

#define UWIND_ENUM_LOSS(name, json) UWIND_LOSS_##name,
enum uwind_loss { UWIND_LOSS_LIST(UWIND_ENUM_LOSS) UWIND_NR_LOSSES };

/*
 * Architecture of the kernel, and of the code that a table is for: the kernel's,
 * or the 32-bit one that it also runs (i386 on x86-64, Arm on arm64).
 */
enum uwind_arch { UWIND_ARCH_NONE, UWIND_ARCH_X86_64, UWIND_ARCH_ARM64, UWIND_ARCH_I386, UWIND_ARCH_ARM };

/* UWIND_IOC_ABI: which contract the module speaks. Both devices. */
struct uwind_abi {
	__u32 size;
	__u32 version; /* out: UWIND_ABI_VERSION */
	__u64 errata;  /* out: bit n = erratum n applies; none is known */
	__u32 arch;    /* out: enum uwind_arch */
	__u32 reserved;
	char module[32]; /* out: the module's own version, NUL-terminated */
};

/*
 * One rule: how to get from a frame to its caller.
 *
 *   CFA = reg(cfa_reg) + cfa_off                          cfa_kind REG
 *   CFA = *(reg(cfa_reg) + cfa_off) + cfa_add             cfa_kind MEM
 *
 * The return address and the caller's frame pointer are found at a "place".
 * Registers are DWARF numbers of the architecture. The caller's stack pointer
 * is the CFA. Fields that a kind does not use are 0.
 *
 * One more register is followed, because some code counts its CFA from it: RBX
 * on x86-64 (the dynamic linker's resolver of lazy bindings), EBX on i386, and
 * r7, Thumb's frame pointer, on 32-bit Arm; none on arm64. The caller's lies at
 * CFA - word * base_slot, word being 8 or 4 bytes; 0: it is unchanged.
 *
 * SIGFRAME: on 32-bit architectures struct sigcontext lies at SP + cfa_off.
 */
enum uwind_rule_kind {
	UWIND_RULE_NONE,         /* no row: the table does not cover this code */
	UWIND_RULE_FRAME,        /* CFA and places, as above */
	UWIND_RULE_OUTERMOST,    /* no caller: the walk is complete */
	UWIND_RULE_SIGFRAME,     /* registers lie in the ABI's signal frame at SP */
	UWIND_RULE_THREAD_START, /* no caller: first code of a thread */
	UWIND_RULE_UNKNOWN,      /* nothing is known: no_table at an exact pc, the frame pointer at a return address */
	UWIND_RULE_READ,         /* FRAME, derived from the instructions: at an exact pc it cannot end the stack */
	UWIND_RULE_CLONE,        /* FRAME; THREAD_START if register 0, the result of a system call, is 0 */
};

enum uwind_cfa_kind { UWIND_CFA_REG, UWIND_CFA_MEM };

enum uwind_place {
	UWIND_PLACE_SAME,    /* unchanged; a return address: in the link register */
	UWIND_PLACE_CFA_MEM, /* *(CFA + off) */
	UWIND_PLACE_CFA_VAL, /* CFA + off */
	UWIND_PLACE_REG_MEM, /* *(reg + off) */
	UWIND_PLACE_REG_VAL, /* reg + off */
	UWIND_PLACE_LOST,    /* cannot be recovered (frame pointer only) */
};

#define UWIND_BASE_LOST 255 /* base_slot: cannot be recovered */

struct uwind_rule {
	__u8 kind;     /* enum uwind_rule_kind */
	__u8 cfa_kind; /* enum uwind_cfa_kind */
	__u8 cfa_reg;
	__u8 ra_place; /* enum uwind_place */
	__u8 ra_reg;
	__u8 fp_place; /* enum uwind_place */
	__u8 fp_reg;
	__u8 base_slot; /* words below the CFA, or UWIND_BASE_LOST */
	__s32 cfa_off;  /* bytes */
	__s32 cfa_add;  /* bytes */
	__s32 ra_off;   /* bytes */
	__s32 fp_off;   /* bytes */
};

/* From this offset on, until the next row, the rule applies. */
struct uwind_row {
	__u32 start; /* file offset, or offset in the range's own space, bytes */
	__u32 rule;  /* index into the rules */
};

/* An executable segment: where addresses of a section lie in the file. */
struct uwind_segment {
	__u64 address; /* virtual address in the ELF file (or in the process) */
	__u64 bytes;
	__u64 offset; /* file offset (or offset in the range's own space) */
};

enum uwind_source {
	UWIND_SOURCE_SFRAME_BYTES,  /* data: the section, in the caller's memory */
	UWIND_SOURCE_SFRAME_REMOTE, /* data: its address in pidfd's process */
	UWIND_SOURCE_ROWS,          /* data: struct uwind_row[] */
};

/*
 * UWIND_IOC_TABLE_CREATE: make a table. It applies nowhere until it is tied to a
 * file or bound to ranges.
 *
 * EBADMSG: the section is invalid; bad_offset says where (bytes from its start),
 * and bad_why says how. EPROTONOSUPPORT: a version of SFrame or an architecture
 * that is not supported. ENOENT: the section does not cover these segments.
 * ENOSPC: the module's budget for tables is used up, or the part of it that all
 * unprivileged users share. EDQUOT: the part of this unprivileged user is used up.
 * ESRCH: no such process. EINTR: the caller is killed.
 */
struct uwind_table_create {
	__u32 size;
	__u32 source; /* enum uwind_source */
	__u64 data;
	__u64 data_bytes;
	__u64 address;     /* SFrame: where the section was linked or loaded, in the space of segments[].address */
	__u64 segments;    /* SFrame: struct uwind_segment[] */
	__u32 nr_segments; /* SFrame: 1 … UWIND_MAX_SEGMENTS */
	__s32 pidfd;       /* SFRAME_REMOTE; else -1 */
	__u64 rules;       /* ROWS: struct uwind_rule[] */
	__u32 nr_rules;    /* ROWS: 1 … UWIND_MAX_RULES */
	__u32 method;      /* ROWS: enum uwind_method that frames will show */
	__u32 table;       /* out: the table's number */
	__u32 nr_rows;     /* out */
	__u64 bytes;       /* out: kernel memory it takes */
	__u64 bad_offset;  /* out, EBADMSG */
	char bad_why[64];  /* out, EBADMSG: NUL-terminated */
	__u32 arch;        /* ROWS: enum uwind_arch; 0: the kernel's */
	__u32 reserved;
};

/* UWIND_IOC_TABLE_DESTROY. ENOENT: no table of this file descriptor. */
struct uwind_table_destroy {
	__u32 size;
	__u32 table;
};

#define UWIND_TIE_VDSO 1u /* to the vDSO of the table's architecture; fd is -1 */

/*
 * UWIND_IOC_TABLE_TIE: the table applies to every mapping, in any process, of the
 * file that fd is open on, as long as its inode, its size and the time of its
 * last modification stay the same: new links, owners and modes change none of
 * these. The table's offsets are file offsets. EEXIST: tied already; ENOSPC: too
 * many tables of unprivileged users are tied to this file.
 */
struct uwind_table_tie {
	__u32 size;
	__u32 table;
	__s32 fd;
	__u32 flags; /* UWIND_TIE_VDSO */
};

struct uwind_range {
	__u64 start;  /* address in the process */
	__u64 end;    /* first address after it */
	__u64 offset; /* the table's offset of start */
};

/*
 * UWIND_IOC_RANGE_BIND: the table applies to these ranges of one process, for
 * memory without a file. They end with munmap(), exec or exit, and are
 * inherited by fork(). All ranges are bound or none. EEXIST: one overlaps a bound
 * range; EFAULT: one is not mapped executable; ENOSPC: more than 4,096 ranges in
 * the process. For the first ranges of a process also EFBIG: it has more than 1,024
 * mappings; EBUSY: for a second others held locks of files that it maps.
 */
struct uwind_range_bind {
	__u32 size;
	__u32 table;
	__s32 pidfd;
	__u32 nr_ranges; /* 1 … UWIND_MAX_RANGES */
	__u64 ranges;    /* struct uwind_range[] */
};

/* UWIND_IOC_RANGE_UNBIND: the range that begins at start. ENOENT: none does. */
struct uwind_range_unbind {
	__u32 size;
	__s32 pidfd;
	__u64 start;
};

/* UWIND_IOC_TABLE_NEXT: the table with the least number above "after"; an unprivileged user sees only their own. */
struct uwind_table_next {
	__u32 size;
	__u32 after;     /* 0: the first */
	__u32 table;     /* out; 0: there is no more */
	__u32 method;    /* out: enum uwind_method */
	__u32 nr_rows;   /* out */
	__u32 nr_rules;  /* out */
	__u64 bytes;     /* out */
	__u32 owner_pid; /* out: process that created it */
	__u32 file;      /* out: file number in records; 0: not tied */
	__u64 path;      /* char[path_bytes]: the file's path, as the process that tied it saw it; NUL-terminated */
	__u32 path_bytes;
	__u32 reserved;
};

/*
 * UWIND_IOC_STATS: since the module was loaded. While no session runs,
 * requested = answered + the sum of lost; what a session leaves open when it
 * ends is lost as session_gone.
 */
struct uwind_stats {
	__u32 size;
	__u32 nr_tables;
	__u64 table_bytes;
	__u64 table_budget_bytes;
	__u64 tables_refused; /* over budget */
	__u32 nr_files;
	__u32 nr_spaces; /* processes whose mappings are remembered */
	__u32 nr_sessions;
	__u32 nr_requests_open; /* asked, not yet answered */
	__u64 requested;
	__u64 answered;
	__u64 lost[16];          /* by enum uwind_loss */
	__u64 stops[32];         /* by enum uwind_stop */
	__u64 frames;            /* frames walked */
	__u64 files_refused;     /* files that are not tracked: no room */
	__u64 sections_refused;  /* by /dev/uwind-self: quota or contents */
	__u64 children_missed;   /* forks that inherited no ranges or no session: no room, or too many mappings */
	__u64 tables_distrusted; /* taken out of service: a rule was not the one that had been checked */
	__u64 shadow_checked;    /* walks with return addresses that are also on a shadow stack */
	__u64 periods_missed;    /* these three: as in struct uwind_session_stats */
	__u64 throttled;
	__u64 counters_failed;
	__u64 text_reported; /* records for watches of the kernel's text */
	__u64 text_lost;     /* and those that a watch had no room for */
};

#define UWIND_SESSION_FREQUENCY 1u  /* rate is in Hz, else a period in ns or cycles */
#define UWIND_SESSION_ALL       2u  /* all processes; targets must be empty */
#define UWIND_SESSION_INHERIT   4u  /* children of targets are targets */
#define UWIND_SESSION_DISABLED  8u  /* count nothing until UWIND_IOC_SESSION_ENABLE */
#define UWIND_SESSION_CGROUP    16u /* only tasks below cgroup_fd */
#define UWIND_SESSION_USER      32u /* in, out: count only while tasks run in user mode */

/*
 * UWIND_IOC_SESSION_START: sample. A trigger requests the stack of a task that is a
 * target, is not excluded, is below the cgroup, and runs on one of the CPUs. Cgroup
 * and CPU are those at the moment of the trigger: the task may be moved. A cgroup
 * that is removed has no tasks any more. Children that an excluded process makes from
 * now on are also excluded, with or without INHERIT.
 *
 * There is one session per open file. A reader must be attached first: ENOTCONN.
 * EBUSY: the file has a session, or UWIND_MAX_SESSIONS are running. ENODEV: the
 * machine has no such event. ESRCH: no such process. EBADF: cgroup_fd is not open on
 * the directory of a cgroup of version 2. ENOENT: that cgroup was removed.
 * EOPNOTSUPP: the kernel has no cgroups. EINVAL: the machine cannot have such a CPU;
 * one that is offline is sampled when it comes online.
 *
 * With UWIND_EVENT_REQUESTS and UWIND_EVENT_LISTED rate, FREQUENCY and USER must be 0.
 * Every session, whatever its event, also gets what BPF programs (kfunc
 * uwind_request_stack()) and other modules request for its targets.
 *
 * With UWIND_EVENT_LISTED the session counts all of counters, each by itself, and says
 * by a UWIND_RECORD_EVENT which of them has fired, how many events that stands for, and
 * by which way in the kernel. Kernel threads are sampled, too, for the kernel's stack.
 * EINVAL, EACCES: as perf_event_open(2) has them, of the counter whose index is in
 * bad_counter; ENODEV, where it has ENOENT or EOPNOTSUPP.
 *
 * Without privilege the counters count the user's own threads only: nobody else is
 * interrupted. EINVAL: more than 10,000 Hz, or a period below 100,000 ns or 500,000
 * cycles. EBUSY: the user has four sessions, or unprivileged users have half of
 * UWIND_MAX_SESSIONS. EDQUOT: all of the user's 4,096 counters are in use. ENOSPC: all
 * 16,384 of all users are. A counter that was given up is free again when the kernel
 * has freed its memory. A thread for which no counter is free is not sampled
 * (counters_failed). A thread that becomes the user's by other ways than fork and
 * clone has its counter within a second. The kernel sets USER where
 * kernel.perf_event_paranoid does not let the user count in kernel mode, and always
 * where a module cannot ask for that (6.1).
 *
 * With stack_bytes, samples whose stack ends for want of a table come with what it takes
 * to go on: a UWIND_RECORD_UNFINISHED. That is only for callers with CAP_SYS_PTRACE; for
 * others stack_bytes becomes 0. EINVAL: above UWIND_MAX_STACK_BYTES, or no multiple of 8. A
 * session gets about 16 MiB of these records a second, and in ten minutes 256 MiB, and 4,096
 * for want of one file's table (or of several files' that share a place). Further ones are
 * left out and counted (unfinished_refused).
 *
 * The module holds a reference to the reader's socket. So closing the last descriptor
 * of the socket releases its port only when the device's file is closed too, or when
 * the session has ended and another reader is attached. When nobody can read from the
 * socket any more, the session stops sampling.
 */
struct uwind_session_start {
	__u32 size;
	__u32 flags;       /* in, out: UWIND_SESSION_* */
	__u32 event;       /* enum uwind_event */
	__u32 max_frames;  /* 0: UWIND_DEFAULT_FRAMES */
	__u64 rate;        /* Hz (1 … 100,000), or ns (10,000 …) or cycles */
	__u64 targets;     /* __s32[]: process ids in the caller's namespace */
	__u32 nr_targets;  /* 0 … UWIND_MAX_TARGETS */
	__u32 session;     /* out: the session's number */
	__u64 excludes;    /* __s32[]: process ids, as in targets */
	__u32 nr_excludes; /* 0 … UWIND_MAX_TARGETS */
	__s32 cgroup_fd;   /* CGROUP: a folder of the file system cgroup2; else 0 */
	__u64 cpus;        /* __u32[]: numbers of CPUs */
	__u32 nr_cpus;     /* 0: all; at most as many as the machine can have */
	__u32 stack_bytes; /* in, out: of a UWIND_RECORD_UNFINISHED at most, a multiple of 8; 0: none of these */
	__u64 counters;    /* LISTED: struct uwind_counter[] */
	__u32 nr_counters; /* LISTED: 1 … UWIND_MAX_COUNTERS; else 0 */
	__u32 bad_counter; /* out: the counter that an error is about; nr_counters: none */
};

/*
 * UWIND_IOC_SESSION_STOP and UWIND_IOC_SESSION_STATS fill this; stopping also
 * sends what is still buffered. requested = answered + the sum of lost +
 * pending. Numbers are weights: a request that several ticks share counts as
 * many. EINVAL: no session.
 */
struct uwind_session_stats {
	__u32 size;
	__u32 session;
	__u64 requested;
	__u64 answered;
	__u64 pending;          /* open: the task sleeps in the kernel */
	__u64 lost[16];         /* by enum uwind_loss */
	__u64 stops[32];        /* answered, by enum uwind_stop */
	__u64 messages;         /* netlink messages sent */
	__u64 messages_dropped; /* netlink messages that the reader's full socket refused */
	__u64 bytes;            /* of the messages that were sent */
	__u64 stacks_told;      /* samples for which a UWIND_RECORD_STACK was written */
	__u64 stacks_known;     /* samples whose stack was already in the message */
	__u64 periods_missed; /* of a clock's counters: no interrupt came, nothing was requested; of UWIND_TYPE_FUNCTION: see there */
	__u64 throttled; /* times a counter stopped until the next tick (kernel.perf_event_max_sample_rate); off CPU: of more than config */
	__u64 counters_failed;    /* CPUs that came online, or threads, without a counter */
	__u64 unfinished;         /* samples that came with a UWIND_RECORD_UNFINISHED */
	__u64 unfinished_refused; /* samples that did not: a limit, or no memory */
	__u64 events;             /* noted for a UWIND_RECORD_EVENT */
	__u64 events_lost;        /* not noted: too many waited. Those that wanted a stack are also lost as overrun */
	__u64 events_dropped;     /* of events: their message was refused */
	__u64 events_own;         /* happened as a thread's own stack was walked and sent: not requested */
};

/*
 * UWIND_IOC_SESSION_ASK: request the stack of one thread, as it is when the thread
 * next returns to user space. A stopped or sleeping thread answers when it goes on.
 * The answer is a record with this cookie. The thread need not be a target, and
 * may be excluded, in another cgroup or on another CPU.
 * EINVAL: no session. ESRCH: no such thread, or it has no user stack. EAGAIN: too
 * many requests are open. These two are counted as lost. EDQUOT: 1,024 requests of
 * the unprivileged user are open, in all sessions together.
 */
struct uwind_session_ask {
	__u32 size;
	__s32 tid;    /* in the caller's namespace */
	__u64 cookie; /* out */
};

/*
 * UWIND_IOC_SELF_ADD (/dev/uwind-self): use the .sframe section at
 * [sframe_start, sframe_end) of the caller's memory for its text at
 * [text_start, text_end). A section may be added once per text range.
 * EDQUOT: the user's quota is used up; ENOSPC: the quota of all users together is;
 * EINTR: the caller is killed; EEXIST: the range overlaps one that is bound. For the
 * first range of a process also EFBIG: it has more than 1,024 mappings, so it must
 * register earlier; EBUSY: for a second others held locks of files that it maps, so
 * it must try again later.
 * EBADMSG, EPROTONOSUPPORT, ENOENT: as UWIND_IOC_TABLE_CREATE.
 */
struct uwind_self_add {
	__u32 size;
	__u32 reserved;
	__u64 sframe_start;
	__u64 sframe_end;
	__u64 text_start;
	__u64 text_end;
	__u64 bad_offset; /* out, EBADMSG */
	char bad_why[64]; /* out, EBADMSG */
};

/* UWIND_IOC_SELF_REMOVE: all ranges of that section. ENOENT: there is none. */
struct uwind_self_remove {
	__u32 size;
	__u32 reserved;
	__u64 sframe_start;
};

/* UWIND_IOC_SELF_NEXT: the caller's range with the least text_start above "after". */
struct uwind_self_next {
	__u32 size;
	__u32 found; /* out: 0: there is no more */
	__u64 after;
	__u64 text_start;   /* out */
	__u64 text_end;     /* out */
	__u64 sframe_start; /* out */
};

#define UWIND_IOC_MAGIC          0xf7
#define UWIND_IOC_ABI            _IOWR(UWIND_IOC_MAGIC, 0, struct uwind_abi)
#define UWIND_IOC_TABLE_CREATE   _IOWR(UWIND_IOC_MAGIC, 1, struct uwind_table_create)
#define UWIND_IOC_TABLE_DESTROY  _IOWR(UWIND_IOC_MAGIC, 2, struct uwind_table_destroy)
#define UWIND_IOC_TABLE_TIE      _IOWR(UWIND_IOC_MAGIC, 3, struct uwind_table_tie)
#define UWIND_IOC_RANGE_BIND     _IOWR(UWIND_IOC_MAGIC, 4, struct uwind_range_bind)
#define UWIND_IOC_RANGE_UNBIND   _IOWR(UWIND_IOC_MAGIC, 5, struct uwind_range_unbind)
#define UWIND_IOC_TABLE_NEXT     _IOWR(UWIND_IOC_MAGIC, 6, struct uwind_table_next)
#define UWIND_IOC_STATS          _IOWR(UWIND_IOC_MAGIC, 7, struct uwind_stats)
#define UWIND_IOC_SESSION_START  _IOWR(UWIND_IOC_MAGIC, 8, struct uwind_session_start)
#define UWIND_IOC_SESSION_ENABLE _IO(UWIND_IOC_MAGIC, 9)
#define UWIND_IOC_SESSION_STATS  _IOWR(UWIND_IOC_MAGIC, 10, struct uwind_session_stats)
#define UWIND_IOC_SESSION_STOP   _IOWR(UWIND_IOC_MAGIC, 11, struct uwind_session_stats)
#define UWIND_IOC_SESSION_ASK    _IOWR(UWIND_IOC_MAGIC, 12, struct uwind_session_ask)
#define UWIND_IOC_WATCH_TEXT     _IOWR(UWIND_IOC_MAGIC, 13, struct uwind_watch_text)
#define UWIND_IOC_SELF_ADD       _IOWR(UWIND_IOC_MAGIC, 32, struct uwind_self_add)
#define UWIND_IOC_SELF_REMOVE    _IOWR(UWIND_IOC_MAGIC, 33, struct uwind_self_remove)
#define UWIND_IOC_SELF_NEXT      _IOWR(UWIND_IOC_MAGIC, 34, struct uwind_self_next)

/* Generic netlink. */
#define UWIND_GENL_NAME    "uwind"
#define UWIND_GENL_VERSION 1

enum uwind_cmd {
	UWIND_CMD_UNSPEC,
	/* To the kernel: UWIND_A_FD. EPERM: see above. EBUSY: a session runs, or another call uses the descriptor. */
	UWIND_CMD_ATTACH,
	UWIND_CMD_RECORDS, /* from the kernel: SESSION, SEQ, RECORDS */
};

enum uwind_attr {
	UWIND_A_UNSPEC,
	UWIND_A_FD,      /* u32: the sender's descriptor of /dev/uwind */
	UWIND_A_SESSION, /* u32 */
	UWIND_A_SEQ,     /* u64: 0, 1, 2 … of this session; a hole is a loss */
	UWIND_A_RECORDS, /* records, one after the other; there may be several */
	UWIND_A_PAD,
	UWIND_A_MAX = UWIND_A_PAD,
};

#endif
