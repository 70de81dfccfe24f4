/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records: an answer and a file, as bytes of the contract.
 *
 * Each function writes one record at at, if room bytes are enough for it, and returns
 * how many bytes it takes, which is never 0. at is not used without room.
 */
#ifndef UW_RECORD_H
#define UW_RECORD_H

#include "core/walk.h"
#include "uwind.h"

struct pid_namespace;
struct uw_answer;
struct uw_file;
struct uw_note;
struct uw_thread;

/* Why a stack ends of which the session wants nr frames. */
static inline u8 uw_record_stop(const struct uw_walk *walk, u32 nr)
{
	return nr < walk->nr_frames ? UWIND_STOP_DEPTH : walk->stop;
}

/* No record of these is longer; UNFINISHED: but for the bytes of stack. */
#define UW_MOST_THREAD_BYTES     sizeof(struct uwind_record_thread)
#define UW_MOST_SAMPLE_BYTES     (sizeof(struct uwind_record_sample) + sizeof(u64))
#define UW_MOST_EVENT_BYTES      sizeof(struct uwind_record_event)
#define UW_MOST_OFF_CPU_BYTES    sizeof(struct uwind_record_off_cpu)
#define UW_MOST_CALL_BYTES       sizeof(struct uwind_record_call)
#define UW_MOST_STACK_BYTES      ALIGN(sizeof(struct uwind_record_stack) + UWIND_PART_FRAMES * UW_FRAME_CODE_BYTES, 8)
#define UW_MOST_UNFINISHED_BYTES (sizeof(struct uwind_record_unfinished) + UW_NR_REGS * sizeof(u64))

/* Its own number is 0. */
u32 uw_record_thread(void *at, u32 room, const struct uw_thread *thread);

/*
 * Part of a stack. below: the number of the part that goes on outward; 0: this one is the outermost, and ends for stop.
 * Its own number is 0.
 */
struct uw_part_of_stack {
	const struct uw_frame *frames;
	u32 nr; /* 1 … UWIND_PART_FRAMES; 0: a stack without frames */
	u16 below;
	u8 stop;
};

u32 uw_record_stack(void *at, u32 room, const struct uw_part_of_stack *part);

/*
 * What it takes to go on with current's walk, which has missed a table, and what is resident of the stack_bytes (a
 * multiple of 8) above its SP. Room is needed for all of them.
 */
u32 uw_record_unfinished(void *at, u32 room, const struct uw_walk *walk, u32 stack_bytes);

/* What a sample names by number, and how many triggers it stands for. */
struct uw_sample_of {
	u16 thread;
	u16 stack;  /* the innermost part; 0: none */
	u32 weight; /* of triggers without a note */
	u32 events; /* triggers with one */
};

/* What a sample may leave out, as the message says it of the last one. */
struct uw_sampled {
	u64 cookie;
	u64 time_ns;
	u16 cpu;
	u8 word_bits; /* 0: there is no such sample in the message */
};

void uw_sampled_set(struct uw_sampled *sampled, const struct uw_answer *answer);

/* last: in the message. */
u32 uw_record_sample(void *at, u32 room, const struct uw_answer *answer, const struct uw_sample_of *of,
		     const struct uw_sampled *last);

/* One time that a counter fired. thread and kernel_stack: as in struct uwind_record_event. */
u32 uw_record_event(void *at, u32 room, const struct uw_note *note, u16 thread, u16 kernel_stack);

/* What note has of a time off the CPU. */
u32 uw_record_off_cpu(void *at, u32 room, const struct uw_note *note);

/* What note has of a call. */
u32 uw_record_call(void *at, u32 room, const struct uw_note *note);

/* How long a file's record is. path: as current sees it; NULL: not known. */
u32 uw_record_file_bytes(const char *path);

/* A file that is mapped at pc in current's memory. */
u32 uw_record_file(void *at, u32 room, const struct uw_file *file, u64 pc, const char *path, struct pid_namespace *ns);

#endif
