// SPDX-License-Identifier: GPL-2.0
// Any bytes as the records of a message, in two attributes.
#include "io/records.h"
#include "uwind.h"

namespace {

void require(bool condition)
{
	if (!condition)
		__builtin_trap();
}

// Each stack is bounded, and all that it is said to go on with below is there.
void check(const uwind::StackRecord& record, std::size_t size)
{
	std::size_t frames = 0;
	require(!record.stack == record.lost.has_value());
	for (const uwind::StackPart* part = record.stack.get(); part; part = part->below.get()) {
		require(part->frames.size() <= UWIND_PART_FRAMES && part->frames.size() <= size);
		require(part->parts == (part->below ? part->below->parts + 1 : 1));
		require(part->parts <= UWIND_MAX_PARTS);
		require(part->stop == record.stack->stop);
		frames += part->frames.size();
	}
	require(frames <= UWIND_MAX_FRAMES && (!record.stack || frames == record.stack->depth));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
	uwind::RecordBatch batch;
	uwind::RecordReader reader(batch);
	const std::size_t first = size / 16 * 8;
	reader.read({data, first});
	reader.read({data + first, size - first});
	for (const auto& record : batch.records)
		if (const auto* stack = std::get_if<uwind::StackRecord>(&record))
			check(*stack, size);
	return 0;
}
