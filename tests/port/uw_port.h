/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The user-space side of the core's seam: memory is a slice, code is a list of
 * mappings, and any read can be made to fail.
 */
#ifndef UW_PORT_H
#define UW_PORT_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#define UW_PORT_INLINE static inline

/* Called in long loops with a running number: where the kernel may reschedule. */
UW_PORT_INLINE void uw_port_relax(u32 turn)
{
	(void)turn;
}

#endif
