// SPDX-License-Identifier: GPL-2.0
/*
 * A session's trigger has fired, in any context: a note is made of it, or none, and the stack in user
 * space is asked for, unless nobody wants it.
 */
#include <linux/ptrace.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>

#include "access/viewer.h"
#include "request/request.h"
#include "session/firing.h"
#include "session/session.h"
#include "trigger/kernel_stack.h"

/* What fires, whoever it is of. */
struct firing {
	struct task_struct *task; /* whose event it is: as in struct uw_firing */
	u8 counter;               /* as in struct uwind_record_event */
	struct pt_regs *regs;     /* NULL: not known */
	u64 period;
	bool asks;                        /* task has a stack in user space, and comes back to it */
	bool kernel_stack;                /* from regs, or that of a task that is off its CPU */
	const struct uw_off_cpu *off_cpu; /* NULL: it is another kind of event */
	const struct uwind_call *call;    /* the same */
};

/* -1, or the loss. */
static int request(const struct uw_session *session, const struct firing *firing, bool noted, u64 *cookie)
{
	if (firing->task == current)
		return uw_request_ask(session->slot, firing->regs, noted, cookie);
	return uw_request_ask_next(session->slot, firing->task, noted, cookie);
}

/* false: nothing is asked for, which is counted. */
static bool session_ask(struct uw_session *session, const struct firing *firing, struct uw_note *note, u64 *cookie)
{
	int loss;

	uw_stats_requested(session->counts, 1);
	loss = request(session, firing, note, cookie);
	if (loss >= 0)
		uw_stats_lost(session->counts, loss, 1);
	if (note && loss >= 0)
		note->lost = 1 + loss;
	else if (note)
		note->cookie = *cookie;
	return loss < 0;
}

/* Where a function has returned to is not in it any more, and yet its callers' stack is its own. */
static u32 kernel_stack_of_return(unsigned long *frames, const struct firing *firing)
{
	frames[0] = firing->call->function;
	return 1 + uw_kernel_stack(firing->regs, frames + 1, UWIND_MAX_KERNEL_FRAMES - 1);
}

static u32 kernel_stack(unsigned long *frames, const struct firing *firing)
{
	if (firing->call && (firing->call->flags & UWIND_CALL_RETURN))
		return kernel_stack_of_return(frames, firing);
	if (firing->task == current)
		return uw_kernel_stack(firing->regs, frames, UWIND_MAX_KERNEL_FRAMES);
	return uw_kernel_stack_asleep(firing->task, frames, UWIND_MAX_KERNEL_FRAMES);
}

static void note_set_kind(struct uw_note *note, const struct firing *firing)
{
	note->kind = UW_NOTE_PLAIN;
	if (firing->off_cpu) {
		note->kind = UW_NOTE_OFF_CPU;
		note->off_cpu = *firing->off_cpu;
	} else if (firing->call) {
		note->kind = UW_NOTE_CALL;
		note->call = *firing->call;
	}
}

static void note_fill(struct uw_note *note, const struct uw_session *session, const struct firing *firing)
{
	note->cookie = 0;
	note->lost = 0;
	note->time_ns = ktime_get_boot_fast_ns();
	note->period = firing->period;
	note->cpu = raw_smp_processor_id();
	note->counter = firing->counter;
	note_set_kind(note, firing);
	uw_thread_set(&note->thread, firing->task, session->sender.pid_ns);
	if (firing->kernel_stack)
		note->nr_frames = kernel_stack(note->frames, firing);
}

/* What interrupts this between the note and its end makes one of its own. false: no stack is asked for. */
static bool session_make_note(struct uw_session *session, const struct firing *firing, u64 *cookie)
{
	u32 frames = firing->kernel_stack ? UWIND_MAX_KERNEL_FRAMES + UW_KERNEL_STACK_SPARE : 0;
	struct uw_note *note = uw_note_begin(&session->sender.notes, frames);
	bool asked = false;

	if (note) {
		note_fill(note, session, firing);
		asked = firing->asks && session_ask(session, firing, note, cookie);
		uw_note_end(&session->sender.notes, note);
	} else if (firing->asks) {
		uw_stats_requested(session->counts, 1);
		uw_stats_lost(session->counts, UWIND_LOSS_OVERRUN, 1);
	}
	return asked;
}

/* A task that was reaped, and still runs, has no group leader any more. One that is not keeps it as long as this runs. */
static bool session_note(struct uw_session *session, const struct firing *firing, u64 *cookie)
{
	bool asked;

	preempt_disable_notrace();
	asked = pid_alive(firing->task) && session_make_note(session, firing, cookie);
	preempt_enable_notrace();
	return asked;
}

/* What its own answers do would be answered for ever: interrupts are not, but what happens in a task's context. */
static bool session_is_cause(const struct uw_session *session, const struct task_struct *task)
{
	if ((task == current && !in_task()) || !uw_request_is_answering(task))
		return false;
	uw_stats_own(session->counts);
	return true;
}

/* A kernel thread has no viewer but one with privilege, nor does a task that is off its CPU. */
static bool session_takes(const struct uw_session *session, struct task_struct *task)
{
	return !READ_ONCE(session->deserted) && uw_filter_takes_task(&session->filter, task) &&
	       uw_viewer_sees_current(session->viewer);
}

bool uw_session_trigger(struct uw_session *session, struct pt_regs *regs, u64 *cookie)
{
	const struct firing firing = { .task = current,
				       .counter = UWIND_EVENT_REQUESTED,
				       .regs = regs,
				       .period = 1,
				       .asks = uw_request_suits(current) };

	if (!firing.asks || !session_takes(session, current) || session_is_cause(session, current))
		return false;
	return session->listed ? session_note(session, &firing, cookie) : session_ask(session, &firing, NULL, cookie);
}

static const struct uw_event *event_of(const struct uw_trigger_owner *owner)
{
	return container_of(owner, struct uw_event, owner);
}

bool uw_session_takes(const struct uw_trigger_owner *owner, struct task_struct *task)
{
	const struct uw_session *session = event_of(owner)->session;

	return session_takes(session, task) && !session_is_cause(session, task);
}

/* Of a counter's, it has not been asked yet whether the session takes current; of the module's own triggers it has. */
static bool is_wanted(const struct uw_session *session, const struct firing *firing)
{
	if (firing->off_cpu || firing->call)
		return true;
	return (firing->asks || firing->kernel_stack) && session_takes(session, current) &&
	       !session_is_cause(session, current);
}

/* Nothing is asked of a thread that has not come back, was interrupted only, or wakes somebody as it answers. */
static bool can_be_asked(const struct uw_firing *fired)
{
	const struct uw_off_cpu *off_cpu = fired->off_cpu;

	if (!off_cpu)
		return true;
	return !(off_cpu->flags & (UWIND_OFF_CPU_STILL | UWIND_OFF_CPU_INTERRUPT)) &&
	       !uw_request_is_answering(fired->task);
}

void uw_session_fired(struct uw_trigger_owner *owner, const struct uw_firing *fired)
{
	const struct uw_event *event = event_of(owner);
	const struct firing firing = {
		.task = fired->task,
		.counter = event->number,
		.regs = fired->regs,
		.period = fired->period,
		.asks = uw_request_suits(fired->task) && can_be_asked(fired),
		.kernel_stack = event->kernel_stack && !(fired->regs && user_mode(fired->regs)),
		.off_cpu = fired->off_cpu,
		.call = fired->call,
	};
	u64 cookie;

	if (!is_wanted(event->session, &firing))
		return;
	if (event->unnoted && !firing.kernel_stack)
		session_ask(event->session, &firing, NULL, &cookie);
	else
		session_note(event->session, &firing, &cookie);
}
