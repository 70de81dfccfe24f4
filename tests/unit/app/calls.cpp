// SPDX-License-Identifier: GPL-2.0
// Calls of the kernel's functions in a report.
#include <catch2/catch.hpp>

#include "app/calls.h"
#include "unit/app/reported.h"

using namespace uwind;

namespace {

constexpr std::uint64_t read_start = FakeKernelNames::start + 0x7000,
			hook_start = FakeKernelNames::module_start + 0x3000;

EventRecord call_of(std::uint64_t function)
{
	EventRecord event;
	event.tgid = event.tid = 1;
	event.period = 1;
	event.counter = 0;
	event.call = CallRecord{};
	event.call->function = function;
	event.call->arguments = {1, 2, 3, 4, 5, 6};
	return event;
}

} // namespace

TEST_CASE("calls name their function, whichever address in it traced them")
{
	Reported reported;
	auto returned = call_of(read_start);
	returned.call->returned = true;
	returned.call->value = 77;
	returned.call->duration_ns = 1000;
	for (const auto& event : {call_of(read_start + 4), returned, call_of(hook_start + 8)})
		reported.aggregate.add(event, nullptr, ignore_file);
	const Report report = reported.report();
	CHECK(reported.kernel_names.finds == 1); // with all frames
	REQUIRE(report.functions.size() == 2);
	CHECK(report.functions[0].address == read_start);
	CHECK(report.functions[0].module.empty());
	CHECK(report.functions[1].address == hook_start);
	CHECK(report.functions[1].module == "module");
	REQUIRE(report.calls.size() == 3);
	CHECK(report.calls[0].function == 0);
	CHECK(report.calls[1].function == 0);
	CHECK(report.calls[1].returned);
	CHECK(report.calls[1].value == 77);
	CHECK(report.calls[2].function == 1);
	CHECK(report.samples[2].call == 2u);
}

TEST_CASE("functions have the signatures that the kernel's types say")
{
	Reported reported;
	KernelSignature signature;
	signature.parameters = {{"file", "struct file *", ValueKind::pointer, 8, std::uint8_t(0)}};
	reported.kernel_names.known_signatures["function_" + hex(read_start >> 12)] = signature;
	reported.aggregate.add(call_of(read_start), nullptr, ignore_file);
	reported.aggregate.add(call_of(hook_start), nullptr, ignore_file);
	const Report report = reported.report();
	REQUIRE(report.functions.at(0).signature);
	CHECK(report.functions[0].signature->parameters[0].name == "file");
	CHECK_FALSE(report.functions.at(1).signature);
}

TEST_CASE("a function whose address has no name keeps the address")
{
	Reported reported;
	reported.aggregate.add(call_of(0x1000), nullptr, ignore_file);
	const Report report = reported.report();
	CHECK(report.functions.at(0).name.empty());
	CHECK(report.functions.at(0).address == 0x1000);
}

TEST_CASE("a value is as wide as its type, and has its sign")
{
	KernelValue type{"", "int", ValueKind::is_signed, 4, std::nullopt};
	CHECK(value_of(type, 0xdeadbeefffffffff) == ~std::uint64_t(0));
	type.kind = ValueKind::is_unsigned;
	CHECK(value_of(type, 0xdeadbeefffffffff) == 0xffffffff);
	type.bytes = 8;
	CHECK(value_of(type, 0xdeadbeefffffffff) == 0xdeadbeefffffffff);
}
