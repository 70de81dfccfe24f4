// SPDX-License-Identifier: GPL-2.0
// Reads small text files.
#include "io/text_file.h"

#include <cerrno>
#include <fcntl.h>

#include "base/handle.h"

namespace uwind {

// Files of /proc and /sys have no useful size. O_NONBLOCK: a FIFO must not block.
Result<std::string> read_text(const std::string& path, std::size_t most_bytes)
{
	const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
	if (!fd)
		return errno_error(errno, path);
	std::string text;
	char part[4096];
	for (;;) {
		const ssize_t length = ::read(fd.get(), part, sizeof(part));
		if (length < 0 && errno == EINTR)
			continue;
		if (length < 0)
			return errno_error(errno, path);
		if (length == 0)
			return text;
		text.append(part, static_cast<std::size_t>(length));
		if (text.size() > most_bytes)
			return errno_error(EFBIG, path);
	}
}

} // namespace uwind
