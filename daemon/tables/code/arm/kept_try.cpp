// SPDX-License-Identifier: GPL-2.0
#include "tables/code/arm/kept_try.h"

#include <algorithm>

namespace uwind {

std::size_t ArmKeptTry::entries() const
{
	return tried.instructions.size() + tried.data.size() + tried.loads.size() + findings.calls.size() +
	       findings.sites.size() + findings.exits.size() + findings.jumps.size();
}

bool still_holds(const ArmKeptTry& kept, const ArmProof& proof, const ArmLastCalls& last_calls)
{
	const auto same_exit = [&](const ArmExit& exit) {
		return proof.places().begins(exit.at) == exit.begins &&
		       proof.places().is_settled(exit.at) == exit.settled;
	};
	const auto same_call = [&](const ArmCall& call) { return last_calls.never_returns(call.target) == call.last; };
	const auto same_site = [&](const ArmCallSite& site) { return last_calls.is_blamed(site.at) == site.blamed; };
	const auto begins_inside = [&](const ArmTried::Instruction& instruction) {
		return instruction.taken.at() != kept.tried.instructions.front().taken.at() &&
		       proof.places().begins(instruction.taken.at());
	};
	const ArmFindings& findings = kept.findings;
	const std::vector<ArmTried::Instruction>& instructions = kept.tried.instructions;
	return std::all_of(findings.exits.begin(), findings.exits.end(), same_exit) &&
	       std::all_of(findings.calls.begin(), findings.calls.end(), same_call) &&
	       std::all_of(findings.sites.begin(), findings.sites.end(), same_site) &&
	       std::none_of(instructions.begin(), instructions.end(), begins_inside);
}

} // namespace uwind
