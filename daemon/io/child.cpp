// SPDX-License-Identifier: GPL-2.0
// Starts a command in two steps.
#include "io/child.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/stop_signals.h"

namespace uwind {
namespace {

constexpr int exec_failed = 127;

bool is_program(const std::string& path)
{
	struct stat status {};
	return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

[[noreturn]] void become(const char* program, char* const* arguments, int go, int failure)
{
	char byte;
	if (::read(go, &byte, 1) != 1)
		::_exit(exec_failed);
	StopSignals::release_in_child();
	::execv(program, arguments);
	const int code = errno;
	(void)!::write(failure, &code, sizeof(code));
	::_exit(exec_failed);
}

} // namespace

Result<std::string> find_program(const std::string& name)
{
	if (name.find('/') != std::string::npos)
		return is_program(name) ? Result<std::string>(name)
					: errno_error(::access(name.c_str(), F_OK) ? ENOENT : EACCES, name);
	const char* path = std::getenv("PATH");
	std::istringstream folders(path ? path : "/usr/bin:/bin");
	for (std::string folder; std::getline(folders, folder, ':');) {
		const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
		if (is_program(candidate))
			return candidate;
	}
	return Error{ENOENT, name + ": command not found"};
}

Child::Child(pid_t pid, UniqueFd go, UniqueFd failure) : pid_(pid), go_(std::move(go)), failure_(std::move(failure)) {}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), go_(std::move(other.go_)), failure_(std::move(other.failure_)),
      status_(other.status_)
{
}

Child::~Child()
{
	if (!go_ || pid_ <= 0)
		return;
	go_.reset();
	::waitpid(pid_, nullptr, 0);
}

Result<Child> Child::prepare(const std::string& program, const std::vector<std::string>& arguments)
{
	int go[2], failure[2];
	if (::pipe2(go, O_CLOEXEC) < 0)
		return errno_error(errno, "pipe");
	UniqueFd go_read(go[0]), go_write(go[1]);
	if (::pipe2(failure, O_CLOEXEC) < 0)
		return errno_error(errno, "pipe");
	UniqueFd failure_read(failure[0]), failure_write(failure[1]);
	std::vector<char*> pointers;
	pointers.reserve(arguments.size() + 1);
	for (const auto& argument : arguments)
		pointers.push_back(const_cast<char*>(argument.c_str()));
	pointers.push_back(nullptr);
	const pid_t pid = ::fork();
	if (pid < 0)
		return errno_error(errno, "fork");
	if (pid == 0) {
		go_write.reset();
		become(program.c_str(), pointers.data(), go_read.get(), failure_write.get());
	}
	return Child(pid, std::move(go_write), std::move(failure_read));
}

Status Child::execute()
{
	if (::write(go_.get(), "x", 1) != 1)
		return errno_error(errno, "start the command");
	go_.reset();
	int code = 0;
	if (::read(failure_.get(), &code, sizeof(code)) == sizeof(code))
		return errno_error(code, "execute the command");
	failure_.reset();
	return Nothing{};
}

std::optional<int> Child::ended()
{
	int status = 0;
	if (!status_ && ::waitpid(pid_, &status, WNOHANG) == pid_)
		status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return status_;
}

void Child::send(int signal)
{
	if (!status_)
		::kill(pid_, signal);
}

} // namespace uwind
