// SPDX-License-Identifier: GPL-2.0
// Mappings are read from /proc/PID/maps, files through /proc/PID/root.
#include "target.h"

#include "model/words.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace truth {

namespace {

constexpr std::uint32_t max_frames = 1024;
constexpr std::uint64_t page_bytes = 4096;
constexpr std::uint64_t arm64_pac_bits = 0xff7f000000000000; // of 48-bit addresses

} // namespace

bool Stack::complete() const
{
	return uwind::is_complete(static_cast<uwind::Stop>(stop));
}

const char* Stack::stop_text() const
{
	return uwind::stop_words[stop];
}

Target::Target(std::uint32_t pid, uw_arch arch) : pid_(pid), arch_(arch)
{
	memory_ = uwind::UniqueFd(open(("/proc/" + std::to_string(pid) + "/mem").c_str(), O_RDONLY | O_CLOEXEC));
	read_mappings();
}

Target::~Target() = default;

Stack Target::walk(const uw_regs& regs)
{
	Stack stack = walk_once(regs);
	if (stack.stop != UW_STOP_BAD_PC && stack.stop != UW_STOP_NO_TABLE)
		return stack;
	read_mappings();
	return walk_once(regs);
}

// A walk that is cut after each frame shows the registers of the next.
Stack Target::walk_once(const uw_regs& regs)
{
	std::vector<uw_frame> frames(max_frames);
	Stack stack;
	for (std::uint32_t length = 1; length <= max_frames; length++) {
		uw_walk walk{};
		walk.regs = regs;
		walk.arch = arch_;
		walk.max_frames = length;
		walk.frames = frames.data();
		uw_walk_run(&walk, reinterpret_cast<uw_port*>(this));
		stack.stop = walk.stop;
		if (walk.nr_frames == length)
			stack.frames.push_back(
				{frames[length - 1].pc, 0, static_cast<uw_method>(frames[length - 1].method)});
		if (walk.stop != UW_STOP_DEPTH || walk.nr_frames != length)
			break;
		if (walk.regs.known >> uw_arch_sp(arch_) & 1)
			stack.frames.back().cfa = walk.regs.r[uw_arch_sp(arch_)];
	}
	return stack;
}

bool Target::read(std::uint64_t address, void* to, std::size_t bytes)
{
	return pread(memory_.get(), to, bytes, static_cast<off_t>(address)) == static_cast<ssize_t>(bytes);
}

bool Target::word(std::uint64_t address, std::uint64_t& value)
{
	const std::uint64_t page = address & ~(page_bytes - 1), at = address - page;
	const std::size_t bytes = uw_abis[arch_].word;
	value = 0;
	if (at > page_bytes - bytes)
		return read(address, &value, bytes);
	auto found = pages_.find(page);
	if (found == pages_.end()) {
		found = pages_.try_emplace(page).first;
		if (!read(page, found->second.data(), page_bytes)) {
			pages_.erase(found);
			return false;
		}
	}
	std::memcpy(&value, found->second.data() + at, bytes);
	return true;
}

std::uint64_t Target::strip(std::uint64_t address) const
{
	return arch_ == UW_ARCH_ARM64 ? address & ~arm64_pac_bits : address;
}

const Target::Code* Target::code_at(std::uint64_t address) const
{
	const auto after = std::upper_bound(code_.begin(), code_.end(), address,
					    [](std::uint64_t at, const Code& code) { return at < code.start; });
	if (after == code_.begin() || address >= after[-1].end)
		return nullptr;
	return &after[-1];
}

int Target::find(std::uint64_t address, uw_found& found) const
{
	const Code* code = code_at(address);
	if (!code)
		return -EFAULT;
	found.offset = address - code->start + code->offset;
	found.file = 1;
	if (!code->table)
		return -ENOENT;
	const uw_rule* rule = uw_table_find(&code->table->table, found.offset);
	if (!rule)
		return -ENOENT;
	found.rule = *rule;
	found.method = code->table->method;
	return 0;
}

std::string Target::name_of(std::uint64_t address) const
{
	std::ostringstream text;
	const std::string& path = file_of(address);
	text << (path.empty() ? "?" : path.substr(path.rfind('/') + 1)) << "+0x" << std::hex << offset_of(address);
	return text.str();
}

const std::string& Target::file_of(std::uint64_t address) const
{
	static const std::string none;
	const Code* code = code_at(address);
	return code ? code->path : none;
}

std::uint64_t Target::offset_of(std::uint64_t address) const
{
	const Code* code = code_at(address);
	return code ? address - code->start + code->offset : address;
}

void Target::read_mappings()
{
	std::ifstream maps("/proc/" + std::to_string(pid_) + "/maps");
	code_.clear();
	for (std::string line; std::getline(maps, line);) {
		std::istringstream in(line);
		std::string range, mode, device, inode, path;
		std::uint64_t offset = 0;
		in >> range >> mode >> std::hex >> offset >> device >> inode >> path;
		if (mode.size() < 3 || mode[2] != 'x')
			continue;
		const auto dash = range.find('-');
		add_code(std::stoull(range, nullptr, 16), std::stoull(range.substr(dash + 1), nullptr, 16), offset,
			 path);
	}
}

void Target::add_code(std::uint64_t start, std::uint64_t end, std::uint64_t offset, const std::string& path)
{
	code_.push_back({start, end, offset, table_of(path, start, end), path});
}

const Target::Table* Target::table_of(const std::string& path, std::uint64_t start, std::uint64_t end)
{
	if (path.empty())
		return nullptr;
	const auto [entry, fresh] = tables_.try_emplace(path);
	if (!fresh)
		return entry->second.get();
	if (path == "[vdso]") {
		std::vector<std::uint8_t> image(end - start);
		if (read(start, image.data(), image.size()))
			if (const auto file = uwind::build_file_table(*uwind::ElfFile::from_bytes(image)))
				entry->second = build(*file);
	} else if (path[0] == '/') {
		const uwind::UniqueFd fd(
			open(("/proc/" + std::to_string(pid_) + "/root" + path).c_str(), O_RDONLY | O_CLOEXEC));
		if (const auto file = uwind::build_file_table(*uwind::ElfFile::open(fd.get())))
			entry->second = build(*file);
	}
	return entry->second.get();
}

std::unique_ptr<Target::Table> Target::build(const uwind::FileTable& file) const
{
	auto rows = uwind::rows_of_table(file);
	if (!rows)
		return nullptr;
	static_assert(sizeof(uwind::Rule) == sizeof(uw_rule) && sizeof(uwind::Row) == sizeof(uw_draft_row));
	uw_draft draft{};
	draft.rows = reinterpret_cast<uw_draft_row*>(rows->rows.data());
	draft.rules = reinterpret_cast<uw_rule*>(rows->rules.data());
	draft.nr_rows = static_cast<u32>(rows->rows.size());
	draft.nr_rules = static_cast<u32>(rows->rules.size());
	uw_reject reject{};
	if (uw_draft_check(&draft, arch_, &reject))
		return nullptr;
	auto table = std::make_unique<Table>();
	const uw_table_form form = uw_table_form_of(&draft);
	table->memory.resize(form.bytes);
	table->method = static_cast<std::uint8_t>(file.method);
	uw_table_build(&table->table, table->memory.data(), &draft, &form);
	return table;
}

} // namespace truth

extern "C" {

int uw_target_find(struct uw_port* port, u64 address, struct uw_found* found)
{
	return reinterpret_cast<truth::Target*>(port)->find(address, *found);
}

int uw_target_word(struct uw_port* port, u64 address, u64* word)
{
	return reinterpret_cast<truth::Target*>(port)->word(address, *word) ? 0 : -EFAULT;
}

int uw_target_fetch(struct uw_port* port, u64 address, u8* code)
{
	return reinterpret_cast<truth::Target*>(port)->read(address, code, UW_CODE_BYTES) ? 0 : -EFAULT;
}

u64 uw_target_strip(struct uw_port* port, u64 address)
{
	return reinterpret_cast<truth::Target*>(port)->strip(address);
}
}
