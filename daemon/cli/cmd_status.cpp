// SPDX-License-Identifier: GPL-2.0
// uwind status: the module's version and its numbers.
#include <iostream>

#include "base/exit_code.h"
#include "cli/verbs.h"
#include "export/status.h"
#include "io/device.h"

namespace uwind {
namespace {

int status()
{
	auto device = Device::open();
	if (!device)
		return complain(device.error());
	const auto stats = (*device)->module_stats();
	if (!stats)
		return complain(stats.error());
	write_status((*device)->version(), *stats, std::cout);
	return exit_ok;
}

} // namespace

void add_status_command(CLI::App& app, int& exit_code)
{
	auto* verb = app.add_subcommand("status", "Show the kernel module's version and numbers.");
	verb->callback([&exit_code] { exit_code = status(); });
}

} // namespace uwind
