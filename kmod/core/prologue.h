/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The ends of functions that have a frame pointer, but no table: code that a
 * program has made itself. Before the frame is set up, and once it is undone, the
 * frame pointer is the caller's, and to follow it would leave the caller out. The
 * instructions at an exact pc show which it is.
 */
#ifndef UW_PROLOGUE_H
#define UW_PROLOGUE_H

#include "types.h"

struct uw_port;

/*
 * The rule at pc. False: the code there says nothing, or cannot be read.
 */
bool uw_prologue_x86(struct uw_port *port, enum uw_arch arch, u64 pc, struct uw_rule *rule);
bool uw_prologue_arm64(struct uw_port *port, u64 pc, struct uw_rule *rule);

#endif
