// SPDX-License-Identifier: GPL-2.0
// Tables that were made before, of the same bytes by the same program.
#pragma once

#include <optional>
#include <string>

#include "elf/file.h"
#include "io/cache_folder.h"
#include "model/table_content.h"

namespace uwind {

// A table follows from a file's headers, from the bytes that were read besides them, from the debug file that belongs
// to it, and from this program. The first, third and last are its name in the folder; the bytes are read and compared
// again before it is used.
//
// Safe to use from several threads.
class TableCache {
public:
	TableCache(CacheFolder folder, const Digest::Key& key) : folder_(std::move(folder)), key_(key) {}

	std::shared_ptr<ReadLog> new_log() const { return std::make_shared<ReadLog>(key_); }
	// The file was opened with such a log.
	std::string name_of(const ElfFile& file) const;
	std::optional<FileContent> find(const std::string& name, const ElfFile& file) const;
	// What was made of it, if its log has all that was read. Once.
	void keep(const std::string& name, const ElfFile& file, const FileContent& content) const;

private:
	CacheFolder folder_;
	Digest::Key key_;
};

} // namespace uwind
