/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records: what a session is told of an answer and of a file, put into a message.
 */
#ifndef UW_RECORD_H
#define UW_RECORD_H

#include "core/walk.h"
#include "uwind.h"

struct uw_answer;
struct uw_batch;
struct uw_file;
struct uw_session;

/* How records begin that others name by number. */
struct uw_named {
	struct uwind_record record;
	u16 number;
};

static_assert(offsetof(struct uwind_record_stack, number) == offsetof(struct uw_named, number));
static_assert(offsetof(struct uwind_record_thread, number) == offsetof(struct uw_named, number));

/* Why a stack ends of which the session wants nr frames. */
static inline u8 uw_record_stop(const struct uw_walk *walk, u32 nr)
{
	return nr < walk->nr_frames ? UWIND_STOP_DEPTH : walk->stop;
}

/*
 * Both put all that they have to say into the message, or nothing: then they return
 * how many bytes are enough, which is never 0. The caller has taken the batch. path:
 * of the file, as current sees it; NULL: not known.
 */
u32 uw_record_answer(struct uw_batch *batch, const struct uw_session *session,
		     const struct uw_answer *answer, u32 nr, u32 weight);
u32 uw_record_file(struct uw_batch *batch, const struct uw_session *session,
		   const struct uw_file *file, u64 pc, const char *path);

#endif
