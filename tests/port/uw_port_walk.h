/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a walk asks of the world, in user space: see walk.h for the contract.
 * A port is a list of code mappings with their tables and a list of memory
 * slices; read number fail_at (from 1) fails.
 */
#ifndef UW_PORT_WALK_H
#define UW_PORT_WALK_H

#include "table.h"
#include "uw_window.h"
#include "walk.h"

struct uw_port_code {
	u64 start, end;
	u64 offset;                   /* the table's offset of start */
	const struct uw_table *table; /* NULL: executable, no table */
	u32 file;
	u8 method;
};

struct uw_port_slice {
	u64 start;
	u64 bytes;
	const u8 *data;
};

struct uw_port {
	const struct uw_port_code *code;
	u32 nr_codes;
	const struct uw_port_slice *slices;
	u32 nr_slices;
	u8 word_bytes;   /* of the walk's ABI */
	u64 pac_mask;    /* bits that uw_port_strip() clears */
	u32 reads;       /* words asked for so far */
	u32 fail_at;     /* 0: never */
	int fail_with;   /* negative errno of that read */
	u64 trampoline;  /* the return address of frames whose return is watched */
	u64 watched;     /* what it stands for */
	u64 stack_start; /* memory below it may be another stack's */
	u32 rests;       /* how often the walk let others run */
	u32 killed_at;   /* that rest (from 1) finds a fatal signal; 0: none */
	u32 asked;       /* how often one of the functions below that may be refused was called */
	u32 busy_at;     /* that call (from 1) and all later ones are refused; 0: none */
	bool busy;
	u32 key;     /* uw_port_key() */
	u32 retired; /* number of the table that was, and where */
	u64 retired_at;
	u64 covered;           /* a bit for each code, of the first 64 */
	u32 looks;             /* how often uw_port_cover() was called */
	u32 busy_at_look;      /* that call (from 1) is refused, and all is busy; 0: none */
	struct uw_frame *more; /* room for a walk's most_frames; NULL: none */
	u64 absent;            /* the word there is read in a general step only; 0: none */
};

UW_PORT_INLINE bool uw_port_refuses(struct uw_port *port)
{
	port->asked++;
	if (port->asked == port->busy_at)
		port->busy = true;
	return port->busy;
}

UW_PORT_INLINE bool uw_port_busy(const struct uw_port *port)
{
	return port->busy;
}

UW_PORT_INLINE int uw_port_find(struct uw_port *port, u64 address, struct uw_found *found)
{
	const struct uw_rule *rule;
	u32 i;

	if (uw_port_refuses(port))
		return -EAGAIN;
	for (i = 0; i < port->nr_codes; i++) {
		const struct uw_port_code *code = &port->code[i];

		if (address < code->start || address >= code->end)
			continue;
		found->offset = address - code->start + code->offset;
		found->file = code->file;
		found->method = code->method;
		found->table = code->table ? i + 1 : 0;
		found->lasting = true;
		rule = code->table ? uw_table_find(code->table, found->offset) : NULL;
		if (!rule)
			return -ENOENT;
		found->rule = *rule;
		return 0;
	}
	return -EFAULT;
}

UW_PORT_INLINE int uw_port_word(struct uw_port *port, u64 address, u64 *word)
{
	u32 i;

	if (uw_port_refuses(port))
		return -EAGAIN;
	port->reads++;
	if (port->reads == port->fail_at)
		return port->fail_with;
	for (i = 0; i < port->nr_slices; i++) {
		const struct uw_port_slice *slice = &port->slices[i];

		if (address < slice->start || address - slice->start > slice->bytes ||
		    slice->bytes - (address - slice->start) < port->word_bytes)
			continue;
		*word = 0;
		memcpy(word, slice->data + (address - slice->start), port->word_bytes);
		return 0;
	}
	return -EFAULT;
}

UW_PORT_INLINE u32 uw_port_key(const struct uw_port *port)
{
	return port->key;
}

/* Of the code that a rule was found in, or that was looked at. */
UW_PORT_INLINE bool uw_port_covers(const struct uw_port *port, u64 address, struct uw_covered *covered)
{
	u32 i;

	for (i = 0; i < port->nr_codes && i < 64; i++) {
		if (address < port->code[i].start || address >= port->code[i].end)
			continue;
		covered->start = port->code[i].start;
		covered->bytes = port->code[i].end - port->code[i].start;
		return port->covered >> i & 1;
	}
	return false;
}

UW_PORT_INLINE bool uw_port_cover(struct uw_port *port, u64 address)
{
	struct uw_covered covered;
	u32 i;

	port->looks++;
	if (port->looks == port->busy_at_look) {
		port->busy = true;
		return false;
	}
	for (i = 0; i < port->nr_codes && i < 64; i++)
		if (address >= port->code[i].start && address < port->code[i].end)
			port->covered |= 1ull << i;
	return uw_port_covers(port, address, &covered);
}

/* The slice that sp lies in. What is to fail at a certain call does so in the general step. */
UW_PORT_INLINE bool uw_port_open(struct uw_port *port, u64 sp, struct uw_window *window)
{
	u32 i;

	if (port->fail_at || port->busy_at || port->trampoline)
		return false;
	for (i = 0; i < port->nr_slices; i++) {
		const struct uw_port_slice *slice = &port->slices[i];

		window->start = slice->start;
		window->places = slice->bytes < 8 ? 0 : slice->bytes - 7;
		window->absent = port->absent;
		window->data = slice->data;
		if (uw_window_has(window, sp))
			return true;
	}
	return false;
}

UW_PORT_INLINE void uw_port_close(struct uw_port *port)
{
	(void)port;
}

UW_PORT_INLINE int uw_port_rest(struct uw_port *port)
{
	port->rests++;
	return port->rests == port->killed_at ? -EINTR : 0;
}

UW_PORT_INLINE void uw_port_grow(struct uw_port *port, struct uw_walk *walk)
{
	if (!port->more)
		return;
	memcpy(port->more, walk->frames, walk->nr_frames * sizeof(*walk->frames));
	walk->frames = port->more;
	walk->max_frames = walk->most_frames;
}

UW_PORT_INLINE int uw_port_byte(const struct uw_port *port, u64 address, u8 *byte)
{
	u32 i;

	for (i = 0; i < port->nr_slices; i++) {
		const struct uw_port_slice *slice = &port->slices[i];

		if (address - slice->start >= slice->bytes)
			continue;
		*byte = slice->data[address - slice->start];
		return 0;
	}
	return -EFAULT;
}

UW_PORT_INLINE int uw_port_fetch(struct uw_port *port, u64 address, u8 code[UW_CODE_BYTES])
{
	u32 i;

	if (uw_port_refuses(port))
		return -EAGAIN;
	for (i = 0; i < UW_CODE_BYTES; i++)
		if (uw_port_byte(port, address + i, &code[i]))
			return -EFAULT;
	return 0;
}

UW_PORT_INLINE u64 uw_port_strip(struct uw_port *port, u64 address)
{
	return address & ~port->pac_mask;
}

UW_PORT_INLINE u64 uw_port_return(struct uw_port *port, u64 ra, u64 cfa)
{
	(void)cfa;
	return port->trampoline && ra == port->trampoline ? port->watched : ra;
}

UW_PORT_INLINE bool uw_port_other_stack(struct uw_port *port, u64 sp, u64 address)
{
	u64 word;

	(void)sp;
	return address < port->stack_start && !uw_port_word(port, address, &word);
}

UW_PORT_INLINE void uw_port_retire_corrupt(struct uw_port *port, u64 address, const struct uw_found *found)
{
	port->retired = found->table;
	port->retired_at = address;
}

#endif
