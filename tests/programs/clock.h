/* SPDX-License-Identifier: GPL-2.0 */
/* Milliseconds since boot, for programs that wait. */
#ifndef CLOCK_H
#define CLOCK_H

#include <time.h>

static inline long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

#endif
