// SPDX-License-Identifier: GPL-2.0
// What tracing costs is measured in each situation, and nothing traces afterwards.
#include "app/function_bench.h"

#include <catch2/catch.hpp>
#include <set>

#include "unit/fake_kernel.h"

using namespace uwind;

namespace {

// A system call takes 1,000 ns, and 100 more for each instance that traces something.
class FakeTracers : public FunctionTracers {
public:
	class Instance : public Tracing {
	public:
		Instance(FakeTracers& of, std::string name) : of_(of), name_(std::move(name)) {}
		~Instance() override { of_.tracing.erase(name_); }

	private:
		FakeTracers& of_;
		std::string name_;
	};

	Result<std::unique_ptr<Tracing>> trace(const std::string& name, const std::string& pattern) override
	{
		if (name == refused)
			return Error{EACCES, name};
		patterns.insert(pattern);
		tracing.insert(name);
		return std::unique_ptr<Tracing>(std::make_unique<Instance>(*this, name));
	}

	// The first measurement is a slow one.
	double call_ns(std::uint64_t calls) override
	{
		return 1000 + 100.0 * static_cast<double>(tracing.size()) + (measured++ % 3 ? 0 : 5) + double(calls) -
		       7;
	}

	std::set<std::string> tracing, patterns;
	std::string refused;
	int measured = 0;
};

struct BenchFixture {
	FakeKernel kernel;
	FakeTracers tracers;
	bool stops = false;

	Result<FunctionCosts> measured()
	{
		EventSpec call;
		call.type = function_type;
		return measure_function_costs(
			{kernel, tracers, call, "traced", "different", 42, 7, [this] { return stops; }});
	}
};

} // namespace

TEST_CASE_METHOD(BenchFixture, "each tracer is measured while nothing, something else and everything is traced, too")
{
	const auto costs = measured();
	REQUIRE(costs);
	REQUIRE(costs->size() == 18);
	CHECK(tracers.patterns == std::set<std::string>{"", "different", "traced"});
	const FunctionCost& stock = costs->at(5);
	CHECK(stock.others == "nothing");
	CHECK(stock.tracer == "function tracer");
	CHECK(stock.call_ns == 1100);
	CHECK(stock.added_ns == 100);
	CHECK(costs->at(0).call_ns == 1000);
	CHECK(costs->at(6).call_ns == 1100); // beside another function
	CHECK(costs->at(17).added_ns == 100);
	CHECK(tracers.tracing.empty());
}

TEST_CASE_METHOD(BenchFixture, "a measurement that cannot be made, or is to end, leaves nothing that traces")
{
	tracers.refused = "uwind-traced";
	CHECK(measured().error().code == EACCES);
	CHECK(tracers.tracing.empty());
	tracers.refused = "";
	stops = true;
	CHECK(measured().error().code == EINTR);
	CHECK(tracers.tracing.empty());
}
