// SPDX-License-Identifier: GPL-2.0
// Makes a file's table and gives it to the module.
#include "app/table_maker.h"

#include <cerrno>
#include <spdlog/spdlog.h>

namespace uwind {
namespace {

constexpr std::size_t give_up_at_once = 64;
constexpr unsigned max_complaints = 20; // further ones are counted only

} // namespace

TableMaker::TableMaker(const Ports& ports, Modules& modules, TableShelf& shelf, EventCounter& events)
    : kernel_(ports.kernel), clock_(ports.clock), modules_(modules), shelf_(shelf), events_(events)
{
}

void TableMaker::give_up_unused(std::size_t most)
{
	for (const auto table : modules_.give_up_unused(most))
		if (kernel_.destroy_table(table))
			events_.count("tables_given_up");
}

// When the budget is full, gives up tables that were not used, and tries once more.
Result<MadeTable> TableMaker::create(const TableContent& content)
{
	auto made = kernel_.create_table(content);
	if (made || made.error().code != ENOSPC)
		return made;
	give_up_unused(give_up_at_once);
	return kernel_.create_table(content);
}

Status TableMaker::tie(const OpenedModule& opened, std::uint32_t table)
{
	return opened.vdso ? kernel_.tie_table_to_vdso(table) : kernel_.tie_table(table, opened.fd->get());
}

// Another program's table may serve the file already (EEXIST): ours is destroyed.
void TableMaker::give(const OpenedModule& opened, const TableContent& content)
{
	const auto made = create(content);
	if (!made) {
		complain(opened, made.error());
		return events_.count(made.error().code == ENOSPC ? "tables_refused" : "tables_rejected");
	}
	const auto tied = tie(opened, made->table);
	if (!tied)
		(void)kernel_.destroy_table(made->table);
	if (!tied && tied.error().code != EEXIST) {
		complain(opened, tied.error());
		return events_.count("tables_rejected");
	}
	modules_.set_table(opened.id, made->method, tied ? made->table : 0, made->rows, made->bytes);
	events_.count(tied ? "tables_made" : "tables_shared");
}

// From now on the file itself is the cause of stacks that end in it, whether or not it got a table.
void TableMaker::make(const OpenedModule& opened)
{
	look_for_table(opened);
	modules_.set_table_known(opened.id, clock_.boottime_ns());
}

void TableMaker::look_for_table(const OpenedModule& opened)
{
	auto content = opened.object ? (*opened.object)->table() : Result<FileContent>(opened.object.error());
	if (content && !content->sframe_refused.empty()) {
		complain(opened, Error{EBADMSG, content->sframe_refused});
		events_.count("sections_refused");
	}
	if (content && content->kept)
		events_.count("tables_kept");
	if (content) {
		give(opened, content->content);
		return shelf_.put(opened.id, std::move(content->content));
	}
	complain(opened, content.error("no table"));
	events_.count("files_without_table");
}

// A broken file is a warning, since its owner can replace it. Other causes are only counted.
void TableMaker::complain(const OpenedModule& opened, const Error& error)
{
	const auto level =
		error.code == EBADMSG && complaints_++ < max_complaints ? spdlog::level::warn : spdlog::level::debug;
	if (opened.tgid)
		spdlog::log(level, "{}, mapped by process {}: {}", opened.path, opened.tgid, error.message);
	else
		spdlog::log(level, "{}: {}", opened.path, error.message);
}

} // namespace uwind
