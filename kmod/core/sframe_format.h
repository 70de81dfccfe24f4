/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * SFrame on disk. Section numbers are those of "The SFrame Format" (versions 1
 * to 3); structures are packed, little endian here, and read byte by byte.
 */
#ifndef UW_SFRAME_FORMAT_H
#define UW_SFRAME_FORMAT_H

/* clang-format off */

#define SFRAME_MAGIC         0xdee2
#define SFRAME_MAGIC_SWAPPED 0xe2de
#define SFRAME_V1            1
#define SFRAME_V2            2
#define SFRAME_V3            3

/*
 * Header ("SFrame Header"): u16 magic, u8 version, u8 flags, u8 abi_arch,
 * s8 cfa_fixed_fp_offset, s8 cfa_fixed_ra_offset, u8 auxhdr_len, u32 num_fdes,
 * u32 num_fres, u32 fre_len, u32 fdeoff, u32 freoff. The last two count from
 * the end of header and auxiliary header.
 */
#define SFRAME_HEADER_BYTES 28

#define SFRAME_FLAG_SORTED        0x1 /* by start; not relied on */
#define SFRAME_FLAG_FRAME_POINTER 0x2 /* V1, V2: all functions keep it */
#define SFRAME_FLAG_PCREL         0x4 /* starts count from their own field; */
				      /* V2 erratum 1, V3; else from section */

#define SFRAME_ABI_AARCH64_BE 1
#define SFRAME_ABI_AARCH64_LE 2
#define SFRAME_ABI_AMD64_LE   3

/*
 * Function descriptor ("SFrame FDE").
 *   V1, V2: s32 start, u32 size, u32 fre_off, u32 num_fres, u8 info;
 *           V2 adds u8 rep_size, u16 padding.
 *   V3:     s64 start, u32 size, u32 fre_off; and, in front of the function's
 *           FREs: u16 num_fres, u8 info, u8 info2, u8 rep_size.
 */
#define SFRAME_V1_FDE_BYTES  17
#define SFRAME_V2_FDE_BYTES  20
#define SFRAME_V3_FDE_BYTES  16
#define SFRAME_V3_ATTR_BYTES 5

#define SFRAME_FDE_FRE_TYPE(info) ((info) & 0xf) /* start: 1 << type bytes */
#define SFRAME_FDE_NR_FRE_TYPES   3
#define SFRAME_FDE_PCMASK(info)   ((info) >> 4 & 1)
#define SFRAME_FDE_SIGNAL(info)   ((info) >> 7 & 1) /* V3 */
#define SFRAME_FDE_TYPE(info2)    ((info2) & 0x1f)  /* V3 */
#define SFRAME_FDE_TYPE_DEFAULT   0
#define SFRAME_FDE_TYPE_FLEX      1

/* V1 has no rep_size; its only PCMASK functions are x86-64's PLT entries. */
#define SFRAME_V1_PLT_ENTRY_BYTES 16

/*
 * Frame row ("SFrame FRE"): start of 1, 2 or 4 bytes; u8 info; data words.
 * Bit 7 of info, "return address is signed", matters to nobody who strips
 * every return address.
 */
#define SFRAME_FRE_BASE_IS_SP(info) ((info) & 1)
#define SFRAME_FRE_NR_WORDS(info)   ((info) >> 1 & 0xf)
#define SFRAME_FRE_WORD_SIZE(info)  ((info) >> 5 & 3) /* 1 << this, bytes */
#define SFRAME_FRE_NR_WORD_SIZES    3
#define SFRAME_FRE_MAX_WORDS        6

/* Control words of a V3 flexible function ("Flexible FDE type"). */
#define SFRAME_CONTROL_REG(word)     ((word) & 1) /* else relative to the CFA */
#define SFRAME_CONTROL_DEREF(word)   ((word) >> 1 & 1)
#define SFRAME_CONTROL_REGNUM(word)  ((word) >> 3)

/* clang-format on */

#endif
