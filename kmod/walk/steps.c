// SPDX-License-Identifier: GPL-2.0
/*
 * Remembered steps belong to a CPU, and a walk takes them out of their place, as it may
 * sleep, or be preempted for long. One that finds the place empty goes without.
 *
 * A step is remembered under a key that says for which state of the world it is true: the
 * space, which number is never used again; how often what is mapped and what is bound in it
 * has changed; how often any table was tied to a file or went. The last keys of a CPU are
 * kept with their states. A counter moves after a change, so that nothing old is
 * remembered under a new key; and that of mapped ranges before one, too, so that who has found
 * a range finds it moved.
 *
 * A CPU also has the trails (core/trail.h) of the threads that it walked last. To keep one costs more than half of what
 * a step by the cache does, for each frame that was not on it. So a thread whose stacks have little in common goes
 * without, and now and then one of its walks tries again.
 *
 * Whether a mapping is still what it was is not part of the key: each walk finds that out
 * for each mapping, once (lookup.c), and uses steps in those mappings only. Where the kernel counts the changes of a
 * memory map, the next walk on the CPU knows it if nothing has changed since.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "core/plain.h"
#include "core/trail.h"
#include "store/space.h"
#include "store/tie.h"
#include "uw_port_walk.h"
#include "walk/steps.h"

#define UW_STEP_STATES 16 /* of a CPU, remembered */
#define UW_TRAILS      8  /* of a CPU */
#define UW_TRAIL_TRIES 4  /* of a thread's walks in vain, and trails are of little use to it */

static bool step_cache = true;
module_param(step_cache, bool, 0644);
MODULE_PARM_DESC(step_cache, "Remember plain steps of earlier walks (default: true)");

static bool trails = true;
module_param(trails, bool, 0644);
MODULE_PARM_DESC(trails, "Go along what a walk of the thread has found before; needs step_cache (default: true)");

static unsigned char trail_pause = 7;
module_param(trail_pause, byte, 0644);
MODULE_PARM_DESC(trail_pause, "walks without a trail where trails are of little use (default: 7)");

/* What decides what is found at an address in a mapping that is true. */
struct uw_step_state {
	u64 space;
	u64 mapped;
	u64 bound;
	u64 ties;
	u32 arch;
	u32 key; /* 0: none */
};

/* Whose a trail is, and of what use. */
struct uw_trail_owner {
	pid_t pid;
	u8 tries; /* without success */
	u8 pause; /* so many walks are to go without */
};

/* Owned by the walk that took it. Lifetime: from uw_steps_prepare() to uw_steps_exit(). */
struct uw_steps {
	int cpu;      /* whose it is. Set once */
	u32 last_key; /* below 2^31 */
	struct uw_step_state states[UW_STEP_STATES];
	struct uw_coverage coverage;
	struct uw_plain plain[UW_PLAIN_SLOTS];
	struct uw_along along;
	u32 last_trail;               /* that was begun anew */
	struct uw_trail_owner *owner; /* of the trail that this walk has; NULL: it has none */
	struct uw_trail_owner owners[UW_TRAILS];
	struct uw_trail trails[UW_TRAILS];
};

/* Set once, by cmpxchg(). */
static DEFINE_PER_CPU(struct uw_steps *, steps_of);
/* A place is changed by xchg() and smp_store_release(), by any CPU; NULL: taken, or not made yet. */
static DEFINE_PER_CPU(struct uw_steps *, places);

static void steps_forget(struct uw_steps *steps)
{
	memset(steps->states, 0, sizeof(steps->states));
	memset(steps->plain, 0, sizeof(steps->plain));
	memset(steps->trails, 0, sizeof(steps->trails));
	steps->last_key = 0;
}

#define UW_SPARE_KEYS (1 << 20)

/* See docs/limits.md. */
static_assert(sizeof(struct uw_steps) <= 44 * 1024);

static u64 bound_changes(const struct uw_space *space)
{
	const struct uw_bound *bound = uw_space_bound(space);

	return bound ? uw_range_set_changes(&bound->set) : 0;
}

static struct uw_step_state state_now(const struct uw_port *port)
{
	return (struct uw_step_state){
		.space = port->space->number,
		.mapped = uw_range_set_changes(&port->space->mapped),
		.bound = bound_changes(port->space),
		.ties = uw_tie_changes(),
		.arch = port->arch,
	};
}

static bool states_equal(const struct uw_step_state *a, const struct uw_step_state *b)
{
	return a->space == b->space && a->mapped == b->mapped && a->bound == b->bound && a->ties == b->ties &&
	       a->arch == b->arch;
}

static u32 steps_key(struct uw_steps *steps, struct uw_step_state now)
{
	struct uw_step_state *state = &steps->states[now.space % UW_STEP_STATES];

	if (state->key && states_equal(state, &now))
		return state->key;
	now.key = ++steps->last_key;
	*state = now;
	return now.key;
}

static void steps_renew(struct uw_port *port)
{
	const struct uw_step_state now = state_now(port);

	port->mapped_changes = now.mapped;
	port->key = steps_key(port->steps, now);
}

static void steps_put_back(struct uw_steps *steps)
{
	smp_store_release(per_cpu_ptr(&places, steps->cpu), steps);
}

/* Ids of frames say nothing beside those of another CPU, or of another series. */
static void ids_renew(struct uw_steps *steps)
{
	steps->along.ids_of += NR_CPUS;
	steps->along.last_id = 0;
	memset(steps->trails, 0, sizeof(steps->trails));
}

static u32 trail_of_current(struct uw_steps *steps)
{
	u32 i;

	for (i = 0; i < UW_TRAILS; i++)
		if (steps->owners[i].pid == current->pid)
			return i;
	i = ++steps->last_trail % UW_TRAILS;
	steps->owners[i] = (struct uw_trail_owner){ .pid = current->pid };
	steps->trails[i].key = 0;
	return i;
}

/* NULL: trails are of no use to this thread, for the time being. */
static struct uw_along *along_of_current(struct uw_steps *steps)
{
	u32 i = trail_of_current(steps);

	if (steps->owners[i].pause) {
		steps->owners[i].pause--;
		return NULL;
	}
	steps->owner = &steps->owners[i];
	steps->along.trail = &steps->trails[i];
	return &steps->along;
}

/* A third of the frames has to be on the trail: one that is saves about twice what another one costs. */
static void owner_learn(struct uw_trail_owner *owner, const struct uw_along *along)
{
	if (along->on_trail && 3 * along->met_frame <= 2 * (along->end + 1))
		owner->tries = 0;
	else if (owner->tries < UW_TRAIL_TRIES)
		owner->tries++;
	else
		owner->pause = READ_ONCE(trail_pause);
}

void uw_coverage_begin(struct uw_coverage *coverage, const struct uw_port *port)
{
	memset(coverage, 0, sizeof(*coverage));
	coverage->space = port->space->number;
	coverage->epoch = port->epoch;
	coverage->arch = port->arch;
}

/* What the CPU's last walk has found, if that is the world of this one. */
static void coverage_take(struct uw_coverage *coverage, struct uw_port *port)
{
	port->coverage = coverage;
	if (coverage->space != port->space->number || coverage->epoch != port->epoch || coverage->arch != port->arch)
		uw_coverage_begin(coverage, port);
	port->readable_start = coverage->readable_start;
	port->readable_places = coverage->readable_places;
}

static void coverage_give(struct uw_port *port)
{
	port->coverage->readable_start = port->readable_start;
	port->coverage->readable_places = port->readable_places;
	port->coverage = NULL;
}

void uw_steps_take(struct uw_port *port, struct uw_walk *walk)
{
	struct uw_steps *steps = port->space && READ_ONCE(step_cache) ? xchg(raw_cpu_ptr(&places), NULL) : NULL;

	port->steps = steps;
	walk->plain = steps ? steps->plain : NULL;
	walk->along = NULL;
	if (!steps)
		return;
	/* Not later: frames of a walk may be on its trail only. No walk takes so many keys. */
	if (steps->last_key >= S32_MAX - UW_SPARE_KEYS)
		steps_forget(steps);
	if (steps->along.last_id >= U32_MAX - UW_TRAIL_STEPS)
		ids_renew(steps);
	steps->owner = NULL;
	if (READ_ONCE(trails))
		walk->along = along_of_current(steps);
	coverage_take(&steps->coverage, port);
	steps_renew(port);
}

void uw_steps_give(struct uw_port *port)
{
	struct uw_steps *steps = port->steps;

	if (!steps)
		return;
	if (steps->owner)
		owner_learn(steps->owner, &steps->along);
	coverage_give(port);
	steps_put_back(steps);
	port->steps = NULL;
}

void uw_steps_cover(struct uw_port *port, const struct uw_range *range)
{
	struct uw_coverage *coverage = port->coverage;
	struct uw_covered covered;

	if (!port->steps)
		return;
	if (!uw_port_covers(port, range->start, &covered))
		coverage->covered[coverage->nr++ % UW_COVERED] =
			(struct uw_covered){ .start = range->start, .bytes = range->end - range->start };
	if (unlikely(range->refused))
		coverage->space = 0; /* that holds for some time only */
	smp_rmb();                   /* the range before the counter: see above */
	if (uw_range_set_changes(&port->space->mapped) != port->mapped_changes)
		steps_renew(port);
}

/* Whole pages only: kmalloc() would take the next power of two. */
static struct uw_steps *steps_alloc(void)
{
	struct uw_steps *steps =
		alloc_pages_exact(sizeof(*steps), GFP_KERNEL | __GFP_ZERO | __GFP_NORETRY | __GFP_NOWARN);

	return steps ?: vzalloc(sizeof(*steps));
}

static void steps_free(struct uw_steps *steps)
{
	if (is_vmalloc_addr(steps))
		vfree(steps);
	else if (steps)
		free_pages_exact(steps, sizeof(*steps));
}

static int steps_create(int cpu)
{
	struct uw_steps *steps = steps_alloc();

	if (!steps)
		return -ENOMEM;
	steps->cpu = cpu;
	steps->along.ids_of = cpu + 1;
	if (cmpxchg(per_cpu_ptr(&steps_of, cpu), NULL, steps))
		steps_free(steps);
	else
		steps_put_back(steps);
	return 0;
}

int uw_steps_prepare(void)
{
	int cpu, err = 0;

	might_sleep();
	for_each_possible_cpu(cpu)
		if (!err && !READ_ONCE(*per_cpu_ptr(&steps_of, cpu)))
			err = steps_create(cpu);
	return err;
}

/* Nobody walks any more. */
void uw_steps_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		steps_free(per_cpu(steps_of, cpu));
}
