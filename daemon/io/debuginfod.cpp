// SPDX-License-Identifier: GPL-2.0
// Debug files that servers have.
#include "io/debuginfod.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "io/loaded_library.h"

// As <elfutils/debuginfod.h> has them. The header comes with what links the library, and so curl, into every program.
extern "C" {
struct debuginfod_client;
using DebuginfodProgress = int (*)(debuginfod_client*, long, long);
}

namespace uwind {
namespace {

constexpr char library_name[] = "libdebuginfod.so.1";

using FindFile = int (*)(debuginfod_client*, const unsigned char* build_id, int length, char** path);

void set_default(const char* variable, std::uint64_t value)
{
	::setenv(variable, std::to_string(value).c_str(), 0);
}

} // namespace

struct Debuginfod::Library {
	const LoadedLibrary code{library_name};
	debuginfod_client* client = nullptr;
	debuginfod_client* (*begin)() = nullptr;
	void (*end)(debuginfod_client*) = nullptr;
	FindFile find_debuginfo = nullptr, find_executable = nullptr;
	void (*set_progress)(debuginfod_client*, DebuginfodProgress) = nullptr;

	Library() = default;
	Library(const Library&) = delete;
	Library& operator=(const Library&) = delete;
	~Library()
	{
		if (client)
			end(client);
	}

	bool look_up_all()
	{
		return code.look_up("debuginfod_begin", begin) && code.look_up("debuginfod_end", end) &&
		       code.look_up("debuginfod_find_debuginfo", find_debuginfo) &&
		       code.look_up("debuginfod_find_executable", find_executable) &&
		       code.look_up("debuginfod_set_progressfn", set_progress);
	}
};

namespace {

// The file that this thread waits for.
struct Transfer {
	std::uint64_t most_bytes = 0;
	bool too_large = false;
};

thread_local Transfer* current = nullptr;

// Servers need not say how large a file is, or may lie: what has arrived counts.
int stop_large(debuginfod_client*, long done, long all)
{
	if (!current)
		return 0;
	const auto most = static_cast<long>(current->most_bytes);
	current->too_large = current->too_large || done > most || all > most;
	return current->too_large;
}

} // namespace

Debuginfod::Debuginfod(std::unique_ptr<Library> library, std::uint64_t most_bytes)
    : library_(std::move(library)), most_bytes_(most_bytes)
{
}

Debuginfod::~Debuginfod() = default;

// The library reads the environment when it is asked.
Result<std::shared_ptr<Debuginfod>> Debuginfod::open(const std::string& urls, DebuginfodLimits limits)
{
	auto library = std::make_unique<Library>();
	if (!library->code)
		return Error{ENOENT, std::string("no debuginfod server can be asked without ") + library_name +
					     ": install the package libdebuginfod1"};
	::setenv("DEBUGINFOD_URLS", urls.c_str(), 1);
	set_default("DEBUGINFOD_TIMEOUT", limits.silent_seconds);
	set_default("DEBUGINFOD_MAXTIME", limits.seconds);
	set_default("DEBUGINFOD_MAXSIZE", limits.file_bytes);
	if (!library->look_up_all() || !(library->client = library->begin()))
		return Error{ENOENT, std::string(library_name) + " cannot be used: install elfutils of 0.188 or later"};
	library->set_progress(library->client, &stop_large);
	const auto most = std::strtoull(std::getenv("DEBUGINFOD_MAXSIZE"), nullptr, 10);
	return std::shared_ptr<Debuginfod>(new Debuginfod(std::move(library), most ? most : limits.file_bytes));
}

// Of a server that is silent, each further file would cost the same time.
template <typename Find>
Result<UniqueFd> Debuginfod::find(Find function, const std::string& build_id)
{
	if (!gives_up_)
		return gives_up_.error();
	Transfer transfer{most_bytes_};
	current = &transfer;
	// Of length 0: it is text.
	const int outcome =
		function(library_->client, reinterpret_cast<const unsigned char*>(build_id.c_str()), 0, nullptr);
	current = nullptr;
	if (outcome >= 0)
		return UniqueFd(outcome);
	if (outcome == -EFBIG || transfer.too_large)
		return Error{EFBIG,
			     "the debuginfod server has a file that is too large: DEBUGINFOD_MAXSIZE is its limit"};
	if (outcome != -ENOENT)
		gives_up_ = Error{-outcome, std::string("no debuginfod server answers: ") + std::strerror(-outcome)};
	return Error{-outcome, outcome == -ENOENT ? "no debuginfod server has it" : gives_up_.error().message};
}

Result<UniqueFd> Debuginfod::debug_file(const std::string& build_id)
{
	return find(library_->find_debuginfo, build_id);
}

Result<UniqueFd> Debuginfod::program(const std::string& build_id)
{
	return find(library_->find_executable, build_id);
}

} // namespace uwind
