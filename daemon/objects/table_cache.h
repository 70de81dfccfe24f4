// SPDX-License-Identifier: GPL-2.0
// Tables that were made before, of the same bytes by the same program.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "elf/file.h"
#include "io/cache_folder.h"
#include "objects/table_file.h"

namespace uwind {

// A table follows from a file's headers, from the bytes that were read besides them, from the debug file that belongs
// to it, and from this program. The first, third and last are its name in the folder; the bytes are read and compared
// again before it is used, unless the file is the one that had them the last time, and unchanged since.
//
// Safe to use from several threads.
class TableCache {
public:
	// How files are known to be unchanged.
	using Stamps = std::optional<FileStamp> (*)(int fd);
	struct Name {
		std::string text;
		std::optional<FileStamp> stamp;
	};

	TableCache(CacheFolder folder, const Digest::Key& key, Stamps stamps = stamp_of)
	    : folder_(std::move(folder)), key_(key), stamps_(stamps)
	{
	}

	std::shared_ptr<ReadLog> new_log() const { return std::make_shared<ReadLog>(); }
	std::optional<FileStamp> stamp(int fd) const { return stamps_(fd); }
	// The file was opened with such a log, after its stamp was taken.
	Name name_of(const ElfFile& file, const std::optional<FileStamp>& stamp) const;
	std::optional<FileContent> find(const Name& name, const ElfFile& file) const;
	// What was made of it. Once. EFBIG: it has too many bytes, or follows from too many places; ENOSPC and others:
	// the folder takes no further one.
	Status keep(const Name& name, const ElfFile& file, const FileContent& content) const;

	// The same tables in a folder that is sparing().
	TableCache sparing(std::int64_t used_since_ns) const
	{
		return TableCache(folder_.sparing(used_since_ns), key_, stamps_);
	}
	const CacheFolder& folder() const { return folder_; }

private:
	Status store(const Name& name, const KeptTable& table) const;

	CacheFolder folder_;
	Digest::Key key_;
	Stamps stamps_;
};

} // namespace uwind
