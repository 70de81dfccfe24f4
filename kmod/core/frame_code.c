// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Writing frames as uwind_words.h says. Callers mostly lie in a few files, near to
 * each other: what is written is where a frame differs from the last one in its file.
 *
 * Bytes beyond the room are counted, not written, so one pass also says how much
 * room is needed.
 */
#include "frame_code.h"

/* Where a file was met: pc - bias is an offset in it. */
struct place {
	u64 bias;
	u64 pc; /* of the last frame there */
	u32 file;
};

struct writer {
	u8 *code;
	u32 room;
	u32 used;
	u32 nr_places; /* met so far; the last UWIND_PLACES are remembered */
	struct place places[UWIND_PLACES];
};

static void write_byte(struct writer *writer, u8 byte)
{
	if (writer->used < writer->room)
		writer->code[writer->used] = byte;
	writer->used++;
}

static void write_uint(struct writer *writer, u64 value)
{
	for (; value >= 0x80; value >>= 7)
		write_byte(writer, (u8)(value | 0x80));
	write_byte(writer, (u8)value);
}

/* Small either way: 0, -1, 1, -2 … become 0, 1, 2, 3 … */
static void write_difference(struct writer *writer, u64 now, u64 before)
{
	u64 difference = now - before;

	write_uint(writer, difference >> 63 ? ~(difference << 1) : difference << 1);
}

/* The number of the frame's place, or UWIND_PLACES. */
static u32 find_place(const struct writer *writer, const struct uw_frame *frame)
{
	u32 i;

	for (i = 0; i < UWIND_PLACES && i < writer->nr_places; i++)
		if (writer->places[i].file == frame->file && writer->places[i].bias == frame->pc - frame->offset)
			return i;
	return UWIND_PLACES;
}

static void write_new_place(struct writer *writer, const struct uw_frame *frame, u64 pc_before)
{
	struct place *place = &writer->places[writer->nr_places++ % UWIND_PLACES];

	write_uint(writer, frame->file);
	write_uint(writer, frame->offset);
	write_difference(writer, frame->pc, pc_before);
	place->file = frame->file;
	place->bias = frame->pc - frame->offset;
	place->pc = frame->pc;
}

static void write_frame(struct writer *writer, const struct uw_frame *frame, u64 pc_before)
{
	u32 method = frame->method < UWIND_LEAD_METHOD ? frame->method : UWIND_LEAD_METHOD;
	bool sized = frame->stack_bytes != UW_STACK_BYTES_UNKNOWN;
	u32 number = find_place(writer, frame);

	write_byte(writer, (u8)(method | number << UWIND_LEAD_PLACE_SHIFT | (sized ? UWIND_LEAD_SIZED : 0)));
	if (method == UWIND_LEAD_METHOD)
		write_byte(writer, frame->method);
	if (number == UWIND_PLACES) {
		write_new_place(writer, frame, pc_before);
	} else {
		write_difference(writer, frame->pc, writer->places[number].pc);
		writer->places[number].pc = frame->pc;
	}
	if (sized)
		write_uint(writer, frame->stack_bytes >> 2 | (frame->stack_bytes & 3) << 30);
}

u32 uw_frame_code_write(u8 *code, u32 room, const struct uw_frame *frames, u32 nr)
{
	struct writer writer = { 0 };
	u64 pc = 0;
	u32 i;

	writer.code = code;
	writer.room = room;
	for (i = 0; i < nr; i++) {
		write_frame(&writer, &frames[i], pc);
		pc = frames[i].pc;
	}
	return writer.used;
}
