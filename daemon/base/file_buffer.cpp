// SPDX-License-Identifier: GPL-2.0
// A file's bytes as a stream has them.
#include "base/file_buffer.h"

#include <cerrno>
#include <fcntl.h>

namespace uwind {

FileBuffer::FileBuffer(const std::string& path) : fd_(STDIN_FILENO), bytes_(256 << 10)
{
	if (path == "-")
		return;
	own_.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
	fd_ = own_.get();
	error_ = own_ ? 0 : errno;
}

FileBuffer::int_type FileBuffer::underflow()
{
	ssize_t length = -1;
	while (!error_ && (length = ::read(fd_, bytes_.data(), bytes_.size())) < 0)
		error_ = errno == EINTR ? 0 : errno;
	if (length <= 0)
		return traits_type::eof();
	setg(bytes_.data(), bytes_.data(), bytes_.data() + length);
	return traits_type::to_int_type(*gptr());
}

} // namespace uwind
