// SPDX-License-Identifier: GPL-2.0
// uwind list: every table in the module.
#include <iostream>

#include "base/exit_code.h"
#include "cli/verbs.h"
#include "export/status.h"
#include "io/device.h"

namespace uwind {
namespace {

int list()
{
	auto device = Device::open();
	if (!device)
		return complain(device.error());
	const auto tables = (*device)->tables();
	if (!tables)
		return complain(tables.error());
	write_tables(*tables, std::cout);
	return exit_ok;
}

} // namespace

void add_list_command(CLI::App& app, int& exit_code)
{
	auto* verb = app.add_subcommand("list", "List the kernel module's tables: method, size, owner, file.");
	verb->callback([&exit_code] { exit_code = list(); });
}

} // namespace uwind
