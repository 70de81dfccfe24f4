/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * The records of uwind: what the messages UWIND_CMD_RECORDS consist of, in the attributes
 * UWIND_A_RECORDS. Part of uwind.h, which includes it.
 */
#ifndef UWIND_RECORDS_H
#define UWIND_RECORDS_H

#include <linux/types.h>

/*
 * A message is complete: a record that others refer to by number comes before them in
 * the same message, in the same UWIND_A_RECORDS or an earlier one. So a lost message
 * costs its own samples only. Files are the exception: a session gets each file once.
 *
 * Threads and stacks are sent when a sample first refers to them. A message may repeat
 * one under another number; a number has one meaning only.
 */
enum uwind_record_type {
	UWIND_RECORD_NONE,
	UWIND_RECORD_STACK,
	UWIND_RECORD_FILE,
	UWIND_RECORD_SAMPLE,
	UWIND_RECORD_THREAD,
	UWIND_RECORD_UNFINISHED,
	UWIND_RECORD_EVENT,
	UWIND_RECORD_OFF_CPU,
	UWIND_RECORD_CALL,
	UWIND_RECORD_NEXT,
};

struct uwind_record {
	__u16 bytes; /* of the whole record, a multiple of 8, padded with zeros */
	__u16 type;  /* enum uwind_record_type; skip what you do not know */
};

/* A thread, during one exec of its process. */
struct uwind_record_thread {
	struct uwind_record record; /* UWIND_RECORD_THREAD */
	__u16 number;               /* 1 … in this message, as stacks are */
	__u16 reserved;
	__u64 start_time_ns; /* when the process started; CLOCK_BOOTTIME */
	__u64 exec_id;       /* changes with every exec of the task */
	__u32 tgid;          /* in the PID namespace of the session's owner */
	__u32 tid;
	char comm[16];
};

/*
 * A part of a stack: at most UWIND_PART_FRAMES frames, innermost first, encoded as in
 * uwind_words.h; less than 8 bytes of padding follow them. The outer frames are those of
 * the record "below". So stacks share their common outer frames. Where a stack is cut is
 * up to the module. A stack has at most UWIND_MAX_FRAMES frames, in UWIND_MAX_PARTS parts.
 */
struct uwind_record_stack {
	struct uwind_record record; /* UWIND_RECORD_STACK */
	__u16 number;               /* 1 … in this message, as threads are */
	__u16 below;                /* the record with the next outer frames; 0: none */
	__u8 nr_frames;
	__u8 stop; /* enum uwind_stop; NONE if below is not 0 */
	__u8 frames[];
};

/* The answer to one request. */
struct uwind_record_sample {
	struct uwind_record record; /* UWIND_RECORD_SAMPLE */
	__u16 thread;               /* number of a UWIND_RECORD_THREAD */
	__u16 stack;                /* number of a UWIND_RECORD_STACK: its innermost part; 0: lost */
	__u64 cookie;               /* unique within a boot */
	__u64 time_ns;              /* of the first trigger; CLOCK_BOOTTIME */
	__u32 weight;               /* triggers that this sample answers and that have no UWIND_RECORD_EVENT */
	__u16 cpu;                  /* of the first trigger */
	__u8 lost;                  /* 0, or 1 + enum uwind_loss: there is no stack */
	__u8 word_bits;             /* 64 or 32; 0: not known, without a stack only */
	__u64 events[]; /* one or none: UWIND_RECORD_EVENTs with this cookie, before or after this, or lost */
};

/*
 * The same, shorter: a sample with a stack and without events, of weight 1, in whose place nothing is lost. cpu and
 * word_bits are those of the last sample before it in this message, of either kind. There is one.
 */
struct uwind_record_next {
	struct uwind_record record; /* UWIND_RECORD_NEXT */
	__u16 thread;               /* as in struct uwind_record_sample */
	__u16 stack;                /* the same, and not 0 */
	__u32 cookie;               /* more than the last one's by so much */
	__u32 time_ns;              /* the same */
};

#define UWIND_EVENT_REQUESTED 0xff /* counter: a BPF program or a module requested the stack */

/*
 * One time that a counter of a session with UWIND_EVENT_LISTED has fired. Its stack in user space is that of the
 * UWIND_RECORD_SAMPLE with the same cookie. The first counter has none for what its samples' weight says already: when
 * it is a clock's, and no kernel stack comes with it.
 */
struct uwind_record_event {
	struct uwind_record record; /* UWIND_RECORD_EVENT */
	__u16 thread;               /* number of a UWIND_RECORD_THREAD */
	__u16 kernel_stack;         /* number of a UWIND_RECORD_STACK, without files: its innermost part; 0: none */
	__u64 cookie;               /* 0: it has no stack in user space, or that is lost */
	__u64 time_ns;              /* CLOCK_BOOTTIME */
	__u64 period;               /* how many events it stands for, as PERF_SAMPLE_PERIOD */
	__u16 cpu;
	__u8 counter; /* index in struct uwind_session_start, or UWIND_EVENT_REQUESTED */
	__u8 lost;    /* 0, or 1 + enum uwind_loss: why there is no cookie */
	__u32 reserved;
};

#define UWIND_OFF_CPU_PREEMPTED 1u  /* it could have gone on: another thread ran */
#define UWIND_OFF_CPU_IOWAIT    2u  /* it waited for input or output of a block device */
#define UWIND_OFF_CPU_COMPAT    4u  /* syscall is a number of the 32-bit ABI */
#define UWIND_OFF_CPU_STILL     8u  /* it has not come back: the session ended before */
#define UWIND_OFF_CPU_WAKER     16u /* the event is not that time, but the wakeup that ended it, in the waker */
#define UWIND_OFF_CPU_INTERRUPT 32u /* with WAKER: an interrupt did it, and the thread is the one that it interrupted */

/*
 * Belongs to the next UWIND_RECORD_EVENT, of a counter of the type UWIND_TYPE_OFF_CPU. A wakeup comes before or after the
 * time that it ends; it may be missing. period of a wakeup is the time so far.
 */
struct uwind_record_off_cpu {
	struct uwind_record record; /* UWIND_RECORD_OFF_CPU */
	__u8 flags;                 /* UWIND_OFF_CPU_* */
	char state;                 /* of the thread, as in /proc/PID/stat: R, S, D, T, t, … */
	__u16 reserved;
	__s32 syscall; /* that the thread was in; -1: none */
	__u32 reserved2;
	__u64 woken_ns; /* CLOCK_BOOTTIME; 0: it was not woken, or before it had waited for the counter's rate */
	__u64 wake;     /* the wakeup's number, used once in a boot of the module; 0: as woken_ns */
};

/* Belongs to the next UWIND_RECORD_EVENT, of a counter of the type UWIND_TYPE_FUNCTION. */
struct uwind_record_call {
	struct uwind_record record; /* UWIND_RECORD_CALL */
	__u32 reserved;
	struct uwind_call call;
};

#define UWIND_UNFINISHED_EXACT   1u /* pc is no return address */
#define UWIND_UNFINISHED_DOUBTED 2u /* a single step by frame pointer came before it */
#define UWIND_UNFINISHED_R11     4u /* 32-bit Arm: Thumb code was left by r11 */
#define UWIND_UNFINISHED_THUMB   8u /* 32-bit Arm: pc is in Thumb code */

/*
 * Belongs to the next UWIND_RECORD_SAMPLE, whose stack is not complete: what the walk knew when it first met code of
 * a file without a table. With that table it can go on; frames after the first nr_frames are then found anew.
 */
struct uwind_record_unfinished {
	struct uwind_record record; /* UWIND_RECORD_UNFINISHED */
	__u16 nr_frames;            /* inner ones, found before */
	__u8 arch;                  /* enum uwind_arch */
	__u8 flags;                 /* UWIND_UNFINISHED_* */
	__u32 file;                 /* that had no table */
	__u8 method;                /* enum uwind_method: how pc was found */
	__u8 signal_frames;         /* that the walk has crossed */
	__u16 stack_bytes;          /* after the registers: from SP upwards; a multiple of 8 */
	__u64 pc;
	__u32 known;    /* bit n: the value of register n (DWARF number) follows */
	__u32 on_stack; /* bit n: that is not its value, but the address where the value lies */
	__u64 values[]; /* of those in known, in order */
};

#define UWIND_FILE_NO_TABLE 1u /* no table applies to the file */
#define UWIND_FILE_VDSO     2u
#define UWIND_FILE_COMPAT   4u /* with VDSO: that of 32-bit processes */

/*
 * A file that frames of this session lie in; sent before its first frame, and kept until
 * the socket has room for it. start, end and pgoff are those of the mapping that the
 * frame lies in; 0: unknown. path is the file's path as process tgid sees it; other
 * processes may see another one. A file is sent again when its path is seen, if it was
 * sent without one, and if several CPUs met it at once.
 */
struct uwind_record_file {
	struct uwind_record record; /* UWIND_RECORD_FILE */
	__u32 file;                 /* its number in frames; never used again */
	__u32 flags;                /* UWIND_FILE_* */
	__u32 tgid;                 /* a process that maps it, in the owner's PID namespace */
	__u32 path_bytes;           /* of the path after this struct, NUL included; 0: not known */
	__u32 reserved;
	__u64 start; /* its mapping */
	__u64 end;
	__u64 pgoff; /* file offset of start, bytes */
	__u64 inode;
	__u32 dev_major;
	__u32 dev_minor;
	__u64 bytes;    /* size of the file */
	__u64 mtime_ns; /* its last modification; CLOCK_REALTIME */
	char path[];    /* as that process sees it */
};

#endif
