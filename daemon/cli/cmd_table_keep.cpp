// SPDX-License-Identifier: GPL-2.0
// uwind table keep: makes tables before programs run.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <thread>

#include "app/table_keeper.h"
#include "base/exit_code.h"
#include "cli/cmd_table.h"
#include "cli/table_cache_option.h"
#include "cli/verbs.h"
#include "io/program_tree.h"
#include "io/stop_signals.h"
#include "io/threads.h"
#include "model/settings.h"
#include "wiring.h"

namespace uwind {
namespace {

constexpr std::chrono::milliseconds look_around(100); // how often signals are checked
constexpr unsigned most_jobs = 64;

struct KeepArguments {
	std::vector<std::string> paths;
	std::string table_cache;                                        // "": not given
	unsigned jobs = std::clamp(usable_processors(), 1u, most_jobs); // each may hold a large table while it is made
};

Error no_folder(const KeepArguments& arguments)
{
	if (!arguments.table_cache.empty())
		return Error{EINVAL, "--table-cache none: tables are kept in a folder"};
	return Error{EPERM, std::string("only root keeps tables in ") + default_table_cache +
				    ": name a folder of your own by --table-cache"};
}

std::string mib(std::uint64_t bytes)
{
	char text[32];
	std::snprintf(text, sizeof(text), "%.1f", static_cast<double>(bytes) / (1 << 20));
	return text;
}

void run(TableKeeper& keeper, unsigned jobs, StopSignals& signals)
{
	std::vector<std::jthread> workers; // ends before what they work with
	while (workers.size() < jobs)
		workers.emplace_back([&keeper] { keeper.work(); });
	while (!keeper.wait_until_done(look_around))
		if (signals.arrived())
			keeper.stop();
}

int conclude(const KeepCounts& counts, const CacheFolder& folder)
{
	int code = exit_ok;
	if (counts.failure)
		code = exit_code_for_file({counts.failure, ""});
	if (counts.full)
		code = complain(*counts.full);
	std::printf("%s; %s of at most %s MiB are kept in %s\n", in_words(counts).c_str(), mib(folder.bytes()).c_str(),
		    mib(folder.max_bytes()).c_str(), folder.path().c_str());
	return code;
}

int keep(const KeepArguments& arguments)
{
	spdlog::set_default_logger(spdlog::stderr_logger_mt("uwind"));
	const std::string folder = table_cache_of(arguments.table_cache);
	if (folder.empty())
		return complain(no_folder(arguments));
	const auto cache = open_table_cache(folder);
	if (!cache)
		return complain(cache.error());
	auto signals = StopSignals::catch_them();
	if (!signals)
		return complain(signals.error());
	TableKeeper keeper(objects_ahead(*cache), std::make_unique<ProgramTree>(arguments.paths),
			   [](const Error& error) { complain(error); });
	run(keeper, arguments.jobs, *signals);
	return conclude(keeper.counts(), cache->folder());
}

} // namespace

void add_keep_verb(CLI::App& table, int& exit_code)
{
	const auto arguments = std::make_shared<KeepArguments>();
	CLI::App* verb = table.add_subcommand("keep", "Make tables before programs run, and keep them for recordings");
	verb->add_option("PATH", arguments->paths, "ELF programs and libraries, or folders with some below them")
		->required()
		->check(CLI::ExistingPath);
	verb->add_option("--table-cache", arguments->table_cache,
			 std::string("Folder in which tables are kept (default, for root alone: ") +
				 default_table_cache + ")");
	verb->add_option("-j,--jobs", arguments->jobs, "So many tables are made at a time")
		->check(CLI::Range(1u, most_jobs))
		->default_str("as many as processors");
	verb->callback([arguments, &exit_code] { exit_code = keep(*arguments); });
}

} // namespace uwind
