/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * Watching how the kernel's own text changes. Part of uwind.h, which includes it.
 */
#ifndef UWIND_TEXT_H
#define UWIND_TEXT_H

#include <linux/types.h>

#define UWIND_MAX_TEXT_WATCHES 8u          /* of all users */
#define UWIND_MIN_TEXT_BYTES   (64u << 10) /* room for records */
#define UWIND_MAX_TEXT_BYTES   (16u << 20)
#define UWIND_MAX_TEXT_CHANGE  4096u /* bytes that one record says were changed */
#define UWIND_MAX_TEXT_PAGES   512u  /* pages that one record says were flushed */
#define UWIND_MAX_TEXT_CONTENT 8192u /* bytes of a module that one record has */
#define UWIND_TEXT_CALLERS     16u
#define UWIND_MAX_TEXT_RECORD  8400u /* bytes of the longest record */

#define UWIND_WATCH_MODULES 1u /* MODULE_COMING, MODULE_LIVE, MODULE_GOING */
#define UWIND_WATCH_CHANGES 2u /* CHANGE, FLUSH; arm64 only: on x86-64, perf says so itself (text_poke) */
#define UWIND_WATCH_CONTENT 4u /* with MODULES: MODULE_CONTENT, too */

/*
 * UWIND_IOC_WATCH_TEXT: what changes the kernel's text from now on is reported by a descriptor, which is ready for
 * read(2) and poll(2) when there are records. read(2) returns whole ones; give it room for UWIND_MAX_TEXT_RECORD
 * bytes, or EMSGSIZE says that the next one is longer. EAGAIN: O_NONBLOCK, and there is none. The watch ends when that
 * descriptor is closed, not with the one of the device. To have a copy of the text that the changes apply to, begin to
 * watch before you copy it: the watch's own probes are in it.
 *
 * Only for who opened the device with CAP_PERFMON: EPERM. EBUSY: UWIND_MAX_TEXT_WATCHES are open. EOPNOTSUPP: this
 * kernel cannot report CHANGES: why says what it lacks. EMFILE, ENFILE: no descriptor is free.
 */
struct uwind_watch_text {
	__u32 size;
	__u32 flags;  /* UWIND_WATCH_*, at least one */
	__u32 bytes;  /* a power of two, UWIND_MIN_TEXT_BYTES … UWIND_MAX_TEXT_BYTES */
	__s32 fd;     /* out: close-on-exec, and O_NONBLOCK as set by fcntl(2) */
	char why[64]; /* out, EOPNOTSUPP: NUL-terminated */
};

enum uwind_text_type {
	UWIND_TEXT_NONE,
	/*
	 * Memory of text was written: bytes bytes at address, in whole words of 4, from the first to the last that
	 * differ. They follow twice: what was there, and what is there now. A longer change comes in parts.
	 */
	UWIND_TEXT_CHANGE,
	/*
	 * The caches of bytes bytes at address were cleaned: what no CHANGE has said may have been written there. The
	 * physical address of each of its pages follows (__u64; 0: none). A longer range comes in parts, and of one
	 * above 4 times UWIND_MAX_TEXT_PAGES the rest without.
	 */
	UWIND_TEXT_FLUSH,
	/* A module is about to be used, or to be freed: bytes bytes of its text at address. Its name follows, with NULs. */
	UWIND_TEXT_MODULE_LIVE,
	UWIND_TEXT_MODULE_GOING, /* also if its init has failed, so that it was never LIVE */
	UWIND_TEXT_LOST,         /* bytes records had no room, since after_ns */
	/*
	 * A module's init is about to run: as MODULE_LIVE, and once more for its init's text if it has one, which is
	 * freed after MODULE_LIVE or, if init has failed, MODULE_GOING.
	 */
	UWIND_TEXT_MODULE_COMING,
	/*
	 * The text of the module that is about to be LIVE: bytes bytes at address, as they are, follow. A longer one
	 * comes in parts, by the same thread. Parts come while they leave half of the room free: what has not come can
	 * be read from memory for as long as the module is there.
	 */
	UWIND_TEXT_MODULE_CONTENT,
};

/*
 * Times are CLOCK_MONOTONIC. A CHANGE's memory was the old one at after_ns, and the new one at before_ns; a CPU may
 * execute the old one until the FLUSH. All other records have one moment, twice.
 *
 * pid, tid and comm are of the thread that wrote: where all CPUs are stopped for it, a thread of the kernel's. callers
 * are return addresses, innermost first: the first lies in the function that wrote. Numbers of processes are those of the
 * initial namespace.
 */
struct uwind_text_record {
	__u32 size; /* of the record and what follows it, a multiple of 8, padded with zeros */
	__u16 type; /* enum uwind_text_type; skip what you do not know */
	__u16 nr_callers;
	__u64 after_ns;
	__u64 before_ns;
	__u64 address; /* CHANGE: 0 where it is not known yet; a FLUSH with the physical address may follow */
	__u64 bytes;
	__u64 physical; /* CHANGE: physical address; else 0 */
	__u32 pid;
	__u32 tid;
	__u32 cpu;
	__u32 reserved;
	char comm[16];
	__u64 callers[UWIND_TEXT_CALLERS];
};

#endif
