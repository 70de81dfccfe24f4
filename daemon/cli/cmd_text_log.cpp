// SPDX-License-Identifier: GPL-2.0
// uwind text-log: records how the kernel's text changes.
#include <chrono>
#include <cstdio>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "app/text_recorder.h"
#include "cli/command.h"
#include "cli/verbs.h"
#include "export/text_log.h"
#include "export/text_summary.h"
#include "io/append_file.h"
#include "io/child.h"
#include "io/clock.h"
#include "io/kernel_image.h"
#include "io/procfs.h"
#include "io/run_beside.h"
#include "io/stop_signals.h"
#include "io/text_sources.h"

namespace uwind {
namespace {

using std::chrono::milliseconds;

struct TextLogArguments {
	std::string output = "uwind.text";
	double duration_s = 0; // 0: until it is stopped
	double interval_s = 10;
	bool verbose = false;
	std::vector<std::string> command;
};

class TextLogRun {
public:
	TextLogRun(const TextLogArguments& arguments, StopSignals& signals, KernelImage& image, TextChanges& changes,
		   AppendFile& file)
	    : arguments_(arguments), signals_(signals), image_(image), file_(file),
	      recorder_(changes, image, own_arch(), [this](const TextEntry& entry) { return write(entry); })
	{
	}

	Result<int> run(std::optional<Child>& child);

private:
	Status write(const TextEntry& entry);
	Status run_for(milliseconds time);
	std::uint64_t interval_ns() const { return static_cast<std::uint64_t>(arguments_.interval_s * 1e9); }

	const TextLogArguments& arguments_;
	StopSignals& signals_;
	KernelImage& image_;
	AppendFile& file_;
	TextRecorder recorder_;
	bool head_written_ = false;
	std::uint64_t next_look_ns_ = 0;
};

// The head says when the log begins, which is known when the first entry comes.
Status TextLogRun::write(const TextEntry& entry)
{
	if (!head_written_) {
		const Host host = Procfs().host();
		const TextLogHead head{own_arch(), recorder_.begin_ns(), SystemClock().seconds_since_1970(),
				       host.boot_id, host.kernel};
		if (auto written = file_.append(text_log_head(head)); !written)
			return written;
		head_written_ = true;
	}
	return file_.append(text_log_entry(entry));
}

Result<int> TextLogRun::run(std::optional<Child>& child)
{
	if (auto begun = recorder_.begin(); !begun)
		return begun.error();
	if (auto flushed = file_.flush(); !flushed)
		return flushed.error();
	spdlog::debug("the log has begun");
	next_look_ns_ = image_.now_ns() + interval_ns();
	auto exit_code =
		run_beside(child, signals_, arguments_.duration_s, [this](auto time) { return run_for(time); });
	if (!exit_code)
		return exit_code;
	if (auto finished = recorder_.finish(); !finished)
		return finished.error();
	if (auto flushed = file_.flush(); !flushed)
		return flushed.error();
	std::fprintf(stderr, "uwind: %s: %s\n", arguments_.output.c_str(), closing_text(recorder_.counts()).c_str());
	return exit_code;
}

Status TextLogRun::run_for(milliseconds time)
{
	if (auto run = recorder_.run_for(time); !run)
		return run;
	if (image_.now_ns() >= next_look_ns_) {
		if (auto looked = recorder_.look(); !looked)
			return looked;
		next_look_ns_ = image_.now_ns() + interval_ns();
	}
	return file_.flush();
}

Result<int> run_log(const TextLogArguments& arguments, StopSignals& signals, std::optional<Child>& child)
{
	auto image = KernelImage::open();
	if (!image)
		return image.error();
	auto file = AppendFile::create(arguments.output, 0600);
	if (!file)
		return file.error();
	const auto changes = text_changes_of_this_machine();
	return TextLogRun(arguments, signals, *image, *changes, *file).run(child);
}

int text_log(const TextLogArguments& arguments)
{
	spdlog::set_default_logger(spdlog::stderr_logger_mt("uwind"));
	spdlog::set_level(arguments.verbose ? spdlog::level::debug : spdlog::level::warn);
	auto signals = StopSignals::catch_them();
	if (!signals)
		return complain(signals.error());
	std::optional<Child> child;
	if (const auto refused = prepare_command(arguments.command, child))
		return *refused;
	const auto status = run_log(arguments, *signals, child);
	return status ? *status : complain(status.error());
}

} // namespace

void add_text_log_command(CLI::App& app, int& exit_code, const std::vector<std::string>& command)
{
	auto* verb = app.add_subcommand("text-log", "Record each change of the kernel's text.");
	const auto arguments = std::make_shared<TextLogArguments>();
	arguments->command = command;
	verb->add_option("-o,--output", arguments->output, "The log; an older file of that name becomes NAME.old")
		->capture_default_str();
	verb->add_option("--duration", arguments->duration_s, "Stop after this many seconds")
		->check(CLI::PositiveNumber);
	verb->add_option("--interval", arguments->interval_s, "Compare with memory every so many seconds")
		->check(CLI::Range(0.1, 86400.0))
		->capture_default_str();
	verb->add_flag("-v,--verbose", arguments->verbose, "Say more on standard error");
	verb->callback([arguments, &exit_code] { exit_code = text_log(*arguments); });
}

} // namespace uwind
