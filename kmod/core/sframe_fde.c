// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Functions of an SFrame section: one structure for those of all versions.
 */
#include "sframe_parts.h"

static u64 position(const struct uw_sframe *sf, u32 i)
{
	return sf->fde_base + (u64)i * uw_sframe_fde_bytes(sf);
}

static struct uw_bytes cursor_at(const struct uw_sframe *sf, u64 pos, u64 end)
{
	struct uw_bytes cursor = { .data = sf->in.data, .pos = pos, .end = end };

	return cursor;
}

/* False if the sum leaves the address space. */
static bool add_signed(u64 base, s64 delta, u64 *sum)
{
	*sum = base + (u64)delta;
	return delta < 0 ? *sum < base : *sum >= base;
}

static int read_extent(struct uw_sframe *sf, struct uw_bytes *cursor, u64 *start, u32 *bytes)
{
	u64 at = cursor->pos;
	u64 base = sf->in.address;
	s64 delta;

	if (sf->version == SFRAME_V3)
		delta = (s64)uw_bytes_u64(cursor);
	else
		delta = (s32)uw_bytes_u32(cursor);
	*bytes = uw_bytes_u32(cursor);
	if ((sf->flags & SFRAME_FLAG_PCREL) && !add_signed(base, (s64)at, &base))
		return uw_sframe_refuse(sf, at, "section wraps around the address space");
	if (!add_signed(base, delta, start) || *start + *bytes < *start)
		return uw_sframe_refuse(sf, at, "function wraps around the address space");
	return 0;
}

int uw_sframe_fde_extent(struct uw_sframe *sf, u32 i, u64 *start, u32 *bytes)
{
	struct uw_bytes cursor = cursor_at(sf, position(sf, i), sf->fre_base);

	return read_extent(sf, &cursor, start, bytes);
}

/* V1 and V2: the attributes follow in place. */
static u8 read_attributes(struct uw_sframe *sf, struct uw_bytes *cursor, struct uw_sframe_fde *fde)
{
	u8 info;

	fde->nr_fres = uw_bytes_u32(cursor);
	info = uw_bytes_u8(cursor);
	if (sf->version != SFRAME_V1)
		fde->block_bytes = uw_bytes_u8(cursor);
	else if (sf->in.arch == UW_ARCH_X86_64)
		fde->block_bytes = SFRAME_V1_PLT_ENTRY_BYTES;
	return info;
}

/* V3: they are in front of the function's rows. */
static int read_attributes_v3(struct uw_sframe *sf, struct uw_sframe_fde *fde, u8 *info)
{
	struct uw_bytes cursor = cursor_at(sf, fde->fres, sf->fre_base + sf->fre_bytes);
	u8 type;

	fde->nr_fres = uw_bytes_u16(&cursor);
	*info = uw_bytes_u8(&cursor);
	type = SFRAME_FDE_TYPE(uw_bytes_u8(&cursor));
	fde->block_bytes = uw_bytes_u8(&cursor);
	if (cursor.bad)
		return uw_sframe_refuse(sf, fde->at, "function's attributes are outside the rows");
	if (type > SFRAME_FDE_TYPE_FLEX)
		return uw_sframe_refuse(sf, fde->fres + 3, "unknown type of function");
	fde->fres = cursor.pos;
	fde->flex = type == SFRAME_FDE_TYPE_FLEX;
	fde->signal = SFRAME_FDE_SIGNAL(*info);
	return 0;
}

static int check(struct uw_sframe *sf, struct uw_sframe_fde *fde, u8 info)
{
	u64 end = sf->fre_base + sf->fre_bytes;

	if (SFRAME_FDE_FRE_TYPE(info) >= SFRAME_FDE_NR_FRE_TYPES)
		return uw_sframe_refuse(sf, fde->at, "unknown width of row starts");
	fde->start_bytes = 1u << SFRAME_FDE_FRE_TYPE(info);
	if (fde->fres > end || (u64)fde->nr_fres * (fde->start_bytes + 1u) > end - fde->fres)
		return uw_sframe_refuse(sf, fde->at, "function's rows are outside the rows");
	if (!SFRAME_FDE_PCMASK(info))
		fde->block_bytes = 0;
	else if (!fde->block_bytes)
		return uw_sframe_refuse(sf, fde->at, "repeated block of 0 bytes");
	return 0;
}

int uw_sframe_fde_read(struct uw_sframe *sf, u32 i, struct uw_sframe_fde *fde)
{
	struct uw_bytes cursor = cursor_at(sf, position(sf, i), sf->fre_base);
	u8 info;
	int err;

	memset(fde, 0, sizeof(*fde));
	fde->at = cursor.pos;
	err = read_extent(sf, &cursor, &fde->start, &fde->bytes);
	if (err)
		return err;
	fde->fres = sf->fre_base + uw_bytes_u32(&cursor);
	if (sf->version == SFRAME_V3)
		err = read_attributes_v3(sf, fde, &info);
	else
		info = read_attributes(sf, &cursor, fde);
	return err ? err : check(sf, fde, info);
}

u64 uw_sframe_fde_max_rows(const struct uw_sframe_fde *fde)
{
	u64 blocks = 1;

	if (!fde->bytes)
		return 0;
	if (fde->block_bytes)
		blocks = ((u64)fde->bytes + fde->block_bytes - 1) / fde->block_bytes;
	/* A function without rows still makes one; and one ends it. */
	return blocks * fde->nr_fres + 2;
}
