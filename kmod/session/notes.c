// SPDX-License-Identifier: GPL-2.0
/*
 * A ring for each CPU, without a lock.
 *
 * Only its CPU adds to a ring. What interrupts the making of a note makes its own after it,
 * and is done with it first. So room is taken by a cmpxchg() of the head, and a note has a
 * state, which says whether it is complete: whoever takes notes stops at the first that is not.
 * He leaves zeros, so that the room says so when it is used again.
 *
 * A note lies in one piece. Where the end of the ring comes first, a gap goes before it.
 */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "session/notes.h"
#include "session/outbox.h"

enum { UW_NOTE_OPEN, UW_NOTE_COMPLETE, UW_NOTE_GAP };

/* What a gap has of a note, and all notes begin with. */
struct uw_note_head {
	u32 bytes;
	u32 state;
};

static_assert(offsetof(struct uw_note, state) == offsetof(struct uw_note_head, state));
static_assert((UW_NOTES_BYTES & (UW_NOTES_BYTES - 1)) == 0);
static_assert(sizeof(struct uw_note) % sizeof(struct uw_note_head) == 0);

void uw_thread_set(struct uw_thread *thread, struct task_struct *task, struct pid_namespace *ns)
{
	thread->start_time_ns = task->group_leader->start_boottime;
	thread->exec_id = task->self_exec_id;
	thread->tgid = task_tgid_nr_ns(task, ns);
	thread->tid = task_pid_nr_ns(task, ns);
	memcpy(thread->comm, task->comm, TASK_COMM_LEN);
}

static void *ring_at(const struct uw_ring *ring, u32 position)
{
	return ring->bytes + (position & (UW_NOTES_BYTES - 1));
}

static u32 note_bytes(u32 frames)
{
	return ALIGN(sizeof(struct uw_note) + frames * sizeof(unsigned long), sizeof(struct uw_note_head));
}

/* What is left before the end, if bytes do not fit there. */
static u32 gap_before(u32 position, u32 bytes)
{
	u32 left = UW_NOTES_BYTES - (position & (UW_NOTES_BYTES - 1));

	return left < bytes ? left : 0;
}

static struct uw_note *ring_reserve(struct uw_ring *ring, u32 bytes)
{
	u32 head, tail, gap;
	struct uw_note_head *hole;

	do {
		/* Pairs with uw_ring_drop(): what it has left is zeros. Before head, so that it is not beyond. */
		tail = smp_load_acquire(&ring->tail);
		head = READ_ONCE(ring->head);
		gap = gap_before(head, bytes);
		if (head + gap + bytes - tail > UW_NOTES_BYTES)
			return NULL;
	} while (cmpxchg_local(&ring->head, head, head + gap + bytes) != head);
	if (gap) {
		hole = ring_at(ring, head);
		hole->bytes = gap;
		smp_store_release(&hole->state, UW_NOTE_GAP);
	}
	return ring_at(ring, head + gap);
}

struct uw_note *uw_note_begin(struct uw_notes *notes, u32 frames)
{
	struct uw_ring *ring = this_cpu_ptr(notes->rings);
	struct uw_note *note = ring->bytes ? ring_reserve(ring, note_bytes(frames)) : NULL;

	if (!note) {
		this_cpu_inc(notes->rings->refused);
		return NULL;
	}
	this_cpu_inc(notes->rings->taken);
	note->bytes = note_bytes(frames);
	note->nr_frames = 0;
	return note;
}

/* Give room back, which is zeros, unless something else is after it already. */
static void ring_shorten(struct uw_ring *ring, struct uw_note *note, u32 bytes)
{
	u32 head = READ_ONCE(ring->head);

	if (ring_at(ring, head - note->bytes) != note)
		return;
	if (cmpxchg_local(&ring->head, head, head - note->bytes + bytes) == head)
		note->bytes = bytes;
}

void uw_note_end(struct uw_notes *notes, struct uw_note *note)
{
	struct uw_ring *ring = this_cpu_ptr(notes->rings);
	u32 bytes = note_bytes(note->nr_frames);

	if (bytes < note->bytes)
		ring_shorten(ring, note, bytes);
	smp_store_release(&note->state, UW_NOTE_COMPLETE);
	if (READ_ONCE(ring->head) - READ_ONCE(ring->tail) > UW_NOTES_BYTES / 2)
		irq_work_queue(&ring->full);
}

bool uw_ring_take(struct uw_ring *ring)
{
	return ring->bytes && READ_ONCE(ring->head) != READ_ONCE(ring->tail) && !test_and_set_bit_lock(0, &ring->busy);
}

void uw_ring_give(struct uw_ring *ring)
{
	clear_bit_unlock(0, &ring->busy);
}

const struct uw_note *uw_ring_first(struct uw_ring *ring)
{
	const struct uw_note_head *head;
	u32 state;

	do {
		if (READ_ONCE(ring->head) == ring->tail)
			return NULL;
		head = ring_at(ring, ring->tail);
		state = smp_load_acquire(&head->state);
		if (state == UW_NOTE_GAP)
			uw_ring_drop(ring);
	} while (state == UW_NOTE_GAP);
	return state == UW_NOTE_COMPLETE ? (const struct uw_note *)head : NULL;
}

void uw_ring_drop(struct uw_ring *ring)
{
	struct uw_note_head *head = ring_at(ring, ring->tail);
	u32 bytes = head->bytes;

	memset(head, 0, bytes);
	smp_store_release(&ring->tail, ring->tail + bytes);
}

/* Interrupt, or task. */
static void ring_is_full(struct irq_work *work)
{
	struct uw_ring *ring = container_of(work, struct uw_ring, full);

	uw_outbox_run(ring->of->sends);
}

int uw_notes_init(struct uw_notes *notes, const struct cpumask *cpus, struct work_struct *sends)
{
	unsigned int cpu;

	might_sleep();
	notes->sends = sends;
	notes->rings = alloc_percpu(struct uw_ring);
	if (!notes->rings)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct uw_ring *ring = per_cpu_ptr(notes->rings, cpu);

		init_irq_work(&ring->full, ring_is_full);
		ring->of = notes;
		if (!cpumask_test_cpu(cpu, cpus))
			continue;
		ring->bytes = kvzalloc_node(UW_NOTES_BYTES, GFP_KERNEL_ACCOUNT, cpu_to_node(cpu));
		if (!ring->bytes)
			return -ENOMEM;
	}
	return 0;
}

void uw_notes_stop(struct uw_notes *notes)
{
	unsigned int cpu;

	might_sleep();
	if (!notes->rings)
		return;
	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(notes->rings, cpu)->full);
	cancel_work_sync(notes->sends);
}

void uw_notes_deinit(struct uw_notes *notes)
{
	unsigned int cpu;

	if (!notes->rings)
		return;
	for_each_possible_cpu(cpu)
		kvfree(per_cpu_ptr(notes->rings, cpu)->bytes);
	free_percpu(notes->rings);
	notes->rings = NULL;
}

void uw_notes_count(const struct uw_notes *notes, u64 *made, u64 *refused)
{
	unsigned int cpu;

	*made = *refused = 0;
	if (!notes->rings)
		return;
	for_each_possible_cpu(cpu) {
		*made += READ_ONCE(per_cpu_ptr(notes->rings, cpu)->taken);
		*refused += READ_ONCE(per_cpu_ptr(notes->rings, cpu)->refused);
	}
}
