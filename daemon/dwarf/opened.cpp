// SPDX-License-Identifier: GPL-2.0
// The debug information of an open file, with its sections at addresses.
#include "dwarf/opened.h"

#include <bit>
#include <cerrno>
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>

namespace uwind {
namespace {

// Below it no section of a relocatable file is put: units takes code at address 0 for code that was left out.
constexpr GElf_Addr first_address = 0x10000;

bool is_relocatable(int fd)
{
	Elf32_Ehdr header; // begins as that of 64 bits does
	if (::pread(fd, &header, sizeof(header), 0) != sizeof(header))
		return false;
	const bool reversed =
		header.e_ident[EI_DATA] == (std::endian::native == std::endian::little ? ELFDATA2MSB : ELFDATA2LSB);
	return header.e_type == (reversed ? ET_REL << 8 : ET_REL);
}

// No other file is looked for.
int find_nothing(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*, GElf_Word, char**)
{
	return -1;
}

const Dwfl_Callbacks callbacks = {nullptr, &find_nothing, &dwfl_offline_section_address, nullptr};

std::vector<Dwarf_Addr> addresses_of_sections(Dwfl_Module* module)
{
	std::vector<Dwarf_Addr> addresses(1);
	GElf_Addr bias = 0;
	Elf* const elf = dwfl_module_getelf(module, &bias);
	for (Elf_Scn* section = nullptr; elf && (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;
		const bool loaded = gelf_getshdr(section, &header) && (header.sh_flags & SHF_ALLOC);
		addresses.push_back(loaded ? header.sh_addr + bias : 0);
	}
	return addresses;
}

// libdw may not say why.
Error refused(const char* why)
{
	return Error{ENODATA, why ? why : "no debug information that can be read"};
}

} // namespace

// The library closes a descriptor that it was given.
bool OpenedDwarf::relocate()
{
	relocated_.reset(dwfl_begin(&callbacks));
	const int fd = ::fcntl(fd_->get(), F_DUPFD_CLOEXEC, 0);
	Dwfl_Module* module = nullptr;
	if (relocated_ && fd >= 0)
		module = dwfl_report_elf(relocated_.get(), "module", "module", fd, first_address, false);
	if (!module) {
		::close(fd);
		return false;
	}
	dwfl_report_end(relocated_.get(), nullptr, nullptr);
	Dwarf_Addr bias = 0;
	dwarf_ = dwfl_module_getdwarf(module, &bias);
	section_addresses_ = addresses_of_sections(module);
	return dwarf_ != nullptr;
}

void OpenedDwarf::add_shared(const FindSharedDebug& find)
{
	const auto link = shared_debug_of(dwarf_);
	if (!link)
		return;
	shared_fd_ = find ? find(*link) : nullptr;
	if (shared_fd_ && *shared_fd_)
		shared_.reset(dwarf_begin(shared_fd_->get(), DWARF_C_READ));
	if (shared_)
		dwarf_setalt(dwarf_, shared_.get());
	else
		lacks_ = "the file that has what its debug information shares with others (" + link->name +
			 ") is not there";
}

Result<OpenedDwarf> OpenedDwarf::open(std::shared_ptr<UniqueFd> fd, const FindSharedDebug& find)
{
	OpenedDwarf opened;
	opened.fd_ = std::move(fd);
	if (is_relocatable(opened.fd_->get())) {
		if (!opened.relocate())
			return refused(dwfl_errmsg(-1));
	} else {
		opened.own_.reset(dwarf_begin(opened.fd_->get(), DWARF_C_READ));
		if (!opened.own_)
			return refused(dwarf_errmsg(-1));
		opened.dwarf_ = opened.own_.get();
	}
	opened.add_shared(find);
	return opened;
}

} // namespace uwind
