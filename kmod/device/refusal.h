/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel's log says of sections that are refused.
 */
#ifndef UW_REFUSAL_H
#define UW_REFUSAL_H

#include <linux/types.h>

struct uw_process;
struct uw_reject;

/*
 * A section at that address of a process (NULL: current) is refused. Names process,
 * file, byte and rule, ten times in five seconds at most. May sleep.
 */
void uw_refusal_report(const struct uw_process *process, u64 address, const struct uw_reject *reject);

#endif
