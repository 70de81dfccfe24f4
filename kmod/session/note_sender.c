// SPDX-License-Identifier: GPL-2.0
/*
 * Notes are sent by whoever answers a request on their CPU, a few at a time, and by a worker.
 *
 * A kernel stack is cut from its outer end, as stacks in user space are, so that those that
 * share outer frames share their records.
 */
#include "session/note_sender.h"
#include "core/frame_code.h"
#include "core/walk.h"
#include "session/batch.h"
#include "session/notes.h"
#include "session/record.h"

#define UW_KERNEL_PART 16u /* frames of one record: they lie on the sender's stack */

static_assert(UWIND_MAX_KERNEL_FRAMES / UW_KERNEL_PART < UWIND_MAX_PARTS);
static_assert(UW_KERNEL_PART <= UWIND_PART_FRAMES);

static void set_frame(struct uw_frame *frame, unsigned long address, bool innermost)
{
	*frame = (struct uw_frame){
		.pc = address,
		.offset = address,
		.stack_bytes = UW_STACK_BYTES_UNKNOWN,
		.method = innermost ? UWIND_METHOD_PC : UWIND_METHOD_KERNEL,
	};
}

static u16 send_part(struct uw_batch_writer *writer, const struct uw_note *note, u32 start, u32 nr, u16 below)
{
	u8 stop = note->nr_frames < UWIND_MAX_KERNEL_FRAMES ? UWIND_STOP_OUTERMOST : UWIND_STOP_DEPTH;
	struct uw_frame frames[UW_KERNEL_PART];
	struct uw_part_of_stack part = { .frames = frames, .nr = nr, .below = below, .stop = stop };
	u32 i;

	for (i = 0; i < nr; i++)
		set_frame(&frames[i], note->frames[start + i], start + i == 0);
	uw_batch_reserve(writer, UW_MOST_STACK_BYTES);
	return uw_batch_add_named(writer, uw_record_stack(writer->at, writer->room, &part));
}

/* Returns the number of the innermost part; 0: it has no frames. */
static u16 send_kernel_stack(struct uw_batch_writer *writer, const struct uw_note *note)
{
	u32 end = note->nr_frames, start;
	u16 below = 0;

	for (; end; end = start) {
		start = end > UW_KERNEL_PART ? end - UW_KERNEL_PART : 0;
		below = send_part(writer, note, start, end - start, below);
	}
	return below;
}

/* 0: it is in the message; else so many bytes are enough for it. */
static u32 send_records(struct uw_batch *batch, const struct uw_note *note)
{
	struct uw_batch_writer writer;
	u16 thread, stack;

	uw_batch_begin(&writer, batch);
	uw_batch_reserve(&writer, UW_MOST_THREAD_BYTES);
	thread = uw_batch_add_named(&writer, uw_record_thread(writer.at, writer.room, &note->thread));
	stack = send_kernel_stack(&writer, note);
	if (note->kind == UW_NOTE_OFF_CPU) {
		uw_batch_reserve(&writer, UW_MOST_OFF_CPU_BYTES);
		uw_batch_add(&writer, uw_record_off_cpu(writer.at, writer.room, note));
	} else if (note->kind == UW_NOTE_CALL) {
		uw_batch_reserve(&writer, UW_MOST_CALL_BYTES);
		uw_batch_add(&writer, uw_record_call(writer.at, writer.room, note));
	}
	uw_batch_reserve(&writer, UW_MOST_EVENT_BYTES);
	uw_batch_add(&writer, uw_record_event(writer.at, writer.room, note, thread, stack));
	return uw_batch_end(&writer);
}

static bool send_note(struct uw_batch *batch, const struct uw_note *note)
{
	u32 needed = send_records(batch, note);

	if (needed && !uw_batch_renew(batch, needed))
		needed = send_records(batch, note);
	if (needed)
		return false;
	batch->message.events++;
	return true;
}

u32 uw_notes_send(struct uw_ring *ring, struct uw_batch *batch, u32 most)
{
	const struct uw_note *note;
	u32 lost = 0;

	if (!uw_ring_take(ring))
		return 0;
	for (; most; most--) {
		note = uw_ring_first(ring);
		if (!note)
			break;
		lost += !send_note(batch, note);
		uw_ring_drop(ring);
	}
	uw_ring_give(ring);
	return lost;
}
