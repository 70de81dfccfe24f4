// SPDX-License-Identifier: GPL-2.0
// The service uwindd: samples all processes and writes a JSON report per interval.
#include <CLI/CLI.hpp>
#include <exception>
#include <filesystem>
#include <malloc.h>
#include <map>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sstream>

#include "app/service.h"
#include "app/settings.h"
#include "base/exit_code.h"
#include "export/json.h"
#include "export/summary.h"
#include "io/program_tree.h"
#include "io/report_files.h"
#include "io/stop_signals.h"
#include "io/systemd.h"
#include "io/text_file.h"
#include "wiring.h"

namespace uwind {
namespace {

constexpr char default_file[] = "/etc/uwind/uwindd.conf";

struct Arguments {
	std::string file; // "": the default file, which may be missing
	bool check_only = false;
	std::map<const SettingKey*, std::string> settings; // from the command line
};

// An error's message has a line for each mistake in the file.
Result<Settings> settings_of(const Arguments& arguments)
{
	const std::string file = arguments.file.empty() ? default_file : arguments.file;
	const auto text = read_text(file);
	const bool missing = !text && text.error().code == ENOENT && arguments.file.empty();
	if (!text && !missing)
		return text.error();
	ReadSettings read = read_settings(missing ? "" : *text, file, Settings());
	if (!read.complaints.empty()) {
		std::string message;
		for (const std::string& complaint : read.complaints)
			message += (message.empty() ? "" : "\n") + complaint;
		return Error{EBADMSG, message};
	}
	for (const auto& [key, value] : arguments.settings)
		key->set(read.settings, value);
	return read.settings;
}

class RealOutside : public Outside {
public:
	RealOutside(std::unique_ptr<Machine> machine, const std::string& table_cache)
	    : machine_(std::move(machine)), cache_(open_table_cache(table_cache)),
	      objects_(objects_with(cache_, table_cache))
	{
	}
	Ports ports() override { return ports_of(*machine_, objects_, unwinder_); }
	Result<Keeping> keeping(const std::vector<std::string>& paths, std::int64_t changed_since_s) override
	{
		if (!cache_)
			return cache_.error();
		return Keeping{objects_ahead(*cache_), std::make_unique<ProgramTree>(paths, changed_since_s)};
	}
	void give_back_memory() override { (void)::malloc_trim(0); }

private:
	std::unique_ptr<Machine> machine_;
	const Result<TableCache> cache_;
	ElfObjects objects_;
	CoreUnwinder unwinder_;
};

Result<std::unique_ptr<Outside>> open_outside(const Settings& settings)
{
	auto machine = Machine::open();
	if (!machine)
		return machine.error();
	return std::unique_ptr<Outside>(std::make_unique<RealOutside>(std::move(*machine), settings.table_cache));
}

std::string describe(const Report& report)
{
	return closing_line(report, std::to_string((report.session.duration_ns + 500'000'000) / 1'000'000'000) + " s");
}

Status serve(const Arguments& arguments, const Settings& settings)
{
	auto signals = StopSignals::catch_them(StopSignals::Hangup::reloads);
	if (!signals)
		return signals.error();
	raise_file_limit(open_files_wanted);
	Systemd systemd;
	ReportFiles reports(write_json);
	const auto read_again = [&] { return settings_of(arguments); };
	return Service({*signals, systemd, reports, open_outside, read_again, describe}, settings).run();
}

// Logs each line of the message as one.
int complain(const Error& error, int exit_code)
{
	std::istringstream lines(error.message);
	for (std::string line; std::getline(lines, line);)
		spdlog::error("{}", line);
	return exit_code;
}

int run(const Arguments& arguments)
{
	const auto settings = settings_of(arguments);
	if (!settings)
		return complain(settings.error(), exit_configuration);
	if (arguments.check_only) {
		std::fputs(text_of(*settings).c_str(), stdout);
		return exit_ok;
	}
	const auto served = serve(arguments, *settings);
	return served ? int(exit_ok) : complain(served.error(), exit_code_for(served.error()));
}

// A path on the command line may be relative to the current folder.
std::string given(const SettingKey& key, const std::string& value)
{
	Settings unused;
	return key.is_path && !value.empty() && !key.set(unused, value) ? std::filesystem::absolute(value).string()
									: value;
}

void add_key(CLI::App& app, Arguments& arguments, const SettingKey& key)
{
	if (key.is_flag) {
		app.add_flag_callback(
			key.options, [&] { arguments.settings[&key] = "yes"; }, key.meaning);
		return;
	}
	auto* option = app.add_option_function<std::string>(
		key.options, [&](const std::string& value) { arguments.settings[&key] = given(key, value); },
		key.meaning);
	option->check([&](const std::string& value) { return complaint_about(key, given(key, value)); });
	option->default_str(key.get(Settings()));
}

void add_options(CLI::App& app, Arguments& arguments)
{
	app.set_version_flag("--version", "uwindd " UWIND_VERSION);
	app.add_option("--config", arguments.file, "The configuration file")->default_str(default_file);
	app.add_flag("--check-config", arguments.check_only,
		     "Read the configuration, print the settings in effect, and exit");
	for (const SettingKey& key : setting_keys())
		add_key(app, arguments, key);
	app.footer("Options override the configuration file.");
}

int main_of_service(int argc, char** argv)
{
	Arguments arguments;
	CLI::App app("Samples the user-space call stacks of all processes.", "uwindd");
	add_options(app, arguments);
	try {
		app.parse(argc, argv);
	} catch (const CLI::ParseError& error) {
		return app.exit(error) == 0 ? exit_ok : exit_usage;
	}
	spdlog::set_default_logger(spdlog::stderr_logger_mt("uwindd"));
	return run(arguments);
}

} // namespace
} // namespace uwind

int main(int argc, char** argv)
{
	try {
		return uwind::main_of_service(argc, argv);
	} catch (const std::exception& error) {
		std::fprintf(stderr, "uwindd: internal error: %s\n", error.what());
		return uwind::exit_bug;
	}
}
