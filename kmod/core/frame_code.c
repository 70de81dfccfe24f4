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
	u64 pc;        /* of the last frame */
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

/* Nearly all have one, two or three bytes. */
static __always_inline u8 *write_uint(u8 *at, u64 value)
{
	if (value >= 1u << 21)
		return write_long(at, value);
	at[0] = (u8)value;
	if (value < 1u << 7)
		return at + 1;
	at[0] |= 0x80;
	at[1] = (u8)(value >> 7);
	if (value < 1u << 14)
		return at + 2;
	at[1] |= 0x80;
	at[2] = (u8)(value >> 14);
	return at + 3;
}

/* Small either way: 0, -1, 1, -2 … become 0, 1, 2, 3 … */
static __always_inline u8 *write_difference(u8 *at, u64 now, u64 before)
{
	s64 difference = (s64)(now - before);

	return write_uint(at, (u64)difference << 1 ^ (u64)(difference >> 63));
}

static __always_inline bool is_place(const struct place *place, const struct uw_frame *frame)
{
	return place->file == frame->file && place->bias == frame->pc - frame->offset;
}

/* The number of the frame's place, mostly that of the last one, or UWIND_PLACES. */
static __always_inline u32 find_place(const struct writer *writer, const struct uw_frame *frame)
{
	u32 i;

	if (writer->nr_places && is_place(&writer->places[writer->last], frame))
		return writer->last;
	for (i = 0; i < UWIND_PLACES && i < writer->nr_places; i++)
		if (is_place(&writer->places[i], frame))
			return i;
	return UWIND_PLACES;
}

static u8 *write_new_place(struct writer *writer, u8 *at, const struct uw_frame *frame)
{
	struct place *place;

	writer->last = writer->nr_places++ % UWIND_PLACES;
	place = &writer->places[writer->last];
	at = write_uint(at, frame->file);
	at = write_uint(at, frame->offset);
	at = write_difference(at, frame->pc, writer->pc);
	place->file = frame->file;
	place->bias = frame->pc - frame->offset;
	place->pc = frame->pc;
	return at;
}

static __always_inline u8 *write_place(struct writer *writer, u8 *at, const struct uw_frame *frame, u32 number)
{
	if (number == UWIND_PLACES)
		return write_new_place(writer, at, frame);
	at = write_difference(at, frame->pc, writer->places[number].pc);
	writer->places[number].pc = frame->pc;
	writer->last = number;
	return at;
}

/* At most UW_FRAME_CODE_BYTES. Returns the end of what it has written. */
static __always_inline u8 *write_frame(struct writer *writer, u8 *at, const struct uw_frame *frame)
{
	u32 method = frame->method < UWIND_LEAD_METHOD ? frame->method : UWIND_LEAD_METHOD;
	bool sized = frame->stack_bytes != UW_STACK_BYTES_UNKNOWN;
	u32 number = find_place(writer, frame);

	*at++ = (u8)(method | number << UWIND_LEAD_PLACE_SHIFT | (sized ? UWIND_LEAD_SIZED : 0));
	if (method == UWIND_LEAD_METHOD)
		*at++ = frame->method;
	at = write_place(writer, at, frame, number);
	writer->pc = frame->pc;
	return sized ? write_uint(at, frame->stack_bytes >> 2 | (frame->stack_bytes & 3) << 30) : at;
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
	struct writer writer = { 0 };
	u32 i, used = 0;

	for (i = 0; i < nr && used + UW_FRAME_CODE_BYTES <= room; i++)
		used = (u32)(write_frame(&writer, code + used, &frames[i]) - code);
	for (; i < nr; i++)
		used = write_last(&writer, code, used, room, &frames[i]);
	return used;
}
