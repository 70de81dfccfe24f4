// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Writing frames as uwind_words.h says. Callers mostly lie in a few files, near to
 * each other: what is written is where a frame differs from the last one in its file, and
 * once for a run of them what they have in common.
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
	u32 in_run;    /* frames of the run that the last frame is in; 0: it is in none */
	u32 run;       /* where that run's lead is in the code */
	u32 reach;     /* of that run */
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

static __always_inline bool is_sized(const struct uw_frame *frame)
{
	return frame->stack_bytes != UW_STACK_BYTES_UNKNOWN;
}

/* Multiples of 4 are small. */
static __always_inline u32 stack_bytes_of(const struct uw_frame *frame)
{
	return frame->stack_bytes >> 2 | frame->stack_bytes << 30;
}

/* Any frame: at most UW_FRAME_CODE_BYTES. Returns the end of what it has written. */
static u8 *write_frame(struct writer *writer, u8 *at, const struct uw_frame *frame)
{
	bool in_lead = frame->method != UWIND_LEAD_RUN && frame->method < UWIND_LEAD_NEAR;
	u32 number = find_place(writer, frame);
	struct place *place = &writer->places[number];

	*at++ = (u8)((in_lead ? frame->method : UWIND_LEAD_METHOD) | number << UWIND_LEAD_PLACE_SHIFT |
		     (is_sized(frame) ? UWIND_LEAD_SIZED : 0));
	if (!in_lead)
		*at++ = frame->method;
	if (number == UWIND_PLACES) {
		at = write_new_place(writer, at, frame);
	} else {
		at = write_difference(at, frame->pc, place->pc);
		place->pc = frame->pc;
		writer->last = number;
	}
	writer->in_run = 0;
	return is_sized(frame) ? write_uint(at, stack_bytes_of(frame)) : at;
}

/* How far pc may be from the one before it in a run, and its lead. */
#define NEAR 0x80u
#define FAR  0x8000u

static __always_inline bool is_within(const struct uw_frame *frame, u32 reach)
{
	return frame->pc - frame[-1].pc + reach < 2 * reach;
}

/* Whether such a run may go on with frame: the one before it is in that place. */
static __always_inline bool is_alike(const struct place *place, const struct uw_frame *frame, u32 reach)
{
	return is_place(place, frame) && frame->method == frame[-1].method && is_within(frame, reach) &&
	       stack_bytes_of(frame) <= 0xff;
}

static __always_inline u8 *write_alike(u8 *at, const struct uw_frame *frame, u32 reach)
{
	u64 difference = frame->pc - frame[-1].pc;

	*at++ = (u8)difference;
	if (reach == FAR)
		*at++ = (u8)(difference >> 8);
	*at++ = (u8)stack_bytes_of(frame);
	return at;
}

static __always_inline u8 lead_of_run(u32 reach, u32 nr)
{
	return (u8)((nr - 1) << UWIND_LEAD_PLACE_SHIFT | (reach == NEAR ? UWIND_LEAD_NEAR : UWIND_LEAD_RUN));
}

/* One run, as far as there is surely room for it. Returns the first frame that is not in it. */
static __always_inline const struct uw_frame *write_run(const struct place *place, u8 **code, const u8 *last_room,
							const struct uw_frame *frame, const struct uw_frame *last,
							const u32 reach)
{
	const struct uw_frame *first = frame;
	u8 *lead = *code, *at = lead + 1;

	for (; frame < last && at <= last_room && is_alike(place, frame, reach); frame++)
		at = write_alike(at, frame, reach);
	if (frame > first) {
		*lead = lead_of_run(reach, (u32)(frame - first));
		*code = at;
	}
	return frame;
}

/* Runs of frames: up to the first that is in none, or for which there may be no room. Returns that one. */
static __always_inline const struct uw_frame *write_runs(struct writer *writer, u8 *code, u8 **end_of_code,
							 const u8 *last_room, const struct uw_frame *frame,
							 const struct uw_frame *end)
{
	const struct place place = writer->places[writer->last];
	const struct uw_frame *first, *last;
	u8 *at = *end_of_code, *lead;
	bool near;

	while (frame < end) {
		first = frame;
		lead = at;
		last = end - frame > UWIND_RUN_FRAMES ? frame + UWIND_RUN_FRAMES : end;
		near = is_within(frame, NEAR);
		frame = near ? write_run(&place, &at, last_room, frame, last, NEAR) :
			       write_run(&place, &at, last_room, frame, last, FAR);
		if (frame == first)
			break;
		writer->in_run = (u32)(frame - first);
		writer->run = (u32)(lead - code);
		writer->reach = near ? NEAR : FAR;
	}
	writer->places[writer->last].pc = frame[-1].pc;
	*end_of_code = at;
	return frame;
}

/* A frame that goes on the run that the one before it is in, or begins one. */
static u8 *write_in_run(struct writer *writer, u8 *at, u8 *code, u32 used, u32 room, const struct uw_frame *frame)
{
	if (writer->in_run % UWIND_RUN_FRAMES == 0 || !is_within(frame, writer->reach)) {
		writer->reach = is_within(frame, NEAR) ? NEAR : FAR;
		writer->run = used;
		writer->in_run = 0;
		*at++ = lead_of_run(writer->reach, 1);
	} else if (writer->run < room) {
		code[writer->run] = lead_of_run(writer->reach, writer->in_run + 1);
	}
	writer->in_run++;
	writer->places[writer->last].pc = frame->pc;
	return write_alike(at, frame, writer->reach);
}

/* Where there may be no room for it. Returns what is used then, or would be. */
static u32 write_last(struct writer *writer, u8 *code, u32 used, u32 room, const struct uw_frame *frame)
{
	u8 bytes[UW_FRAME_CODE_BYTES], *end;
	u32 nr;

	if (writer->nr_places && is_alike(&writer->places[writer->last], frame, FAR))
		end = write_in_run(writer, bytes, code, used, room, frame);
	else
		end = write_frame(writer, bytes, frame);
	nr = (u32)(end - bytes);
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
			frame = write_runs(&writer, code, &at, code + room - UW_FRAME_CODE_BYTES, frame, end);
		}
	for (used = (u32)(at - code); frame < end; frame++)
		used = write_last(&writer, code, used, room, frame);
	return used;
}
