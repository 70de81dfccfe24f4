// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Writing frames as uwind_words.h says. Callers mostly lie in a few files, near to
 * each other: what is written is where a frame differs from the last one in its file.
 *
 * A frame that may not fit is written beside the code, and what it would take is counted: so
 * one pass also says how much room is needed.
 */
#include "frame_code.h"

/* Where a file was met: pc - bias is an offset in it. */
struct place {
	u64 bias;
	u64 pc; /* of the last frame there */
	u32 file;
};

struct writer {
	u32 last;      /* the place of the last frame */
	u32 nr_places; /* met so far; the last UWIND_PLACES are remembered */
	struct place places[UWIND_PLACES];
};

static u8 *write_long(u8 *at, u64 value)
{
	for (; value >= 0x80; value >>= 7)
		*at++ = (u8)(value | 0x80);
	*at++ = (u8)value;
	return at;
}

/* Nearly all have one or two bytes. */
static __always_inline u8 *write_uint(u8 *at, u64 value)
{
	if (value >= 1u << 14)
		return write_long(at, value);
	at[0] = (u8)value;
	if (value < 1u << 7)
		return at + 1;
	at[0] |= 0x80;
	at[1] = (u8)(value >> 7);
	return at + 2;
}

/* Small either way: 0, -1, 1, -2 … become 0, 1, 2, 3 … */
static __always_inline u8 *write_difference(u8 *at, u64 now, u64 before)
{
	s64 difference = (s64)(now - before);

	return write_uint(at, (u64)difference << 1 ^ (u64)(difference >> 63));
}

static __always_inline bool is_place(const struct place *place, const struct uw_frame *frame)
{
	return place->bias == frame->pc - frame->offset && place->file == frame->file;
}

/* The frame's, if it is not the last one's; else UWIND_PLACES. */
static u32 find_place(const struct writer *writer, const struct uw_frame *frame)
{
	u32 i;

	for (i = 0; i < UWIND_PLACES && i < writer->nr_places; i++)
		if (is_place(&writer->places[i], frame))
			return i;
	return UWIND_PLACES;
}

static u8 *write_new_place(struct writer *writer, u8 *at, const struct uw_frame *frame)
{
	u64 pc = writer->nr_places ? writer->places[writer->last].pc : 0;
	struct place *place;

	writer->last = writer->nr_places++ % UWIND_PLACES;
	place = &writer->places[writer->last];
	at = write_uint(at, frame->file);
	at = write_uint(at, frame->offset);
	at = write_difference(at, frame->pc, pc);
	place->file = frame->file;
	place->bias = frame->pc - frame->offset;
	place->pc = frame->pc;
	return at;
}

static __always_inline u8 *write_lead(u8 *at, u32 lead, const struct uw_frame *frame)
{
	*at = (u8)(frame->stack_bytes == UW_STACK_BYTES_UNKNOWN ? lead : lead | UWIND_LEAD_SIZED);
	return at + 1;
}

static __always_inline u8 *write_stack_bytes(u8 *at, const struct uw_frame *frame)
{
	u32 bytes = frame->stack_bytes;

	return bytes == UW_STACK_BYTES_UNKNOWN ? at : write_uint(at, bytes >> 2 | bytes << 30);
}

/* Any frame: at most UW_FRAME_CODE_BYTES. Returns the end of what it has written. */
static u8 *write_frame(struct writer *writer, u8 *at, const struct uw_frame *frame)
{
	u32 method = frame->method < UWIND_LEAD_METHOD ? frame->method : UWIND_LEAD_METHOD;
	u32 number = find_place(writer, frame);
	struct place *place = &writer->places[number];

	at = write_lead(at, method | number << UWIND_LEAD_PLACE_SHIFT, frame);
	if (method == UWIND_LEAD_METHOD)
		*at++ = frame->method;
	if (number == UWIND_PLACES) {
		at = write_new_place(writer, at, frame);
	} else {
		at = write_difference(at, frame->pc, place->pc);
		place->pc = frame->pc;
		writer->last = number;
	}
	return write_stack_bytes(at, frame);
}

/*
 * The same for frames that are in the place of the last one, as most are: up to the first that is not, or for which there
 * may be no room. Returns that one.
 */
static __always_inline const struct uw_frame *write_alike(struct writer *writer, u8 **code, const u8 *last_room,
							  const struct uw_frame *frame, const struct uw_frame *end)
{
	struct place *place = &writer->places[writer->last];
	const struct place here = *place;
	const u32 lead = writer->last << UWIND_LEAD_PLACE_SHIFT;
	u64 pc = here.pc;
	u8 *at = *code;

	for (; frame < end && at <= last_room && is_place(&here, frame) && frame->method < UWIND_LEAD_METHOD; frame++) {
		at = write_lead(at, lead | frame->method, frame);
		at = write_difference(at, frame->pc, pc);
		at = write_stack_bytes(at, frame);
		pc = frame->pc;
	}
	place->pc = pc;
	*code = at;
	return frame;
}

/* Where there may be no room for it. Returns what is used then, or would be. */
static u32 write_last(struct writer *writer, u8 *code, u32 used, u32 room, const struct uw_frame *frame)
{
	u8 bytes[UW_FRAME_CODE_BYTES];
	u32 nr = (u32)(write_frame(writer, bytes, frame) - bytes);

	if (used + nr <= room)
		memcpy(code + used, bytes, nr);
	return used + nr;
}

u32 uw_frame_code_write(u8 *code, u32 room, const struct uw_frame *frames, u32 nr)
{
	const struct uw_frame *frame = frames, *end;
	struct writer writer UW_UNINITIALIZED;
	u8 *at = code;
	u32 used;

	if (!nr)
		return 0;
	end = frames + nr;
	writer.nr_places = 0;
	if (room >= UW_FRAME_CODE_BYTES)
		while (frame < end && at <= code + room - UW_FRAME_CODE_BYTES) {
			at = write_frame(&writer, at, frame++);
			frame = write_alike(&writer, &at, code + room - UW_FRAME_CODE_BYTES, frame, end);
		}
	for (used = (u32)(at - code); frame < end; frame++)
		used = write_last(&writer, code, used, room, frame);
	return used;
}
