// SPDX-License-Identifier: GPL-2.0
// What tracing a function of the kernel costs, as a table or as JSON.
#include "export/function_costs.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <ostream>

namespace uwind {

void write_function_costs(const FunctionCosts& costs, std::ostream& out)
{
	out << "OTHERS TRACE      TRACER                            SYSTEM CALL ns   ADDED ns\n";
	for (const FunctionCost& cost : costs) {
		char line[128];
		std::snprintf(line, sizeof(line), "%-17s %-33s %14.0f %10.0f\n", cost.others.c_str(),
			      cost.tracer.empty() ? "none" : cost.tracer.c_str(), cost.call_ns, cost.added_ns);
		out << line;
	}
}

void write_function_costs_json(const FunctionCosts& costs, std::ostream& out)
{
	auto list = nlohmann::json::array();
	for (const FunctionCost& cost : costs)
		list.push_back({{"others", cost.others},
				{"tracer", cost.tracer.empty() ? nlohmann::json() : nlohmann::json(cost.tracer)},
				{"call_ns", cost.call_ns},
				{"added_ns", cost.added_ns}});
	out << list.dump(1) << '\n';
}

} // namespace uwind
