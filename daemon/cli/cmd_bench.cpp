// SPDX-License-Identifier: GPL-2.0
// uwind bench: what tracing costs on this machine.
#include <iostream>
#include <unistd.h>

#include "app/function_bench.h"
#include "base/exit_code.h"
#include "cli/verbs.h"
#include "events/functions.h"
#include "events/tracepoints.h"
#include "export/function_costs.h"
#include "io/event_machine.h"
#include "io/machine.h"
#include "io/stop_signals.h"
#include "io/trace_instances.h"

namespace uwind {
namespace {

// Names of x86 and of arm64; a system call without arguments has the name of x86's 32-bit ABI for both.
constexpr const char* traced = "__*_sys_getppid";
constexpr const char* different = "__*64_sys_getsid";

struct BenchArguments {
	std::uint64_t calls = 20'000;
	std::string format = "text";
};

Result<FunctionCosts> measure(const BenchArguments& arguments)
{
	EventMachine sources;
	const auto folder = sources.tracing();
	if (!folder)
		return no_tracing(folder.error());
	const auto call = parse_functions(sources, std::string(function_prefix) + traced);
	if (!call)
		return call.error();
	auto signals = StopSignals::catch_them();
	if (!signals)
		return signals.error();
	const auto machine = Machine::open();
	if (!machine)
		return machine.error();
	TraceInstances tracers(*folder);
	return measure_function_costs({*(*machine)->device, tracers, *call, traced, different, ::getpid(),
				       arguments.calls, [&] { return signals->arrived() != 0; }});
}

int bench(const BenchArguments& arguments)
{
	const auto costs = measure(arguments);
	if (!costs)
		return complain(costs.error());
	(arguments.format == "json" ? write_function_costs_json : write_function_costs)(*costs, std::cout);
	return exit_ok;
}

} // namespace

void add_bench_command(CLI::App& app, int& exit_code)
{
	auto* verb = app.add_subcommand("bench", "Measure what tracing costs on this machine.");
	verb->require_subcommand(1);
	auto* ftrace = verb->add_subcommand("ftrace", "Of a function of the kernel, beside the kernel's own tracer.");
	const auto arguments = std::make_shared<BenchArguments>();
	ftrace->add_option("--calls", arguments->calls, "System calls of each measurement")
		->check(CLI::Range(1, 100'000'000))
		->capture_default_str();
	ftrace->add_option("--format", arguments->format, "text or json")
		->check(CLI::IsMember({"text", "json"}))
		->capture_default_str();
	ftrace->callback([arguments, &exit_code] { exit_code = bench(*arguments); });
}

} // namespace uwind
