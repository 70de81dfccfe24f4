// SPDX-License-Identifier: GPL-2.0
// What all ioctls of /dev/uwind share.
#pragma once

#include <cerrno>
#include <cstdint>
#include <map>
#include <sys/ioctl.h>

namespace uwind {

inline std::uint64_t user_pointer(const void* pointer)
{
	return reinterpret_cast<std::uintptr_t>(pointer);
}

// Sets the size that every struct begins with, and calls. Returns 0 or an errno.
template <typename T>
int call(int fd, unsigned long request, T& argument)
{
	argument.size = sizeof(argument);
	while (::ioctl(fd, request, &argument) < 0)
		if (errno != EINTR)
			return errno;
	return 0;
}

// All counters with a name, and those without a name that are not zero.
template <typename Word, unsigned Named, typename Count, std::size_t Room>
std::map<Word, std::uint64_t> counts(const Count (&raw)[Room])
{
	std::map<Word, std::uint64_t> result;
	for (std::size_t i = 0; i < Room; i++)
		if (i < Named || raw[i])
			result[Word(i)] = raw[i];
	return result;
}

} // namespace uwind
