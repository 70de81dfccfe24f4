// SPDX-License-Identifier: GPL-2.0
// ELF files, and scripts, which have only an interpreter. Notes of the table's builder go to the debug log.
#include "objects/elf_objects.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <spdlog/spdlog.h>

#include "objects/facts.h"
#include "objects/names.h"
#include "tables/known/entry.h"
#include "tables/table_builder.h"

namespace uwind {
namespace {

class Script : public Object {
public:
	explicit Script(std::string interpreter) : interpreter_(std::move(interpreter)) {}

	ObjectFacts facts() const override
	{
		ObjectFacts facts;
		facts.interpreter = interpreter_;
		return facts;
	}
	Result<FileContent> table() const override { return Error{ENOEXEC, "not an ELF file"}; }
	Result<KeptTableOutcome> keep_table() const override { return Error{ENOEXEC, "not an ELF file"}; }
	std::uint64_t entry_bytes() const override { return 0; }
	Functions functions(const std::string&) const override { return {}; }

private:
	const std::string interpreter_;
};

class ElfObject : public Object {
public:
	ElfObject(std::shared_ptr<UniqueFd> fd, ElfFile file, std::string folder, const TableCache* cache,
		  const std::optional<FileStamp>& stamp)
	    : fd_(std::move(fd)), file_(std::move(file)), debug_folder_(std::move(folder)), cache_(cache), stamp_(stamp)
	{
	}

	ObjectFacts facts() const override { return facts_of(file_); }
	Result<FileContent> table() const override;
	Result<KeptTableOutcome> keep_table() const override;
	std::uint64_t entry_bytes() const override { return file_.usable() ? uwind::entry_bytes(file_) : 0; }
	Functions functions(const std::string& path) const override;

private:
	struct Made {
		FileContent content;
		Status stored = Nothing{}; // in the cache
	};

	Result<FileContent> made() const;
	Result<Made> kept_or_made() const;

	const std::shared_ptr<UniqueFd> fd_; // file_ reads from it
	const ElfFile file_;
	const std::string debug_folder_;
	const TableCache* cache_;              // null: none
	const std::optional<FileStamp> stamp_; // for the cache, from before anything was read
};

Result<FileContent> ElfObject::table() const
{
	if (!file_.usable())
		return file_.usable().error();
	if (!cache_)
		return made();
	Result<Made> made = kept_or_made();
	file_.image().log()->end();
	if (!made)
		return made.error();
	if (!made->stored)
		spdlog::debug("a table is not kept: {}", made->stored.error().message);
	return std::move(made->content);
}

// A separate debug file has segments, but none with contents.
Result<KeptTableOutcome> ElfObject::keep_table() const
{
	if (!file_.usable())
		return file_.usable().error();
	if (file_.loads().empty())
		return Error{ENOEXEC, "a separate debug file"};
	if (!cache_)
		return Error{ENOTDIR, "there is no folder for tables"};
	const Result<Made> made = kept_or_made();
	if (!made)
		return made.error();
	return KeptTableOutcome{made->content.kept, made->stored};
}

Result<ElfObject::Made> ElfObject::kept_or_made() const
{
	TableCache::Name name = cache_->name_of(file_, stamp_);
	if (auto kept = cache_->find(name, file_))
		return Made{std::move(*kept)};
	Result<FileContent> content = made();
	if (!content)
		return content.error();
	if (cache_->stamp(fd_->get()) != stamp_)
		name.stamp.reset();
	Status stored = cache_->keep(name, file_, *content);
	return Made{std::move(*content), std::move(stored)};
}

Result<FileContent> ElfObject::made() const
{
	Result<FileTable> table = build_file_table(file_, host_arch(), &open_debug_file);
	if (!table)
		return table.error();
	if (!table->note.empty())
		spdlog::debug("build-id {}: {}", table->build_id, table->note);
	return FileContent{std::move(table->content), table->sframe_refused ? table->note : "", false};
}

// A stripped file's .symtab may still name a few functions. It is used if it names any,
// as nm(1) and gdb(1) do.
Functions ElfObject::functions(const std::string& path) const
{
	Functions result;
	result.symbols = functions_in(file_, SHT_SYMTAB);
	if (!result.symbols.empty())
		return result;
	const DebugFile debug = find_debug_file(file_, {path, debug_folder_});
	if (debug.elf)
		result.symbols = functions_in(*debug.elf, SHT_SYMTAB);
	else
		result.refused = debug.refused;
	if (!result.symbols.empty())
		return result;
	result.symbols = functions_in(file_, SHT_DYNSYM);
	std::ranges::move(go_functions_in(file_), std::back_inserter(result.symbols));
	return result;
}

} // namespace

Result<std::unique_ptr<Object>> ElfObjects::open(std::shared_ptr<UniqueFd> fd)
{
	const auto stamp = cache_ ? cache_->stamp(fd->get()) : std::nullopt;
	Result<ElfFile> file = ElfFile::open_any(fd->get(), cache_ ? cache_->new_log() : nullptr);
	if (file)
		return std::unique_ptr<Object>(std::make_unique<ElfObject>(
			std::move(fd), std::move(*file), debug_folder_, cache_ ? &*cache_ : nullptr, stamp));
	std::string interpreter = script_interpreter(fd->get());
	if (interpreter.empty())
		return file.error();
	return std::unique_ptr<Object>(std::make_unique<Script>(std::move(interpreter)));
}

} // namespace uwind
