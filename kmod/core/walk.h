/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The walk: from registers to a call stack, by whatever method knows the pc.
 */
#ifndef UW_WALK_H
#define UW_WALK_H

#include "types.h"

/* One frame found. */
struct uw_frame {
	u64 pc;
	u64 offset;      /* of pc in the file, or in the range's own space */
	u32 file;        /* the port's number for the file; 0: none */
	u32 stack_bytes; /* from this frame's SP to its CFA; see rule.h */
	u8 method;       /* enum uw_method: how this frame was found */
};

struct uw_walk {
	struct uw_regs regs; /* in: the interrupted registers; is consumed */
	enum uw_arch arch;
	u32 max_frames;
	struct uw_frame *frames; /* max_frames entries */
	u32 nr_frames;           /* out */
	enum uw_stop stop;       /* out: never NONE */
};

/*
 * What the port knows about a code address, filled by
 * uw_port_find(port, address, found). Only rules for the walk's architecture.
 */
struct uw_found {
	struct uw_rule rule; /* a copy: valid if the result was 0 */
	u64 offset;
	u32 file;
	u32 table; /* the port's number for the table, if there is a rule */
	u8 method; /* enum uw_method of the table */
};

#define UW_CODE_BYTES 8u

/*
 * The port (uw_port_walk.h, inline, bound at compile time) gives:
 *
 *   int uw_port_find(struct uw_port *port, u64 address, struct uw_found *found)
 *       0: rule found; -ENOENT: executable, but no row (offset and file are
 *       set); -EFAULT: not in an executable mapping; -EINTR: being killed; -EAGAIN: busy.
 *   int uw_port_word(struct uw_port *port, u64 address, u64 *word)
 *       read one word of stack, on 32-bit Arm of code, too, of the ABI's size: 0; -EFAULT;
 *       -EACCES: a fault outside the stack is not allowed; -EINTR: a fatal signal is pending;
 *       -EAGAIN: busy.
 *   int uw_port_fetch(struct uw_port *port, u64 address, u8 code[UW_CODE_BYTES])
 *       read code: 0; or a negative errno, and nothing is lost: it never faults.
 *   u64 uw_port_strip(struct uw_port *port, u64 address)
 *       an address without its pointer authentication code.
 *   u64 uw_port_return(struct uw_port *port, u64 ra, u64 cfa)
 *       the return address of the frame that ends at cfa (or above it: see rule.h):
 *       ra, or what something that watches returns has replaced by it.
 *   int uw_port_rest(struct uw_port *port)
 *       called every so many frames, as some kernels never preempt their own code: 0, or
 *       -EINTR: a fatal signal is pending.
 *   bool uw_port_busy(const struct uw_port *port)
 *       something that was asked could not be answered, as the memory map was being changed
 *       all the time. Once it is so it stays so. What was found since is not relied on.
 *   bool uw_port_other_stack(struct uw_port *port, u64 sp, u64 address)
 *       address, which is below sp, lies in memory that may be another stack. Asked
 *       once a walk, at its end.
 *   void uw_port_retire_corrupt(struct uw_port *port, u64 address, const struct uw_found *found)
 *       what was found for address means nothing, though its table had been checked: no
 *       walk should find it there again. Once a walk, at its end.
 */
struct uw_port;

/*
 * Walk until a named stop. Reads at most 3 words of memory per frame, and one more
 * for each use of a base register that is on the stack; 33 of a signal frame; by a
 * frame pointer of 32-bit Arm 7 words, 15 at an exact pc. Of code at most twice UW_CODE_BYTES, at
 * an exact pc without a row; once, or a word on 32-bit Arm, after one that is not executable.
 * BAD_REGS: SP is not known, or arch is none; no frame then.
 */
void uw_walk_run(struct uw_walk *walk, struct uw_port *port);

#endif
