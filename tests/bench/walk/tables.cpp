// SPDX-License-Identifier: GPL-2.0
#include "bench/walk/tables.h"

#include <fcntl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/handle.h"
#include "tables/file_rows.h"
#include "tables/table_builder.h"

namespace bench {
namespace {

[[noreturn]] void give_up(const std::string& path, const std::string& why)
{
	std::fprintf(stderr, "%s: %s\n", path.c_str(), why.c_str());
	std::exit(1);
}

std::shared_ptr<const uwind::PackedTable> pack(const std::string& path, const uwind::TableContent& content)
{
	auto packed = uwind::pack(content);
	if (!packed)
		give_up(path, packed.error().message);
	return *packed;
}

std::shared_ptr<const uwind::PackedTable> eh_frame_table(const std::string& path, const uwind::ElfFile& file)
{
	auto rows = uwind::rows_of_file(file);
	if (!rows)
		give_up(path, rows.error().message);
	return pack(path, std::move(*rows));
}

std::shared_ptr<const uwind::PackedTable> sframe_table(const std::string& path, const uwind::ElfFile& file)
{
	auto table = uwind::build_table(file, uwind::SframeUse::alone);
	if (!table)
		give_up(path, table.error().message);
	if (!std::holds_alternative<uwind::SframeSection>(table->content))
		give_up(path,
			"it has no .sframe section that can be used; build it with an assembler that has --gsframe");
	return pack(path, table->content);
}

} // namespace

int LoadedCode::add_mappings(dl_phdr_info* info, std::size_t, void* code)
{
	const std::string path = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
	const bool ours = path.find("libbench_") != path.npos;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const auto& segment = info->dlpi_phdr[i];
		const std::uint64_t start = info->dlpi_addr + segment.p_vaddr;
		if (segment.p_type == PT_LOAD && segment.p_flags & PF_X)
			static_cast<LoadedCode*>(code)->mappings_.push_back(
				{start, start + segment.p_memsz, segment.p_offset, path, ours});
	}
	return 0;
}

LoadedCode::LoadedCode()
{
	dl_iterate_phdr(add_mappings, this);
	for (const Mapping& mapping : mappings_) {
		const uwind::UniqueFd fd(open(mapping.path.c_str(), O_RDONLY));
		const auto file = uwind::ElfFile::open(fd.get());
		if (!file) // the vDSO, which is no file; no stack of ours passes it
			continue;
		eh_frame_[mapping.path] = eh_frame_table(mapping.path, *file);
		if (mapping.ours)
			sframe_[mapping.path] = sframe_table(mapping.path, *file);
	}
}

const uwind::PackedTable* LoadedCode::table_of(const Mapping& mapping, Method method) const
{
	if (mapping.ours && method == Method::frame_pointer)
		return nullptr;
	const Tables& tables = mapping.ours && method == Method::sframe ? sframe_ : eh_frame_;
	const auto table = tables.find(mapping.path);
	return table == tables.end() ? nullptr : table->second.get();
}

std::vector<uw_port_code> LoadedCode::for_stack(const Stack& stack, Method method) const
{
	std::vector<uw_port_code> codes;
	for (const Mapping& mapping : mappings_) {
		const auto within = [&](std::uint64_t pc) { return pc >= mapping.start && pc < mapping.end; };
		if (std::ranges::none_of(stack.pcs, within))
			continue;
		const uwind::PackedTable* table = table_of(mapping, method);
		const u32 number = static_cast<u32>(codes.size() + 1);
		codes.push_back({mapping.start, mapping.end, mapping.offset, table ? &table->table() : nullptr, number,
				 static_cast<u8>(table ? table->method() : u32{UW_METHOD_NONE})});
	}
	return codes;
}

} // namespace bench
