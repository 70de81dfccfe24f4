// SPDX-License-Identifier: GPL-2.0
// A table in a file of the cache, with what it was made from.
//
// "uwtable2", the digest of all that follows, then in this order: the places read (number; offset and bytes of each),
// the digest of their contents, the file's stamp (zeros: none), sframe_refused, and the content. A number is 8 bytes,
// rows and rules are as in memory, all of it in this machine's byte order; a text, and each array, follows its number
// of entries, and is padded with zeros to a multiple of 8 bytes. Another form gets another first word.
#pragma once

#include <optional>
#include <vector>

#include "elf/read_log.h"
#include "io/file_stamp.h"
#include "model/table_content.h"

namespace uwind {

struct KeptTable {
	std::vector<ReadLog::Place> places;
	Digest::Value digest;           // of what they hold
	std::optional<FileStamp> stamp; // of the file that held it last
	FileContent content;
};

std::vector<std::uint8_t> bytes_of(const KeptTable& table, const Digest::Key& key);
// bytes: at an address that is a multiple of 8. Nothing: they are damaged, of another form, or of another key.
std::optional<KeptTable> table_in(Bytes bytes, const Digest::Key& key);

} // namespace uwind
