// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The header of an SFrame section, and how much the section can hold.
 *
 * Only the header says how long a section is: segments are padded, and some
 * linkers put several sections one after the other, of which the first is read.
 */
#include "sframe_parts.h"

static int refuse(struct uw_sframe *sf, int err, u64 offset, const char *why)
{
	sf->reject.offset = offset;
	sf->reject.why = why;
	return err;
}

int uw_sframe_refuse(struct uw_sframe *sf, u64 offset, const char *why)
{
	return refuse(sf, -EBADMSG, offset, why);
}

/* Magic, version, flags. */
static int read_preamble(struct uw_sframe *sf, struct uw_bytes *cursor)
{
	u16 magic = uw_bytes_u16(cursor);
	u8 known = SFRAME_FLAG_SORTED;

	sf->version = uw_bytes_u8(cursor);
	sf->flags = uw_bytes_u8(cursor);
	if (magic == SFRAME_MAGIC_SWAPPED)
		return refuse(sf, -EPROTONOSUPPORT, 0, "section is big endian");
	if (magic != SFRAME_MAGIC)
		return uw_sframe_refuse(sf, 0, "no SFrame magic");
	if (sf->version < SFRAME_V1 || sf->version > SFRAME_V3)
		return refuse(sf, -EPROTONOSUPPORT, 2, "unknown version of SFrame");
	if (sf->version != SFRAME_V3)
		known |= SFRAME_FLAG_FRAME_POINTER;
	if (sf->version != SFRAME_V1)
		known |= SFRAME_FLAG_PCREL;
	if (sf->flags & ~known)
		return uw_sframe_refuse(sf, 3, "unknown flag");
	return 0;
}

static int read_arch(struct uw_sframe *sf, struct uw_bytes *cursor)
{
	u8 abi = uw_bytes_u8(cursor);
	u8 ours = sf->in.arch == UW_ARCH_ARM64 ? SFRAME_ABI_AARCH64_LE : SFRAME_ABI_AMD64_LE;

	sf->fixed_fp_off = (s8)uw_bytes_u8(cursor);
	sf->fixed_ra_off = (s8)uw_bytes_u8(cursor);
	if (abi != ours)
		return refuse(sf, -EPROTONOSUPPORT, 4, "section is for another architecture");
	if (abi == SFRAME_ABI_AMD64_LE && !sf->fixed_ra_off)
		return uw_sframe_refuse(sf, 6, "no fixed return address offset");
	return 0;
}

/* Where functions and rows are. Sums of a few u32 cannot overflow a u64. */
static int read_layout(struct uw_sframe *sf, struct uw_bytes *cursor)
{
	u64 header_end = SFRAME_HEADER_BYTES + (u64)uw_bytes_u8(cursor);
	u64 fde_end;

	sf->nr_fdes = uw_bytes_u32(cursor);
	sf->nr_fres = uw_bytes_u32(cursor);
	sf->fre_bytes = uw_bytes_u32(cursor);
	sf->fde_base = header_end + uw_bytes_u32(cursor);
	sf->fre_base = header_end + uw_bytes_u32(cursor);
	fde_end = sf->fde_base + (u64)sf->nr_fdes * uw_sframe_fde_bytes(sf);
	if (fde_end > sf->fre_base)
		return uw_sframe_refuse(sf, 20, "functions reach into the rows");
	if (sf->fre_base + sf->fre_bytes > sf->in.bytes)
		return uw_sframe_refuse(sf, 24, "rows reach past the end of the section");
	return 0;
}

static int count_rows(struct uw_sframe *sf)
{
	struct uw_sframe_fde fde;
	u64 nr_fres = 0;
	u32 i;
	int err;

	for (i = 0; i < sf->nr_fdes; i++) {
		err = uw_sframe_step(sf);
		if (!err)
			err = uw_sframe_fde_read(sf, i, &fde);
		if (err)
			return err;
		sf->max_rows += uw_sframe_fde_max_rows(&fde);
		nr_fres += fde.nr_fres;
		if (sf->max_rows > UW_MAX_ROWS)
			return refuse(sf, -E2BIG, fde.at, "more rows than a table may have");
	}
	/* Each row may be a rule; and NONE, OUTERMOST, SIGFRAME. */
	sf->max_rules = nr_fres + 3 < UW_MAX_RULES ? (u32)nr_fres + 3 : UW_MAX_RULES;
	return 0;
}

int uw_sframe_open(struct uw_sframe *sf, const struct uw_sframe_input *in)
{
	struct uw_bytes cursor = { .data = in->data, .end = in->bytes };
	int err;

	memset(sf, 0, sizeof(*sf));
	sf->in = *in;
	if (in->bytes < SFRAME_HEADER_BYTES)
		return uw_sframe_refuse(sf, 0, "section is shorter than its header");
	err = read_preamble(sf, &cursor);
	if (!err)
		err = read_arch(sf, &cursor);
	if (!err)
		err = read_layout(sf, &cursor);
	if (!err)
		err = count_rows(sf);
	return err;
}
