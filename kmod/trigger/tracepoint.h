/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints of the kernel by name: those that it does not export.
 */
#ifndef UW_TRACEPOINT_H
#define UW_TRACEPOINT_H

struct tracepoint;

/* NULL: this kernel has none of that name. May sleep. */
struct tracepoint *uw_tracepoint_find(const char *name);

#endif
