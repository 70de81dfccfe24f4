// SPDX-License-Identifier: GPL-2.0
// The kernel's vDSO. All processes of one word size map the same pages, so this program's own
// are read, or those of any process of the other word size. They are copied to a file, which is
// read like any other ELF file.
#include <algorithm>
#include <cerrno>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "io/procfs.h"

namespace uwind {
namespace {

// The size of the image: the end of its segments and of its section headers.
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

constexpr std::size_t max_bytes = 64 << 10;

Result<UniqueFd> file_of(const void* image, std::size_t bytes)
{
	UniqueFd fd(::memfd_create("uwind-vdso", MFD_CLOEXEC));
	if (!fd)
		return errno_error(errno, "vDSO");
	if (::write(fd.get(), image, bytes) != static_cast<ssize_t>(bytes))
		return errno_error(EIO, "vDSO");
	return fd;
}

} // namespace

Result<UniqueFd> Procfs::open_vdso()
{
	const auto* elf = reinterpret_cast<const ElfW(Ehdr)*>(::getauxval(AT_SYSINFO_EHDR));
	if (!elf)
		return Error{ENODATA, "this kernel gives processes no vDSO"};
	return file_of(elf, extent_of(elf));
}

Result<UniqueFd> Procfs::open_vdso_of(std::uint32_t pid, const Mapping& mapping)
{
	std::vector<std::uint8_t> image(max_bytes);
	const std::string path = "/proc/" + std::to_string(pid) + "/mem";
	const UniqueFd memory(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
	if (!memory)
		return errno_error(errno, path);
	image.resize(std::min<std::uint64_t>(image.size(), mapping.end - mapping.start));
	const ssize_t length = ::pread(memory.get(), image.data(), image.size(), static_cast<off_t>(mapping.start));
	if (length <= 0)
		return errno_error(length ? errno : ESRCH, path);
	return file_of(image.data(), static_cast<std::size_t>(length));
}

} // namespace uwind
