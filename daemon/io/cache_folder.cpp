// SPDX-License-Identifier: GPL-2.0
// A folder of files that can be made again.
#include "io/cache_folder.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <ostream>
#include <span>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/handle.h"
#include "io/clock.h"
#include "io/output_file.h"

namespace uwind {
namespace {

namespace fs = std::filesystem;

constexpr char key_name[] = "key";
constexpr mode_t others = S_IWGRP | S_IWOTH;

// In a folder with the sticky bit nobody renames what is not theirs.
Status closed_to_others(const fs::path& folder)
{
	struct stat status {};
	if (::stat(folder.c_str(), &status))
		return errno_error(errno, folder);
	const bool ours = status.st_uid == 0 || status.st_uid == ::geteuid();
	if (ours && (!(status.st_mode & others) || status.st_mode & S_ISVTX))
		return Nothing{};
	return Error{EPERM, folder.string() + " can be written to by others: chown root and chmod go-w it"};
}

// The folder itself has no use for the sticky bit.
Status check(const fs::path& folder)
{
	struct stat status {};
	if (::stat(folder.c_str(), &status) || !S_ISDIR(status.st_mode))
		return errno_error(ENOTDIR, folder);
	if (status.st_mode & others)
		return Error{EPERM, folder.string() + " can be written to by others: chmod go-w it"};
	for (fs::path above = folder;; above = above.parent_path()) {
		if (Status closed = closed_to_others(above); !closed)
			return closed;
		if (above == above.root_path())
			return Nothing{};
	}
}

struct File {
	fs::path path;
	std::uint64_t bytes = 0;
	std::int64_t used_ns = 0;
};

bool is_older(const File& left, const File& right)
{
	return left.used_ns < right.used_ns;
}

// Without its key.
std::vector<File> files_in(const std::string& folder)
{
	std::vector<File> files;
	std::error_code error;
	struct stat status {};
	for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
		if (entry->path().filename() != key_name && !::lstat(entry->path().c_str(), &status) &&
		    S_ISREG(status.st_mode))
			files.push_back(
				{entry->path(), static_cast<std::uint64_t>(status.st_size), ns_of(status.st_mtim)});
	return files;
}

std::uint64_t sum_of(const std::vector<File>& files)
{
	std::uint64_t sum = 0;
	for (const File& file : files)
		sum += file.bytes;
	return sum;
}

bool read_all(int fd, std::span<std::uint8_t> bytes)
{
	std::size_t done = 0;
	while (done < bytes.size()) {
		const ssize_t length = ::read(fd, bytes.data() + done, bytes.size() - done);
		if (length <= 0)
			return false;
		done += static_cast<std::size_t>(length);
	}
	return true;
}

} // namespace

CacheFolder::CacheFolder(std::string path, std::uint64_t max_bytes)
    : path_(std::move(path)), max_bytes_(max_bytes), shared_(std::make_shared<Shared>())
{
	shared_->bytes = bytes();
}

CacheFolder CacheFolder::sparing(std::int64_t used_since_ns) const
{
	CacheFolder folder(*this);
	folder.used_since_ns_ = used_since_ns;
	return folder;
}

std::uint64_t CacheFolder::bytes() const
{
	return sum_of(files_in(path_));
}

Result<CacheFolder> CacheFolder::open(const std::string& path, std::uint64_t max_bytes)
{
	std::error_code error;
	const fs::path folder = fs::weakly_canonical(fs::absolute(path, error), error);
	if (error)
		return errno_error(error.value(), path);
	if (folder.has_parent_path())
		fs::create_directories(folder.parent_path(), error);
	if (::mkdir(folder.c_str(), 0700) < 0 && errno != EEXIST)
		return errno_error(errno, folder);
	if (Status checked = check(folder); !checked)
		return checked.error();
	return CacheFolder(folder, max_bytes);
}

namespace {

Result<Digest::Key> read_key(const std::string& path)
{
	Digest::Key key{};
	const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
	if (!fd)
		return errno_error(errno, path);
	if (!read_all(fd.get(), key))
		return Error{EBADMSG, path + " has less than 32 bytes: remove it"};
	return key;
}

// Whole or not at all, and not in place of another's: EEXIST.
Status make_key(const std::string& path)
{
	Digest::Key key;
	if (::getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size()))
		return errno_error(errno, "getrandom");
	std::string temporary = path + ".XXXXXX";
	const UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
	if (!fd)
		return errno_error(errno, path);
	const ssize_t written = ::write(fd.get(), key.data(), key.size());
	int code = written == static_cast<ssize_t>(key.size()) ? 0 : written < 0 ? errno : ENOSPC;
	if (!code && ::link(temporary.c_str(), path.c_str()))
		code = errno;
	::unlink(temporary.c_str());
	return code ? Status(errno_error(code, path)) : Status(Nothing{});
}

} // namespace

Result<Digest::Key> CacheFolder::key() const
{
	const std::string path = path_ + "/" + key_name;
	if (auto key = read_key(path); key || key.error().code != ENOENT)
		return key;
	if (const Status made = make_key(path); !made && made.error().code != EEXIST)
		return made.error();
	return read_key(path);
}

std::optional<CacheFolder::Content> CacheFolder::find(const std::string& name) const
{
	const UniqueFd fd(::open((path_ + "/" + name).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
	struct stat status {};
	if (!fd || ::fstat(fd.get(), &status) || static_cast<std::uint64_t>(status.st_size) > max_bytes_)
		return std::nullopt;
	const auto size = static_cast<std::size_t>(status.st_size);
	Content content{std::make_unique_for_overwrite<std::uint8_t[]>(size), size};
	if (!read_all(fd.get(), {content.memory.get(), size}))
		return std::nullopt;
	static_cast<void>(::futimens(fd.get(), nullptr));
	return content;
}

Status CacheFolder::write(const std::string& name, Bytes bytes) const
{
	auto file = OutputFile::create(path_ + "/" + name, 0600, OutputFile::Older::replace);
	if (!file)
		return file.error();
	const auto written = file->write([&](std::ostream& out) {
		out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
	});
	return written ? file->commit() : written;
}

Status CacheFolder::store(const std::string& name, Bytes bytes) const
{
	if (bytes.size() > max_bytes_ / 4)
		return Error{EFBIG, name + " is too large for " + path_};
	if (used_since_ns_)
		return store_sparing(name, bytes);
	if (Status written = write(name, bytes); !written)
		return written;
	if ((shared_->bytes += bytes.size()) > max_bytes_)
		shared_->bytes = make_room(0);
	return Nothing{};
}

// One at a time, so that no two of them use the same room.
Status CacheFolder::store_sparing(const std::string& name, Bytes bytes) const
{
	std::lock_guard lock(shared_->sparing);
	if (shared_->bytes + bytes.size() > max_bytes_)
		shared_->bytes = make_room(bytes.size());
	if (shared_->bytes + bytes.size() > max_bytes_)
		return Error{ENOSPC, path_ + " is full: its limit is " + std::to_string(max_bytes_ >> 20) +
					     " MiB, and what it holds was used lately: name fewer files, or "
					     "remove some from it"};
	if (Status written = write(name, bytes); !written)
		return written;
	shared_->bytes += bytes.size();
	return Nothing{};
}

// For so many bytes more. Returns how many there are now. Other processes store and remove as well. Temporary files of
// a crash are old some day, too.
std::uint64_t CacheFolder::make_room(std::uint64_t wanted) const
{
	std::vector<File> files = files_in(path_);
	std::sort(files.begin(), files.end(), is_older);
	std::uint64_t sum = sum_of(files);
	if (sum + wanted <= max_bytes_)
		return sum;
	const std::uint64_t most = max_bytes_ - std::max(max_bytes_ / 8, wanted);
	for (auto file = files.begin(); file != files.end() && sum > most; ++file) {
		if (used_since_ns_ && file->used_ns >= *used_since_ns_)
			break;
		if (!::unlink(file->path.c_str()))
			sum -= file->bytes;
	}
	return sum;
}

// The kernel takes them from its coarse clock, which may be some milliseconds late.
std::int64_t cache_clock_ns()
{
	timespec now{};
	::clock_gettime(CLOCK_REALTIME_COARSE, &now);
	return ns_of(now);
}

} // namespace uwind
