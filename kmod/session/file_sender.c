// SPDX-License-Identifier: GPL-2.0
/*
 * A file is a message of its own, at once: without a table, each walk until it has one ends there; and a message with
 * frames that is lost takes no file along.
 */
#include <linux/rcupdate.h>
#include <linux/skbuff.h>
#include <linux/slab.h>

#include "core/walk.h"
#include "session/file_sender.h"
#include "session/message.h"
#include "session/record.h"
#include "store/file_store.h"
#include "store/registry.h"
#include "uwind.h"

static_assert(UWIND_MAX_SESSIONS <= UW_FILE_SLOTS);

static bool send_record(struct uw_outbox *outbox, const struct uw_file *file, u64 pc, const char *path,
			struct pid_namespace *ns)
{
	u32 bytes = uw_record_file_bytes(path);
	struct uw_message message;
	struct nlattr *records;
	struct sk_buff *skb = uw_message_begin(outbox, bytes, &message, &records);

	if (!skb)
		return false;
	uw_record_file(skb_put(skb, bytes), bytes, file, pc, path, ns);
	uw_message_end(skb, records);
	message.is_file = true;
	return uw_outbox_queue(outbox, skb, &message);
}

static bool send_once(struct uw_outbox *outbox, struct uw_file *file, u64 pc, const char *path,
		      struct pid_namespace *ns)
{
	bool is_whole = path || file->vdso;

	if (uw_file_is_announced(file, outbox->slot, outbox->number, is_whole))
		return true;
	if (!send_record(outbox, file, pc, path, ns))
		return false;
	uw_file_set_announced(file, outbox->slot, outbox->number, is_whole);
	return true;
}

/*
 * One whose path cannot be seen here, as the task exits or somebody changes its mappings, is announced again by the
 * first walk that sees it.
 */
static bool send_file(struct uw_outbox *outbox, struct uw_file *file, u64 pc, struct pid_namespace *ns)
{
	char *buffer = file->vdso ? NULL : kmalloc(PATH_MAX, GFP_NOWAIT | __GFP_NOWARN);
	bool knows = send_once(outbox, file, pc, buffer ? uw_registry_path(file, pc, buffer) : NULL, ns);

	kfree(buffer);
	return knows;
}

bool uw_file_send(struct uw_outbox *outbox, const struct uw_frame *frame, struct pid_namespace *ns)
{
	struct uw_file *file;
	bool knows = true;

	rcu_read_lock();
	file = uw_file_find(frame->file);
	if (file && !uw_file_is_announced(file, outbox->slot, outbox->number, true))
		knows = send_file(outbox, file, frame->pc, ns);
	rcu_read_unlock();
	return knows;
}
