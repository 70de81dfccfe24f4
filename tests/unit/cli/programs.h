// SPDX-License-Identifier: GPL-2.0
// The programs as a shell runs them: those that were built next to this test.
#pragma once

#include <climits>
#include <cstdio>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "base/handle.h"
#include "export/json.h"
#include "unit/skipped.h"

namespace programs {

struct Outcome {
	int status = -1;
	std::string output; // both streams
};

inline std::string built(const std::string& program)
{
	char path[PATH_MAX] = "";
	if (::readlink("/proc/self/exe", path, sizeof(path) - 1) <= 0)
		return "";
	std::string folder = path;
	folder.resize(folder.rfind('/'));
	return folder + "/../daemon/" + program;
}

inline Outcome run(const std::string& program, const std::string& arguments, const std::string& by = "")
{
	Outcome outcome;
	FILE* pipe = ::popen((by + built(program) + " " + arguments + " 2>&1").c_str(), "r");
	char part[4096];
	while (const std::size_t length = pipe ? std::fread(part, 1, sizeof(part), pipe) : 0)
		outcome.output.append(part, length);
	const int status = pipe ? ::pclose(pipe) : -1;
	outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	return outcome;
}

inline bool programs_are_built()
{
	return ::access(built("uwind").c_str(), X_OK) == 0 || skipped("the programs are not built next to this test");
}

inline bool module_is_loaded()
{
	return ::access("/dev/uwind", F_OK) == 0 && !skipped("the module is loaded here");
}

// A report in a file of its own.
struct ReportFile {
	char path[32] = "/tmp/uwind-cli-XXXXXX";
	explicit ReportFile(const uwind::Report& report)
	{
		const uwind::UniqueFd fd(::mkstemp(path));
		std::ofstream out(path);
		uwind::write_json(report, out);
	}
	ReportFile(const ReportFile&) = delete;
	ReportFile& operator=(const ReportFile&) = delete;
	~ReportFile() { ::unlink(path); }
};

} // namespace programs
