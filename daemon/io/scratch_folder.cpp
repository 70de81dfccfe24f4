// SPDX-License-Identifier: GPL-2.0
// A folder for as long as a verb runs.
#include "io/scratch_folder.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace uwind {
namespace {

// No signal but SIGKILL ends this, and a terminal sends it none. It holds none of the verb's streams.
[[noreturn]] void remove_after(const std::string& path, int alive)
{
	::setsid();
	for (int stream = 0; stream <= 2; stream++)
		::close(stream);
	char byte = 0;
	while (::read(alive, &byte, 1) < 0 && errno == EINTR)
		;
	std::error_code error;
	std::filesystem::remove_all(path, error);
	::_exit(0);
}

} // namespace

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept
    : path_(std::move(other.path_)), alive_(std::move(other.alive_)), remover_(std::exchange(other.remover_, 0))
{
}

ScratchFolder::~ScratchFolder()
{
	alive_.reset();
	while (remover_ > 0 && ::waitpid(remover_, nullptr, 0) < 0 && errno == EINTR)
		;
}

Result<ScratchFolder> ScratchFolder::create()
{
	const char* const chosen = std::getenv("TMPDIR");
	std::string path = std::string(chosen && *chosen ? chosen : "/var/tmp") + "/uwind-XXXXXX";
	int ends[2] = {-1, -1};
	if (::pipe2(ends, O_CLOEXEC))
		return errno_error(errno, "pipe");
	const UniqueFd waits(ends[0]);
	UniqueFd alive(ends[1]);
	if (!::mkdtemp(path.data()))
		return errno_error(errno, path);
	sigset_t all, before;
	::sigfillset(&all);
	::pthread_sigmask(SIG_SETMASK, &all, &before);
	const pid_t remover = ::fork();
	const int code = errno;
	if (remover == 0) {
		alive.reset();
		remove_after(path, waits.get());
	}
	::pthread_sigmask(SIG_SETMASK, &before, nullptr);
	if (remover < 0) {
		::rmdir(path.c_str());
		return errno_error(code, "fork");
	}
	return ScratchFolder(path, std::move(alive), remover);
}

} // namespace uwind
