/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * The words of uwind: why a walk stopped, how a frame was found, why a request
 * was lost. Each list is written once, here; enums, counters, JSON strings and
 * golden files are all made from it. Values never change; new words go last.
 * And the code in which frames are written.
 *
 * This header holds macros only, so that the kernel's core, which includes no
 * other UAPI, can share it.
 */
#ifndef UWIND_WORDS_H
#define UWIND_WORDS_H

/*
 * Why a walk stopped: X(NAME, json, complete).
 *
 * "complete" says whether the stack ends where the thread began.
 */
#define UWIND_STOP_LIST(X)                                                          \
	X(NONE, "none", 0)                   /* still walking */                    \
	X(OUTERMOST, "outermost", 1)         /* the table says: nobody called us */ \
	X(ZERO_RA, "zero_ra", 1)             /* the return address is 0 */          \
	X(ZERO_FP, "zero_fp", 1)             /* end of a chain of frame pointers */ \
	X(THREAD_START, "thread_start", 1)   /* in the code that starts threads */  \
	X(NO_TABLE, "no_table", 0)           /* no row, and no frame pointer */     \
	X(BAD_READ, "bad_read", 0)           /* stack memory could not be read */   \
	X(BACKWARDS, "backwards", 0)         /* the stack would not have shrunk */  \
	X(MISALIGNED, "misaligned", 0)       /* CFA is not a multiple of a word */  \
	X(BAD_PC, "bad_pc", 0)               /* not executable: pc or its caller */ \
	X(LOST_REGISTER, "lost_register", 0) /* the rule needs a lost register */   \
	X(DEPTH, "depth", 0)                 /* as many frames as allowed */        \
	X(BAD_RULE, "bad_rule", 0)           /* a rule that means nothing */        \
	X(BAD_REGS, "bad_regs", 0)           /* the registers are of no use */      \
	X(REFUSED_READ, "refused_read", 0)   /* a fault outside the stack */        \
	X(KILLED, "killed", 0)               /* a fatal signal ended the walk */    \
	X(STACK_SWITCH, "stack_switch", 0)   /* to another stack, further down */   \
	X(SHADOW_STACK, "shadow_stack", 0)   /* which has another return address */ \
	X(BUSY, "busy", 0)                   /* the memory map was being changed all the time */

/* How a frame was found: X(NAME, json). The first frame is always PC. */
#define UWIND_METHOD_LIST(X)                                               \
	X(NONE, "none")                                                    \
	X(PC, "pc") /* the registers themselves */                         \
	X(SFRAME_V1, "sframe-v1")                                          \
	X(SFRAME_V2, "sframe-v2")                                          \
	X(SFRAME_V3, "sframe-v3")                                          \
	X(EH_FRAME, "eh_frame")                                            \
	X(DEBUG_FRAME, "debug_frame")                                      \
	X(EHABI, "ehabi")                                                  \
	X(SYNTH, "synth")         /* rows made from the code, or a call */ \
	X(FP, "fp")               /* frame pointer */                      \
	X(LR, "lr")               /* link register */                      \
	X(SIGFRAME, "sigframe")   /* registers saved by signal delivery */ \
	X(COMPAT_FP, "compat_fp") /* frame pointer of a 32-bit program */  \
	X(KERNEL, "kernel")       /* a kernel stack, by the kernel */

/* Why a request has no stack: X(NAME, json). */
#define UWIND_LOSS_LIST(X)                                                            \
	X(EXEC, "exec")                 /* the task executed another program */       \
	X(EXIT, "exit")                 /* the task's memory was gone */              \
	X(KTHREAD, "kthread")           /* kernel thread or user worker */            \
	X(NOMEM, "nomem")               /* the supply of requests was empty */        \
	X(CANCELLED, "cancelled")       /* withdrawn by the asker */                  \
	X(SESSION_GONE, "session_gone") /* the session ended first */                 \
	X(DROPPED, "dropped")           /* the reader was too slow */                 \
	X(HIDDEN, "hidden")             /* the asker may not see the task any more */ \
	X(OVERRUN, "overrun")           /* events came faster than they were sent */

/*
 * Frames in a UWIND_RECORD_STACK: each is a lead byte and the numbers after it. A
 * number is LEB128, 7 bits a byte, the lowest first, 0x80 set in all but the last;
 * at most 10 bytes. A difference d is the number 2 * d, or -2 * d - 1 where d < 0,
 * modulo 2^64.
 *
 *   lead    bits 0-3: method, enum uwind_method; 15: it is a byte that follows;
 *           0 and 14: a run
 *           bits 4-6: place; 7: a new one
 *           bit 7:    stack_bytes is known
 *   method  a byte, if so
 *   place   new: file, a number below 2^32, 0: no file;
 *                offset of pc in the file, or in the range's own space;
 *                pc, as a difference from the frame before it in this record, or 0
 *           else: pc, as a difference from the last frame that had this place; its
 *                offset differs from that one's by as much, and the file is the same
 *   stack_bytes  if known: the 32-bit number rotated right by 2
 *
 * A run's lead has the number of its frames, 1 to 16, less one in bits 4-7. They have the
 * method and the place of the frame before the run, and 3 bytes each: the difference of pc
 * from the frame before, 16 bits, signed, the lower byte first; and a quarter of stack_bytes.
 * Of a run with 14, the difference has 8 bits.
 *
 * The n-th new place of a record, from 0, has the number n % 7 from then on; the place
 * that had that number before has none any more. A record knows no places of another.
 */
#define UWIND_LEAD_METHOD      0x0fu
#define UWIND_LEAD_RUN         0u
#define UWIND_LEAD_NEAR        14u
#define UWIND_LEAD_PLACE_SHIFT 4u
#define UWIND_LEAD_SIZED       0x80u
#define UWIND_PLACES           7u
#define UWIND_RUN_FRAMES       16u

#endif
