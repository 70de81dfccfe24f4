/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a walk asks of the world, of another process: see core/walk.h for the
 * contract. target.cpp implements it.
 */
#ifndef UW_PORT_WALK_H
#define UW_PORT_WALK_H

#include "uw_window.h"
#include "walk.h"

struct uw_port; /* one Target */

int uw_target_find(struct uw_port *port, u64 address, struct uw_found *found);
int uw_target_word(struct uw_port *port, u64 address, u64 *word);
int uw_target_fetch(struct uw_port *port, u64 address, u8 code[UW_CODE_BYTES]);
u64 uw_target_strip(struct uw_port *port, u64 address);

UW_PORT_INLINE int uw_port_find(struct uw_port *port, u64 address, struct uw_found *found)
{
	return uw_target_find(port, address, found);
}

UW_PORT_INLINE int uw_port_word(struct uw_port *port, u64 address, u64 *word)
{
	return uw_target_word(port, address, word);
}

UW_PORT_INLINE int uw_port_fetch(struct uw_port *port, u64 address, u8 code[UW_CODE_BYTES])
{
	return uw_target_fetch(port, address, code);
}

/* Each stop is walked once, so nothing is remembered. */
UW_PORT_INLINE u32 uw_port_key(const struct uw_port *port)
{
	(void)port;
	return 0;
}

UW_PORT_INLINE bool uw_port_covers(const struct uw_port *port, u64 address, struct uw_covered *covered)
{
	(void)port;
	(void)address;
	(void)covered;
	return false;
}

UW_PORT_INLINE bool uw_port_cover(struct uw_port *port, u64 address)
{
	(void)port;
	(void)address;
	return false;
}

UW_PORT_INLINE bool uw_port_open(struct uw_port *port, u64 sp, struct uw_window *window)
{
	(void)port;
	(void)sp;
	memset(window, 0, sizeof(*window));
	return false;
}

UW_PORT_INLINE void uw_port_close(struct uw_port *port)
{
	(void)port;
}

UW_PORT_INLINE u64 uw_port_strip(struct uw_port *port, u64 address)
{
	return uw_target_strip(port, address);
}

/* Nobody watches returns there. */
UW_PORT_INLINE u64 uw_port_return(struct uw_port *port, u64 ra, u64 cfa)
{
	(void)port;
	(void)cfa;
	return ra;
}

/* Their programs stay on one stack but for signals. */
UW_PORT_INLINE int uw_port_rest(struct uw_port *port)
{
	(void)port;
	return 0;
}

UW_PORT_INLINE void uw_port_grow(struct uw_port *port, struct uw_walk *walk)
{
	(void)port;
	(void)walk;
}

/* They are stopped while they are walked. */
UW_PORT_INLINE bool uw_port_busy(const struct uw_port *port)
{
	(void)port;
	return false;
}

UW_PORT_INLINE bool uw_port_other_stack(struct uw_port *port, u64 sp, u64 address)
{
	(void)port;
	(void)sp;
	(void)address;
	return false;
}

/* The stop says it: their tables are nobody else's. */
UW_PORT_INLINE void uw_port_retire_corrupt(struct uw_port *port, u64 address, const struct uw_found *found)
{
	(void)port;
	(void)address;
	(void)found;
}

#endif
