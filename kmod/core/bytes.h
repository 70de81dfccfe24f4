/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A bounds-checked cursor over little-endian bytes at any alignment.
 *
 * Reading past the end gives 0 and sets bad, which stays set: a parser may
 * read a whole structure and ask once.
 */
#ifndef UW_BYTES_H
#define UW_BYTES_H

#include "uw_port.h"

struct uw_bytes {
	const u8 *data;
	u64 pos;
	u64 end; /* first position that may not be read */
	bool bad;
};

/* count is 1 … 8. */
static inline u64 uw_bytes_uint(struct uw_bytes *bytes, u32 count)
{
	u64 value = 0;
	u32 i;

	if (bytes->pos > bytes->end || bytes->end - bytes->pos < count) {
		bytes->bad = true;
		return 0;
	}
	for (i = 0; i < count; i++)
		value |= (u64)bytes->data[bytes->pos + i] << (8 * i);
	bytes->pos += count;
	return value;
}

static inline u8 uw_bytes_u8(struct uw_bytes *bytes)
{
	return (u8)uw_bytes_uint(bytes, 1);
}

static inline u16 uw_bytes_u16(struct uw_bytes *bytes)
{
	return (u16)uw_bytes_uint(bytes, 2);
}

static inline u32 uw_bytes_u32(struct uw_bytes *bytes)
{
	return (u32)uw_bytes_uint(bytes, 4);
}

static inline u64 uw_bytes_u64(struct uw_bytes *bytes)
{
	return uw_bytes_uint(bytes, 8);
}

#endif
