// SPDX-License-Identifier: GPL-2.0
// A file that is open and may get a table.
#pragma once

#include <memory>
#include <string>

#include "app/modules.h"
#include "port/objects.h"

namespace uwind {

struct OpenedModule {
	ModuleId id = 0;
	std::shared_ptr<UniqueFd> fd;
	std::string path;
	std::uint32_t tgid = 0; // a process that maps it; 0: none yet, or all of them
	bool vdso = false;
	bool missed = false;                                    // a stack has ended in it for want of a table
	Result<std::shared_ptr<const Object>> object = Error{}; // ENOEXEC: neither an ELF file nor a script
};

// Reads the file's headers: sets object. What they say is kept in modules, for offsets and names.
OpenedModule with_object(OpenedModule opened, Objects& objects, Modules& modules);

} // namespace uwind
