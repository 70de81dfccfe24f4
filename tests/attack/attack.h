/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of this program share: a random source, the pools that calls draw from, the tally. */
#ifndef ATTACK_H
#define ATTACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "uwind.h"
#include "uwind_kstack.h"

/* One thread's random numbers. The same seed gives the same draws. */
struct dice {
	uint64_t state;
};

uint64_t roll(struct dice *dice);
/* 0 … sides - 1 */
static inline uint32_t pick(struct dice *dice, uint32_t sides)
{
	return roll(dice) % sides;
}
/* One time in n. */
static inline bool rarely(struct dice *dice, uint32_t n)
{
	return pick(dice, n) == 0;
}

/* --- the tally: shared by all processes ------------------------------------------------------ */

enum call {
	CALL_ABI,
	CALL_CREATE_ROWS,
	CALL_CREATE_SFRAME,
	CALL_CREATE_REMOTE,
	CALL_DESTROY,
	CALL_TIE,
	CALL_BIND,
	CALL_UNBIND,
	CALL_NEXT,
	CALL_STATS,
	CALL_START,
	CALL_ENABLE,
	CALL_ASK,
	CALL_SESSION_STATS,
	CALL_STOP,
	CALL_WATCH,
	CALL_KSTACK,
	CALL_SELF_ADD,
	CALL_SELF_REMOVE,
	CALL_SELF_NEXT,
	CALL_NUMBER,
	CALL_FILE,
	CALL_ATTACH,
	CALL_MESSAGE,
	CALL_READ,
	CALL_UNLOAD,
	NR_CALLS,
};

#define NR_ERRNOS 160

struct tally {
	uint64_t calls; /* made so far, by all */
	uint64_t goal;
	uint64_t results[NR_CALLS][NR_ERRNOS]; /* by errno; 0: it succeeded */
	uint64_t forbidden;                    /* successes of an ordinary user that must not be */
	uint32_t family;                       /* generic netlink's number of ours */
};

extern struct tally *tally;
/* This process holds no privilege: what needs one must fail. */
extern bool ordinary;
/* A descriptor of the privileged device that the ordinary process inherits. */
extern int inherited_control;

bool attack_is_over(void);
/* Count a call; result < 0: it failed with errno. */
void count(enum call call, long result);

/* --- chaos.c: memory, descriptors and processes that come and go ----------------------------- */

int chaos_start(uint64_t seed);
/* A pointer to bytes that a call can read: good most times, else one of a dozen bad kinds. */
void *any_pointer(struct dice *dice, const void *bytes, size_t nr);
/* Text that another thread maps and unmaps. */
uint64_t any_text(struct dice *dice);
int any_control(struct dice *dice);
int any_self(struct dice *dice);
int any_socket(struct dice *dice);
int any_pidfd(struct dice *dice);
int any_file(struct dice *dice);
/* Any descriptor at all, or none. */
int any_fd(struct dice *dice);
pid_t any_pid(struct dice *dice);

/* --- sections.c ------------------------------------------------------------------------------ */

struct section {
	const void *bytes;
	uint64_t nr_bytes;
	uint64_t address;
	uint64_t text_start, text_end;
};

/* The program's own .sframe. */
const struct section *own_section(void);
/* The own one with something spoilt, in the caller's room; often untouched. */
size_t any_section(struct dice *dice, void *room, size_t nr);
uint32_t any_rules(struct dice *dice, struct uwind_rule *rules, uint32_t max);
uint32_t any_rows(struct dice *dice, struct uwind_row *rows, uint32_t max, uint32_t nr_rules);

/* --- functions.c ----------------------------------------------------------------------------- */

/* While there is a privilege to read their addresses. */
void find_functions(void);
uint64_t any_function(struct dice *dice);
bool code_may_change(void);

/* --- calls.c, messages.c ---------------------------------------------------------------------- */

void any_ioctl(struct dice *dice);
void any_message(struct dice *dice);
int open_socket(struct dice *dice);

#endif
