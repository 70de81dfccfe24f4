// SPDX-License-Identifier: GPL-2.0
// What a table's builder notes goes to the debug log.
#include "tables/file_tables.h"

#include <spdlog/spdlog.h>

#include "tables/known/entry.h"

namespace uwind {

Result<FileContent> FileTables::of_file(int fd)
{
	Result<FileTable> table = build_file_table(fd, host_arch(), debug_files_);
	if (!table)
		return table.error();
	if (!table->note.empty())
		spdlog::debug("build-id {}: {}", table->build_id, table->note);
	return FileContent{std::move(table->content), table->sframe_refused ? table->note : ""};
}

// The image is a file in memory: the same reader does.
Result<FileContent> FileTables::of_vdso(int fd)
{
	return of_file(fd);
}

std::uint64_t FileTables::entry_bytes(int fd)
{
	const Result<ElfFile> file = ElfFile::open(fd);
	return file ? uwind::entry_bytes(*file) : 0;
}

} // namespace uwind
