/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What a function has done to its stack at one of its instructions, by reading its code from the first one on. For code
 * that has no table: the kernel's own on arm64.
 *
 * Code is fed in pieces, whatever the caller can read at a time:
 *
 *   uw_frame_scan_begin(scan, words, at);
 *   while (uw_frame_scan_wants(scan, &word))
 *           uw_frame_scan_feed(scan, CODE FROM word ON, ITS WORDS);
 *
 * Each step of it is bounded, and so are the steps (UW_FRAME_SCAN_WORDS, UW_FRAME_SCAN_PASSES).
 */
#ifndef UW_FRAME_SCAN_H
#define UW_FRAME_SCAN_H

#include "types.h"

#define UW_FRAME_SCAN_WORDS   16384u /* of one function; what lies after them is not known */
#define UW_FRAME_SCAN_TARGETS 96u    /* of jumps, that are remembered */
#define UW_FRAME_SCAN_PASSES  4u     /* over one function */

enum uw_frame_known {
	UW_FRAME_UNKNOWN,
	UW_FRAME_GUESSED, /* as before a jump away, after which nothing that was read leads here */
	UW_FRAME_KNOWN,
};

/* Before an instruction is executed. CFA: what SP was before the function's first one. */
struct uw_frame_state {
	s32 sp_off;     /* CFA - SP, but for what is dynamic */
	s32 fp_off;     /* CFA - FP, if fp_set */
	s32 ra_off;     /* CFA - where the return address is stored; 0: it is in register ra_reg */
	s32 old_fp_off; /* CFA - where the caller's FP is stored; 0: it is in FP */
	u8 fp_set;      /* FP is the function's own: it points to a frame record */
	u8 dynamic;     /* SP is lower than sp_off says, by what the code does not say */
	u8 ra_reg;      /* 30; 9 while a tracer is called, before the function has begun */
	u8 known;       /* enum uw_frame_known */
};

struct uw_frame_target {
	u32 word;
	struct uw_frame_state state;
};

/* One scan. Its members are private, but for state and deepest when it has ended. */
struct uw_frame_scan {
	struct uw_frame_state state; /* at the instruction that was asked for */
	struct uw_frame_state body;  /* the last one with a frame of its own */
	s32 deepest;                 /* of sp_off, wherever it was known so far */
	u32 words;                   /* of the function */
	u32 at;                      /* the instruction that was asked for */
	u32 next;                    /* the one to be read */
	u32 constants[10];           /* that registers 9 to 18 hold: frames are big, and compilers use these */
	u32 constant_regs;           /* bit n: register 9 + n holds one */
	u8 copied;                   /* register 9 has the return address */
	u8 passes;
	u8 learned; /* this pass has found a target that the passes before had not */
	u8 done;
	u32 nr_targets; /* ascending by word */
	u32 cursor;     /* first target that is not before next */
	struct uw_frame_target targets[UW_FRAME_SCAN_TARGETS];
};

/* The function has so many instructions; at: which of them. */
void uw_frame_scan_begin(struct uw_frame_scan *scan, u32 words, u32 at);

/* False: scan->state is the answer. */
bool uw_frame_scan_wants(const struct uw_frame_scan *scan, u32 *word);

/* code: of the function, from the word on that is wanted. 0 words: it cannot be read, and the answer is not known. */
void uw_frame_scan_feed(struct uw_frame_scan *scan, const u32 *code, u32 words);

#endif
