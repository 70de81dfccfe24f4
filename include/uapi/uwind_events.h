/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * The events of uwind: what makes a session request a stack. Part of uwind.h, which includes it.
 */
#ifndef UWIND_EVENTS_H
#define UWIND_EVENTS_H

#include <linux/types.h>

#define UWIND_MAX_COUNTERS      32u  /* of one session */
#define UWIND_MAX_FILTER_STEPS  64u  /* of one counter */
#define UWIND_FILTER_TEXT       64u  /* bytes of a step's text, NUL included */
#define UWIND_MAX_KERNEL_FRAMES 127u /* of one kernel stack */

enum uwind_event {
	UWIND_EVENT_CPU_CLOCK,
	UWIND_EVENT_CYCLES,
	UWIND_EVENT_REQUESTS, /* no counter: only what BPF programs and modules request */
	UWIND_EVENT_LISTED,   /* the counters of struct uwind_session_start */
	UWIND_NR_EVENTS,
};

/* Where the value lies that a step of a filter looks at. Offsets are counted from the entry's start. */
enum uwind_filter_kind {
	UWIND_FILTER_NUMBER,   /* a number of bytes bytes: 1, 2, 4 or 8 */
	UWIND_FILTER_CHARS,    /* text in an array of bytes bytes, to its end or a NUL */
	UWIND_FILTER_DATA_LOC, /* text; __u32 at offset: its offset in the lower 16 bits, its bytes in the upper ones */
	UWIND_FILTER_REL_LOC,  /* the same, but its offset is counted from the end of that __u32 */
	UWIND_FILTER_CPU,      /* the number of the CPU */
	UWIND_FILTER_COMM,     /* text: the name of the thread */
	UWIND_NR_FILTER_KINDS,
};

/* Numbers know the first seven, texts EQUAL, NOT_EQUAL and the last two. */
enum uwind_filter_compare {
	UWIND_FILTER_EQUAL,
	UWIND_FILTER_NOT_EQUAL,
	UWIND_FILTER_LESS,
	UWIND_FILTER_LESS_EQUAL,
	UWIND_FILTER_GREATER,
	UWIND_FILTER_GREATER_EQUAL,
	UWIND_FILTER_BITS,     /* one of the value's bits is set */
	UWIND_FILTER_GLOB,     /* text is a pattern of *, ?, [a-z], [!a-z] and \ before a character */
	UWIND_FILTER_NOT_GLOB, /* it does not match */
	UWIND_NR_FILTER_COMPARES,
};

#define UWIND_FILTER_TAKE  0xffff /* instead of a step: the event counts */
#define UWIND_FILTER_LEAVE 0xfffe /* it does not */

/* A step of a filter, which begins with step 0: it compares, and goes on with one of two later steps, or ends. */
struct uwind_filter_step {
	__u8 kind;      /* enum uwind_filter_kind */
	__u8 compare;   /* enum uwind_filter_compare */
	__u8 is_signed; /* of a number: 1 or 0 */
	__u8 reserved;
	__u16 offset;
	__u16 bytes;
	__u16 if_true;  /* a step after this one, TAKE or LEAVE */
	__u16 if_false; /* the same */
	__u32 reserved2;
	__u64 value; /* that a number is compared with */
	char text[UWIND_FILTER_TEXT];
};

#define UWIND_COUNTER_FREQUENCY     1u /* rate is in Hz, else a period */
#define UWIND_COUNTER_NO_USER       2u /* these: as exclude_user and so on */
#define UWIND_COUNTER_NO_KERNEL     4u /* set, too, where the caller may not count in the kernel: see UWIND_SESSION_USER */
#define UWIND_COUNTER_NO_HYPERVISOR 8u
#define UWIND_COUNTER_NO_HOST       16u
#define UWIND_COUNTER_NO_GUEST      32u
#define UWIND_COUNTER_NO_IDLE       64u
#define UWIND_COUNTER_KERNEL_STACK  128u /* with the kernel's stack, for callers with CAP_PERFMON; others get none */

/*
 * type of a counter that is none of perf's: it fires when a thread runs again that was off its CPU, because it waited
 * or another one ran. For callers with CAP_PERFMON; others get EACCES. Its event's period is the time in ns, its kernel
 * stack that of the thread as it waited, and a UWIND_RECORD_OFF_CPU says more. Threads that already were off their CPUs when
 * the session was enabled are noted from the next time on, kernel threads never.
 *
 * rate is the shortest time that counts (1 … ns), config how much is noted on a CPU in a second (0:
 * UWIND_OFF_CPU_DEFAULT_MOST); further times are counted as throttled. config1 is 0 or UWIND_OFF_CPU_NO_WAKERS, flags are
 * 0 or UWIND_COUNTER_KERNEL_STACK, all else is 0.
 */
#define UWIND_TYPE_OFF_CPU         0x75770001u
#define UWIND_OFF_CPU_DEFAULT_MOST 10000u
#define UWIND_OFF_CPU_NO_WAKERS    1u /* who wakes a thread is not noted */

/*
 * type of a counter that is none of perf's: it fires as functions of the kernel are called or return. For callers with
 * CAP_PERFMON; others get EACCES. A UWIND_RECORD_CALL says which function it was, and its arguments. Of interrupts, which
 * happen in whatever thread they interrupt, the thread counts.
 *
 * config1 points to __u64[] in the caller's memory, the addresses of config2 functions: 1 … UWIND_MAX_FUNCTIONS, or of
 * returns UWIND_MAX_RETURNS. EINVAL: ftrace, or for returns kprobes, cannot reach one of them. A function that is unloaded with its
 * module fires no more. config is 0 or UWIND_CALL_RETURN, rate a number of calls (1 …), flags are 0 or
 * UWIND_COUNTER_KERNEL_STACK. A filter looks at a struct uwind_call. All else is 0.
 *
 * What is called as a call is noted counts in events_own. What cannot be noted counts in periods_missed: returns beyond
 * UWIND_CALLS_AT_ONCE, or within another probe's handler, and calls while the kernel's RCU does not watch the CPU.
 */
#define UWIND_TYPE_FUNCTION 0x75770002u
#define UWIND_MAX_FUNCTIONS 65536u
#define UWIND_MAX_RETURNS   1024u
#define UWIND_CALLS_AT_ONCE 128u /* of one function, in all threads, that have not returned yet */
#define UWIND_MAX_ARGUMENTS 6u

#define UWIND_CALL_RETURN 1u /* it has returned */

/* A call of a function of the kernel. */
struct uwind_call {
	__u64 function;                       /* an address in it, at most 16 bytes after its start */
	__u64 duration_ns;                    /* RETURN: from its call on; else 0 */
	__u64 value;                          /* RETURN: what is in the register for it; else 0 */
	__u64 arguments[UWIND_MAX_ARGUMENTS]; /* registers for arguments as it was called, whether or not it has them */
	__u32 flags;                          /* UWIND_CALL_* */
	__u32 reserved;
};

/*
 * One of several events of a session. type, config, config1, config2, bp_type and precise are those of struct
 * perf_event_attr (perf_event_open(2)), with the kernel's rules about who may count what; where one of them is a
 * pointer (uprobe_path, kprobe_func), it points into the caller's memory.
 *
 * rate: Hz (1 … 100,000), or a period: of PERF_COUNT_SW_CPU_CLOCK and _TASK_CLOCK in ns (10,000 …), of PERF_TYPE_HARDWARE,
 * _HW_CACHE and _RAW in events (10,000 …), of others in events (1 …). Without privilege 10,000 Hz at most, and periods of
 * 100,000 ns, 500,000 events (also of types above PERF_TYPE_BREAKPOINT), and 1.
 *
 * A filter looks at the entry of a tracepoint, as the format file in tracefs describes it. What is not in the entry
 * compares as 0, or as an empty text.
 */
struct uwind_counter {
	__u32 size;  /* of this struct; the same in all of a list */
	__u32 flags; /* UWIND_COUNTER_* */
	__u32 type;
	__u32 bp_type;
	__u64 config;
	__u64 config1;
	__u64 config2;
	__u64 rate;
	__u64 filter;    /* struct uwind_filter_step[] */
	__u32 nr_filter; /* 0: none; … UWIND_MAX_FILTER_STEPS, for PERF_TYPE_TRACEPOINT and UWIND_TYPE_FUNCTION only */
	__u8 precise;    /* precise_ip: 0 … 3 */
	__u8 reserved[3];
};

#endif
