// SPDX-License-Identifier: GPL-2.0
// Decoding records: what is right arrives, what contradicts itself is counted, and nothing else is lost.
#include <catch2/catch.hpp>

#include "io/records.h"
#include "unit/io/record_blob.h"

using namespace uwind;

namespace {

using ByteVector = std::vector<std::uint8_t>;

RecordBatch decode(const ByteVector& bytes)
{
	RecordBatch batch;
	RecordReader(batch).read(bytes);
	return batch;
}

RecordBatch decode(const RecordBlob& blob)
{
	return decode(blob.bytes);
}

const StackRecord& sample_of(const RecordBatch& batch, std::size_t index = 0)
{
	return std::get<StackRecord>(batch.records.at(index));
}

std::vector<StackFrame> frames_of(const StackRecord& record)
{
	std::vector<StackFrame> frames;
	for (const StackPart* part = record.stack.get(); part; part = part->below.get())
		frames.insert(frames.end(), part->frames.begin(), part->frames.end());
	return frames;
}

// What is malformed comes first; a thread, a stack and a sample of both must arrive all the same.
void check_only_malformed(RecordBlob blob)
{
	const auto batch = decode(blob.thread(101).stack(102, 0, {plain_frame(0)}).sample(101, 102));
	CHECK(batch.malformed == 1);
	REQUIRE(batch.records.size() == 1);
	CHECK(frames_of(sample_of(batch)).size() == 1);
}

RecordBlob raw_stack(std::size_t frames, const ByteVector& code)
{
	return RecordBlob().record(RecordBlob::stack_head(1, 0, frames), code);
}

} // namespace

TEST_CASE("a sample keeps all that it, its thread and its stack say")
{
	const auto batch = decode(RecordBlob().thread(1).stack(2, 0, {plain_frame(0), plain_frame(1)}).sample(1, 2));
	REQUIRE(batch.records.size() == 1);
	const auto& sample = sample_of(batch);
	CHECK(sample.cookie == 0x1122334455667788);
	CHECK(sample.start_time_ns == 99);
	CHECK(sample.exec_id == 1ull << 40);
	CHECK(sample.tgid == 5);
	CHECK(sample.tid == 6);
	CHECK(sample.cpu == 3);
	CHECK(sample.weight == 2);
	CHECK(sample.comm == std::string(16, 'x'));
	CHECK_FALSE(sample.lost);
	REQUIRE(sample.stack);
	CHECK(sample.stack->stop == Stop::ZERO_RA);
	const auto frames = frames_of(sample);
	REQUIRE(frames.size() == 2);
	CHECK(frames[0].stack_bytes == 48u);
	CHECK_FALSE(frames[1].stack_bytes);
	CHECK(frames[1].pc == 0x1001);
	CHECK(frames[1].offset == 0x11);
	CHECK(frames[1].file == 3);
	CHECK(frames[1].method == Method::PC);
	CHECK(batch.malformed == 0);
}

TEST_CASE("a next sample differs from the one before by what it says")
{
	RecordBlob blob;
	blob.thread(1).stack(2, 0, {plain_frame(0)}).thread(3, 7);
	blob.sample_with_events(1, 2, 5).record(RecordBlob::next_head(3, 2)).record(RecordBlob::next_head(1, 2));
	const auto batch = decode(blob);
	REQUIRE(batch.records.size() == 3);
	const auto& first = sample_of(batch, 0);
	for (std::size_t i = 1; i < 3; i++) {
		const auto& next = sample_of(batch, i);
		CHECK(next.cookie == first.cookie + 2 * i);
		CHECK(next.time_ns == first.time_ns + 1'000'000 * i);
		CHECK(next.tid == (i == 1 ? 7u : 6u));
		CHECK(next.stack == first.stack);
		CHECK(next.cpu == first.cpu);
		CHECK(next.word_bits == first.word_bits);
		CHECK(next.weight == 1);
		CHECK(next.events == 0);
	}
	CHECK(batch.malformed == 0);
}

TEST_CASE("a next sample after a lost one has a stack")
{
	RecordBlob blob;
	blob.thread(1).stack(2, 0, {plain_frame(0)}).sample(1, 0).record(RecordBlob::next_head(1, 2));
	const auto batch = decode(blob);
	REQUIRE(batch.records.size() == 2);
	CHECK(sample_of(batch, 0).lost == Loss::EXIT);
	CHECK_FALSE(sample_of(batch, 1).lost);
	CHECK(sample_of(batch, 1).stack);
}

TEST_CASE("a next sample without one before it in its message is malformed")
{
	RecordBlob blob;
	blob.thread(1).stack(2, 0, {plain_frame(0)});
	check_only_malformed(blob.record(RecordBlob::next_head(1, 2)));
}

TEST_CASE("a next sample is malformed without a stack, or after a sample that does not say how wide words are")
{
	auto head = RecordBlob::sample_head(1, 0);
	RecordBlob blob;
	blob.thread(1).stack(2, 0, {plain_frame(0)});
	SECTION("without a stack")
	{
		blob.sample(1, 2).record(RecordBlob::next_head(1, 0));
	}
	SECTION("after such a sample")
	{
		head.word_bits = 0;
		blob.record(head).record(RecordBlob::next_head(1, 2));
	}
	const auto batch = decode(blob);
	CHECK(batch.records.size() == 1);
	CHECK(batch.malformed == 1);
}

TEST_CASE("samples share threads and stacks, also those of an attribute before")
{
	RecordBatch batch;
	RecordReader reader(batch);
	reader.read(RecordBlob().thread(1).stack(2, 0, {plain_frame(0)}).sample(1, 2).bytes);
	reader.read(RecordBlob().sample(1, 2).thread(3, 7).sample(3, 2).bytes);
	REQUIRE(batch.records.size() == 3);
	CHECK(sample_of(batch, 0).stack == sample_of(batch, 2).stack);
	CHECK(sample_of(batch, 1).tid == 6);
	CHECK(sample_of(batch, 2).tid == 7);
}

TEST_CASE("a stack of as many frames as there may be arrives whole, in parts")
{
	RecordBlob blob;
	std::uint16_t number = 0;
	for (std::uint64_t at = UWIND_MAX_FRAMES; at > 0; at -= UWIND_PART_FRAMES) {
		std::vector<uw_frame> frames;
		for (std::uint64_t i = at - UWIND_PART_FRAMES; i < at; i++)
			frames.push_back(plain_frame(i));
		blob.stack(static_cast<std::uint16_t>(number + 1), number, frames);
		number++;
	}
	SECTION("whole")
	{
		const auto batch = decode(blob.thread(100).sample(100, number));
		CHECK(batch.malformed == 0);
		const auto frames = frames_of(sample_of(batch));
		REQUIRE(frames.size() == UWIND_MAX_FRAMES);
		for (std::size_t i = 0; i < frames.size(); i++)
			REQUIRE(frames[i].pc == 0x1000 + i);
		CHECK(sample_of(batch).stack->stop == Stop::ZERO_RA);
	}
	SECTION("one more frame is malformed")
	{
		const auto more = static_cast<std::uint16_t>(number + 1);
		const auto batch = decode(blob.thread(100).stack(more, number, {plain_frame(0)}).sample(100, number));
		CHECK(batch.malformed == 1);
		CHECK(batch.records.size() == 1);
	}
}

TEST_CASE("a stack of more parts than there may be is malformed")
{
	RecordBlob blob;
	for (std::uint16_t number = 1; number <= UWIND_MAX_PARTS + 1; number++)
		blob.stack(number, static_cast<std::uint16_t>(number - 1), {plain_frame(0)});
	const auto batch = decode(blob.thread(100).sample(100, UWIND_MAX_PARTS));
	CHECK(batch.malformed == 1);
	CHECK(frames_of(sample_of(batch)).size() == UWIND_MAX_PARTS);
}

TEST_CASE("a stack without frames has a reason to end all the same")
{
	const auto batch = decode(RecordBlob().thread(1).stack(2, 0, {}).sample(1, 2));
	REQUIRE(batch.records.size() == 1);
	CHECK(frames_of(sample_of(batch)).empty());
	CHECK(sample_of(batch).stack->stop == Stop::ZERO_RA);
}

TEST_CASE("a file record keeps all that it says")
{
	const auto batch = decode(RecordBlob().file(7, std::string("/bin/a\0", 7)));
	REQUIRE(batch.records.size() == 1);
	const auto& file = std::get<FileRecord>(batch.records[0]);
	CHECK(file.number == 9);
	CHECK(file.no_table);
	CHECK_FALSE(file.vdso);
	CHECK(file.tgid == 5);
	CHECK(file.mapping.path == "/bin/a");
	CHECK(file.mapping.end == 0x500000);
	CHECK(file.identity == FileIdentity{8, 0, 77, 1000, 123});
}

TEST_CASE("a lost request says why")
{
	const auto batch = decode(RecordBlob().thread(1).sample(1, 0));
	CHECK(sample_of(batch).lost == Loss::EXIT);
	CHECK_FALSE(sample_of(batch).stack);
}

TEST_CASE("records that lie at odd addresses are read as well")
{
	ByteVector bytes = RecordBlob().thread(1).stack(2, 0, {plain_frame(0)}).sample(1, 2).bytes;
	bytes.insert(bytes.begin(), 0);
	RecordBatch batch;
	RecordReader(batch).read(std::span(bytes).subspan(1));
	CHECK(batch.records.size() == 1);
}

TEST_CASE("a record of an unknown type is skipped, the next one read")
{
	RecordBlob blob;
	uwind_record_thread unknown{};
	unknown.record.type = 99;
	const auto batch = decode(blob.record(unknown).thread(1).sample(1, 0));
	CHECK(batch.unknown == 1);
	CHECK(batch.records.size() == 1);
}

TEST_CASE("a number that is not told, told twice or no number makes its record malformed")
{
	RecordBlob blob;
	const std::vector<uw_frame> frames{plain_frame(0)};
	SECTION("a sample's thread")
	{
		blob.stack(1, 0, frames).sample(9, 1);
	}
	SECTION("a sample's stack")
	{
		blob.thread(1).sample(1, 9);
	}
	SECTION("a stack where a thread should be")
	{
		blob.stack(1, 0, frames).sample(1, 1);
	}
	SECTION("a thread where a stack should be")
	{
		blob.thread(1).sample(1, 1);
	}
	SECTION("what is below a stack")
	{
		blob.stack(1, 9, frames);
	}
	SECTION("a stack below itself")
	{
		blob.stack(1, 1, frames);
	}
	SECTION("a thread below a stack")
	{
		blob.thread(1).stack(2, 1, frames);
	}
	SECTION("a stack told twice")
	{
		blob.stack(1, 0, frames).stack(1, 0, frames);
	}
	SECTION("a thread told twice")
	{
		blob.thread(1).thread(1);
	}
	SECTION("a stack of a thread's number")
	{
		blob.thread(1).stack(1, 0, frames);
	}
	SECTION("a stack without a number")
	{
		blob.stack(0, 0, frames);
	}
	SECTION("a thread without a number")
	{
		blob.thread(0);
	}
	check_only_malformed(blob);
}

TEST_CASE("a sample that contradicts itself is counted, the next one read")
{
	auto head = RecordBlob::sample_head(1, 2);
	SECTION("a word size that does not exist")
	{
		head.word_bits = 16;
	}
	SECTION("a stack without a word size")
	{
		head.word_bits = 0;
	}
	SECTION("lost, and yet with a stack")
	{
		head.lost = 1;
	}
	SECTION("neither lost nor with a stack")
	{
		head.stack = 0;
	}
	check_only_malformed(RecordBlob().thread(1).stack(2, 0, {plain_frame(0)}).record(head));
}

TEST_CASE("frames that cannot be read make their stack malformed")
{
	const ByteVector good{0xf1, 3, 0x10, 0x80, 0x40, 12}; // file, offset, pc of two bytes, stack_bytes
	CHECK(decode(raw_stack(1, good)).malformed == 0);
	SECTION("fewer than it says")
	{
		check_only_malformed(raw_stack(64, good));
	}
	SECTION("more than a part has")
	{
		std::vector<uw_frame> frames;
		for (std::uint64_t i = 0; i <= UWIND_PART_FRAMES; i++)
			frames.push_back(plain_frame(i));
		check_only_malformed(RecordBlob().stack(1, 0, frames));
	}
	SECTION("a number of more than 64 bits")
	{
		check_only_malformed(
			raw_stack(1, {0x71, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2}));
	}
	SECTION("a number of eleven bytes")
	{
		check_only_malformed(
			raw_stack(1, {0x71, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0}));
	}
	SECTION("a file of more than 32 bits")
	{
		check_only_malformed(raw_stack(1, {0x71, 0xff, 0xff, 0xff, 0xff, 0x1f, 0, 0}));
	}
	SECTION("a share of the stack of more than 32 bits")
	{
		check_only_malformed(raw_stack(1, {0xf1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x1f}));
	}
	SECTION("a place that was not there yet")
	{
		check_only_malformed(raw_stack(1, {0x01, 0}));
	}
	SECTION("the place behind the last one")
	{
		check_only_malformed(raw_stack(2, {0x71, 0, 0, 0, 0x11, 0}));
	}
	SECTION("eight bytes behind the last frame")
	{
		check_only_malformed(raw_stack(1, {0x71, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
	}
	SECTION("something else than zeros behind it")
	{
		check_only_malformed(raw_stack(1, {0x71, 0, 0, 0, 0, 1}));
	}
}

TEST_CASE("a file record whose path reaches behind it is malformed")
{
	CHECK(decode(RecordBlob().file(9, std::string("/bin/a\0", 7))).malformed == 1);
	CHECK(decode(RecordBlob().file(~0u, "/bin/a")).malformed == 1);
}

TEST_CASE("a path without its NUL ends where its bytes do")
{
	const auto batch = decode(RecordBlob().file(8, "/bin/abc"));
	CHECK(std::get<FileRecord>(batch.records.at(0)).mapping.path == "/bin/abc");
}

TEST_CASE("a file record without a number is malformed")
{
	RecordBlob blob;
	blob.file(7, std::string("/bin/a\0", 7));
	std::memset(blob.bytes.data() + offsetof(uwind_record_file, file), 0, 4);
	check_only_malformed(blob);
}

TEST_CASE("a record too short for its type is malformed")
{
	for (const std::uint16_t type :
	     {UWIND_RECORD_STACK, UWIND_RECORD_FILE, UWIND_RECORD_SAMPLE, UWIND_RECORD_THREAD, UWIND_RECORD_NEXT}) {
		RecordBlob blob;
		blob.bytes = {8, 0, static_cast<std::uint8_t>(type), 0, 1, 0, 0, 0};
		check_only_malformed(blob);
	}
}

TEST_CASE("an impossible length ends the reading")
{
	const std::uint16_t length = GENERATE(std::uint16_t(0), std::uint16_t(4), std::uint16_t(12), std::uint16_t(64),
					      std::uint16_t(~0u), std::uint16_t(~0u - 7));
	RecordBlob blob;
	blob.thread(1);
	std::memcpy(blob.bytes.data(), &length, sizeof(length));
	const auto batch = decode(blob);
	CHECK(batch.malformed == 1);
	CHECK(batch.records.empty());
}

TEST_CASE("records cut off anywhere: the last is malformed, and nothing behind the end is read")
{
	const RecordBlob whole = RecordBlob().thread(1).stack(2, 0, {plain_frame(0), plain_frame(1)}).sample(1, 2);
	for (std::size_t length = 0; length < whole.bytes.size(); length++) {
		ByteVector cut(whole.bytes.begin(), whole.bytes.begin() + static_cast<std::ptrdiff_t>(length));
		cut.shrink_to_fit();
		const auto batch = decode(cut);
		INFO(length);
		const bool between = length == 0 || length == sizeof(uwind_record_thread) ||
				     length == whole.bytes.size() - sizeof(uwind_record_sample);
		CHECK(batch.malformed == (between ? 0 : 1));
		CHECK(batch.records.empty());
	}
}

namespace {

// A sample whose stack ends for want of a table, or otherwise.
RecordBlob unfinished_sample(const RecordBlob& before, std::uint8_t stop = UWIND_STOP_NO_TABLE)
{
	RecordBlob blob = before;
	return blob.thread(1).record(RecordBlob::stack_head(2, 0, 1, stop), written({plain_frame(0)})).sample(1, 2);
}

} // namespace

TEST_CASE("a sample keeps what it takes to go on with its walk")
{
	const auto batch = decode(unfinished_sample(RecordBlob().unfinished()).sample(1, 2));
	CHECK(batch.malformed == 0);
	REQUIRE(batch.records.size() == 2);
	const auto unfinished = sample_of(batch).unfinished;
	REQUIRE(unfinished);
	CHECK(unfinished->arch == Arch::arm);
	CHECK(unfinished->file == 9);
	CHECK(unfinished->nr_frames == 1);
	CHECK(unfinished->method == Method::EH_FRAME);
	CHECK(unfinished->signal_frames == 2);
	CHECK_FALSE(unfinished->exact);
	CHECK(unfinished->doubted);
	CHECK_FALSE(unfinished->r11);
	CHECK(unfinished->thumb);
	CHECK(unfinished->pc == 0x1234);
	CHECK(unfinished->known == (1u << 7 | 1u << 13));
	CHECK(unfinished->on_stack == 1u << 7);
	CHECK(unfinished->registers[7] == 0x0101010101010101);
	CHECK(unfinished->registers[13] == 0x0202020202020202);
	CHECK(unfinished->registers[8] == 0);
	REQUIRE(unfinished->stack.get().size() == 16);
	CHECK(unfinished->stack.get().front() == 3);
	CHECK(unfinished->stack.get().back() == 4);
	CHECK_FALSE(sample_of(batch, 1).unfinished); // it was the first one's
}

TEST_CASE("a stack is gone on with unless it is complete, however it ended")
{
	const RecordBlob unfinished = RecordBlob().unfinished();
	CHECK(sample_of(decode(unfinished_sample(unfinished, UWIND_STOP_BAD_PC))).unfinished);
	CHECK_FALSE(sample_of(decode(unfinished_sample(unfinished, UWIND_STOP_OUTERMOST))).unfinished);
}

TEST_CASE("what it takes to go on contradicts itself: the sample arrives without it")
{
	auto head = RecordBlob::unfinished_head();
	std::size_t words = 4;
	SECTION("no architecture")
	{
		head.arch = UWIND_ARCH_NONE;
	}
	SECTION("an unknown architecture")
	{
		head.arch = UWIND_ARCH_ARM + 1;
	}
	SECTION("no file")
	{
		head.file = 0;
	}
	SECTION("an unknown method")
	{
		head.method = UWIND_NR_METHODS;
	}
	SECTION("too many frames")
	{
		head.nr_frames = UWIND_MAX_FRAMES;
	}
	SECTION("the address of a register that is not known")
	{
		head.on_stack = 1;
	}
	SECTION("more stack than there is")
	{
		head.stack_bytes = 24;
	}
	SECTION("less stack than there is")
	{
		head.stack_bytes = 8;
	}
	SECTION("more registers than there are")
	{
		words = 1;
	}
	SECTION("more stack than there may be")
	{
		head.stack_bytes = UWIND_MAX_STACK_BYTES + 8;
		words = 2 + UWIND_MAX_STACK_BYTES / 8 + 1;
	}
	const auto batch = decode(unfinished_sample(RecordBlob().unfinished(head, words)));
	CHECK(batch.malformed == 1);
	REQUIRE(batch.records.size() == 1);
	CHECK_FALSE(sample_of(batch).unfinished);
}

TEST_CASE("a sample says how many events it answers, if any")
{
	const auto batch = decode(RecordBlob().thread(1).stack(2, 0, {}).sample(1, 2).sample_with_events(1, 2, 5));
	REQUIRE(batch.records.size() == 2);
	CHECK(sample_of(batch, 0).events == 0);
	CHECK(sample_of(batch, 1).events == 5);
	CHECK(sample_of(batch, 1).triggers() == 7);
}

TEST_CASE("an event keeps all that it, its thread and its kernel stack say")
{
	const auto batch = decode(RecordBlob()
					  .thread(1)
					  .stack(2, 0, {plain_frame(0), plain_frame(1)})
					  .record(RecordBlob::event_head(1, 2)));
	REQUIRE(batch.records.size() == 1);
	const auto& event = std::get<EventRecord>(batch.records[0]);
	CHECK(event.cookie == 0x1122334455667788);
	CHECK(event.time_ns == 77);
	CHECK(event.period == 1'000'000);
	CHECK(event.cpu == 2);
	CHECK(event.counter == 1);
	CHECK(event.tid == 6);
	CHECK(event.comm == std::string(16, 'x'));
	CHECK_FALSE(event.lost);
	REQUIRE(event.kernel_stack);
	CHECK(event.kernel_stack->frames.size() == 2);
}

TEST_CASE("what a record says of a time off the CPU is the next event's, and no other's")
{
	uwind_record_off_cpu head{};
	head.record.type = UWIND_RECORD_OFF_CPU;
	head.flags = UWIND_OFF_CPU_IOWAIT | UWIND_OFF_CPU_STILL;
	head.state = 'D';
	head.syscall = -1;
	head.woken_ns = 66;
	head.wake = 9;
	const auto event = RecordBlob::event_head(1, 0);
	auto batch = decode(RecordBlob().thread(1).record(head).record(event).record(event));
	REQUIRE(batch.records.size() == 2);
	const auto& first = std::get<EventRecord>(batch.records[0]);
	REQUIRE(first.off_cpu);
	CHECK(first.off_cpu->iowait);
	CHECK(first.off_cpu->still);
	CHECK_FALSE(first.off_cpu->preempted);
	CHECK_FALSE(first.off_cpu->is_waker);
	CHECK(first.off_cpu->state == 'D');
	CHECK_FALSE(first.off_cpu->syscall);
	CHECK(first.off_cpu->woken_ns == 66);
	CHECK(first.off_cpu->wake == 9);
	CHECK_FALSE(std::get<EventRecord>(batch.records[1]).off_cpu);
	head.syscall = 202;
	head.flags = UWIND_OFF_CPU_WAKER | UWIND_OFF_CPU_INTERRUPT;
	batch = decode(RecordBlob().thread(1).record(head).record(event));
	const auto& waker = std::get<EventRecord>(batch.records.at(0));
	CHECK(waker.off_cpu->syscall == 202u);
	CHECK(waker.off_cpu->is_waker);
	CHECK(waker.off_cpu->interrupt);
	head.state = 7;
	check_only_malformed(RecordBlob().record(head));
}

TEST_CASE("a call belongs to the next event")
{
	uwind_record_call head{};
	head.record.type = UWIND_RECORD_CALL;
	head.call.function = 0xffffffff81000104;
	head.call.duration_ns = 5;
	head.call.value = 6;
	head.call.arguments[5] = 7;
	head.call.flags = UWIND_CALL_RETURN;
	const auto event = RecordBlob::event_head(1, 0);
	const auto batch = decode(RecordBlob().thread(1).record(head).record(event).record(event));
	REQUIRE(batch.records.size() == 2);
	const auto& first = std::get<EventRecord>(batch.records[0]);
	REQUIRE(first.call);
	CHECK(first.call->function == 0xffffffff81000104);
	CHECK(first.call->returned);
	CHECK(first.call->duration_ns == 5);
	CHECK(first.call->value == 6);
	CHECK(first.call->arguments[5] == 7);
	CHECK_FALSE(std::get<EventRecord>(batch.records[1]).call);
	uwind_record_off_cpu short_one{};
	short_one.record.type = UWIND_RECORD_CALL;
	check_only_malformed(RecordBlob().record(short_one));
}

TEST_CASE("an event may be of no counter, and have no stack")
{
	auto head = RecordBlob::event_head(1, 0);
	head.counter = UWIND_EVENT_REQUESTED;
	head.cookie = 0;
	head.lost = 1 + UWIND_LOSS_NOMEM;
	const auto batch = decode(RecordBlob().thread(1).record(head));
	REQUIRE(batch.records.size() == 1);
	const auto& event = std::get<EventRecord>(batch.records[0]);
	CHECK_FALSE(event.counter);
	CHECK(event.lost == Loss::NOMEM);
	CHECK_FALSE(event.kernel_stack);
}

TEST_CASE("an event of a thread or with a stack that was not sent is malformed, and one that is lost with a cookie")
{
	auto lost = RecordBlob::event_head(1, 0), beyond = lost;
	lost.lost = 1;
	beyond.counter = UWIND_MAX_COUNTERS;
	check_only_malformed(RecordBlob().thread(1).record(beyond));
	check_only_malformed(RecordBlob().record(RecordBlob::event_head(1, 0)));
	check_only_malformed(RecordBlob().thread(1).record(RecordBlob::event_head(1, 2)));
	check_only_malformed(RecordBlob().thread(1).record(lost));
}
