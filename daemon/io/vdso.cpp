// SPDX-License-Identifier: GPL-2.0
// The kernel's vDSO: the same pages in every process of this word size, so our
// own will do. It becomes a file, to be read like any other ELF file.
#include <cerrno>
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "io/procfs.h"

namespace uwind {
namespace {

// As far as the segments and the section headers reach.
std::size_t extent_of(const ElfW(Ehdr) * elf)
{
	const auto* base = reinterpret_cast<const std::uint8_t*>(elf);
	const auto* segments = reinterpret_cast<const ElfW(Phdr)*>(base + elf->e_phoff);
	std::size_t end = elf->e_shoff + std::size_t(elf->e_shnum) * elf->e_shentsize;
	for (int i = 0; i < elf->e_phnum; i++)
		if (segments[i].p_type == PT_LOAD)
			end = std::max<std::size_t>(end, segments[i].p_offset + segments[i].p_filesz);
	return end;
}

} // namespace

Result<UniqueFd> Procfs::open_vdso()
{
	const auto* elf = reinterpret_cast<const ElfW(Ehdr)*>(::getauxval(AT_SYSINFO_EHDR));
	if (!elf)
		return Error{ENODATA, "this kernel gives processes no vDSO"};
	UniqueFd fd(::memfd_create("uwind-vdso", MFD_CLOEXEC));
	if (!fd)
		return errno_error(errno, "vDSO");
	const std::size_t bytes = extent_of(elf);
	if (::write(fd.get(), elf, bytes) != static_cast<ssize_t>(bytes))
		return errno_error(EIO, "vDSO");
	return fd;
}

} // namespace uwind
