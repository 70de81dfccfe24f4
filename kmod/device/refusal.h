/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel's log says of sections that are refused.
 */
#ifndef UW_REFUSAL_H
#define UW_REFUSAL_H

struct uw_reject;
struct uw_section;

/* Names process, file, byte and rule, ten times in five seconds at most. May sleep. */
void uw_refusal_tell(const struct uw_section *section, const struct uw_reject *reject);

#endif
