// SPDX-License-Identifier: GPL-2.0
// The thread that reads the record stream, and for which batches it wakes who waits.
#include "app/intake.h"

#include <catch2/catch.hpp>

#include "unit/fake_kernel.h"
#include "unit/fake_machine.h"

using namespace uwind;
using namespace std::chrono_literals;

namespace {

RecordBatch batch_of(std::vector<Record> records)
{
	RecordBatch batch;
	batch.records = std::move(records);
	return batch;
}

StackRecord missing_a_table()
{
	StackRecord record;
	record.unfinished = std::make_shared<const Unfinished>();
	return record;
}

} // namespace

TEST_CASE("a batch is urgent if a file is new in it or a walk lacks a table, wherever in it that stands")
{
	CHECK_FALSE(is_urgent(batch_of({})));
	CHECK_FALSE(is_urgent(batch_of({StackRecord(), EventRecord(), StackRecord()})));
	CHECK(is_urgent(batch_of({FileRecord()})));
	CHECK(is_urgent(batch_of({missing_a_table()})));
	CHECK(is_urgent(batch_of({StackRecord(), EventRecord(), FileRecord()})));
	CHECK(is_urgent(batch_of({StackRecord(), missing_a_table(), StackRecord()})));
}

TEST_CASE("who waits for records is woken by an urgent batch, long before the time is over")
{
	FakeStream stream;
	FakeThreads threads;
	Intake intake(stream, threads);
	const auto begin = std::chrono::steady_clock::now();
	stream.send(batch_of({FileRecord()}));
	CHECK(intake.pop(10min));
	CHECK(std::chrono::steady_clock::now() - begin < 5min);
}

TEST_CASE("batches come in order, and what was sent before the end is still read")
{
	FakeStream stream;
	FakeThreads threads;
	Intake intake(stream, threads, 4); // less than there are: the thread waits for room
	for (std::uint64_t i = 1; i <= 10; i++) {
		RecordBatch batch = batch_of({StackRecord()});
		batch.sequence = i;
		stream.send(batch);
	}
	intake.finish();
	std::vector<std::uint64_t> sequences;
	while (!intake.finished())
		if (const auto batch = intake.pop(100ms))
			sequences.push_back(batch->sequence);
	CHECK(sequences == std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
	CHECK_FALSE(intake.error());
}

TEST_CASE("a stream that fails ends the intake, with why")
{
	struct : FakeStream {
		Result<std::optional<RecordBatch>> receive(std::chrono::milliseconds) override
		{
			return Error{ENOBUFS, "the socket broke"};
		}
	} stream;
	FakeThreads threads;
	Intake intake(stream, threads);
	CHECK_FALSE(intake.pop(10min));
	CHECK(intake.finished());
	REQUIRE(intake.error());
	CHECK(intake.error()->message == "the socket broke");
}
