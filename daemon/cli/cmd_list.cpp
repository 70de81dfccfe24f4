// SPDX-License-Identifier: GPL-2.0
// uwind list: every table in the module, or the machine's events.
#include <cstdio>
#include <iostream>
#include <memory>

#include "base/exit_code.h"
#include "cli/verbs.h"
#include "events/catalogue.h"
#include "export/events.h"
#include "export/status.h"
#include "io/device.h"
#include "io/event_machine.h"

namespace uwind {
namespace {

int list_tables()
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

int list_events_like(const std::vector<std::string>& patterns)
{
	EventMachine machine;
	const EventList list = list_events(machine, patterns);
	write_events(list.events, std::cout);
	std::cout.flush();
	for (const std::string& note : list.notes)
		std::fprintf(stderr, "uwind: %s\n", note.c_str());
	if (list.events.empty())
		return complain(Error{EINVAL, "no event is called like that"});
	return exit_ok;
}

} // namespace

void add_list_command(CLI::App& app, int& exit_code)
{
	auto* verb = app.add_subcommand("list", "List the kernel module's tables, or this machine's events.");
	verb->require_subcommand(0, 1);
	verb->add_subcommand("tables", "The module's tables: method, size, owner, file (the default)");
	auto* events = verb->add_subcommand("events", "What can trigger samples here: a name and a kind per line");
	const auto patterns = std::make_shared<std::vector<std::string>>();
	events->add_option("GLOB", *patterns, "Only names or kinds that match one of them, as 'sched:*' or cache");
	verb->callback([events, patterns, &exit_code] {
		exit_code = events->parsed() ? list_events_like(*patterns) : list_tables();
	});
}

} // namespace uwind
