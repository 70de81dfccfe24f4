// SPDX-License-Identifier: GPL-2.0
// A file that grows while a program runs: what it has so far can be read if the program is killed.
#include "io/append_file.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace uwind {
namespace {

constexpr std::size_t most_waiting = 1 << 16;

} // namespace

Result<AppendFile> AppendFile::create(const std::string& path, mode_t mode)
{
	struct stat status {};
	if (::stat(path.c_str(), &status) == 0) {
		if (S_ISDIR(status.st_mode))
			return errno_error(EISDIR, path);
		if (S_ISREG(status.st_mode) && ::rename(path.c_str(), (path + ".old").c_str()) < 0)
			return errno_error(errno, path + ".old");
	}
	UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
	if (!fd)
		return errno_error(errno, path);
	return AppendFile(path, std::move(fd));
}

Status AppendFile::append(std::string_view bytes)
{
	waiting_ += bytes;
	bytes_ += bytes.size();
	return waiting_.size() < most_waiting ? Status(Nothing{}) : flush();
}

Status AppendFile::flush()
{
	std::string_view rest = waiting_;
	while (!rest.empty()) {
		const ssize_t written = ::write(fd_.get(), rest.data(), rest.size());
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return errno_error(errno, path_);
		rest.remove_prefix(static_cast<std::size_t>(written));
	}
	waiting_.clear();
	return Nothing{};
}

} // namespace uwind
