// SPDX-License-Identifier: GPL-2.0
// Archives of files: tar, compressed by zstd.
#include "io/archive.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <ostream>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/file_buffer.h"
#include "base/text.h"
#include "base/zstd_stream.h"
#include "io/libarchive.h"

namespace uwind {
namespace {

constexpr std::size_t part_bytes = 256 << 10;

using Entry = std::unique_ptr<archive_entry, decltype(&::archive_entry_free)>;

Error error_of(const Libarchive& library, struct archive* archive, const std::string& what)
{
	const char* text = library.error_string(archive);
	return {EIO, what + ": " + (text ? text : "cannot be written")};
}

la_ssize_t write_to_stream(struct archive*, void* stream, const void* bytes, std::size_t length)
{
	auto& out = *static_cast<std::ostream*>(stream);
	out.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(length));
	return out ? static_cast<la_ssize_t>(length) : -1;
}

Status write_all(int fd, const char* bytes, std::size_t length)
{
	while (length) {
		const ssize_t written = ::write(fd, bytes, length);
		if (written < 0 && errno != EINTR)
			return errno_error(errno, "unpacking");
		if (written > 0) {
			bytes += written;
			length -= static_cast<std::size_t>(written);
		}
	}
	return Nothing{};
}

} // namespace

ArchiveWriter::ArchiveWriter(ArchiveWriter&& other) noexcept
    : library_(other.library_), archive_(std::exchange(other.archive_, nullptr))
{
}

ArchiveWriter::~ArchiveWriter()
{
	if (archive_)
		library_.write_free(archive_);
}

Result<ArchiveWriter> ArchiveWriter::begin(std::ostream& out)
{
	const auto library = libarchive();
	if (!library)
		return library.error();
	ArchiveWriter writer(**library, (*library)->write_new());
	if (!writer.archive_)
		return errno_error(ENOMEM, "libarchive");
	if ((*library)->write_set_format_pax_restricted(writer.archive_) != ARCHIVE_OK ||
	    (*library)->write_add_filter_zstd(writer.archive_) != ARCHIVE_OK ||
	    (*library)->write_set_bytes_in_last_block(writer.archive_, 1) != ARCHIVE_OK || // zstd(1) takes no padding
	    (*library)->write_open(writer.archive_, &out, nullptr, &write_to_stream, nullptr) != ARCHIVE_OK)
		return error_of(**library, writer.archive_, "libarchive");
	return writer;
}

// Nobody's but for its length and its time: who has what name on that machine is left out.
Status ArchiveWriter::add_head(const std::string& name, const struct stat& facts)
{
	const Entry entry(library_.entry_new(), library_.entry_free);
	library_.entry_set_pathname(entry.get(), name.c_str());
	library_.entry_set_filetype(entry.get(), AE_IFREG);
	library_.entry_set_perm(entry.get(), 0644);
	library_.entry_set_size(entry.get(), facts.st_size);
	library_.entry_set_mtime(entry.get(), facts.st_mtim.tv_sec, 0);
	return library_.write_header(archive_, entry.get()) == ARCHIVE_OK ? Status(Nothing{})
									  : error_of(library_, archive_, name);
}

Status ArchiveWriter::add_bytes(const char* bytes, std::size_t length)
{
	return library_.write_data(archive_, bytes, length) == static_cast<la_ssize_t>(length)
		       ? Status(Nothing{})
		       : error_of(library_, archive_, "the archive");
}

Status ArchiveWriter::add(const std::string& name, int fd)
{
	struct stat facts {};
	if (::fstat(fd, &facts) || !S_ISREG(facts.st_mode))
		return errno_error(EINVAL, name);
	if (Status head = add_head(name, facts); !head)
		return head;
	std::vector<char> part(part_bytes);
	for (off_t at = 0; at < facts.st_size;) {
		const auto wanted = std::min<off_t>(facts.st_size - at, static_cast<off_t>(part.size()));
		const ssize_t length = ::pread(fd, part.data(), static_cast<std::size_t>(wanted), at);
		if (length < 0 && errno == EINTR)
			continue;
		if (length <= 0)
			return length < 0 ? errno_error(errno, name) : Error{EIO, name + ": became shorter meanwhile"};
		if (Status added = add_bytes(part.data(), static_cast<std::size_t>(length)); !added)
			return added;
		at += length;
	}
	return Nothing{};
}

Status ArchiveWriter::add(const std::string& name, std::string_view bytes)
{
	struct stat facts {};
	facts.st_size = static_cast<off_t>(bytes.size());
	facts.st_mtim.tv_sec = ::time(nullptr);
	if (Status head = add_head(name, facts); !head)
		return head;
	return add_bytes(bytes.data(), bytes.size());
}

Status ArchiveWriter::finish()
{
	return library_.write_close(archive_) == ARCHIVE_OK ? Status(Nothing{})
							    : error_of(library_, archive_, "the archive");
}

// By the first member's head (POSIX, pax: ustar Interchange Format).
bool is_archive(const std::string& path)
{
	constexpr std::string_view magic = "ustar";
	constexpr std::size_t magic_at = 257;
	struct stat facts {};
	if (::stat(path.c_str(), &facts) || !S_ISREG(facts.st_mode))
		return false;
	FileBuffer file(path);
	ZstdReader plain(file);
	std::array<char, 512> head{};
	plain.sgetn(head.data(), head.size());
	return std::string_view(&head[magic_at], magic.size()) == magic;
}

ArchiveReader::ArchiveReader(ArchiveReader&& other) noexcept
    : library_(other.library_), archive_(std::exchange(other.archive_, nullptr)), path_(std::move(other.path_)),
      name_(std::move(other.name_)), limits_(other.limits_), members_(other.members_), bytes_(other.bytes_)
{
}

ArchiveReader::~ArchiveReader()
{
	if (archive_)
		library_.read_free(archive_);
}

// No other format and no other compression is tried: fewer parsers read what somebody sent.
Result<ArchiveReader> ArchiveReader::open(const std::string& path, ArchiveLimits limits)
{
	const auto library = libarchive();
	if (!library)
		return library.error();
	ArchiveReader reader(**library, (*library)->read_new(), path, limits);
	if (!reader.archive_)
		return errno_error(ENOMEM, "libarchive");
	if ((*library)->read_support_filter_zstd(reader.archive_) != ARCHIVE_OK ||
	    (*library)->read_support_format_tar(reader.archive_) != ARCHIVE_OK)
		return error_of(**library, reader.archive_, "libarchive");
	errno = 0;
	if ((*library)->read_open_filename(reader.archive_, path.c_str(), part_bytes) != ARCHIVE_OK)
		return reader.damaged();
	return reader;
}

Error ArchiveReader::damaged() const
{
	const char* text = library_.error_string(archive_);
	return {EINVAL, path_ + " is damaged: " + printable(text ? text : "it ends too early")};
}

Result<std::optional<std::string>> ArchiveReader::next()
{
	archive_entry* entry = nullptr;
	const int outcome = library_.read_next_header(archive_, &entry);
	if (outcome == ARCHIVE_EOF)
		return std::optional<std::string>{};
	if (outcome != ARCHIVE_OK)
		return damaged();
	const char* name = library_.entry_pathname(entry);
	name_ = printable(name ? name : "");
	if (!name || library_.entry_filetype(entry) != AE_IFREG || library_.entry_hardlink(entry))
		return Error{EINVAL, path_ + ": " + name_ + " is no regular file"};
	if (++members_ > limits_.members)
		return Error{EINVAL, path_ + " has more than " + std::to_string(limits_.members) + " files"};
	return std::optional<std::string>(name);
}

// take: of each block of bytes, in order.
template <typename Take>
Status ArchiveReader::each_block(const Take& take)
{
	const void* block = nullptr;
	std::size_t length = 0;
	la_int64_t at = 0;
	for (std::uint64_t done = 0;; done += length) {
		const int outcome = library_.read_data_block(archive_, &block, &length, &at);
		if (outcome == ARCHIVE_EOF)
			return Nothing{};
		if (outcome != ARCHIVE_OK)
			return damaged();
		if (length && static_cast<std::uint64_t>(at) != done)
			return Error{EINVAL, path_ + ": " + name_ + " has holes"};
		if (done + length > limits_.member_bytes || (bytes_ += length) > limits_.bytes)
			return Error{EINVAL, path_ + ": " + name_ + " is too large"};
		if (Status taken = take(static_cast<const char*>(block), length); !taken)
			return taken;
	}
}

Status ArchiveReader::read_to(int fd)
{
	return each_block([&](const char* block, std::size_t length) { return write_all(fd, block, length); });
}

Result<std::string> ArchiveReader::read(std::uint64_t most_bytes)
{
	std::string text;
	const Status read = each_block([&](const char* block, std::size_t length) -> Status {
		if (text.size() + length > most_bytes)
			return Error{EINVAL, path_ + ": " + name_ + " is too large"};
		text.append(block, length);
		return Nothing{};
	});
	return read ? Result<std::string>(std::move(text)) : read.error();
}

} // namespace uwind
