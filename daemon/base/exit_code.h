// SPDX-License-Identifier: GPL-2.0
// The exit codes that scripts may rely on, and the errors that give them.
#pragma once

#include <cerrno>

#include "base/result.h"

namespace uwind {

enum ExitCode {
	exit_ok = 0,
	exit_usage = 64,         // an argument is wrong or names nothing
	exit_unavailable = 69,   // the module is absent, or all its sessions are taken
	exit_bug = 70,           // an internal error
	exit_no_permission = 77, // privilege is missing
	exit_configuration = 78, // the machine's set-up: versions, folders, disks
};

// ENXIO stands for "the module is not loaded", EPROTO for "another ABI".
inline int exit_code_for(const Error& error)
{
	switch (error.code) {
	case EPERM:
	case EACCES:
		return exit_no_permission;
	case ENXIO:
	case EBUSY:
		return exit_unavailable;
	case EINVAL:
	case ESRCH:
	case ENODEV:
		return exit_usage;
	case EPROTO:
	case ENOENT:
	case ENOTDIR:
	case EISDIR:
	case ENOSPC:
	case EDQUOT:
	case EROFS:
	case EIO:
		return exit_configuration;
	default:
		return exit_bug;
	}
}

} // namespace uwind
