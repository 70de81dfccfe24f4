// SPDX-License-Identifier: GPL-2.0
// What is another one whenever a file's content is.
#pragma once

#include <cstdint>
#include <optional>

namespace uwind {

struct FileStamp {
	std::uint64_t device = 0, inode = 0, bytes = 0;
	std::int64_t modified_ns = 0, changed_ns = 0; // since 1970; the kernel's clock sets the second

	bool operator==(const FileStamp&) const = default;
};

// Nothing: the file was changed within the last two seconds, and may be again at the same time of the file system's
// clock; or its device's number may be another device's tomorrow, and its times whatever a user says: those of file
// systems without a disk (overlayfs, FUSE, tmpfs, NFS) and of loop devices.
std::optional<FileStamp> stamp_of(int fd);

} // namespace uwind
