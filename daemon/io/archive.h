// SPDX-License-Identifier: GPL-2.0
// Archives of files: tar, compressed by zstd.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

struct archive;
struct stat;

namespace uwind {

struct Libarchive;

class ArchiveWriter {
public:
	// out: as long as this. EIO and others: it takes no bytes; ENOENT: libarchive is not installed.
	static Result<ArchiveWriter> begin(std::ostream& out);
	ArchiveWriter(ArchiveWriter&&) noexcept;
	ArchiveWriter& operator=(ArchiveWriter&&) = delete;
	~ArchiveWriter();

	// A file of that name with the contents of a regular one, of which not more is taken than its length now.
	// EIO: it is shorter by then.
	Status add(const std::string& name, int fd);
	Status add(const std::string& name, std::string_view bytes);
	// Without it the archive is damaged.
	Status finish();

private:
	ArchiveWriter(const Libarchive& library, struct archive* archive) : library_(library), archive_(archive) {}
	Status add_head(const std::string& name, const struct stat& facts);
	Status add_bytes(const char* bytes, std::size_t length);

	const Libarchive& library_;
	struct archive* archive_;
};

// What may be in an archive that somebody has made.
struct ArchiveLimits {
	std::uint64_t members = 1 << 18;
	std::uint64_t member_bytes = std::uint64_t{16} << 30;
	std::uint64_t bytes = std::uint64_t{64} << 30; // of all
};

// Whether the file begins as an archive does.
bool is_archive(const std::string& path);

// Takes regular files with contents, and nothing else: no links, no devices, no holes. Names are not looked at.
class ArchiveReader {
public:
	// Errors of opening it; ENOENT also: libarchive is not installed.
	static Result<ArchiveReader> open(const std::string& path, ArchiveLimits limits = {});
	ArchiveReader(ArchiveReader&&) noexcept;
	ArchiveReader& operator=(ArchiveReader&&) = delete;
	~ArchiveReader();

	// The name of the next file, whether the last one was read or not. Nothing: there is no further one. EINVAL:
	// the archive is damaged, has what it may not have, or goes beyond a limit.
	Result<std::optional<std::string>> next();
	// Its contents. EINVAL: as above; errors of writing.
	Status read_to(int fd);
	// EINVAL also: they are longer.
	Result<std::string> read(std::uint64_t most_bytes);

private:
	ArchiveReader(const Libarchive& library, struct archive* archive, std::string path, ArchiveLimits limits)
	    : library_(library), archive_(archive), path_(std::move(path)), limits_(limits)
	{
	}
	template <typename Take>
	Status each_block(const Take& take);
	Error damaged() const;

	const Libarchive& library_;
	struct archive* archive_;
	std::string path_, name_;
	ArchiveLimits limits_;
	std::uint64_t members_ = 0, bytes_ = 0; // so far
};

} // namespace uwind
