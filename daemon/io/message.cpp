// SPDX-License-Identifier: GPL-2.0
// From one datagram of generic netlink to a batch of records.
#include "io/message.h"

#include <netlink/genl/genl.h>
#include <netlink/msg.h>

#include "io/records.h"
#include "uwind.h"

namespace uwind {
namespace {

RecordBatch decode_attributes(nlmsghdr* header)
{
	nlattr* attributes[UWIND_A_MAX + 1] = {};
	RecordBatch batch;
	if (genlmsg_parse(header, 0, attributes, UWIND_A_MAX, nullptr) < 0 || !attributes[UWIND_A_SEQ] ||
	    nla_len(attributes[UWIND_A_SEQ]) < 8 || !attributes[UWIND_A_SESSION] ||
	    nla_len(attributes[UWIND_A_SESSION]) < 4 || !attributes[UWIND_A_RECORDS])
		return malformed_message();
	batch.session = nla_get_u32(attributes[UWIND_A_SESSION]);
	batch.sequence = nla_get_u64(attributes[UWIND_A_SEQ]);
	RecordReader reader(batch);
	const genlmsghdr* message = genlmsg_hdr(header);
	int left = genlmsg_attrlen(message, 0);
	for (const nlattr* at = genlmsg_attrdata(message, 0); nla_ok(at, left); at = nla_next(at, &left))
		if (nla_type(at) == UWIND_A_RECORDS)
			reader.read({static_cast<const std::uint8_t*>(nla_data(at)), std::size_t(nla_len(at))});
	if (left > 0)
		batch.malformed++;
	if (reader.has_read_stacks() || batch.malformed) // which are left nowhere but in the batch
		explicit_bzero(genlmsg_data(message), std::size_t(genlmsg_len(message)));
	return batch;
}

} // namespace

RecordBatch malformed_message()
{
	RecordBatch batch;
	batch.malformed = 1;
	return batch;
}

RecordBatch decode_message(std::span<std::uint8_t> datagram, int family)
{
	auto* header = reinterpret_cast<nlmsghdr*>(datagram.data());
	if (!nlmsg_ok(header, static_cast<int>(datagram.size())))
		return malformed_message();
	if (header->nlmsg_type != family)
		return {};
	if (!genlmsg_valid_hdr(header, 0))
		return malformed_message();
	if (genlmsg_hdr(header)->cmd != UWIND_CMD_RECORDS)
		return {};
	return decode_attributes(header);
}

} // namespace uwind
