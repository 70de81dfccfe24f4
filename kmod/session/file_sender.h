/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that frames lie in, as messages.
 */
#ifndef UW_FILE_SENDER_H
#define UW_FILE_SENDER_H

#include <linux/types.h>

struct pid_namespace;
struct uw_frame;
struct uw_outbox;

/*
 * Announce the file of a frame of current's to the session, unless it knows it: a message that is queued after this
 * is received after the file, or not at all. false: no memory, or too much waits. Task context. Waits for nobody.
 */
bool uw_file_send(struct uw_outbox *outbox, const struct uw_frame *frame, struct pid_namespace *ns);

#endif
