// SPDX-License-Identifier: GPL-2.0
// What is another one whenever a file's content is.
#include "io/file_stamp.h"

#include <linux/major.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "io/clock.h"

namespace uwind {
namespace {

constexpr std::int64_t settled_ns = 2'000'000'000;

bool on_a_disk(dev_t device)
{
	return major(device) != UNNAMED_MAJOR && major(device) != LOOP_MAJOR;
}

} // namespace

std::optional<FileStamp> stamp_of(int fd)
{
	struct stat status {};
	timespec now{};
	if (::fstat(fd, &status) || !S_ISREG(status.st_mode) || !on_a_disk(status.st_dev))
		return std::nullopt;
	if (::clock_gettime(CLOCK_REALTIME, &now) || ns_of(now) - ns_of(status.st_ctim) < settled_ns)
		return std::nullopt;
	return FileStamp{status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
			 ns_of(status.st_mtim), ns_of(status.st_ctim)};
}

} // namespace uwind
