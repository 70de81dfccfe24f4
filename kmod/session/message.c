// SPDX-License-Identifier: GPL-2.0
#include <net/genetlink.h>

#include "session/message.h"
#include "session/reader.h"
#include "uwind.h"

struct sk_buff *uw_message_begin(const struct uw_outbox *outbox, u32 bytes, struct uw_message *message,
				 struct nlattr **records)
{
	struct sk_buff *skb = alloc_skb(bytes + UW_MESSAGE_HEAD, GFP_NOWAIT | __GFP_NOWARN);
	struct nlattr *seq;

	if (!skb)
		return NULL;
	genlmsg_put(skb, 0, 0, outbox->reader->family, 0, UWIND_CMD_RECORDS);
	nla_put_u32(skb, UWIND_A_SESSION, outbox->number);
	seq = nla_reserve_64bit(skb, UWIND_A_SEQ, sizeof(u64), UWIND_A_PAD);
	*records = nla_reserve(skb, UWIND_A_RECORDS, 0);
	if (!seq || !*records) {
		kfree_skb(skb);
		return NULL;
	}
	*message = (struct uw_message){ .seq_at = nla_data(seq) - (void *)skb->data };
	return skb;
}

void uw_message_end_records(struct sk_buff *skb, struct nlattr *records)
{
	records->nla_len = skb_tail_pointer(skb) - (unsigned char *)records;
}

void uw_message_end(struct sk_buff *skb, struct nlattr *records)
{
	uw_message_end_records(skb, records);
	genlmsg_end(skb, genlmsg_data(nlmsg_data(nlmsg_hdr(skb))));
}
