// SPDX-License-Identifier: GPL-2.0
// uwind doctor: what is missing on this machine, what does not work without it, and how to correct it.
#include <algorithm>
#include <iostream>

#include "app/doctor.h"
#include "base/exit_code.h"
#include "cli/verbs.h"
#include "export/diagnosis.h"
#include "io/this_machine.h"

namespace uwind {
namespace {

constexpr int something_is_missing = 1;

int exit_code_of(const Diagnosis& diagnosis)
{
	if (diagnosis.module_absent)
		return exit_unavailable;
	const auto is_missing = [](const Finding& finding) { return finding.verdict == Verdict::missing; };
	return std::ranges::any_of(diagnosis.findings, is_missing) ? something_is_missing : int(exit_ok);
}

int doctor(const std::string& format)
{
	ThisMachine machine;
	const Diagnosis diagnosis = examine(machine);
	(format == "json" ? write_diagnosis_json : write_diagnosis)(diagnosis, std::cout);
	return exit_code_of(diagnosis);
}

} // namespace

void add_doctor_command(CLI::App& app, int& exit_code)
{
	auto* verb = app.add_subcommand("doctor", "Say what is missing on this machine, and how to correct it.");
	const auto format = std::make_shared<std::string>("text");
	verb->add_option("--format", *format, "text or json")
		->check(CLI::IsMember({"text", "json"}))
		->capture_default_str();
	verb->callback([format, &exit_code] { exit_code = doctor(*format); });
}

} // namespace uwind
