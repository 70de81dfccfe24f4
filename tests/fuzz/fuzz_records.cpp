// SPDX-License-Identifier: GPL-2.0
// Any bytes as the records of a message.
#include "io/records.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
	uwind::RecordBatch batch;
	uwind::decode_records({data, size}, batch);
	for (const auto& record : batch.records)
		if (const auto* stack = std::get_if<uwind::StackRecord>(&record))
			if (stack->frames.size() > size)
				__builtin_trap();
	return 0;
}
