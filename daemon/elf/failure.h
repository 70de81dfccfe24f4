// SPDX-License-Identifier: GPL-2.0
// Errors of ELF files, formatted as by printf().
#pragma once

#include "base/result.h"

#include <cerrno>
#include <cstdio>
#include <libelf.h>

namespace uwind {

using Wide = unsigned long long;

template <typename... Args>
Error elf_failure(int code, const char* format, Args... args)
{
	char text[200];
	std::snprintf(text, sizeof(text), format, args...);
	return Error{code, text};
}

// The message ends with libelf's reason.
inline Error libelf_failure(const char* what)
{
	const char* why = elf_errmsg(-1);
	return elf_failure(EBADMSG, "%s: %s", what, why ? why : "broken");
}

} // namespace uwind
