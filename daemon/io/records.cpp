// SPDX-License-Identifier: GPL-2.0
// From the bytes of UWIND_A_RECORDS attributes to records.
#include "io/records.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "io/frame_code.h"
#include "uwind.h"

namespace uwind {
namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::size_t record_alignment = 8;

// The attribute's data may be unaligned: copy, never cast.
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

bool is_padding(Bytes bytes)
{
	return bytes.size() < record_alignment &&
	       std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; });
}

// A part that has no frames yet; below has its callers.
std::shared_ptr<StackPart> on(const std::shared_ptr<const StackPart>& below)
{
	auto part = std::make_shared<StackPart>();
	part->below = below;
	part->stop = below->stop;
	part->parts = below->parts + 1;
	part->depth = below->depth;
	return part;
}

// Without what the record names by number.
StackRecord without_names(const uwind_record_sample& raw)
{
	StackRecord sample;
	sample.cookie = raw.cookie;
	sample.time_ns = raw.time_ns;
	sample.cpu = raw.cpu;
	sample.weight = raw.weight;
	sample.word_bits = raw.word_bits;
	if (raw.lost)
		sample.lost = Loss(raw.lost - 1);
	return sample;
}

bool is_sound(const StackRecord& sample, std::uint16_t stack)
{
	const auto bits = sample.word_bits;
	return (bits == 64 || bits == 32 || (bits == 0 && sample.lost)) && sample.lost.has_value() == (stack == 0);
}

// The registers that follow, in order. False: there are fewer.
bool copy_registers(Bytes bytes, Unfinished& unfinished)
{
	if (bytes.size() < std::size_t(std::popcount(unfinished.known)) * sizeof(std::uint64_t))
		return false;
	for (std::size_t i = 0; i < unfinished.registers.size(); i++) {
		if (!(unfinished.known >> i & 1))
			continue;
		unfinished.registers[i] = copy_at<std::uint64_t>(bytes);
		bytes = bytes.subspan(sizeof(std::uint64_t));
	}
	return true;
}

bool is_sound(const uwind_record_event& raw)
{
	return !(raw.cookie && raw.lost) && (raw.counter < UWIND_MAX_COUNTERS || raw.counter == UWIND_EVENT_REQUESTED);
}

bool is_sound(const uwind_record_unfinished& raw)
{
	return raw.arch > UWIND_ARCH_NONE && raw.arch <= UWIND_ARCH_ARM && raw.nr_frames < UWIND_MAX_FRAMES &&
	       raw.file && raw.method < UWIND_NR_METHODS && !(raw.on_stack & ~raw.known) &&
	       raw.stack_bytes <= UWIND_MAX_STACK_BYTES;
}

Unfinished without_values(const uwind_record_unfinished& raw)
{
	Unfinished unfinished;
	unfinished.arch = Arch(raw.arch);
	unfinished.file = raw.file;
	unfinished.nr_frames = raw.nr_frames;
	unfinished.method = Method(raw.method);
	unfinished.signal_frames = raw.signal_frames;
	unfinished.exact = raw.flags & UWIND_UNFINISHED_EXACT;
	unfinished.doubted = raw.flags & UWIND_UNFINISHED_DOUBTED;
	unfinished.r11 = raw.flags & UWIND_UNFINISHED_R11;
	unfinished.thumb = raw.flags & UWIND_UNFINISHED_THUMB;
	unfinished.pc = raw.pc;
	unfinished.known = raw.known;
	unfinished.on_stack = raw.on_stack;
	return unfinished;
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
	file.identity = {raw.dev_major, raw.dev_minor, raw.inode, raw.bytes, raw.mtime_ns};
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

} // namespace

const ThreadRecord* RecordReader::thread(std::uint16_t number) const
{
	const auto known = threads_.find(number);
	return known == threads_.end() ? nullptr : &known->second;
}

const RecordReader::Stack* RecordReader::stack(std::uint16_t number) const
{
	return number < stacks_.size() && stacks_[number] ? &stacks_[number] : nullptr;
}

bool RecordReader::read_thread(Bytes bytes)
{
	if (bytes.size() < sizeof(uwind_record_thread))
		return false;
	const auto raw = copy_at<uwind_record_thread>(bytes);
	ThreadRecord thread;
	thread.start_time_ns = raw.start_time_ns;
	thread.exec_id = raw.exec_id;
	thread.tgid = raw.tgid;
	thread.tid = raw.tid;
	thread.comm = text_until_nul(raw.comm, sizeof(raw.comm));
	return is_free(raw.number) && threads_.try_emplace(raw.number, std::move(thread)).second;
}

bool RecordReader::read_stack(Bytes bytes)
{
	if (bytes.size() < sizeof(uwind_record_stack))
		return false;
	const auto raw = copy_at<uwind_record_stack>(bytes);
	const Stack* below = stack(raw.below);
	if (raw.nr_frames > UWIND_PART_FRAMES || (raw.below && !below))
		return false;
	Bytes code = bytes.subspan(offsetof(uwind_record_stack, frames));
	auto frames = read_frames(code, raw.nr_frames);
	if (!frames || !is_padding(code))
		return false;
	auto part = below ? on(*below) : std::make_shared<StackPart>();
	if (!below)
		part->stop = Stop(raw.stop);
	part->frames = std::move(*frames);
	part->depth += part->frames.size();
	if (part->depth > UWIND_MAX_FRAMES || part->parts > UWIND_MAX_PARTS || !is_free(raw.number))
		return false;
	if (raw.number >= stacks_.size())
		stacks_.resize(raw.number + 1u);
	stacks_[raw.number] = std::move(part);
	return true;
}

bool RecordReader::read_off_cpu(Bytes bytes)
{
	if (bytes.size() < sizeof(uwind_record_off_cpu))
		return false;
	const auto raw = copy_at<uwind_record_off_cpu>(bytes);
	OffCpuRecord off_cpu;
	off_cpu.preempted = raw.flags & UWIND_OFF_CPU_PREEMPTED;
	off_cpu.iowait = raw.flags & UWIND_OFF_CPU_IOWAIT;
	off_cpu.compat = raw.flags & UWIND_OFF_CPU_COMPAT;
	off_cpu.still = raw.flags & UWIND_OFF_CPU_STILL;
	off_cpu.is_waker = raw.flags & UWIND_OFF_CPU_WAKER;
	off_cpu.interrupt = raw.flags & UWIND_OFF_CPU_INTERRUPT;
	off_cpu.state = raw.state;
	if (raw.syscall >= 0)
		off_cpu.syscall = static_cast<std::uint32_t>(raw.syscall);
	off_cpu.woken_ns = raw.woken_ns;
	off_cpu.wake = raw.wake;
	off_cpu_ = off_cpu;
	return std::isalpha(static_cast<unsigned char>(raw.state));
}

bool RecordReader::read_call(Bytes bytes)
{
	if (bytes.size() < sizeof(uwind_record_call))
		return false;
	const auto raw = copy_at<uwind_record_call>(bytes).call;
	CallRecord call;
	call.function = raw.function;
	call.returned = raw.flags & UWIND_CALL_RETURN;
	call.duration_ns = raw.duration_ns;
	call.value = raw.value;
	std::copy(std::begin(raw.arguments), std::end(raw.arguments), call.arguments.begin());
	call_ = call;
	return true;
}

bool RecordReader::read_event(Bytes bytes)
{
	if (bytes.size() < sizeof(uwind_record_event))
		return false;
	const auto raw = copy_at<uwind_record_event>(bytes);
	const auto off_cpu = std::exchange(off_cpu_, std::nullopt);
	const auto call = std::exchange(call_, std::nullopt);
	const ThreadRecord* fired_in = thread(raw.thread);
	const Stack* found = stack(raw.kernel_stack);
	if (!fired_in || (raw.kernel_stack && !found) || !is_sound(raw))
		return false;
	EventRecord event;
	static_cast<ThreadRecord&>(event) = *fired_in;
	event.cookie = raw.cookie;
	event.time_ns = raw.time_ns;
	event.period = raw.period;
	event.cpu = raw.cpu;
	if (raw.counter != UWIND_EVENT_REQUESTED)
		event.counter = raw.counter;
	if (raw.lost)
		event.lost = Loss(raw.lost - 1);
	if (found)
		event.kernel_stack = *found;
	event.off_cpu = off_cpu;
	event.call = call;
	batch_.records.emplace_back(std::move(event));
	return true;
}

bool RecordReader::read_sample(Bytes bytes)
{
	if (bytes.size() < sizeof(uwind_record_sample))
		return false;
	const auto raw = copy_at<uwind_record_sample>(bytes);
	StackRecord sample = without_names(raw);
	if (bytes.size() >= sizeof(raw) + sizeof(std::uint64_t))
		sample.events = static_cast<std::uint32_t>(copy_at<std::uint64_t>(bytes, sizeof(raw)));
	return add_sample(std::move(sample), raw.thread, raw.stack);
}

bool RecordReader::read_next(Bytes bytes)
{
	if (bytes.size() < sizeof(uwind_record_next) || !last_sample_)
		return false;
	const auto raw = copy_at<uwind_record_next>(bytes);
	StackRecord sample = *last_sample_;
	sample.cookie += raw.cookie;
	sample.time_ns += raw.time_ns;
	sample.weight = 1;
	sample.events = 0;
	sample.lost.reset();
	return add_sample(std::move(sample), raw.thread, raw.stack);
}

bool RecordReader::add_sample(StackRecord sample, std::uint16_t thread_number, std::uint16_t stack_number)
{
	last_sample_ = sample;
	auto unfinished = std::exchange(unfinished_, nullptr);
	const ThreadRecord* asked = thread(thread_number);
	const Stack* found = stack(stack_number);
	if (!is_sound(sample, stack_number) || !asked || (stack_number && !found))
		return false;
	static_cast<ThreadRecord&>(sample) = *asked;
	if (found)
		sample.stack = *found;
	if (sample.stack && !is_complete(sample.stack->stop))
		sample.unfinished = std::move(unfinished);
	batch_.records.emplace_back(std::move(sample));
	return true;
}

bool RecordReader::read_unfinished(Bytes bytes)
{
	if (bytes.size() < sizeof(uwind_record_unfinished))
		return false;
	const auto raw = copy_at<uwind_record_unfinished>(bytes);
	bytes = bytes.subspan(sizeof(raw));
	if (!is_sound(raw))
		return false;
	auto unfinished = std::make_shared<Unfinished>(without_values(raw));
	if (!copy_registers(bytes, *unfinished))
		return false;
	bytes = bytes.subspan(std::size_t(std::popcount(raw.known)) * sizeof(std::uint64_t));
	if (bytes.size() != raw.stack_bytes)
		return false;
	unfinished->stack = StackBytes({bytes.begin(), bytes.end()});
	unfinished_ = std::move(unfinished);
	return true;
}

bool RecordReader::read_file(Bytes bytes)
{
	auto file = decode_file(bytes);
	if (file)
		batch_.records.emplace_back(std::move(*file));
	return file.has_value();
}

bool RecordReader::read_one(std::uint16_t type, Bytes bytes)
{
	switch (type) {
	case UWIND_RECORD_STACK:
		return read_stack(bytes);
	case UWIND_RECORD_FILE:
		return read_file(bytes);
	case UWIND_RECORD_SAMPLE:
		return read_sample(bytes);
	case UWIND_RECORD_NEXT:
		return read_next(bytes);
	case UWIND_RECORD_EVENT:
		return read_event(bytes);
	case UWIND_RECORD_OFF_CPU:
		return read_off_cpu(bytes);
	case UWIND_RECORD_CALL:
		return read_call(bytes);
	case UWIND_RECORD_THREAD:
		return read_thread(bytes);
	case UWIND_RECORD_UNFINISHED:
		has_read_stacks_ = true;
		return read_unfinished(bytes);
	default:
		batch_.unknown++;
		return true;
	}
}

void RecordReader::read(Bytes bytes)
{
	while (!bytes.empty()) {
		const auto head = bytes.size() < sizeof(uwind_record) ? uwind_record{} : copy_at<uwind_record>(bytes);
		if (head.bytes == 0 || head.bytes % record_alignment || head.bytes > bytes.size()) {
			batch_.malformed++;
			return;
		}
		if (!read_one(head.type, bytes.first(head.bytes)))
			batch_.malformed++;
		bytes = bytes.subspan(head.bytes);
	}
}

} // namespace uwind
