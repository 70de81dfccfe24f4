/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a walk asks of the kernel: which rule covers an address of current's
 * memory, and one word of its stack. See core/walk.h for the contract.
 */
#ifndef UW_PORT_WALK_H
#define UW_PORT_WALK_H

#include <linux/nospec.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "walk.h"
#include "walk/frames.h"
#include "walk/uprobe.h"

struct uw_space;
struct uw_steps;

#define UW_COVERED 4

/* A mapping that words may be read from. */
struct uw_window {
	unsigned long start;
	unsigned long places; /* of a word in it */
};

/*
 * Mappings of a space that were found as they are known at that epoch. As long as that is the epoch, they are so, and a walk
 * begins with what the last one on its CPU has found. All zero: none.
 */
struct uw_coverage {
	u64 space; /* its number; 0: no walk goes on with this */
	u64 epoch;
	unsigned long readable_start; /* as in struct uw_port */
	unsigned long readable_places;
	u8 arch;                               /* of the walk that found them */
	u8 nr;                                 /* mappings of code so far, modulo 256 */
	struct uw_covered covered[UW_COVERED]; /* the last ones of them */
};

/* One walk's view of current's memory. On the walker's stack. */
struct uw_port {
	struct uw_space *space;        /* NULL: look at the VMAs each time */
	u64 epoch;                     /* of the space, when its VMAs were seen last */
	u32 last_mapped;               /* where the last frame's code was found */
	u8 arch;                       /* enum uw_arch of the walk */
	u8 word_bytes;                 /* of that ABI */
	unsigned long sp;              /* where the walk began */
	unsigned long readable_start;  /* the mapping that was read last */
	unsigned long readable_places; /* of a word in it; 0: none yet in this epoch */
	bool atomic;                   /* must not sleep: see uw_memory_begin() */
	bool busy;                     /* mmap_lock could not be had */
	u8 lock_tries;                 /* that are left: see memory.c */
	bool probed;                   /* a probe may have changed pc or stack */
	unsigned long trampoline;      /* of return probes, once it was met */
	struct uw_steps *steps;        /* taken for this walk; NULL: none */
	u32 key;                       /* of the steps that may be used */
	u64 mapped_changes;            /* of the space's mapped ranges, that the key is for */
	struct uw_coverage *coverage;  /* at the epoch. With steps only */
};

int uw_lookup_find(struct uw_port *port, u64 address, struct uw_found *found);
bool uw_lookup_cover(struct uw_port *port, u64 address);
void uw_coverage_begin(struct uw_coverage *coverage, const struct uw_port *port);
void uw_table_retire_corrupt(const struct uw_port *port, u64 address, const struct uw_found *found);
int uw_memory_enter_at(struct uw_port *port, u64 address);
int uw_memory_fault(struct uw_port *port, u64 address, u64 *word);
int uw_memory_fetch(struct uw_port *port, u64 address, u8 code[UW_CODE_BYTES]);
bool uw_memory_other_stack(struct uw_port *port, u64 sp, u64 address);

static inline int uw_port_find(struct uw_port *port, u64 address, struct uw_found *found)
{
	return uw_lookup_find(port, address, found);
}

/* A word of a mapping of user space that has been looked at. */
static inline int uw_word_nofault(const struct uw_port *port, u64 address, u64 *word)
{
	u32 half = 0;
	int err;

	pagefault_disable();
	if (likely(port->word_bytes == sizeof(*word))) {
		err = __get_user(*word, (const u64 __user *)(unsigned long)address);
	} else {
		err = __get_user(half, (const u32 __user *)(unsigned long)address);
		*word = half;
	}
	pagefault_enable();
	return err;
}

/* Nofault first: nearly every stack word is resident. */
static inline int uw_port_word(struct uw_port *port, u64 address, u64 *word)
{
	int err;

	if (unlikely(address - port->readable_start >= port->readable_places)) {
		err = uw_memory_enter_at(port, address);
		if (err)
			return err;
	}
	if (likely(!uw_word_nofault(port, address, word)))
		return 0;
	return uw_memory_fault(port, address, word);
}

static __always_inline u32 uw_port_key(const struct uw_port *port)
{
	return port->key;
}

/* Of a walk with steps. By pointers, as user memory is open: a check of an index would be a call. */
static __always_inline bool uw_port_covers(const struct uw_port *port, u64 address, struct uw_covered *covered)
{
	const struct uw_covered *first = port->coverage->covered, *one;

	for (one = first; one < first + UW_COVERED; one++) {
		if (address - one->start >= one->bytes)
			continue;
		*covered = *one;
		return true;
	}
	return false;
}

static inline bool uw_port_cover(struct uw_port *port, u64 address)
{
	return uw_lookup_cover(port, address);
}

/* Whatever was true at another epoch may not be any more. */
static inline void uw_port_set_epoch(struct uw_port *port, u64 epoch)
{
	if (port->epoch == epoch)
		return;
	port->epoch = epoch;
	port->readable_places = 0;
	if (port->coverage)
		uw_coverage_begin(port->coverage, port);
}

/* The mapping that was read last. */
static inline bool uw_port_open(struct uw_port *port, u64 sp, struct uw_window *window)
{
	if (IS_ENABLED(CONFIG_UPROBES) && port->probed)
		return false;
	if (unlikely(sp - port->readable_start >= port->readable_places) && uw_memory_enter_at(port, sp))
		return false;
	window->start = port->readable_start;
	window->places = port->readable_places;
	pagefault_disable();
	if (user_read_access_begin((const void __user *)port->readable_start,
				   port->readable_places + port->word_bytes - 1))
		return true;
	pagefault_enable();
	return false;
}

static inline void uw_port_close(struct uw_port *port)
{
	user_read_access_end();
	pagefault_enable();
}

static __always_inline bool uw_window_has(const struct uw_window *window, u64 address)
{
	return address - window->start < window->places;
}

static __always_inline u64 uw_window_hold(const struct uw_window *window, u64 address)
{
	unsigned long place = address - window->start;

	return window->start + array_index_nospec(place, window->places);
}

#define uw_port_peek(window, address, word, failed) \
	unsafe_get_user(*(word), (const u64 __user *)(unsigned long)(address), failed)

/* Some kernels never preempt their own code. */
static inline int uw_port_rest(struct uw_port *port)
{
	if (port->atomic)
		return 0;
	cond_resched();
	return fatal_signal_pending(current) ? -EINTR : 0;
}

static inline void uw_port_grow(struct uw_port *port, struct uw_walk *walk)
{
	uw_frames_grow(walk, port->atomic);
}

static inline bool uw_port_busy(const struct uw_port *port)
{
	return port->busy;
}

static inline int uw_port_fetch(struct uw_port *port, u64 address, u8 code[UW_CODE_BYTES])
{
	return uw_memory_fetch(port, address, code);
}

/* XPACLRI is a hint: a CPU without pointer authentication does nothing. */
static __always_inline u64 uw_port_strip(struct uw_port *port, u64 address)
{
#ifdef CONFIG_ARM64
	register u64 lr asm("x30") = address;

	asm("hint #7" : "+r"(lr));
	return lr;
#else
	return address;
#endif
}

static inline u64 uw_port_return(struct uw_port *port, u64 ra, u64 cfa)
{
	return IS_ENABLED(CONFIG_UPROBES) && unlikely(port->probed) ? uw_uprobe_caller(port, ra, cfa) : ra;
}

static inline bool uw_port_other_stack(struct uw_port *port, u64 sp, u64 address)
{
	return uw_memory_other_stack(port, sp, address);
}

static inline void uw_port_retire_corrupt(struct uw_port *port, u64 address, const struct uw_found *found)
{
	uw_table_retire_corrupt(port, address, found);
}

#endif
