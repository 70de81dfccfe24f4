// SPDX-License-Identifier: GPL-2.0
// From the bytes of a UWIND_A_RECORDS attribute to records.
#include "io/records.h"

#include <cstring>

#include "base/text.h"
#include "uwind.h"

namespace uwind {
namespace {

using Bytes = std::span<const std::uint8_t>;

// The attribute's data need not be aligned: copy, never cast.
template <typename T>
T copy_at(Bytes bytes, std::size_t offset = 0)
{
	T value;
	std::memcpy(&value, bytes.data() + offset, sizeof(value));
	return value;
}

std::string text_until_nul(const char* text, std::size_t limit)
{
	return std::string(text, strnlen(text, limit));
}

StackFrame to_frame(const uwind_frame& raw)
{
	StackFrame frame;
	frame.pc = raw.pc;
	frame.offset = raw.offset;
	frame.file = raw.file;
	if (raw.stack_bytes != ~0u)
		frame.stack_bytes = raw.stack_bytes;
	frame.method = Method(raw.method);
	return frame;
}

bool is_sound(const uwind_record_stack& raw, Bytes bytes)
{
	const std::size_t room = (bytes.size() - sizeof(raw)) / sizeof(uwind_frame);
	return raw.nr_frames <= UWIND_MAX_FRAMES && raw.nr_frames <= room &&
	       (raw.word_bits == 64 || raw.word_bits == 32 || (raw.word_bits == 0 && raw.lost)) &&
	       (raw.lost == 0 || raw.nr_frames == 0);
}

std::optional<StackRecord> decode_stack(Bytes bytes)
{
	if (bytes.size() < sizeof(uwind_record_stack))
		return std::nullopt;
	const auto raw = copy_at<uwind_record_stack>(bytes);
	if (!is_sound(raw, bytes))
		return std::nullopt;
	StackRecord stack;
	stack.cookie = raw.cookie;
	stack.time_ns = raw.time_ns;
	stack.start_time_ns = raw.start_time_ns;
	stack.exec_id = raw.exec_id;
	stack.tgid = raw.tgid;
	stack.tid = raw.tid;
	stack.cpu = raw.cpu;
	stack.weight = raw.weight;
	stack.comm = text_until_nul(raw.comm, sizeof(raw.comm));
	if (raw.lost)
		stack.lost = Loss(raw.lost - 1);
	stack.stop = Stop(raw.stop);
	stack.word_bits = raw.word_bits;
	stack.frames.reserve(raw.nr_frames);
	for (std::size_t i = 0; i < raw.nr_frames; i++)
		stack.frames.push_back(to_frame(copy_at<uwind_frame>(bytes, sizeof(raw) + i * sizeof(uwind_frame))));
	return stack;
}

std::optional<FileRecord> decode_file(Bytes bytes)
{
	if (bytes.size() < sizeof(uwind_record_file))
		return std::nullopt;
	const auto raw = copy_at<uwind_record_file>(bytes);
	if (raw.path_bytes > bytes.size() - sizeof(raw) || raw.file == 0)
		return std::nullopt;
	FileRecord file;
	file.number = raw.file;
	file.no_table = raw.flags & UWIND_FILE_NO_TABLE;
	file.vdso = raw.flags & UWIND_FILE_VDSO;
	file.compat = raw.flags & UWIND_FILE_COMPAT;
	file.tgid = raw.tgid;
	file.identity = {raw.dev_major, raw.dev_minor, raw.inode, raw.bytes, raw.ctime_ns};
	file.mapping.start = raw.start;
	file.mapping.end = raw.end;
	file.mapping.pgoff = raw.pgoff;
	file.mapping.dev_major = raw.dev_major;
	file.mapping.dev_minor = raw.dev_minor;
	file.mapping.inode = raw.inode;
	const auto* path = reinterpret_cast<const char*>(bytes.data() + sizeof(raw));
	file.mapping.path = without_deleted(text_until_nul(path, raw.path_bytes));
	return file;
}

template <typename T>
void take(std::optional<T> record, RecordBatch& batch)
{
	if (record)
		batch.records.emplace_back(std::move(*record));
	else
		batch.malformed++;
}

void decode_one(std::uint16_t type, Bytes bytes, RecordBatch& batch)
{
	if (type == UWIND_RECORD_STACK)
		take(decode_stack(bytes), batch);
	else if (type == UWIND_RECORD_FILE)
		take(decode_file(bytes), batch);
	else
		batch.unknown++;
}

} // namespace

void decode_records(Bytes bytes, RecordBatch& batch)
{
	while (!bytes.empty()) {
		if (bytes.size() < sizeof(uwind_record)) {
			batch.malformed++;
			return;
		}
		const auto head = copy_at<uwind_record>(bytes);
		if (head.bytes < sizeof(head) || head.bytes % 8 || head.bytes > bytes.size()) {
			batch.malformed++;
			return;
		}
		decode_one(head.type, bytes.first(head.bytes), batch);
		bytes = bytes.subspan(head.bytes);
	}
}

} // namespace uwind
