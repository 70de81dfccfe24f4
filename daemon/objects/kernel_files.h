// SPDX-License-Identifier: GPL-2.0
// Where the files of a kernel and of its modules are, with their debug information.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace uwind {

class KernelFiles {
public:
	// Which the kernel of that release may have below a folder: one of modules, as [nf_tables], or itself, as
	// [kernel.kallsyms]. Most likely ones first. Folders are looked through once, up to 262,144 files in each.
	std::vector<std::string> paths(const std::string& folder, const std::string& release, const std::string& name);

private:
	using ByName = std::map<std::string, std::vector<std::string>>;
	const ByName& modules_below(const std::string& folder);

	std::map<std::string, ByName> folders_;
};

} // namespace uwind
