// SPDX-License-Identifier: GPL-2.0
// A file that appears complete or not at all.
#include "io/output_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <ostream>
#include <streambuf>
#include <sys/stat.h>
#include <unistd.h>

namespace uwind {
namespace {

// A stream buffer on a file descriptor that remembers its first error.
class FdBuffer : public std::streambuf {
public:
	explicit FdBuffer(int fd) : fd_(fd) { setp(room_.data(), room_.data() + room_.size()); }
	int error() const { return error_; }

protected:
	int sync() override { return flush() ? 0 : -1; }

	int_type overflow(int_type c) override
	{
		if (!flush())
			return traits_type::eof();
		if (!traits_type::eq_int_type(c, traits_type::eof()))
			sputc(traits_type::to_char_type(c));
		return traits_type::not_eof(c);
	}

private:
	bool flush()
	{
		const char* next = pbase();
		while (next < pptr() && !error_) {
			const ssize_t written = ::write(fd_, next, static_cast<std::size_t>(pptr() - next));
			if (written >= 0)
				next += written;
			else if (errno != EINTR)
				error_ = errno;
		}
		setp(room_.data(), room_.data() + room_.size());
		return !error_;
	}

	const int fd_;
	int error_ = 0;
	std::array<char, 1 << 16> room_;
};

bool is_special(const std::string& path)
{
	struct stat status {};
	return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

} // namespace

OutputFile::OutputFile(std::string path, std::string temporary, UniqueFd fd, Older older)
    : path_(std::move(path)), temporary_(std::move(temporary)), fd_(std::move(fd)), older_(older)
{
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)), temporary_(std::exchange(other.temporary_, "")), fd_(std::move(other.fd_)),
      older_(other.older_)
{
}

OutputFile::~OutputFile()
{
	if (!temporary_.empty())
		::unlink(temporary_.c_str());
}

Result<OutputFile> OutputFile::create(const std::string& path, mode_t mode, Older older)
{
	struct stat status {};
	if (is_special(path)) {
		UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
		if (!fd)
			return errno_error(errno, path);
		return OutputFile(path, "", std::move(fd), older);
	}
	if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
		return errno_error(EISDIR, path);
	std::string temporary = path + ".XXXXXX";
	UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
	if (!fd)
		return errno_error(errno, path);
	OutputFile file(path, temporary, std::move(fd), older);
	if (::fchmod(file.fd_.get(), mode) < 0)
		return errno_error(errno, path);
	return file;
}

Status OutputFile::write(const std::function<void(std::ostream&)>& writer)
{
	FdBuffer buffer(fd_.get());
	std::ostream out(&buffer);
	writer(out);
	out.flush();
	if (buffer.error())
		return errno_error(buffer.error(), path_);
	return Nothing{};
}

Status OutputFile::commit()
{
	if (temporary_.empty())
		return Nothing{};
	if (older_ == Older::keep_as_old && ::rename(path_.c_str(), (path_ + ".old").c_str()) < 0 && errno != ENOENT)
		return errno_error(errno, path_ + ".old");
	if (::rename(temporary_.c_str(), path_.c_str()) < 0)
		return errno_error(errno, path_);
	temporary_.clear();
	return Nothing{};
}

} // namespace uwind
