// SPDX-License-Identifier: GPL-2.0
#include "unit/core/sframe_known.h"

#include "base/handle.h"

#include <fcntl.h>
#include <gelf.h>

namespace core::sframe {

namespace {

// A function of tests/sframe/sources whose directives an assembler turns into rows
// that say something else.
struct KnownFunction {
	const char* function;
	int last_version; // later ones write it rightly, or no row at all
	const char* name;
};

const KnownFunction known_functions[] = {
	{"x86_nested", 3, "of two remembered states one is kept"},
	{"arm64_nested", 3, "of two remembered states one is kept"},
	{"x86_same", 2, "same_value is not heeded"},
	{"arm64_same", 2, "same_value is not heeded"},
	{"x86_return_register", 2, "the return address's own rule is not heeded"},
	{"x86_return_elsewhere", 2, "the return address's own rule is not heeded"},
	{"x86_return_expression", 3, "the return address's own rule is not heeded"},
	{"x86_other_stack", 2, "SP's own rule is not heeded"},
	{"x86_lost_frame_pointer", 2, "undefined FP is not heeded"},
	{"arm64_lost_frame_pointer", 2, "undefined FP is not heeded"},
	{"arm64_frame_pointer_only", 1, "FP's place is written as the return address's"},
	{"arm64_register", 1, "the return address's own rule is not heeded"},
	{"arm64_other_cfa", 1, "a CFA in a register of its own is not heeded"},
	{"x86_plain_restorer", 3, "a signal frame is what the ABI says, whatever its rows say"},
	{"arm64_restorer", 3, "a signal frame is what the ABI says, whatever its rows say"},
};

const char* by_place(const Difference& d)
{
	if (d.version < 3 && d.cfi.kind == UW_RULE_OUTERMOST && d.sframe.kind == UW_RULE_FRAME)
		return "the outermost function is not marked";
	if (d.version > 1 && d.section == ".plt.got" && d.sframe.cfa_off == d.cfi.cfa_off + 8)
		return ".plt.got has SP + 16 instead of SP + 8";
	if (d.version == 1 && d.section == ".plt" && d.sframe.cfa_off == 8 && d.cfi.cfa_off == 16)
		return "an IBT entry of .plt has the rows of one without";
	if (d.version == 1 && d.section == ".plt.sec")
		return "the first entry of .plt.sec has the rows of .plt's header";
	return nullptr;
}

} // namespace

const char* known_difference(const Difference& difference)
{
	for (const KnownFunction& known : known_functions)
		if (difference.function == known.function && difference.version <= known.last_version)
			return known.name;
	return by_place(difference);
}

namespace {

struct OpenElf {
	explicit OpenElf(const std::filesystem::path& file) : fd(open(file.c_str(), O_RDONLY | O_CLOEXEC))
	{
		elf_version(EV_CURRENT);
		elf.reset(elf_begin(fd.get(), ELF_C_READ, nullptr));
	}
	uwind::UniqueFd fd;
	std::unique_ptr<Elf, uwind::FreeWith<&elf_end>> elf;
};

} // namespace

Symbols::Symbols(const std::filesystem::path& file)
{
	const OpenElf open(file);
	std::size_t names = 0;
	elf_getshdrstrndx(open.elf.get(), &names);
	for (Elf_Scn* section = nullptr; (section = elf_nextscn(open.elf.get(), section));) {
		GElf_Shdr header;
		gelf_getshdr(section, &header);
		if (header.sh_flags & SHF_EXECINSTR)
			sections_[header.sh_addr] = {header.sh_addr + header.sh_size,
						     elf_strptr(open.elf.get(), names, header.sh_name)};
		if (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM)
			continue;
		Elf_Data* data = elf_getdata(section, nullptr);
		GElf_Sym symbol;
		for (int i = 0; gelf_getsym(data, i, &symbol); i++)
			if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_size)
				functions_[symbol.st_value] = {
					symbol.st_value + symbol.st_size,
					elf_strptr(open.elf.get(), header.sh_link, symbol.st_name)};
	}
}

std::string Symbols::name_at(const Names& names, u64 address)
{
	auto after = names.upper_bound(address);
	if (after == names.begin() || address >= std::prev(after)->second.end)
		return "";
	return std::prev(after)->second.name;
}

} // namespace core::sframe
