// SPDX-License-Identifier: GPL-2.0
/*
 * Records of the contract, made where they will stay: after the end of a message.
 */
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "core/frame_code.h"
#include "request/request.h"
#include "session/notes.h"
#include "session/record.h"
#include "store/file_store.h"
#include "store/registry.h"
#include "store/tie.h"

static_assert(UWIND_PART_FRAMES <= U8_MAX);
static_assert(UW_MOST_STACK_BYTES < U16_MAX / 2);
static_assert(sizeof(struct uwind_record_file) + PATH_MAX < U16_MAX / 2);

/* Zeros for a record of that size, or NULL. Inline, as most sizes are constant, and some zeros are no call. */
static __always_inline void *record_begin(void *at, u32 room, u16 type, u32 bytes)
{
	struct uwind_record *record;

	if (room < bytes)
		return NULL;
	record = memset(at, 0, bytes);
	record->bytes = bytes;
	record->type = type;
	return record;
}

u32 uw_record_thread(void *at, u32 room, const struct uw_thread *thread)
{
	struct uwind_record_thread *record = record_begin(at, room, UWIND_RECORD_THREAD, sizeof(*record));

	if (!record)
		return sizeof(*record);
	record->start_time_ns = thread->start_time_ns;
	record->exec_id = thread->exec_id;
	record->tgid = thread->tgid;
	record->tid = thread->tid;
	strscpy(record->comm, thread->comm, TASK_COMM_LEN);
	return sizeof(*record);
}

u32 uw_record_stack(void *at, u32 room, const struct uw_part_of_stack *part)
{
	struct uwind_record_stack *record = room > sizeof(*record) ? at : NULL;
	u32 used, bytes;

	used = sizeof(*record) + uw_frame_code_write(record ? record->frames : NULL,
						     record ? room - sizeof(*record) : 0, part->frames, part->nr);
	bytes = ALIGN(used, 8);
	if (bytes > room)
		return bytes;
	memset((void *)record + used, 0, bytes - used);
	record->record.bytes = bytes;
	record->record.type = UWIND_RECORD_STACK;
	record->number = 0;
	record->below = part->below;
	record->nr_frames = part->nr;
	record->stop = part->below ? UWIND_STOP_NONE : part->stop;
	return bytes;
}

/* Page by page: how many bytes are there, a multiple of 8. */
static u32 copy_resident(void *to, unsigned long address, u32 bytes)
{
	u32 copied = 0, part, left = 0;

	if (!access_ok((const void __user *)address, bytes))
		return 0;
	pagefault_disable();
	while (copied < bytes && !left) {
		part = min_t(u32, bytes - copied, PAGE_SIZE - offset_in_page(address + copied));
		left = __copy_from_user_inatomic(to + copied, (const void __user *)(address + copied), part);
		copied += part - left;
	}
	pagefault_enable();
	return round_down(copied, 8);
}

static void record_unfinished_fill(struct uwind_record_unfinished *record, const struct uw_walk *walk)
{
	const struct uw_missed *missed = walk->missed;
	u32 reg, i = 0;

	record->nr_frames = missed->nr_frames;
	record->arch = walk->arch;
	record->flags =
		(missed->at.exact ? UWIND_UNFINISHED_EXACT : 0) | (missed->at.doubted ? UWIND_UNFINISHED_DOUBTED : 0) |
		(missed->at.aapcs ? UWIND_UNFINISHED_R11 : 0) | (missed->regs.thumb ? UWIND_UNFINISHED_THUMB : 0);
	record->file = missed->file;
	record->method = missed->at.method;
	record->signal_frames = missed->at.signal_frames;
	record->pc = missed->regs.pc;
	record->known = missed->regs.known;
	record->on_stack = missed->regs.on_stack;
	for (reg = 0; reg < UW_NR_REGS; reg++)
		if (missed->regs.known >> reg & 1)
			record->values[i++] = missed->regs.r[reg];
}

u32 uw_record_unfinished(void *at, u32 room, const struct uw_walk *walk, u32 stack_bytes)
{
	const struct uw_regs *regs = &walk->missed->regs;
	u32 bytes = sizeof(struct uwind_record_unfinished) + hweight32(regs->known) * sizeof(u64);
	struct uwind_record_unfinished *record;

	if (room < bytes + stack_bytes)
		return bytes + stack_bytes;
	record = record_begin(at, room, UWIND_RECORD_UNFINISHED, bytes);
	record_unfinished_fill(record, walk);
	record->stack_bytes = copy_resident(at + bytes, regs->r[uw_arch_sp(walk->arch)],
					    min_t(u64, stack_bytes, walk->missed->readable));
	record->record.bytes = bytes + record->stack_bytes;
	return record->record.bytes;
}

static u8 word_bits_of(const struct uw_answer *answer)
{
	return uw_abis[answer->request->arch].word * BITS_PER_BYTE;
}

void uw_sampled_set(struct uw_sampled *sampled, const struct uw_answer *answer)
{
	sampled->cookie = answer->request->cookie;
	sampled->time_ns = answer->request->time_ns;
	sampled->cpu = answer->request->cpu;
	sampled->word_bits = word_bits_of(answer);
}

/* Whether the last sample says the rest. */
static bool is_next(const struct uw_answer *answer, const struct uw_sample_of *of, const struct uw_sampled *last)
{
	const struct uw_request *request = answer->request;

	return answer->walk && of->weight == 1 && !of->events && request->cookie - last->cookie <= U32_MAX &&
	       request->time_ns - last->time_ns <= U32_MAX && request->cpu == last->cpu &&
	       word_bits_of(answer) == last->word_bits;
}

/* Room is needed for it. */
static u32 record_next(void *at, const struct uw_request *request, const struct uw_sample_of *of,
		       const struct uw_sampled *last)
{
	struct uwind_record_next *record = record_begin(at, sizeof(*record), UWIND_RECORD_NEXT, sizeof(*record));

	record->thread = of->thread;
	record->stack = of->stack;
	record->cookie = request->cookie - last->cookie;
	record->time_ns = request->time_ns - last->time_ns;
	return sizeof(*record);
}

u32 uw_record_sample(void *at, u32 room, const struct uw_answer *answer, const struct uw_sample_of *of,
		     const struct uw_sampled *last)
{
	const struct uw_request *request = answer->request;
	u32 bytes = sizeof(struct uwind_record_sample) + (of->events ? sizeof(u64) : 0);
	struct uwind_record_sample *record;

	/* Without room for it, it will be the first of a new message. */
	if (room >= sizeof(struct uwind_record_next) && is_next(answer, of, last))
		return record_next(at, request, of, last);
	if (room < bytes)
		return bytes;
	record = record_begin(at, room, UWIND_RECORD_SAMPLE, sizeof(*record));
	record->record.bytes = bytes;
	record->thread = of->thread;
	record->stack = of->stack;
	record->cookie = request->cookie;
	record->time_ns = request->time_ns;
	record->weight = of->weight;
	record->cpu = request->cpu;
	record->lost = answer->walk ? 0 : 1 + answer->loss;
	record->word_bits = word_bits_of(answer);
	if (of->events)
		record->events[0] = of->events;
	return bytes;
}

u32 uw_record_event(void *at, u32 room, const struct uw_note *note, u16 thread, u16 kernel_stack)
{
	struct uwind_record_event *record = record_begin(at, room, UWIND_RECORD_EVENT, sizeof(*record));

	if (!record)
		return sizeof(*record);
	record->thread = thread;
	record->kernel_stack = kernel_stack;
	record->cookie = note->cookie;
	record->time_ns = note->time_ns;
	record->period = note->period;
	record->cpu = note->cpu;
	record->counter = note->counter;
	record->lost = note->lost;
	return sizeof(*record);
}

u32 uw_record_off_cpu(void *at, u32 room, const struct uw_note *note)
{
	struct uwind_record_off_cpu *record = record_begin(at, room, UWIND_RECORD_OFF_CPU, sizeof(*record));

	if (!record)
		return sizeof(*record);
	record->flags = note->off_cpu.flags;
	record->state = note->off_cpu.state;
	record->syscall = note->off_cpu.syscall;
	record->woken_ns = note->off_cpu.woken_ns;
	record->wake = note->off_cpu.wake;
	return sizeof(*record);
}

u32 uw_record_call(void *at, u32 room, const struct uw_note *note)
{
	struct uwind_record_call *record = record_begin(at, room, UWIND_RECORD_CALL, sizeof(*record));

	if (record)
		record->call = note->call;
	return sizeof(*record);
}

static void record_file_fill(struct uwind_record_file *record, const struct uw_file *file, u64 pc)
{
	struct uwind_range mapping = {};

	uw_registry_mapping(file, pc, &mapping);
	record->file = file->number;
	if (!uw_tie_table(file))
		record->flags |= UWIND_FILE_NO_TABLE;
	if (file->vdso)
		record->flags |= UWIND_FILE_VDSO | (file->compat ? UWIND_FILE_COMPAT : 0);
	record->start = mapping.start;
	record->end = mapping.end;
	record->pgoff = mapping.offset;
	record->inode = file->id.inode;
	record->dev_major = MAJOR(file->id.dev);
	record->dev_minor = MINOR(file->id.dev);
	record->bytes = file->id.bytes;
	record->mtime_ns = file->id.mtime_ns;
}

static u32 path_bytes(const char *path)
{
	return path ? strlen(path) + 1 : 0;
}

u32 uw_record_file_bytes(const char *path)
{
	return ALIGN(sizeof(struct uwind_record_file) + path_bytes(path), 8);
}

u32 uw_record_file(void *at, u32 room, const struct uw_file *file, u64 pc, const char *path, struct pid_namespace *ns)
{
	u32 bytes = uw_record_file_bytes(path);
	struct uwind_record_file *record = record_begin(at, room, UWIND_RECORD_FILE, bytes);

	if (!record)
		return bytes;
	record_file_fill(record, file, pc);
	record->tgid = task_tgid_nr_ns(current, ns);
	record->path_bytes = path_bytes(path);
	if (path)
		memcpy(record->path, path, record->path_bytes);
	return bytes;
}
