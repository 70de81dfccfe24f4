// SPDX-License-Identifier: GPL-2.0
// Any bytes as a datagram of generic netlink.
#include <vector>

#include "io/message.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
	std::vector<std::uint8_t> datagram(data, data + size);
	const uwind::RecordBatch batch = uwind::decode_message(datagram, 33);
	if (batch.records.size() > size / sizeof(std::uint64_t))
		__builtin_trap();
	return 0;
}
