/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages of a session: netlink's headers and attributes around records.
 */
#ifndef UW_MESSAGE_H
#define UW_MESSAGE_H

#include "session/outbox.h"

struct nlattr;

#define UW_MESSAGE_HEAD 128 /* bytes of headers and small attributes */

/* With room for so many bytes of records, or more, in an attribute that is the last. NULL: no memory. Task context. */
struct sk_buff *uw_message_begin(const struct uw_outbox *outbox, u32 bytes, struct uw_message *message,
				 struct nlattr **records);

/* That attribute is as long as the message is now. */
void uw_message_end_records(struct sk_buff *skb, struct nlattr *records);

/* The same, and the message is complete but for its sequence number. */
void uw_message_end(struct sk_buff *skb, struct nlattr *records);

#endif
