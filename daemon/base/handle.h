// SPDX-License-Identifier: GPL-2.0
// Owners of C handles: file descriptors and what a library's free function frees.
#pragma once

#include <memory>
#include <unistd.h>
#include <utility>

namespace uwind {

class UniqueFd {
public:
	UniqueFd() = default;
	explicit UniqueFd(int fd) : fd_(fd) {}
	UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
	UniqueFd& operator=(UniqueFd&& other) noexcept
	{
		reset(std::exchange(other.fd_, -1));
		return *this;
	}
	~UniqueFd() { reset(); }

	int get() const { return fd_; }
	explicit operator bool() const { return fd_ >= 0; }
	void reset(int fd = -1)
	{
		if (fd_ >= 0 && fd_ != fd)
			::close(fd_);
		fd_ = fd;
	}

private:
	int fd_ = -1;
};

// std::unique_ptr<Elf, FreeWith<&elf_end>>
template <auto Free>
struct FreeWith {
	template <typename T>
	void operator()(T* pointer) const
	{
		Free(pointer);
	}
};

} // namespace uwind
