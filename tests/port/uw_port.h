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
#define UW_UNINITIALIZED

#define UW_PAUSE_TURNS 1024u /* of a long loop, between two looks at the world */

/* What a test may define: it counts the pauses, and can end a loop there by an error. */
#ifdef __cplusplus
extern "C"
#endif
	int
	uw_test_pause(void) __attribute__((weak));

/* Called in long loops with a running number: where the kernel reschedules. 0, or an error: give up. */
UW_PORT_INLINE int uw_port_pause(u32 turn)
{
	return turn % UW_PAUSE_TURNS || !uw_test_pause ? 0 : uw_test_pause();
}

#endif
