// SPDX-License-Identifier: GPL-2.0
// What tracing a function costs, as a table and as JSON.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>
#include <sstream>

#include "export/function_costs.h"

using namespace uwind;

namespace {

const FunctionCosts costs = {{"nothing", "", 412.4, 0}, {"all functions", "uwind, noted", 1234.6, 822.2}};

} // namespace

TEST_CASE("costs of tracing are a line each, rounded to nanoseconds")
{
	std::ostringstream out;
	write_function_costs(costs, out);
	CHECK(out.str() == "OTHERS TRACE      TRACER                            SYSTEM CALL ns   ADDED ns\n"
			   "nothing           none                                         412          0\n"
			   "all functions     uwind, noted                                1235        822\n");
}

TEST_CASE("costs of tracing as JSON are whole, and no tracer is null")
{
	std::ostringstream out;
	write_function_costs_json(costs, out);
	const auto json = nlohmann::json::parse(out.str());
	REQUIRE(json.size() == 2);
	CHECK(json[0] ==
	      nlohmann::json{{"others", "nothing"}, {"tracer", nullptr}, {"call_ns", 412.4}, {"added_ns", 0.0}});
	CHECK(json[1]["tracer"] == "uwind, noted");
	CHECK(json[1]["added_ns"] == 822.2);
}
