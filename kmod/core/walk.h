/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The walk: from registers to a call stack, by whatever method knows the pc.
 */
#ifndef UW_WALK_H
#define UW_WALK_H

#include "walk_types.h"

#define UW_CODE_BYTES 8u

/*
 * The port (uw_port_walk.h, inline, bound at compile time) gives:
 *
 *   int uw_port_find(struct uw_port *port, u64 address, struct uw_found *found)
 *       0: rule found; -ENOENT: executable, but no row (offset and file are
 *       set, and table); -EFAULT: not in an executable mapping; -EINTR: being killed; -EAGAIN: busy.
 *   int uw_port_word(struct uw_port *port, u64 address, u64 *word)
 *       read one word of stack, on 32-bit Arm of code, too, of the ABI's size: 0; -EFAULT;
 *       -EACCES: a fault outside the stack is not allowed; -EINTR: a fatal signal is pending;
 *       -EAGAIN: busy.
 *   int uw_port_fetch(struct uw_port *port, u64 address, u8 code[UW_CODE_BYTES])
 *       read code: 0; or a negative errno, and nothing is lost: it never faults.
 *   u32 uw_port_key(const struct uw_port *port)
 *       a number below 2^31 for all that decides what is found: another one when any of it
 *       changes, the same one never for another state. 0: nothing is to be remembered.
 *   bool uw_port_covers(const struct uw_port *port, u64 address, struct uw_covered *covered)
 *       this walk has found that what the key says of that address, and of all of its mapping, holds.
 *       Inline.
 *   bool uw_port_cover(struct uw_port *port, u64 address)
 *       find that out, without a rule. The key may change.
 *   bool uw_port_open(struct uw_port *port, u64 sp, struct uw_window *window), void uw_port_close(struct uw_port *port)
 *       begin and end to read 64-bit words of the mapping that sp lies in, by uw_port_peek(window, address, &word, label),
 *       which goes to the label where that is not possible at once. uw_window_has(window, address): all of the
 *       word lies there, which the caller has to know before; uw_window_hold(window, address) is then the same
 *       address, speculatively, too. Between the two no function is called that is not inline. false:
 *       that memory cannot be read, or words are not all that decides where a frame returns to.
 *   u64 uw_port_strip(struct uw_port *port, u64 address)
 *       an address without its pointer authentication code.
 *   u64 uw_port_return(struct uw_port *port, u64 ra, u64 cfa)
 *       the return address of the frame that ends at cfa (or above it: see rule.h):
 *       ra, or what something that watches returns has replaced by it.
 *   int uw_port_rest(struct uw_port *port)
 *       called every so many frames, as some kernels never preempt their own code: 0, or
 *       -EINTR: a fatal signal is pending.
 *   void uw_port_grow(struct uw_port *port, struct uw_walk *walk)
 *       the walk has max_frames, and may have most_frames: move them to where there is room for more,
 *       and change frames and max_frames; or do nothing, and the walk ends.
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
 * Walk until a named stop. Reads at most 3 words of memory per frame, and one more for each use of a base register that
 * is on the stack; 33 of a signal frame; two words again where a plain step is given up, or leaves a trail; two of each of
 * UW_ALONE_SIGHT steps where pc and SP are those of a trail; by a frame pointer of 32-bit Arm 7 words, 15 at an exact pc.
 * Of code at most twice UW_CODE_BYTES, at an exact pc without a row; once, or a word on 32-bit Arm, after one that is not
 * executable.
 * BAD_REGS: SP is not known, or arch is none; no frame then.
 */
void uw_walk_run(struct uw_walk *walk, struct uw_port *port);

/*
 * As long as nobody else has walk->along, after a walk: fill the frames that are not yet, as the trail has them; and
 * what names that frame and all outer ones, or 0.
 */
void uw_walk_fill(struct uw_walk *walk);
u32 uw_walk_id(const struct uw_walk *walk, u32 frame);

/*
 * Whether a walk that has missed a table may have stopped so for want of it: what it took for a frame pointer may have been
 * none, and have led anywhere. A chain that has ended where chains end is believed.
 */
bool uw_stop_may_lack_table(enum uw_stop stop);

/*
 * Go on where an earlier walk of the same thread missed a table: frames has the missed->nr_frames
 * that it had found before. Its registers, arch and missed are from somewhere else, and may be anything.
 */
void uw_walk_go_on(struct uw_walk *walk, const struct uw_missed *from, struct uw_port *port);

#endif
