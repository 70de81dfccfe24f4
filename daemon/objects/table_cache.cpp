// SPDX-License-Identifier: GPL-2.0
// Tables that were made before.
#include "objects/table_cache.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include "base/text.h"
#include "elf/headers_digest.h"
#include "io/debug_file.h"
#include "tables/table_builder.h"

namespace uwind {
namespace {

// Only root writes there; whoever installs another one does not keep its times.
void add_debug_file(Digest& digest, const std::string& build_id)
{
	struct stat status {};
	const UniqueFd fd = build_id.empty() ? UniqueFd() : open_debug_file(build_id);
	if (!fd || ::fstat(fd.get(), &status))
		return digest.add_number(0);
	digest.add_number(1);
	for (const auto field : {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size)})
		digest.add_number(field);
	for (const timespec& time : {status.st_mtim, status.st_ctim}) {
		digest.add_number(static_cast<std::uint64_t>(time.tv_sec));
		digest.add_number(static_cast<std::uint64_t>(time.tv_nsec));
	}
}

bool has_the_same(const ElfFile& file, const KeptTable& table, const Digest::Key& key)
{
	std::array<std::uint8_t, 64 << 10> memory;
	Digest digest(key);
	for (ReadLog::Place place : table.places)
		while (place.bytes) {
			const auto part = std::span(memory).first(std::min<std::uint64_t>(place.bytes, memory.size()));
			if (!file.image().copy(place.offset, part))
				return false;
			digest.add(part);
			place.offset += part.size();
			place.bytes -= part.size();
		}
	return digest.value() == table.digest;
}

} // namespace

TableCache::Name TableCache::name_of(const ElfFile& file, const std::optional<FileStamp>& stamp) const
{
	Digest digest(key_);
	digest.add_text(UWIND_TABLE_SOURCES);
	digest.add_number(static_cast<std::uint64_t>(host_arch()));
	add_headers(digest, file);
	add_debug_file(digest, file.build_id());
	return {digits_of(digest.value()), stamp};
}

// Another file with the same bytes has another stamp: a package that was installed again, for one.
std::optional<FileContent> TableCache::find(const Name& name, const ElfFile& file) const
{
	const auto bytes = folder_.find(name.text);
	if (!bytes)
		return std::nullopt;
	auto table = table_in(*bytes, key_);
	if (!table)
		spdlog::warn("{}/{} is damaged: the table is made anew", folder_.path(), name.text);
	if (!table)
		return std::nullopt;
	if (name.stamp && table->stamp == name.stamp)
		return std::move(table->content);
	if (!has_the_same(file, *table, key_))
		return std::nullopt;
	table->stamp = name.stamp;
	if (name.stamp)
		if (const Status stored = store(name, *table); !stored)
			spdlog::debug("a table is kept as it was: {}", stored.error().message);
	return std::move(table->content);
}

Status TableCache::keep(const Name& name, const ElfFile& file, const FileContent& content) const
{
	auto read = file.image().log()->read(key_);
	if (!read)
		return Error{EFBIG, "its table follows from more than " + std::to_string(ReadLog::max_pieces) +
					    " places, or from one that could not be read, or was changed meanwhile"};
	return store(name, {std::move(read->places), read->digest, name.stamp, content});
}

Status TableCache::store(const Name& name, const KeptTable& table) const
{
	return folder_.store(name.text, bytes_of(table, key_));
}

} // namespace uwind
