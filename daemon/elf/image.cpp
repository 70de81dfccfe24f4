// SPDX-License-Identifier: GPL-2.0
// Every offset is checked against the file's size before anything is read.
#include "elf/image.h"

#include "elf/failure.h"

#include <sys/stat.h>

namespace uwind {

Result<ElfImage> ElfImage::checked(ElfImage image)
{
	if (!image.elf_ || elf_kind(image.elf()) != ELF_K_ELF)
		return Error{ENOEXEC, "not an ELF file"};
	return image;
}

Result<ElfImage> ElfImage::open(int fd, std::shared_ptr<ReadLog> log)
{
	struct stat status;
	if (fstat(fd, &status))
		return errno_error(errno, "fstat");
	if (!S_ISREG(status.st_mode))
		return Error{ENOEXEC, "not a regular file"};
	elf_version(EV_CURRENT);
	ElfImage image;
	image.file_bytes_ = static_cast<std::uint64_t>(status.st_size);
	image.fd_ = fd;
	image.elf_.reset(elf_begin(fd, ELF_C_READ, nullptr));
	image.log_ = std::move(log);
	return checked(std::move(image));
}

Result<ElfImage> ElfImage::from_bytes(std::vector<std::uint8_t>&& bytes)
{
	elf_version(EV_CURRENT);
	ElfImage image;
	image.bytes_ = std::move(bytes);
	image.file_bytes_ = image.bytes_.size();
	if (!image.bytes_.empty())
		image.elf_.reset(elf_memory(reinterpret_cast<char*>(image.bytes_.data()), image.bytes_.size()));
	return checked(std::move(image));
}

Result<Bytes> ElfImage::peek(std::uint64_t offset, std::uint64_t bytes, const std::string& what) const
{
	if (!holds(offset, bytes))
		return elf_failure(EBADMSG, "%s: bytes 0x%llx+0x%llx lie past the file's end", what.c_str(),
				   Wide{offset}, Wide{bytes});
	if (bytes > max_section_bytes)
		return elf_failure(EBADMSG, "%s: 0x%llx bytes are more than the 256 MiB that are read", what.c_str(),
				   Wide{bytes});
	if (!bytes)
		return Bytes{};
	if (!bytes_.empty())
		return Bytes(bytes_).subspan(offset, bytes);
	if (bytes >= LargePieces::least_bytes)
		return large_.read(fd_, offset, bytes, what);
	const Elf_Data* data = elf_getdata_rawchunk(elf(), static_cast<std::int64_t>(offset), bytes, ELF_T_BYTE);
	if (!data || !data->d_buf || data->d_size != bytes)
		return libelf_failure(what.c_str());
	return Bytes(static_cast<const std::uint8_t*>(data->d_buf), bytes);
}

Result<Bytes> ElfImage::chunk(std::uint64_t offset, std::uint64_t bytes, const std::string& what) const
{
	Result<Bytes> found = peek(offset, bytes, what);
	if (!log_)
		return found;
	if (found)
		log_->add(offset, *found);
	else
		log_->end();
	return found;
}

bool ElfImage::copy(std::uint64_t offset, std::span<std::uint8_t> to) const
{
	while (!to.empty()) {
		const ssize_t length = ::pread(fd_, to.data(), to.size(), static_cast<off_t>(offset));
		if (length <= 0)
			return false;
		offset += static_cast<std::uint64_t>(length);
		to = to.subspan(static_cast<std::size_t>(length));
	}
	return true;
}

// On this machine libelf converts nothing: the entries are the file's bytes.
Elf_Data* ElfImage::table(std::uint64_t offset, std::uint64_t bytes, Elf_Type type) const
{
	const bool notes = type == ELF_T_NHDR || type == ELF_T_NHDR8; // of any length each
	const std::size_t entry = notes ? 1 : gelf_fsize(elf(), type, 1, EV_CURRENT);
	if (!entry || bytes < entry || bytes > max_section_bytes || !holds(offset, bytes))
		return nullptr;
	Elf_Data* data = elf_getdata_rawchunk(elf(), static_cast<std::int64_t>(offset), bytes - bytes % entry, type);
	if (log_ && data)
		log_->add(offset, Bytes(static_cast<const std::uint8_t*>(data->d_buf), data->d_size));
	else if (log_)
		log_->end();
	return data;
}

} // namespace uwind
