/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Notes: what a session keeps of each time that one of its counters fires, until it is sent.
 *
 * A CPU has a ring of them. What fires there, in any context, an NMI too, takes room at its head, and
 * makes its note there. Whoever sends, one at a time for each ring, takes them from its tail.
 */
#ifndef UW_NOTES_H
#define UW_NOTES_H

#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "trigger/off_cpu.h"
#include "uwind.h"

struct cpumask;
struct pid_namespace;
struct work_struct;

#define UW_NOTES_BYTES 65536u /* of one ring; a power of two */

/* A thread as records name it. */
struct uw_thread {
	u64 start_time_ns; /* of its process; CLOCK_BOOTTIME */
	u64 exec_id;
	u32 tgid; /* in the PID namespace of the session's owner */
	u32 tid;
	char comm[TASK_COMM_LEN];
};

/* task is current, or cannot be reaped meanwhile. */
void uw_thread_set(struct uw_thread *thread, struct task_struct *task, struct pid_namespace *ns);

enum uw_note_kind { UW_NOTE_PLAIN, UW_NOTE_OFF_CPU, UW_NOTE_CALL };

/* Owned by who makes it, from uw_note_begin() to uw_note_end(); then by who takes it. */
struct uw_note {
	u32 bytes;     /* that it takes in the ring */
	u32 state;     /* Order: see notes.c */
	u64 cookie;    /* 0: none */
	u64 time_ns;   /* CLOCK_BOOTTIME */
	u64 period;    /* events that it stands for */
	u16 cpu;       /* that it happened on */
	u8 counter;    /* which one has fired, as in struct uwind_record_event */
	u8 lost;       /* the same */
	u32 nr_frames; /* of the kernel's stack */
	u32 kind;      /* enum uw_note_kind: which of these it has, if any */
	union {
		struct uw_off_cpu off_cpu;
		struct uwind_call call;
	};
	struct uw_thread thread;
	unsigned long frames[]; /* innermost first */
};

/* Of one CPU. Positions count bytes since the start. */
struct uw_ring {
	u32 head;             /* Written by: its CPU, in any context, by cmpxchg(). Read anywhere */
	u32 tail;             /* Written by: who has set busy. Read anywhere */
	unsigned long busy;   /* bit 0: somebody takes notes from it */
	u64 taken;            /* Each is written by its CPU, in any context, by this_cpu_inc(): notes that were begun */
	u64 refused;          /* and those for which there was no room */
	struct irq_work full; /* to have them sent soon. Order: set before the first note */
	struct uw_notes *of;  /* Set once */
	void *bytes;          /* owned; NULL: no note is made on this CPU */
};

/* Set by uw_notes_init(), constant until uw_notes_deinit(), but for the rings. */
struct uw_notes {
	struct uw_ring __percpu *rings; /* owned; NULL: not in use */
	struct work_struct *sends;      /* is queued when a ring is half full. Lifetime: longer than the notes' */
};

/* On these CPUs. -ENOMEM: uw_notes_deinit() is due all the same. May sleep. */
int uw_notes_init(struct uw_notes *notes, const struct cpumask *cpus, struct work_struct *sends);
/* Nothing fires any more. When it returns, sends is not queued any more. Does nothing without init. */
void uw_notes_stop(struct uw_notes *notes);
void uw_notes_deinit(struct uw_notes *notes);

/*
 * A note with room for so many frames, or NULL, which is counted. Not to be preempted until uw_note_end(), which may make
 * it shorter: nr_frames says by then how many there are.
 */
struct uw_note *uw_note_begin(struct uw_notes *notes, u32 frames);
void uw_note_end(struct uw_notes *notes, struct uw_note *note);

/* Takes notes from a CPU's ring, the oldest first. false: somebody else does. Task context. */
bool uw_ring_take(struct uw_ring *ring);
void uw_ring_give(struct uw_ring *ring);
/* Until uw_ring_drop(). NULL: there is none that is complete. */
const struct uw_note *uw_ring_first(struct uw_ring *ring);
void uw_ring_drop(struct uw_ring *ring);

/* Those that were made, and those that were not for want of room. */
void uw_notes_count(const struct uw_notes *notes, u64 *made, u64 *refused);

#endif
