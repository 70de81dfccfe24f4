// SPDX-License-Identifier: GPL-2.0
/*
 * Records of the contract, made where they will stay: behind the end of a message.
 *
 * A stack is cut so that stacks have parts in common: the innermost frame, which differs
 * most, is one of its own, and its callers are cut from the outer end. The outermost part
 * is told first. The work is linear in the frames.
 */
#include <linux/sched/signal.h>
#include <linux/skbuff.h>

#include "core/frame_code.h"
#include "request/request.h"
#include "session/batch.h"
#include "session/record.h"
#include "session/session.h"
#include "store/file_store.h"
#include "store/registry.h"
#include "store/tie.h"

#define UW_PART_BYTES \
	ALIGN(sizeof(struct uwind_record_stack) + UWIND_PART_FRAMES * UW_FRAME_CODE_BYTES, 8)

static_assert(UWIND_PART_FRAMES <= U8_MAX);
static_assert(UWIND_MAX_FRAMES % UWIND_PART_FRAMES == 0);
static_assert(UW_PART_BYTES < U16_MAX / 2);
static_assert(sizeof(struct uwind_record_file) + PATH_MAX < U16_MAX / 2);
/* Records with numbers, in the longest message. */
static_assert((UWIND_MAX_FRAMES / UWIND_PART_FRAMES + 2) * UW_PART_BYTES / 16 < U16_MAX);

/* Several records that go into a message together. */
struct uw_put {
	struct uw_batch *batch;
	u32 needed; /* bytes, if the message knew nothing of it                  */
	bool full;  /* there was no room for one of them                         */
};

/* Zeros for a record of that size, or NULL. */
static void *uw_put_record(struct uw_put *put, u16 type, u32 bytes)
{
	struct uwind_record *record;

	put->needed += bytes;
	if (uw_batch_room(put->batch, bytes) < bytes) {
		put->full = true;
		return NULL;
	}
	record = memset(skb_tail_pointer(put->batch->skb), 0, bytes);
	record->bytes = bytes;
	record->type = type;
	return record;
}

static u16 uw_put_thread(struct uw_put *put, const struct uw_session *session)
{
	struct uwind_record_thread *record =
		uw_put_record(put, UWIND_RECORD_THREAD, sizeof(*record));

	if (!record)
		return 0;
	record->start_time_ns = current->group_leader->start_boottime;
	record->exec_id = current->self_exec_id;
	record->tgid = task_tgid_nr_ns(current, session->pid_ns);
	record->tid = task_pid_nr_ns(current, session->pid_ns);
	get_task_comm(record->comm, current);
	return uw_batch_announce(put->batch, (struct uw_named *)record);
}

/* below: the number of the part before; 0: this is the outermost, and ends for stop. */
static u16 uw_put_part(struct uw_put *put, const struct uw_frame *frames, u32 nr, u16 below, u8 stop)
{
	u32 room = uw_batch_room(put->batch, UW_PART_BYTES);
	struct uwind_record_stack *record = NULL;
	u32 used, bytes;

	if (room > sizeof(*record))
		record = (void *)skb_tail_pointer(put->batch->skb);
	used = sizeof(*record) + uw_frame_code_write(record ? record->frames : NULL,
						     record ? room - sizeof(*record) : 0, frames, nr);
	bytes = ALIGN(used, 8);
	put->needed += bytes;
	if (bytes > room) {
		put->full = true;
		return 0;
	}
	memset((void *)record + used, 0, bytes - used);
	record->record.bytes = bytes;
	record->record.type = UWIND_RECORD_STACK;
	record->number = 0;
	record->below = below;
	record->nr_frames = nr;
	record->stop = below ? UWIND_STOP_NONE : stop;
	return uw_batch_announce(put->batch, (struct uw_named *)record);
}

/* Returns the number of the innermost part. */
static u16 uw_put_stack(struct uw_put *put, const struct uw_walk *walk, u32 nr)
{
	u8 stop = uw_record_stop(walk, nr);
	u16 number = 0;

	do {
		u32 part = nr > 1 ? min(nr - 1, UWIND_PART_FRAMES) : nr;

		nr -= part;
		number = uw_put_part(put, &walk->frames[nr], part, number, stop);
	} while (nr);
	return number;
}

static void uw_put_sample(struct uw_put *put, const struct uw_answer *answer, u16 thread,
			  u16 stack, u32 weight)
{
	const struct uw_request *request = answer->request;
	struct uwind_record_sample *record =
		uw_put_record(put, UWIND_RECORD_SAMPLE, sizeof(*record));

	if (!record)
		return;
	record->thread = thread;
	record->stack = stack;
	record->cookie = request->cookie;
	record->time_ns = request->time_ns;
	record->weight = weight;
	record->cpu = request->cpu;
	record->lost = answer->walk ? 0 : 1 + answer->loss;
	record->word_bits = uw_abis[request->arch].word * BITS_PER_BYTE;
	skb_put(put->batch->skb, sizeof(*record));
}

u32 uw_record_answer(struct uw_batch *batch, const struct uw_session *session,
		     const struct uw_answer *answer, u32 nr, u32 weight)
{
	struct nlattr *records = batch->records;
	u32 length = batch->skb ? batch->skb->len : 0;
	struct uw_put put = { .batch = batch };
	u16 thread, last, stack = 0;

	thread = uw_put_thread(&put, session);
	last = batch->last_number;
	if (answer->walk)
		stack = uw_put_stack(&put, answer->walk, nr);
	uw_put_sample(&put, answer, thread, stack, weight);
	if (put.full && batch->skb) {
		skb_trim(batch->skb, length);
		batch->records = records;
	}
	if (put.full)
		return put.needed;
	if (batch->last_number != last)
		this_cpu_inc(session->sender.sent->stacks_told);
	else if (answer->walk)
		this_cpu_inc(session->sender.sent->stacks_known);
	return 0;
}

static void uw_record_file_fill(struct uwind_record_file *record, const struct uw_file *file,
				const struct uw_session *session, u64 pc)
{
	struct uwind_range mapping = {};

	uw_registry_mapping(file, pc, &mapping);
	record->file = file->number;
	if (!uw_tie_table(file))
		record->flags |= UWIND_FILE_NO_TABLE;
	if (file->vdso)
		record->flags |= UWIND_FILE_VDSO | (file->compat ? UWIND_FILE_COMPAT : 0);
	record->tgid = task_tgid_nr_ns(current, session->pid_ns);
	record->start = mapping.start;
	record->end = mapping.end;
	record->pgoff = mapping.offset;
	record->inode = file->id.inode;
	record->dev_major = MAJOR(file->id.dev);
	record->dev_minor = MINOR(file->id.dev);
	record->bytes = file->id.bytes;
	record->mtime_ns = file->id.mtime_ns;
}

u32 uw_record_file(struct uw_batch *batch, const struct uw_session *session,
		   const struct uw_file *file, u64 pc, const char *path)
{
	struct uw_put put = { .batch = batch };
	u32 path_bytes = path ? strlen(path) + 1 : 0;
	struct uwind_record_file *record =
		uw_put_record(&put, UWIND_RECORD_FILE, ALIGN(sizeof(*record) + path_bytes, 8));

	if (!record)
		return put.needed;
	uw_record_file_fill(record, file, session, pc);
	record->path_bytes = path_bytes;
	if (path)
		memcpy(record->path, path, path_bytes);
	skb_put(batch->skb, record->record.bytes);
	batch->has_files = true;
	return 0;
}
