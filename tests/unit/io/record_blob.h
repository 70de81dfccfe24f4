// SPDX-License-Identifier: GPL-2.0
// Records as the module writes them, one behind the other, by its own encoder.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "unit/tables/written_frames.h"
#include "uwind.h"

struct RecordBlob {
	std::vector<std::uint8_t> bytes;

	// Of any head, and what lies behind it.
	template <typename Head>
	RecordBlob& record(Head head, const std::vector<std::uint8_t>& behind = {})
	{
		const std::size_t used = sizeof(Head) + behind.size();
		const std::size_t start = bytes.size();
		head.record.bytes = static_cast<std::uint16_t>((used + 7) / 8 * 8);
		bytes.resize(start + head.record.bytes);
		std::memcpy(bytes.data() + start, &head, sizeof(head));
		if (!behind.empty())
			std::memcpy(bytes.data() + start + sizeof(head), behind.data(), behind.size());
		return *this;
	}

	RecordBlob& thread(std::uint16_t number, std::uint32_t tid = 6)
	{
		uwind_record_thread head{};
		head.record.type = UWIND_RECORD_THREAD;
		head.number = number;
		head.start_time_ns = 99;
		head.exec_id = 1ull << 40;
		head.tgid = 5;
		head.tid = tid;
		std::memset(head.comm, 'x', sizeof(head.comm)); // without a NUL
		return record(head);
	}

	static uwind_record_stack stack_head(std::uint16_t number, std::uint16_t below, std::size_t frames,
					     std::uint8_t stop = UWIND_STOP_ZERO_RA)
	{
		uwind_record_stack head{};
		head.record.type = UWIND_RECORD_STACK;
		head.number = number;
		head.below = below;
		head.nr_frames = static_cast<std::uint8_t>(frames);
		head.stop = below ? static_cast<std::uint8_t>(UWIND_STOP_NONE) : stop;
		return head;
	}

	RecordBlob& stack(std::uint16_t number, std::uint16_t below, const std::vector<uw_frame>& frames)
	{
		return record(stack_head(number, below, frames.size()), written(frames));
	}

	static uwind_record_sample sample_head(std::uint16_t thread, std::uint16_t stack)
	{
		uwind_record_sample head{};
		head.record.type = UWIND_RECORD_SAMPLE;
		head.thread = thread;
		head.stack = stack;
		head.cookie = 0x1122334455667788;
		head.weight = 2;
		head.cpu = 3;
		head.lost = stack ? 0 : 1 + UWIND_LOSS_EXIT;
		head.word_bits = 64;
		return head;
	}

	static uwind_record_next next_head(std::uint16_t thread, std::uint16_t stack)
	{
		uwind_record_next head{};
		head.record.type = UWIND_RECORD_NEXT;
		head.thread = thread;
		head.stack = stack;
		head.cookie = 2;
		head.time_ns = 1'000'000;
		return head;
	}

	RecordBlob& sample_with_events(std::uint16_t thread, std::uint16_t stack, std::uint8_t events)
	{
		return record(sample_head(thread, stack), {events, 0, 0, 0, 0, 0, 0, 0});
	}

	static uwind_record_event event_head(std::uint16_t thread, std::uint16_t kernel_stack)
	{
		uwind_record_event head{};
		head.record.type = UWIND_RECORD_EVENT;
		head.thread = thread;
		head.kernel_stack = kernel_stack;
		head.cookie = 0x1122334455667788;
		head.time_ns = 77;
		head.period = 1'000'000;
		head.cpu = 2;
		head.counter = 1;
		return head;
	}

	static uwind_record_unfinished unfinished_head()
	{
		uwind_record_unfinished head{};
		head.record.type = UWIND_RECORD_UNFINISHED;
		head.nr_frames = 1;
		head.arch = UWIND_ARCH_ARM;
		head.flags = UWIND_UNFINISHED_DOUBTED | UWIND_UNFINISHED_THUMB;
		head.file = 9;
		head.method = UWIND_METHOD_EH_FRAME;
		head.signal_frames = 2;
		head.stack_bytes = 16;
		head.pc = 0x1234;
		head.known = 1u << 7 | 1u << 13;
		head.on_stack = 1u << 7;
		return head;
	}

	// The values of two registers, and two words of stack.
	RecordBlob& unfinished(const uwind_record_unfinished& head = unfinished_head(), std::size_t words = 4)
	{
		std::vector<std::uint8_t> behind;
		for (std::size_t i = 0; i < words * 8; i++)
			behind.push_back(static_cast<std::uint8_t>(i / 8 + 1));
		return record(head, behind);
	}

	RecordBlob& sample(std::uint16_t thread, std::uint16_t stack) { return record(sample_head(thread, stack)); }

	RecordBlob& file(std::uint32_t path_bytes, const std::string& path)
	{
		uwind_record_file head{};
		head.record.type = UWIND_RECORD_FILE;
		head.file = 9;
		head.flags = UWIND_FILE_NO_TABLE;
		head.tgid = 5;
		head.path_bytes = path_bytes;
		head.start = 0x400000;
		head.end = 0x500000;
		head.inode = 77;
		head.dev_major = 8;
		head.bytes = 1000;
		head.mtime_ns = 123;
		return record(head, {path.begin(), path.end()});
	}
};

inline uw_frame plain_frame(std::uint64_t number)
{
	return {0x1000 + number, 0x10 + number, 3, UW_METHOD_PC, number ? ~0u : 48};
}
