// SPDX-License-Identifier: GPL-2.0
// Spoils each field of a list of counters and of a filter, and asks for the errno that include/uapi/uwind_events.h promises. A
// list that is right gets as far as the reader, which is not there. counters_check [member]: what only a user without privilege is
// refused.
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "check.h"
#include "uwind.h"

#define BAD_POINTER 8

static int control;

/* The errno of starting with this list, or 0; *bad: the counter that it is about. */
static int start(struct uwind_counter *counters, uint32_t nr, uint32_t *bad)
{
	struct uwind_session_start arg = {
		.size = sizeof(arg),
		.flags = UWIND_SESSION_ALL | UWIND_SESSION_DISABLED,
		.event = UWIND_EVENT_LISTED,
		.counters = (uintptr_t)counters,
		.nr_counters = nr,
	};
	int err = ioctl(control, UWIND_IOC_SESSION_START, &arg) ? errno : 0;

	*bad = arg.bad_counter;
	return err;
}

/* Of two counters the second is spoilt, and it is the one that the error is about. */
#define SPOILT(rule, spoil, wanted)                                                             \
	do {                                                                                    \
		struct uwind_filter_step step = { .bytes = 4,                                   \
						  .if_true = UWIND_FILTER_TAKE,                 \
						  .if_false = UWIND_FILTER_LEAVE };             \
		struct uwind_counter list[2], *c = &list[1];                                    \
		uint32_t bad;                                                                   \
		for (int i_ = 0; i_ < 2; i_++)                                                  \
			list[i_] = (struct uwind_counter){ .size = sizeof(list[0]),             \
							   .type = PERF_TYPE_SOFTWARE,          \
							   .config = PERF_COUNT_SW_PAGE_FAULTS, \
							   .rate = 1 };                         \
		(void)step, (void)c;                                                            \
		spoil;                                                                          \
		int err = start(list, 2, &bad);                                                 \
		check(rule, err == (wanted) && (err == ENOTCONN || bad == 1), strerror(err));   \
	} while (0)

/* Members may count it so. */
#define FILTERED(change)                                                                       \
	(c->type = PERF_TYPE_TRACEPOINT, c->flags = UWIND_COUNTER_NO_KERNEL, c->nr_filter = 1, \
	 c->filter = (uintptr_t)&step, change)
#define CLOCK(rate_)  (c->config = PERF_COUNT_SW_CPU_CLOCK, c->rate = (rate_))
#define CYCLES(rate_) (c->type = PERF_TYPE_HARDWARE, c->config = PERF_COUNT_HW_CPU_CYCLES, c->rate = (rate_))

static void check_list(void)
{
	struct uwind_counter one = { .size = sizeof(one), .type = PERF_TYPE_SOFTWARE, .rate = 100000 };
	struct uwind_counter many[UWIND_MAX_COUNTERS + 1];
	uint32_t bad;

	for (uint32_t i = 0; i <= UWIND_MAX_COUNTERS; i++)
		many[i] = one;
	check("as many as there may be are not refused", start(many, UWIND_MAX_COUNTERS, &bad) == ENOTCONN, "refused");

	check("no counters are refused", start(&one, 0, &bad) == EINVAL, "accepted");
	check("too many are refused", start(many, UWIND_MAX_COUNTERS + 1, &bad) == EINVAL, "accepted");
	check("at a bad pointer they are refused", start((void *)BAD_POINTER, 1, &bad) == EFAULT, "accepted");
	one.size = 2;
	check("a size that is none is refused", start(&one, 1, &bad) == EINVAL, "accepted");
	one.size = 1u << 20;
	check("a size beyond a page is refused", start(&one, 1, &bad) == EINVAL, "accepted");
}

#define FUNCTIONS(nr) (c->type = UWIND_TYPE_FUNCTION, c->config = 0, c->config1 = BAD_POINTER, c->config2 = (nr))

static void check_counters(void)
{
	SPOILT("a list that is right is not", , ENOTCONN);
	SPOILT("another size than the first one's is refused", c->size--, EINVAL);
	SPOILT("unknown flags are refused", c->flags = 1u << 31, EINVAL);
	SPOILT("more precision than there is is refused", c->precise = 4, EINVAL);
	SPOILT("reserved bytes are refused", c->reserved[1] = 1, EINVAL);
	SPOILT("a period of 0 is refused", c->rate = 0, EINVAL);
	SPOILT("a period that is negative is refused", c->rate = 1ull << 63, EINVAL);
	SPOILT("a frequency of 0 is refused", (c->flags = UWIND_COUNTER_FREQUENCY, c->rate = 0), EINVAL);
	SPOILT("too high a frequency is refused", (c->flags = UWIND_COUNTER_FREQUENCY, c->rate = 100001), EINVAL);
	SPOILT("too short a period of a clock is refused", CLOCK(9999), EINVAL);
	SPOILT("too short a period of cycles is refused", CYCLES(9999), EINVAL);
	SPOILT("one that is long enough for everybody is not", CYCLES(500000), ENOTCONN);
}

static void check_filters(void)
{
	SPOILT("a filter that is right is not refused", FILTERED(step.value = 1), ENOTCONN);
	SPOILT("a filter of what is no tracepoint is refused", FILTERED(c->type = PERF_TYPE_SOFTWARE), EINVAL);
	SPOILT("too many steps are refused", FILTERED(c->nr_filter = UWIND_MAX_FILTER_STEPS + 1), EINVAL);
	SPOILT("steps at a bad pointer are refused", FILTERED(c->filter = BAD_POINTER), EFAULT);
	SPOILT("an unknown kind is refused", FILTERED(step.kind = UWIND_NR_FILTER_KINDS), EINVAL);
	SPOILT("a step back is refused", FILTERED(step.if_true = 0), EINVAL);
	SPOILT("a step beyond is refused", FILTERED(step.if_false = 1), EINVAL);
}

/* Where functions are is looked at when there is a reader. */
static void check_functions(void)
{
	SPOILT("functions that may be traced are not refused", FUNCTIONS(UWIND_MAX_FUNCTIONS), ENOTCONN);
	SPOILT("none are refused", FUNCTIONS(0), EINVAL);
	SPOILT("too many are refused", FUNCTIONS(UWIND_MAX_FUNCTIONS + 1), EINVAL);
	SPOILT("so many returns are not", (FUNCTIONS(UWIND_MAX_RETURNS), c->config = UWIND_CALL_RETURN), ENOTCONN);
	SPOILT("too many returns are", (FUNCTIONS(UWIND_MAX_RETURNS + 1), c->config = UWIND_CALL_RETURN), EINVAL);
	SPOILT("what is neither call nor return is refused", (FUNCTIONS(1), c->config = UWIND_CALL_RETURN << 1),
	       EINVAL);
	SPOILT("functions in user mode are refused", (FUNCTIONS(1), c->flags = UWIND_COUNTER_NO_KERNEL), EINVAL);
	SPOILT("a frequency of calls is refused", (FUNCTIONS(1), c->flags = UWIND_COUNTER_FREQUENCY), EINVAL);
	SPOILT("no calls between two are refused", (FUNCTIONS(1), c->rate = 0), EINVAL);
}

/* Where the user may not count in the kernel. */
static void check_member(void)
{
	SPOILT("a member counts their own page faults", , ENOTCONN);
	SPOILT("a member counts no tracepoint", c->type = PERF_TYPE_TRACEPOINT, EACCES);
	SPOILT("but one of user mode", (c->type = PERF_TYPE_TRACEPOINT, c->flags = UWIND_COUNTER_NO_KERNEL), ENOTCONN);
	SPOILT("a member traces no functions", FUNCTIONS(1), EACCES);
	SPOILT("a member's clock is slower", CLOCK(99999), EINVAL);
	SPOILT("a member's fastest clock is not refused", CLOCK(100000), ENOTCONN);
	SPOILT("a member's frequency is lower", (c->flags = UWIND_COUNTER_FREQUENCY, c->rate = 10001), EINVAL);
	SPOILT("a member's highest is not refused", (c->flags = UWIND_COUNTER_FREQUENCY, c->rate = 10000), ENOTCONN);
	SPOILT("a member's cycles are fewer", CYCLES(499999), EINVAL);
	SPOILT("a member's own types are as slow", (c->type = PERF_TYPE_MAX, c->rate = 499999), EINVAL);
}

int main(int argc, char **argv)
{
	control = open(UWIND_DEVICE, O_RDWR | O_CLOEXEC);
	check("the device opens", control >= 0, strerror(errno));
	check_list();
	check_counters();
	check_filters();
	if (argc > 1 && !strcmp(argv[1], "member"))
		check_member();
	else
		check_functions();
	close(control);
	return check_failures != 0;
}
