// SPDX-License-Identifier: GPL-2.0
// What was found about a machine: a line each for people, or JSON.
#include "export/diagnosis.h"

#include <nlohmann/json.hpp>
#include <ostream>

namespace uwind {
namespace {

std::string padded(std::string text, std::size_t width)
{
	text.resize(std::max(text.size(), width), ' ');
	return text;
}

} // namespace

void write_diagnosis(const Diagnosis& diagnosis, std::ostream& out)
{
	for (const Finding& finding : diagnosis.findings) {
		out << padded(name_of(finding.verdict), 9) << padded(finding.check, 11) << finding.found;
		if (!finding.costs.empty())
			out << "; so " << finding.costs;
		if (!finding.mend.empty())
			out << "; to mend: " << finding.mend;
		out << '\n';
	}
}

void write_diagnosis_json(const Diagnosis& diagnosis, std::ostream& out)
{
	nlohmann::ordered_json findings = nlohmann::ordered_json::array();
	for (const Finding& finding : diagnosis.findings)
		findings.push_back({{"check", finding.check},
				    {"verdict", name_of(finding.verdict)},
				    {"found", finding.found},
				    {"costs", finding.costs},
				    {"mend", finding.mend}});
	const nlohmann::ordered_json all{{"module_loaded", !diagnosis.module_absent}, {"findings", findings}};
	out << all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}

} // namespace uwind
