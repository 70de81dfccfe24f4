// SPDX-License-Identifier: GPL-2.0
// Bytes of the kernel's memory, by /proc/kcore: an ELF core file of the running kernel (elf(5)).
#include "io/kernel_memory.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/text.h"

namespace uwind {
namespace {

bool read_all(int fd, void* bytes, std::size_t length, std::uint64_t offset)
{
	auto* to = static_cast<char*>(bytes);
	while (length) {
		const ssize_t got = ::pread(fd, to, length, static_cast<off_t>(offset));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		to += got;
		offset += static_cast<std::uint64_t>(got);
		length -= static_cast<std::size_t>(got);
	}
	return true;
}

Error not_opened(int code, const std::string& path)
{
	if (code == ENOENT)
		return Error{code, path + ": not there: the kernel was built without CONFIG_PROC_KCORE"};
	if (code == EPERM || code == EACCES)
		return Error{code,
			     path + ": you may not read the kernel's memory: run as root (with CAP_SYS_RAWIO), and not "
				    "under kernel lockdown (/sys/kernel/security/lockdown)"};
	return errno_error(code, path);
}

bool is_core(const Elf64_Ehdr& header)
{
	return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
	       header.e_type == ET_CORE && header.e_phentsize == sizeof(Elf64_Phdr) &&
	       header.e_phnum <= KernelMemory::most_segments;
}

} // namespace

Result<KernelMemory> KernelMemory::open(const std::string& path)
{
	UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
	if (!fd)
		return not_opened(errno, path);
	Elf64_Ehdr header{};
	if (!read_all(fd.get(), &header, sizeof(header), 0) || !is_core(header))
		return Error{EPROTO, path + ": this is no core file of 64 bits"};
	std::vector<Elf64_Phdr> entries(header.e_phnum);
	if (!read_all(fd.get(), entries.data(), entries.size() * sizeof(Elf64_Phdr), header.e_phoff))
		return Error{EPROTO, path + ": its program headers are cut short"};
	std::vector<Segment> segments;
	for (const Elf64_Phdr& entry : entries)
		if (entry.p_type == PT_LOAD)
			segments.push_back({entry.p_vaddr, entry.p_memsz, entry.p_offset});
	return KernelMemory(std::move(fd), std::move(segments));
}

Status KernelMemory::read(std::uint64_t address, std::span<std::uint8_t> bytes) const
{
	const auto found = std::find_if(segments_.begin(), segments_.end(), [&](const Segment& segment) {
		return address - segment.address < segment.bytes &&
		       bytes.size() <= segment.bytes - (address - segment.address);
	});
	if (found == segments_.end() ||
	    !read_all(fd_.get(), bytes.data(), bytes.size(), found->offset + (address - found->address)))
		return Error{EFAULT, hex(address) + ": the kernel's memory cannot be read there"};
	return Nothing{};
}

} // namespace uwind
