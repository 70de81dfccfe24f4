// SPDX-License-Identifier: GPL-2.0
// A file whose parts are read one by one.
#include "perf_data/file_bytes.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace uwind::perf_data {

Result<FileBytes> FileBytes::open(const std::string& path)
{
	FileBytes file(path, UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)));
	struct stat status {};
	if (!file.fd_ || ::fstat(file.fd_.get(), &status) < 0)
		return errno_error(errno, path);
	if (S_ISDIR(status.st_mode))
		return Error{EISDIR, path + ": is a folder, as perf record --threads writes it: record without that"};
	if (!S_ISREG(status.st_mode))
		return file.wrong("is no regular file: write the recording to one first");
	file.size_ = static_cast<std::uint64_t>(status.st_size);
	file.modified_ = status.st_mtim.tv_sec;
	return file;
}

Result<std::vector<std::uint8_t>> FileBytes::read(const Part& part, const char* what, std::uint64_t most) const
{
	if (!holds(part))
		return wrong(std::string(what) + " is cut off: it does not end before the file does");
	if (part.bytes > most)
		return wrong(std::string(what) + " has " + std::to_string(part.bytes) + " bytes, more than " +
			     std::to_string(most));
	std::vector<std::uint8_t> bytes(part.bytes);
	for (std::size_t got = 0; got < bytes.size();) {
		const ssize_t more = ::pread(fd_.get(), bytes.data() + got, bytes.size() - got,
					     static_cast<off_t>(part.offset + got));
		if (more < 0 && errno == EINTR)
			continue;
		if (more < 0)
			return errno_error(errno, path_);
		if (more == 0)
			return wrong(std::string(what) + " is cut off: the file was shortened meanwhile");
		got += static_cast<std::size_t>(more);
	}
	return bytes;
}

} // namespace uwind::perf_data
